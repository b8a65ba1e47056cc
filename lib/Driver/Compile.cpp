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
#include "distaff/Runtime/OutputFile.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {

ExitCode writeOutput(StringRef path, StringRef content) {
  std::string why;
  if (path == "-") {
    llvm::outs() << content;
    llvm::outs().flush();
    if (std::error_code error = llvm::outs().error())
      why = error.message();
    llvm::outs().clear_error(); // or the stream ends the process
  } else {
    why = runtime::writeOutputFile(path.str(), {content});
  }
  if (why.empty())
    return ExitCode::Fine;
  printError("cannot write '" + path + "': " + why);
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

/// Kernels that go through the stages together begin at the same one.
FailureOr<ArrayRef<Stage>> commonStagesAhead(ArrayRef<func::FuncOp> kernels) {
  ArrayRef<Stage> first = stagesAhead(kernels.front());
  for (func::FuncOp kernel : kernels.drop_front())
    if (stagesAhead(kernel).data() != first.data()) {
      InFlightDiagnostic diagnostic = kernel.emitError(
          "has been through other stages than the first kernel of the file; "
          "compile them one by one, with --func");
      diagnostic.attachNote(kernels.front()->getLoc()) << "the first kernel";
      return diagnostic;
    }
  return first;
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
  // A package is one kernel; what is printed may be all of a file.
  bool takesAll = options.input.function.empty() && !plan.package;
  SmallVector<func::FuncOp> kernels;
  if (ExitCode code = takesAll ? allKernels(*module, kernels)
                               : selectKernel(*module, options.input.function,
                                              kernels.emplace_back());
      code != ExitCode::Fine)
    return code;
  // Taken before the stages change them.
  KernelSignature signature = KernelSignature::get(kernels.front());
  FailureOr<ArrayRef<Stage>> ahead = commonStagesAhead(kernels);
  if (failed(ahead))
    return ExitCode::No;
  PassManager pipeline(input.getContext());
  pipeline.enableVerifier(true);
  buildPipeline(pipeline, {.target = plan.target, .strictFp = options.strictFp},
                plan.last, *ahead);
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
