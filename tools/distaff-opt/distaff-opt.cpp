//===- distaff-opt.cpp - Pass driver for tests ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with Distaff's dialects, passes and interface models besides MLIR's:
// for tests, and to run one pass at a time. `distaff` compiles kernels. Like
// `distaff`, it refuses IR that is larger than any machine before the first
// pass, and text that crashes MLIR's parser.
//
//===----------------------------------------------------------------------===//
#include "CommandLine/Files.h"
#include "CommandLine/Process.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Cpu/Passes.h"
#include "distaff/Dialect/AttributeDictionary.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/ClassicGathers.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Driver/DumpText.h"
#include "distaff/Import/Passes.h"
#include "distaff/Layouts/Passes.h"
#include "distaff/Lower/Passes.h"
#include "distaff/PCF/Passes.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/PassAliases.h"
#include "distaff/Staging/Passes.h"
#include "distaff/Tiling/Bufferize/PCFBufferization.h"
#include "distaff/Tiling/Bufferize/VectorExtBufferization.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace distaff;

/// The printed form of the inherent attributes of inherited ops.
enum class AttributeForm { Dictionary, Properties };

/// Returns the passes of the flags, after the check of sizes.
static MlirOptMainConfig makeConfig() {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  return MlirOptMainConfig(config).setPassPipelineSetupFn(
      [config](PassManager &manager) {
        manager.addPass(createVerifySizesPass());
        return config.setupPassPipeline(manager);
      });
}

static ExitCode run(StringRef input, StringRef output,
                    DialectRegistry &registry) {
  MlirOptMainConfig config = makeConfig();
  if (config.shouldShowDialects()) {
    llvm::interleave(registry.getDialectNames(), llvm::outs(), "\n");
    return ExitCode::Fine;
  }
  if (config.shouldListPasses()) {
    printRegisteredPasses();
    return ExitCode::Fine;
  }
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(input);
  if (!buffer)
    return ExitCode::Usage;
  buffer = llvm::MemoryBuffer::getMemBufferCopy(adaptDump(buffer->getBuffer()),
                                                buffer->getBufferIdentifier());
  std::string notes;
  auto note = [&](const OldSpellingNote &spelling) {
    notes += input.str() + ":" + std::to_string(spelling.line) + ":" +
             std::to_string(spelling.column) + ": note: " + spelling.text +
             "\n";
  };
  if (std::optional<std::string> why = findUnparsable(
          buffer->getBuffer(), registry, config.inputSplitMarker(), note)) {
    printError("'" + input + "': " + *why);
    return ExitCode::No;
  }
  std::string content;
  llvm::raw_string_ostream stream(content);
  if (failed(MlirOptMain(stream, std::move(buffer), registry, config))) {
    llvm::errs() << notes;
    return ExitCode::No;
  }
  return writeOutput(output, content);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerKernelDialects(registry);
  pcf::registerPCFBufferization(registry);
  vector_ext::registerVectorExtBufferization(registry);
  registerAllPasses();
  registerDistaffConversion();
  registerDistributionPasses();
  registerDistaffConfigure();
  registerDistaffImport();
  registerDistaffTiling();
  registerDistaffLayouts();
  registerDistaffPCF();
  registerDistaffStaging();
  registerDistaffLower();
  registerDistaffCpu();
  registerDistaffPipelines();
  registerPassAliases();
  llvm::cl::SetVersionPrinter(printVersion);
  std::string header =
      registerCLIOptions("Distaff optimizer driver\n", registry);
  // Upstream's own parsing exits with 1, which here means a failed check.
  llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                   llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output filename"),
                                    llvm::cl::value_desc("filename"),
                                    llvm::cl::init("-"));
  llvm::cl::opt<AttributeForm> form(
      "print-inherent-attributes",
      llvm::cl::desc("Where inherited ops have the inherent attributes that "
                     "their syntax does not spell"),
      llvm::cl::values(
          clEnumValN(AttributeForm::Dictionary, "dictionary",
                     "{...}, among the discardable ones (default)"),
          clEnumValN(AttributeForm::Properties, "properties",
                     "<{...}>, as IREE prints them since version 3.13")),
      llvm::cl::init(AttributeForm::Dictionary));
  llvm::cl::opt<bool> classic(
      "print-classic-gathers",
      llvm::cl::desc("Print iree_vector_ext.transfer_gather in its classic "
                     "form, with an entry per dimension of the base, where it "
                     "has one"));
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, header, &llvm::errs()))
    return static_cast<int>(ExitCode::Usage);
  if (form == AttributeForm::Properties)
    printInherentAttributesAsProperties<vector_ext::VectorExtDialect,
                                        iree::IREECodegenDialect,
                                        iree::IREEGPUDialect, pcf::PCFDialect>(
        registry);
  if (classic)
    vector_ext::printClassicGathers(registry);
  return runTool([&] {
    limitMemory();
    return run(input, output, registry);
  });
}
