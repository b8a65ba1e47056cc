//===- EmitLLVM.cpp - LLVM IR to machine code -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EmitSteps.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <mutex>

using namespace distaff;

/// Those of this machine, as -mattr has them.
static std::string nativeFeatures() {
  llvm::SubtargetFeatures features;
  for (auto &[name, has] : llvm::sys::getHostCPUFeatures())
    features.AddFeature(name, has);
  return features.getString();
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
distaff::createTargetMachine(Location loc, const Target &target,
                             const Backend &backend) {
  backend.initialize();
  bool isNative = target.triple == nativeChip;
  llvm::Triple triple(isNative ? llvm::sys::getProcessTriple()
                               : target.triple.str());
  std::string error;
  const llvm::Target *generator =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!generator)
    return emitError(loc, "LLVM has no backend for ")
           << target.name << ": " << error;
  return std::unique_ptr<llvm::TargetMachine>(generator->createTargetMachine(
      triple,
      target.chip == nativeChip ? llvm::sys::getHostCPUName()
                                : StringRef(target.chip),
      target.chip == nativeChip ? nativeFeatures() : target.features.str(),
      llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

namespace {
/// Moves what does not change out of innermost loops. Out of a loop around
/// them, of workgroups that stay for several tiles, it would save a few sums
/// of thousands and have registers live through all that is inside: 144 of a
/// dynamic batch_matmul on sm_80, which then spilled 184 bytes and now none.
class InnermostInvariants : public llvm::PassInfoMixin<InnermostInvariants> {
public:
  llvm::PreservedAnalyses run(llvm::Loop &loop,
                              llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater) {
    return loop.isInnermost() ? moving.run(loop, analyses, results, updater)
                              : llvm::PreservedAnalyses::all();
  }

private:
  llvm::LICMPass moving{llvm::LICMOptions()};
};

/// Holds LLVM's switches of a backend while passes are chosen, one thread at a
/// time: LLVM keeps them for the whole process.
class GeneratorSwitches {
public:
  explicit GeneratorSwitches(ArrayRef<StringLiteral> names) : lock(mutex()) {
    for (StringRef name : names) {
      switches.push_back(llvm::cl::getRegisteredOptions().lookup(name));
      assert(switches.back() && "no switch of LLVM's has that name");
      switches.back()->addOccurrence(/*pos=*/0, name, "true");
    }
  }
  ~GeneratorSwitches() {
    for (llvm::cl::Option *known : switches)
      known->reset();
  }

private:
  static std::mutex &mutex() {
    static std::mutex one;
    return one;
  }

  std::lock_guard<std::mutex> lock;
  SmallVector<llvm::cl::Option *> switches;
};
} // namespace

/// What is left to do on scalars that MLIR has named and simplified: take
/// descriptors apart, share addresses, move them out of loops. The default
/// pipeline takes five times as long and its code is no better.
static llvm::FunctionPassManager kernelPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(InnermostInvariants());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

void distaff::optimize(llvm::Module &module, llvm::TargetMachine &machine,
                       const Backend &backend) {
  if (backend.prepare)
    backend.prepare(module);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(kernelPasses()));
  if (!backend.modulePasses.empty())
    llvm::cantFail(builder.parsePassPipeline(passes, backend.modulePasses));
  passes.run(module, modules);
  if (backend.finish)
    backend.finish(module);
}

FailureOr<std::string> distaff::generateCode(Location loc, llvm::Module &module,
                                             llvm::TargetMachine &machine,
                                             const Backend &backend,
                                             llvm::CodeGenFileType type) {
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  {
    GeneratorSwitches switches(backend.generatorSwitches);
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
      return emitError(loc, "LLVM's backend cannot make this kind of file"),
             failure();
  }
  passes.run(module);
  return std::string(code);
}
