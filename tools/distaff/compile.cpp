//===- compile.cpp - distaff compile --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Compile.h"
#include "Command.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"

namespace distaff {
namespace {

class CompileCommand final : public KernelCommand {
public:
  CompileCommand() : KernelCommand("compile", "Compile a kernel") {
    for (StringFlag *flag : {&emit, &stopAfter, &output})
      needsValue(*flag);
  }

private:
  ExitCode work() override {
    CompileOptions options{.function = function, .strictFp = strictFp};
    if (ExitCode code = readFlags(options); code != ExitCode::Fine)
      return code;
    KernelFile file;
    if (ExitCode code = file.load(path()); code != ExitCode::Fine)
      return code;
    if (!options.target)
      return writeOutput(output, print(file.getModule()));
    Compiled compiled = compile(file.getModule(), options);
    if (compiled.answer != Answer::Yes)
      return exitCodeOf(compiled.answer);
    return writeOutput(output, compiled.content);
  }

  /// Without a target the file is parsed, verified and printed.
  ExitCode readFlags(CompileOptions &options) {
    if (ExitCode code = readEmit(options); code != ExitCode::Fine)
      return code;
    auto *mlir = std::get_if<AsMlir>(&options.product);
    if (!stopAfter.empty()) {
      const Stage *last = findStage(stopAfter);
      if (!last)
        return ExitCode::Usage;
      if (!mlir)
        return usageError("--stop-after prints MLIR, it does not go with "
                          "--emit " +
                          emit);
      mlir->last = last;
    }
    bool parsesOnly = target.empty() && mlir && !mlir->last;
    if (!parsesOnly && !(options.target = findTarget(target)))
      return ExitCode::Usage;
    const auto *kind = std::get_if<EmitKind>(&options.product);
    if (kind && !isKindOf(*options.target, *kind))
      return usageError("--emit " + emit + " is not for target " + target);
    return ExitCode::Fine;
  }

  ExitCode readEmit(CompileOptions &options) {
    if (emit == "mlir")
      options.product = AsMlir();
    else if (emit == "package")
      options.product = AsPackage();
    else if (std::optional<EmitKind> kind = parseEmitKind(emit))
      options.product = *kind;
    else
      return usageError("unknown --emit '" + emit +
                        "', it is one of mlir, llvm, ptx, cubin, gcn, hsaco, "
                        "package");
    return ExitCode::Fine;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return text;
  }

  StringFlag emit{"emit",
                  cl::desc("mlir, llvm, ptx, cubin, gcn, hsaco or package"),
                  cl::init("mlir"), cl::sub(sub), cl::cat(flagCategory())};
  StringFlag stopAfter{
      "stop-after",
      cl::desc("Last stage to run: configure, tile, vectorize, assign-layouts, "
               "distribute or lower"),
      cl::value_desc("STAGE"), cl::sub(sub), cl::cat(flagCategory())};
  StringFlag output{"o",           cl::desc("File to write, - for stdout"),
                    cl::init("-"), cl::value_desc("FILE"),
                    cl::sub(sub),  cl::cat(flagCategory())};
};

} // namespace

std::unique_ptr<Command> createCompileCommand() {
  return std::make_unique<CompileCommand>();
}

} // namespace distaff
