//===- AMDGPU.cpp - Code generation for AMD GPUs --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../EmitSteps.h"
#include "../Partition.h"
#include "Backends.h"
#include "distaff/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace distaff;

/// Switches that only this backend reads, while it runs.
static constexpr GeneratorSwitch lastingSwitches[] = {
    // Loops carry accumulators as the vectors that matrix instructions take
    // (VX-288); LLVM would take each apart into a phi per element.
    {"amdgpu-codegenprepare-break-large-phis", "false"},
    // Blocks that nearly fill the registers are scheduled once more, for a
    // third of the scheduler's time and no shorter loop.
    {"amdgpu-disable-unclustered-high-rp-reschedule", "true"}};

static void initializeAMDGPU() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    for (auto [name, value] : lastingSwitches) {
      llvm::cl::Option *known = llvm::cl::getRegisteredOptions().lookup(name);
      assert(known && "no switch of LLVM's has that name");
      known->addOccurrence(/*pos=*/0, name, value);
    }
  });
}

static void addConversionToAMDGPU(OpPassManager &passes, const Target &target) {
  passes.addPass(createConvertGPUToROCDL({.target = target.name.str()}));
}

static bool isGlobalStore(const llvm::Instruction &instruction) {
  auto *store = dyn_cast<llvm::StoreInst>(&instruction);
  return store &&
         store->getPointerAddressSpace() == llvm::AMDGPUAS::GLOBAL_ADDRESS;
}

/// Inserts a scheduling barrier before an instruction: the machine schedulers
/// move nothing across it.
static void addBarrierBefore(llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_sched_barrier, {},
                          {builder.getInt32(0)});
}

/// Splits a block with thousands of accesses, or one that writes an accumulator
/// of hundreds of elements, for the machine schedulers, which compare each
/// access of a block with each store: no latency is hidden among stores, and
/// the alias queries between stores were half of the time to compile a matmul.
/// Nothing moves across the barriers.
static void breakLongBlock(llvm::BasicBlock &block) {
  constexpr int64_t longest = 1024, part = 256, partOfStores = 8;
  int64_t all = llvm::count_if(block, [](const llvm::Instruction &access) {
    return access.mayReadOrWriteMemory();
  });
  int64_t accesses = 0, stores = 0;
  for (llvm::Instruction &access : block) {
    if (!access.mayReadOrWriteMemory())
      continue;
    bool isStore = isGlobalStore(access);
    if ((isStore && stores == partOfStores) ||
        (all > longest && accesses == part)) {
      addBarrierBefore(access);
      accesses = stores = 0;
    }
    ++accesses;
    stores += isStore;
  }
}

/// Returns whether an instruction becomes a comparison and a selection by its
/// result, a bit per lane in scalar registers: a maximum that propagates NaN.
static bool makesLaneMask(const llvm::Instruction &instruction) {
  auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && (call->getIntrinsicID() == llvm::Intrinsic::maximum ||
                  call->getIntrinsicID() == llvm::Intrinsic::minimum);
}

/// Returns whether an instruction may be delayed until its first user:
/// arithmetic whose users are all in the block, and that does not keep more
/// registers live than it has results.
static bool isDelayed(const llvm::Instruction &instruction) {
  auto endsHere = [](const llvm::Use &use) {
    return isa<llvm::Instruction>(use) && use->hasOneUse();
  };
  return !instruction.use_empty() &&
         isa<llvm::UnaryOperator, llvm::BinaryOperator, llvm::CastInst,
             llvm::ExtractElementInst, llvm::ShuffleVectorInst>(instruction) &&
         llvm::count_if(instruction.operands(), endsHere) <= 1 &&
         llvm::none_of(instruction.users(), [&](const llvm::User *user) {
           return isa<llvm::PHINode>(user) ||
                  cast<llvm::Instruction>(user)->getParent() !=
                      instruction.getParent();
         });
}

