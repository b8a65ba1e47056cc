//===- NVPTX.cpp - Code generation for NVIDIA GPUs ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../EmitSteps.h"
#include "../Partition.h"
#include "Backends.h"
#include "PredicatedAccesses.h"
#include "distaff/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace distaff;

/// Lets LLVM compute an address from any other, also from one that promises not
/// to overflow. Otherwise LLVM analyzes all of the code after each of the two,
/// which was three quarters of its time for a product of dynamic extents, and
/// gives up if that code is long. Positions in memory never overflow, and other
/// integers carry no promise any more (VX-279). The pass reads the switch while
/// it runs, on any thread, so it is set once.
static void reuseAddresses() {
  constexpr StringLiteral name = "enable-poison-reuse-guard";
  llvm::cl::Option *guard = llvm::cl::getRegisteredOptions().lookup(name);
  assert(guard && "no switch of LLVM's has that name");
  guard->addOccurrence(/*pos=*/0, name, "false");
}

static void initializeNVPTX() {
  static std::once_flag once;
  std::call_once(once, [] {
    reuseAddresses();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static void addConversionToNVPTX(OpPassManager &passes, const Target &target) {
  passes.addPass(createConvertGPUToNVVM({.target = target.name.str()}));
}

/// Returns whether all lanes of a subgroup execute a call together.
static bool isCollective(const llvm::CallBase &call) {
  if (auto *text = dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return StringRef(text->getAsmString()).contains(".sync");
  const llvm::Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.mma.");
}

/// Marks calls as convergent that LLVM 22 does not mark: `mma.sync` and inline
/// assembly. Otherwise a pass may duplicate one into two branches, each run by
/// some of the lanes.
static void markCollectives(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallBase>(&instruction);
          call && isCollective(*call))
        call->setConvergent();
}

static std::optional<std::string> whyNoCubin() {
  std::optional<std::string> why = whyNoPtxas();
  return why ? "no cubin is made: " + *why : why;
}

/// Disables sinking: sums that are stored under a condition stay where they
/// are. Sunk into the branches, they would keep all of their operands live
/// until there. A ragged product of one step, 200000x16 by 16x64 of f32,
/// spilled 1464 bytes on sm_80.
static constexpr GeneratorSwitch switchesOfNVPTX[] = {
    {"disable-machine-sink", "true"}};

static const CodeKind kindsOfNVPTX[] = {
    {.name = "ptx",
     .form = CodeKind::Form::Assembly,
     .inPackage = CodeKind::InPackage::Yes,
     .runsOnLater = true},
    {.name = "llvm", .form = CodeKind::Form::IR},
    {.name = "cubin",
     .form = CodeKind::Form::Assembly,
     .finish = assemblePtx,
     .whyMissing = whyNoCubin,
     .inPackage = CodeKind::InPackage::WhereFound},
};

const Backend distaff::nvptxBackend = {
    .family = Family::NVPTX,
    .initialize = initializeNVPTX,
    .addConversion = addConversionToNVPTX,
    .registerTranslation =
        [](DialectRegistry &registry) {
          registerNVVMDialectTranslation(registry);
        },
    .prepare = markCollectives,
    .generatorSwitches = switchesOfNVPTX,
    .finish = predicateAccesses,
    .join = joinPtx,
    .measure = measureWithPtxas,
    .loadsVariables = true,
    .kinds = kindsOfNVPTX,
};
