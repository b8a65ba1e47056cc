//===- AMDGPU.cpp - Code for AMD's GPUs -----------------------------------===//
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

/// Switches of this backend alone, which it reads while it runs.
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

/// Keeps the machine schedulers to the instructions before and behind this one.
static void addBarrierBefore(llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_sched_barrier, {},
                          {builder.getInt32(0)});
}

/// Keeps the machine schedulers, which hold each access of a block against each
/// store, to parts of a block with thousands of accesses, or of one that writes
/// an accumulator of hundreds of elements: no latency is hidden among stores,
/// and the questions whether two of them overlap were half of what it takes to
/// compile a matmul. Nothing moves across.
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

/// Whether an instruction becomes a comparison and a selection by its result, a
/// bit per lane in scalar registers: a maximum that hands on what is no number.
static bool makesLaneMask(const llvm::Instruction &instruction) {
  auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && (call->getIntrinsicID() == llvm::Intrinsic::maximum ||
                  call->getIntrinsicID() == llvm::Intrinsic::minimum);
}

/// Whether an instruction may be delayed until its first user: arithmetic of
/// which the block has all users, and that no more registers wait for than it
/// has results.
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

/// Moves arithmetic of a block right before its first user.
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

/// Keeps the machine schedulers to parts of a block with dozens of lane masks
/// (VX-280): they have as many at once as there are scalar registers, and a
/// value that lives through the block, such as a bound or an argument, then
/// finds none. A step of maxima of products (466x317 by 317x2499 on gfx942)
/// spilled 44 scalar registers, and 279 vector registers held products that
/// waited for their maxima; in parts it spills none and takes 235.
static void breakLaneMasks(llvm::BasicBlock &block) {
  // Masks of 64 lanes take two of some hundred scalar registers each.
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

/// Breaks blocks into parts that the machine schedulers order well.
static void breakBlocks(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      breakLongBlock(block);
      breakLaneMasks(block);
    }
}

/// Accesses are as wide as they may be, and neighbouring addresses are sums of
/// one base and a constant, by the time that LLVM's code generator begins. Of
/// its passes on addresses only the one that takes constants apart shortens
/// code, and is among the passes below; the others took a quarter of the time
/// for a product of dynamic extents. Nothing that a loop accumulates is in
/// memory, where LLVM would look for it.
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

/// LLVM's own passes on addresses, but for those that have pointers and
/// constants live through a loop.
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
    // Places buffers of shared memory behind each other, so that addresses in
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
