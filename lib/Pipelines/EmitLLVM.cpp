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
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
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

/// Returns the features of this machine, as -mattr takes them.
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
      // The aggressive level makes GPU code no better, and takes longer.
      target.family == Family::Host ? llvm::CodeGenOptLevel::Aggressive
                                    : llvm::CodeGenOptLevel::Default));
}

/// Returns the 32-bit registers that hold a value of a type; predicates have
/// their own.
static int64_t registersOf(llvm::Type *type, const llvm::DataLayout &layout) {
  constexpr int64_t bits = 32;
  return !type->isSized() || type->isIntegerTy(1)
             ? 0
             : llvm::divideCeil(layout.getTypeSizeInBits(type), bits);
}

/// Returns whether a value is an address plus a constant, which accesses fold.
static bool isDisplaced(const llvm::Value *value) {
  auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(value);
  return address && address->hasAllConstantIndices();
}

/// Returns the number of registers that the loop-invariant values computed in a
/// loop would take if all were hoisted.
static int64_t registersOfInvariants(const llvm::Loop &loop,
                                     llvm::LoopInfo &loops) {
  const llvm::DataLayout &layout = loop.getHeader()->getDataLayout();
  llvm::SmallPtrSet<const llvm::Value *, 32> invariants;
  auto isInvariant = [&](const llvm::Value *value) {
    return loop.isLoopInvariant(value) || invariants.contains(value);
  };
  llvm::LoopBlocksRPO order(const_cast<llvm::Loop *>(&loop));
  order.perform(&loops);
  for (llvm::BasicBlock *block : order)
    for (const llvm::Instruction &op : *block)
      if (!op.mayHaveSideEffects() && !op.mayReadFromMemory() &&
          !op.isTerminator() && !llvm::isa<llvm::PHINode>(op) &&
          llvm::all_of(op.operands(), isInvariant))
        invariants.insert(&op);
  auto isUsed = [&](auto &self, const llvm::Value *value) -> bool {
    return llvm::any_of(value->users(), [&](const llvm::User *user) {
      return isDisplaced(user) ? self(self, user) : !isInvariant(user);
    });
  };
  int64_t registers = 0;
  for (const llvm::Value *value : invariants)
    if (!isDisplaced(value) && isUsed(isUsed, value))
      registers += registersOf(value->getType(), layout);
  return registers;
}

/// Returns whether a call multiplies matrices.
static bool isMatrixProduct(const llvm::Instruction &op) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&op);
  if (!call)
    return false;
  if (auto *text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
    return StringRef(text->getAsmString()).contains("mma");
  const llvm::Function *callee = call->getCalledFunction();
  return callee && (callee->getName().contains("mma") ||
                    callee->getName().contains("mfma"));
}

static bool multipliesMatrices(const llvm::Loop &loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock *block) {
    return llvm::any_of(*block, isMatrixProduct);
  });
}

/// Returns whether most of a kernel's time is spent in the code of a loop
/// itself: an innermost loop, or one of matrix products whose inner loops have
/// none.
static bool isHot(const llvm::Loop &loop) {
  return loop.isInnermost() ||
         (multipliesMatrices(loop) &&
          llvm::none_of(loop.getSubLoops(), [](const llvm::Loop *inner) {
            return multipliesMatrices(*inner);
          }));
}

namespace {
/// Hoists loop-invariant code out of hot loops. Out of an outer loop, such as
/// the loop of a persistent workgroup over tiles, hoisting would save a few
/// sums of thousands and extend live ranges through the whole body: 144
/// registers of a dynamic batch_matmul on sm_80, which then spilled 184 bytes
/// and now none. It also hoists no more than a lane has registers for; a CPU's
/// operands may be in memory. On GPUs no accumulator of a loop is in memory, so
/// LLVM's promotion, which compares each pair of accesses, is off: an eighth of
/// the time for an attention.
class HotLoopInvariants : public llvm::PassInfoMixin<HotLoopInvariants> {
public:
  explicit HotLoopInvariants(const Target &target)
      : registers(target.isHost() ? std::numeric_limits<int64_t>::max()
                                  : target.registersPerLane),
        moving(optionsFor(target)) {}

  llvm::PreservedAnalyses run(llvm::Loop &loop,
                              llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater) {
    return isHot(loop) && registersOfInvariants(loop, results.LI) <= registers
               ? moving.run(loop, analyses, results, updater)
               : llvm::PreservedAnalyses::all();
  }

private:
  static llvm::LICMOptions optionsFor(const Target &target) {
    llvm::LICMOptions options;
    if (!target.isHost())
      options.MssaNoAccForPromotionCap = 0;
    return options;
  }

  int64_t registers;
  llvm::LICMPass moving;
};

/// Holds a backend's switches of LLVM while passes are chosen, one thread at a
/// time: LLVM keeps them for the whole process.
class GeneratorSwitches {
public:
  explicit GeneratorSwitches(ArrayRef<GeneratorSwitch> chosen) : lock(mutex()) {
    for (auto [name, value] : chosen) {
      switches.push_back(llvm::cl::getRegisteredOptions().lookup(name));
      assert(switches.back() && "no switch of LLVM's has that name");
      switches.back()->addOccurrence(/*pos=*/0, name, value);
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

/// Returns the passes on scalars, which MLIR has named and simplified: they
/// take descriptors apart, share addresses, and hoist them out of loops. The
/// default pipeline takes five times as long and its code is no better.
static llvm::FunctionPassManager kernelPasses(const Target &target) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(HotLoopInvariants(target));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

void distaff::optimize(llvm::Module &module, llvm::TargetMachine &machine,
                       const Target &target, const Backend &backend) {
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
  auto add = [&](StringRef names) {
    if (!names.empty())
      llvm::cantFail(builder.parsePassPipeline(passes, names));
  };
  add(backend.firstPasses);
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(kernelPasses(target)));
  add(backend.modulePasses);
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
