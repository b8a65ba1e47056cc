//===- Compile.cpp - distaff compile --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Compile.h"
#include "distaff/Driver/Package.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {

ExitCode writeOutput(StringRef path, StringRef content) {
  llvm::Error error =
      llvm::writeToOutput(path, [&](raw_ostream &stream) -> llvm::Error {
        stream << content;
        return llvm::Error::success();
      });
  if (!error)
    return ExitCode::Fine;
  printError("cannot write '" + path + "': " + toString(std::move(error)));
  return ExitCode::Usage;
}

namespace {

/// What the flags mean, once they are known to fit together.
struct Plan {
  const Target *target = nullptr;
  const Stage *last = nullptr;
  std::optional<EmitKind> emit; ///< none: MLIR or a package
  bool package = false;
};

ExitCode makePlan(const CompileOptions &options, Plan &plan) {
  bool emitsMLIR = options.emit == "mlir";
  plan.package = options.emit == "package";
  if (!emitsMLIR && !plan.package) {
    plan.emit = parseEmitKind(options.emit);
    if (!plan.emit) {
      printError("unknown --emit '" + options.emit +
                 "', it is one of mlir, llvm, ptx, cubin, gcn, hsaco, package");
      return ExitCode::Usage;
    }
  }
  if (!options.stopAfter.empty()) {
    plan.last = findStage(options.stopAfter);
    if (!plan.last)
      return ExitCode::Usage;
    if (!emitsMLIR) {
      printError("--stop-after prints MLIR, it does not go with --emit " +
                 options.emit);
      return ExitCode::Usage;
    }
  }
  bool parsesOnly = options.input.target.empty() && emitsMLIR && !plan.last;
  if (!parsesOnly && !(plan.target = findTarget(options.input.target)))
    return ExitCode::Usage;
  if (plan.emit && !isKindOf(*plan.target, *plan.emit)) {
    printError("--emit " + options.emit + " is not for target " +
               options.input.target);
    return ExitCode::Usage;
  }
  return ExitCode::Fine;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

} // namespace

ExitCode compile(const CompileOptions &options) {
  Plan plan;
  if (ExitCode code = makePlan(options, plan); code != ExitCode::Fine)
    return code;
  KernelInput input;
  if (ExitCode code = input.load(options.input); code != ExitCode::Fine)
    return code;
  if (!plan.target)
    return writeOutput(options.output, print(input.getModule()));

  OwningOpRef<ModuleOp> module = input.cloneModule();
  func::FuncOp kernel = selectKernel(*module, options.input.function);
  if (!kernel)
    return ExitCode::No;
  // Taken before the stages change them.
  KernelSignature signature = KernelSignature::get(kernel);
  PassManager pipeline(input.getContext());
  pipeline.enableVerifier(true);
  buildPipeline(pipeline, {.target = plan.target, .strictFp = options.strictFp},
                plan.last, stagesAhead(kernel));
  if (failed(pipeline.run(*module)))
    return ExitCode::No;

  FailureOr<std::string> content;
  if (plan.package)
    content = buildPackage(*module, signature, *plan.target);
  else if (plan.emit)
    content = emitText(*module, *plan.target, *plan.emit);
  else
    content = print(*module);
  if (failed(content))
    return ExitCode::No;
  return writeOutput(options.output, *content);
}

} // namespace distaff
