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
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace distaff;

static void initializeAMDGPU() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
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

/// Keeps the machine schedulers, which hold each access of a block against each
/// store, to parts of a block with thousands of accesses, or of one that writes
/// an accumulator of hundreds of elements: no latency is hidden among stores,
/// and the questions whether two of them overlap were half of what it takes to
/// compile a matmul. Nothing moves across.
static void breakLongBlocks(llvm::Module &module) {
  constexpr int64_t longest = 1024, part = 256, partOfStores = 8;
  llvm::IRBuilder<> builder(module.getContext());
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
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
          builder.SetInsertPoint(&access);
          builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_sched_barrier, {},
                                  {builder.getInt32(0)});
          accesses = stores = 0;
        }
        ++accesses;
        stores += isStore;
      }
    }
}

/// Accesses are as wide as they may be, and neighbouring addresses are sums of
/// one base and a constant, by the time that LLVM's code generator begins. Of
/// its passes on addresses only the one that takes constants apart shortens
/// code, and is among the passes below; the others took a quarter of the time
/// for a product of dynamic extents.
static constexpr GeneratorSwitch switchesOfAMDGPU[] = {
    {"disable-machine-sink", "true"},
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
    .finish = breakLongBlocks,
    .join = joinGcn,
    .measure = readCodeMetadata,
    .kinds = kindsOfAMDGPU,
};
