//===- Explain.cpp - Explaining a kernel ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Explain.h"
#include "KernelSelection.h"
#include "distaff/Pipelines/Pipelines.h"

namespace distaff {

Explained explain(ModuleOp source, const ExplainOptions &options) {
  OwningOpRef<ModuleOp> module = source.clone();
  FunctionOpInterface kernel;
  if (Answer answer = selectKernel(*module, options.function, kernel);
      answer != Answer::Yes)
    return {answer, {}};

  FailureOr<Way> way = findWay(kernel, options.road);
  if (failed(way))
    return {Answer::Refused, {}};
  Explained explained;
  explained.explanation.function = kernel.getName().str();
  PassManager pipeline(module->getContext());
  PipelineOptions stages{.target = options.target,
                         .log = &explained.explanation.log,
                         .strictFp = options.strictFp,
                         .specialization = options.specialization};
  buildPipeline(pipeline, stages, *way->road, way->ahead);
  if (failed(pipeline.run(*module)))
    explained.answer = Answer::Refused;
  assert((explained.answer != Answer::Yes || explained.explanation.kernel()) &&
         "some stage has written down what the kernel runs as");
  return explained;
}

} // namespace distaff
