//===- EmitLLVM.cpp - LLVM IR to machine code -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backends are made known one by one, when a kernel needs them: registering all
// of LLVM's would cost more than compiling a small kernel.
//
//===----------------------------------------------------------------------===//
#include "EmitSteps.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
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

static void initializeBackend(Family family) {
  static std::once_flag nvptx, amdgpu;
  if (family == Family::NVPTX)
    std::call_once(nvptx, [] {
      LLVMInitializeNVPTXTargetInfo();
      LLVMInitializeNVPTXTarget();
      LLVMInitializeNVPTXTargetMC();
      LLVMInitializeNVPTXAsmPrinter();
    });
  else
    std::call_once(amdgpu, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTarget();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUAsmPrinter();
      LLVMInitializeAMDGPUAsmParser();
    });
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
distaff::createTargetMachine(Location loc, const Target &target) {
  initializeBackend(target.family);
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return emitError(loc, "LLVM has no backend for ")
           << target.name << ": " << error;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.chip, target.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

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
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
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

void distaff::optimize(llvm::Module &module, llvm::TargetMachine &machine) {
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
  // Drops hidden arguments that no kernel of ours reads, and with the known
  // workgroup size lets the register allocator aim at more subgroups at once.
  if (machine.getTargetTriple().isAMDGCN())
    llvm::cantFail(builder.parsePassPipeline(passes, "amdgpu-attributor"));
  passes.run(module, modules);
  if (machine.getTargetTriple().isAMDGCN())
    breakLongBlocks(module);
}

FailureOr<std::string> distaff::generateCode(Location loc, llvm::Module &module,
                                             llvm::TargetMachine &machine,
                                             llvm::CodeGenFileType type) {
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return emitError(loc, "LLVM's backend cannot make this kind of file"),
           failure();
  passes.run(module);
  return std::string(code);
}