/// Sinks arithmetic of a block to right before its first user.
static void delayArithmetic(llvm::BasicBlock &block) {
  llvm::SmallPtrSet<llvm::Instruction *, 32> delayed;
  auto place = [&](auto &self, llvm::Instruction &user,
                   llvm::Instruction &before) -> void {
    for (llvm::Use &use : user.operands())
      if (auto *operand = dyn_cast<llvm::Instruction>(use);
          operand && delayed.erase(operand)) {
        self(self, *operand, before);
        operand->moveBefore(before.getIterator());
      }
  };
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
    if (isDelayed(instruction))
      delayed.insert(&instruction);
    else
      place(place, instruction, instruction);
  assert(delayed.empty() && "a delayed instruction has a user in the block");
}

/// Splits a block with dozens of lane masks for the machine schedulers
/// (VX-280), which keep as many masks live as there are scalar registers, so
/// that a value that lives through the block, such as a bound or an argument,
/// finds none. A step of maxima of products (466x317 by 317x2499 on gfx942)
/// spilled 44 scalar registers, and 279 vector registers held products that
/// waited for their maxima; in parts it spills none and takes 235.
static void breakLaneMasks(llvm::BasicBlock &block) {
  // Each mask of 64 lanes takes two of some hundred scalar registers.
  constexpr int64_t most = 32, part = 16;
  SmallVector<llvm::Instruction *> makers;
  for (llvm::Instruction &instruction : block)
    if (makesLaneMask(instruction))
      makers.push_back(&instruction);
  if (int64_t(makers.size()) <= most)
    return;
  for (auto [number, maker] : llvm::enumerate(makers))
    if (number > 0 && number % part == 0)
      addBarrierBefore(*maker);
  delayArithmetic(block);
}

/// Splits blocks into parts that the machine schedulers order well.
static void breakBlocks(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      breakLongBlock(block);
      breakLaneMasks(block);
    }
}

/// The switches of all kernels: when LLVM's code generator begins, accesses are
/// as wide as possible, and neighbouring addresses are sums of one base and a
/// constant. Of its passes on addresses only the one that splits off constants
/// shortens code, and is among the passes below; the others took a quarter of
/// the time for a product of dynamic extents. LLVM need not promote
/// accumulators: none is in memory.
static constexpr GeneratorSwitch switchesOfAMDGPU[] = {
    {"disable-machine-sink", "true"},
    {"licm-mssa-max-acc-promotion", "0"},
    {"amdgpu-scalar-ir-passes", "false"},
    {"amdgpu-load-store-vectorizer", "false"}};

static const CodeKind kindsOfAMDGPU[] = {
    {.name = "gcn", .form = CodeKind::Form::Assembly},
    {.name = "llvm", .form = CodeKind::Form::IR},
    {.name = "hsaco",
     .form = CodeKind::Form::Object,
     .finish = linkCodeObject,
     .inPackage = CodeKind::InPackage::Yes},
};

/// LLVM's own passes on addresses, except those that extend the live ranges of
/// pointers and constants through a loop.
static constexpr GeneratorSwitch lowPressureSwitchesOfAMDGPU[] = {
    {"disable-lsr", "true"},
    {"disable-machine-licm", "true"},
    {"licm-mssa-max-acc-promotion", "0"}};

const Backend distaff::amdgpuBackend = {
    .family = Family::AMDGPU,
    .initialize = initializeAMDGPU,
    .addConversion = addConversionToAMDGPU,
    .registerTranslation =
        [](DialectRegistry &registry) {
          registerROCDLDialectTranslation(registry);
        },
    // Places buffers of shared memory one after the other, so that addresses in
    // two of them are a base and a constant.
    .firstPasses = "amdgpu-lower-module-lds",
    // Drops hidden arguments that no kernel of ours reads, and with the known
    // workgroup size lets the register allocator aim at more subgroups at once.
    .modulePasses =
        "amdgpu-attributor,function(separate-const-offset-from-gep,early-cse,"
        "amdgpu-codegenprepare,early-cse)",
    .generatorSwitches = switchesOfAMDGPU,
    .lowPressurePasses = "amdgpu-attributor",
    .lowPressureSwitches = lowPressureSwitchesOfAMDGPU,
    .finish = breakBlocks,
    .join = joinGcn,
    .measure = readCodeMetadata,
    .kinds = kindsOfAMDGPU,
};
