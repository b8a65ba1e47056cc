//===- compile.cpp - distaff compile --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Compile.h"
#include "Command.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/Pipeline.h"
#include "distaff/Target/Target.h"

namespace distaff {
namespace {

class CompileCommand final : public KernelCommand {
public:
  CompileCommand() : KernelCommand("compile", "Compile a kernel") {
    for (StringFlag *flag : {&emit, &stopAfter, &threads, &output})
      needsValue(*flag);
  }

private:
  ExitCode work() override {
    CompileOptions options{.function = function,
                           .strictFp = strictFp,
                           .requireAnchors = anchors,
                           .remarks = remarks};
    if (ExitCode code = readFlags(options); code != ExitCode::Fine)
      return code;
    if (ExitCode code = checkOutput(output); code != ExitCode::Fine)
      return code;
    KernelFile file;
    if (ExitCode code = loadKernel(file); code != ExitCode::Fine)
      return code;
    if (!options.target)
      return writeOutput(output, print(file.getModule()));
    Compiled compiled = compile(file.getModule(), options);
    if (compiled.answer != Answer::Yes)
      return exitCodeOf(compiled.answer);
    return writeOutput(output, compiled.content);
  }

  /// Reads the flags. Without a target the file is parsed, verified and
  /// printed.
  ExitCode readFlags(CompileOptions &options) {
    constexpr unsigned most = 1024;
    if (StringRef(threads).getAsInteger(10, options.threads) ||
        options.threads > most)
      return usageError("--threads takes a number from 0 to " +
                        std::to_string(most) + ", not '" + threads + "'");
    if (ExitCode code = readEmit(options); code != ExitCode::Fine)
      return code;
    if (ExitCode code = findPipeline(pipeline, options.pipeline);
        code != ExitCode::Fine)
      return code;
    if (ExitCode code = findSpecialization(specialize, options.specialization);
        code != ExitCode::Fine)
      return code;
    auto *mlir = std::get_if<AsMlir>(&options.product);
    if (!stopAfter.empty()) {
      if (ExitCode code = checkStage(stopAfter, options.pipeline);
          code != ExitCode::Fine)
        return code;
      if (!mlir)
        return usageError("--stop-after prints MLIR, it does not go with "
                          "--emit " +
                          emit);
      mlir->last = stopAfter;
    }
    bool parsesOnly = target.empty() && mlir && mlir->last.empty();
    if (!parsesOnly && !(options.target = findTarget(target)))
      return ExitCode::Usage;
    const auto *code = std::get_if<AsCode>(&options.product);
    bool isHeader = std::holds_alternative<AsHeader>(options.product);
    bool isPackage = std::holds_alternative<AsPackage>(options.product);
    // Packages are launched on GPUs.
    if ((code && !isKindOf(*options.target, code->kind)) ||
        (isHeader && !options.target->isHost()) ||
        (isPackage && options.target->isHost()))
      return usageError("--emit " + emit + " is not for target " + target);
    return ExitCode::Fine;
  }

  ExitCode readEmit(CompileOptions &options) {
    if (emit == "mlir")
      options.product = AsMlir();
    else if (emit == "package")
      options.product = AsPackage{.threads = options.threads};
    else if (emit == "header")
      options.product = AsHeader();
    else if (isKindKnown(emit))
      options.product = AsCode{emit};
    else
      return usageError("unknown --emit '" + emit + "', it is one of " +
                        emitDescription());
    return ExitCode::Fine;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return text;
  }

  static StringRef emitDescription() {
    static const std::string text =
        "mlir, " + listAllKinds() + ", header, package";
    return text;
  }

  StringFlag emit{"emit", cl::desc(emitDescription()), cl::init("mlir"),
                  cl::sub(sub), cl::cat(flagCategory())};
  StringFlag stopAfter{"stop-after", cl::desc(stopAfterDescription()),
                       cl::value_desc("STAGE"), cl::sub(sub),
                       cl::cat(flagCategory())};
  cl::opt<bool> remarks{
      "remarks", cl::desc("Report each decision as a remark at its line"),
      cl::sub(sub), cl::cat(flagCategory())};
  StringFlag threads{
      "threads",     cl::desc("Host threads that generate code, 0 for all"),
      cl::init("0"), cl::value_desc("N"),
      cl::sub(sub),  cl::cat(flagCategory())};
  StringFlag output{"o",           cl::desc("File to write, - for stdout"),
                    cl::init("-"), cl::value_desc("FILE"),
                    cl::sub(sub),  cl::cat(flagCategory())};
};

} // namespace

std::unique_ptr<Command> createCompileCommand() {
  return std::make_unique<CompileCommand>();
}

} // namespace distaff
