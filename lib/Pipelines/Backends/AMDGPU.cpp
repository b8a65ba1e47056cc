//===- AMDGPU.cpp - Code for AMD's GPUs -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../EmitSteps.h"
#include "Backends.h"
#include "distaff/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
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

/// Keeps the machine schedulers, which hold each access of a block against each
/// other one, to parts of a block with thousands. Nothing moves across.
static void breakLongBlocks(llvm::Module &module) {
  constexpr int64_t longest = 1024, part = 256;
  llvm::IRBuilder<> builder(module.getContext());
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      SmallVector<llvm::Instruction *> accesses;
      for (llvm::Instruction &instruction : block)
        if (instruction.mayReadOrWriteMemory())
          accesses.push_back(&instruction);
      for (int64_t at = part;
           int64_t(accesses.size()) > longest && at < int64_t(accesses.size());
           at += part) {
        builder.SetInsertPoint(accesses[at]);
        builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_sched_barrier, {},
                                {builder.getInt32(0)});
      }
    }
}

/// LLVM 22 does not know of v_wmma of gfx11 that all lanes execute it together:
/// a product whose sums are stored under a condition was sunk into the branch,
/// where some lanes are off.
static constexpr StringLiteral switchesOfAMDGPU[] = {"disable-machine-sink"};

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
    // Drops hidden arguments that no kernel of ours reads, and with the known
    // workgroup size lets the register allocator aim at more subgroups at once.
    .modulePasses = "amdgpu-attributor",
    .generatorSwitches = switchesOfAMDGPU,
    .finish = breakLongBlocks,
    .measure = readCodeMetadata,
    .kinds = kindsOfAMDGPU,
};
