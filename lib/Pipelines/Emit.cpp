//===- Emit.cpp - From lowered MLIR to code -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads from top to bottom as emission: convert, translate, optimise, generate,
// assemble or link.
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Emit.h"
#include "EmitSteps.h"
#include "distaff/Conversion/KernelABI.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Pipelines/Containment.h"
#include "distaff/Target/Target.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"

using namespace distaff;

std::optional<EmitKind> distaff::parseEmitKind(StringRef name) {
  return llvm::StringSwitch<std::optional<EmitKind>>(name)
      .Case("llvm", EmitKind::LLVM)
      .Case("ptx", EmitKind::PTX)
      .Case("cubin", EmitKind::Cubin)
      .Case("gcn", EmitKind::GCN)
      .Case("hsaco", EmitKind::HSACO)
      .Default(std::nullopt);
}

bool distaff::isKindOf(const Target &target, EmitKind kind) {
  switch (kind) {
  case EmitKind::LLVM:
    return true;
  case EmitKind::PTX:
  case EmitKind::Cubin:
    return target.family == Family::NVPTX;
  case EmitKind::GCN:
  case EmitKind::HSACO:
    return target.family == Family::AMDGPU;
  }
  llvm_unreachable("unknown kind");
}

/// Whether the kind exists for the target's vendor.
static LogicalResult checkKind(Location loc, const Target &target,
                               EmitKind kind) {
  if (target.family != Family::NVPTX && target.family != Family::AMDGPU)
    return emitError(loc, "no backend emits code for ")
           << target.name << ", which is of the family " << target.family.name
           << "; there are backends for " << Family::NVPTX.name << " and "
           << Family::AMDGPU.name;
  if (!isKindOf(target, kind))
    return emitError(loc, target.family == Family::NVPTX
                              ? "GCN and code objects are for AMD targets, "
                              : "PTX and cubins are for NVIDIA targets, ")
           << target.name << " is none";
  if (kind == EmitKind::Cubin && !findPtxas())
    return emitError(loc, "a cubin needs ptxas, which is neither on PATH nor "
                          "in a CUDA toolkit");
  return success();
}

static LogicalResult convert(ModuleOp module, const Target &target) {
  PassManager passes(module.getContext());
  if (target.family == Family::NVPTX)
    passes.addPass(createConvertGPUToNVVM({.target = target.name.str()}));
  else
    passes.addPass(createConvertGPUToROCDL({.target = target.name.str()}));
  return passes.run(module);
}

static std::unique_ptr<llvm::Module>
translate(ModuleOp module, const Target &target, llvm::LLVMContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  return translateModuleToLLVMIR(module, context, "distaff");
}

/// No library is linked, so every function called must be an instruction.
static LogicalResult checkSelfContained(Location loc,
                                        const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      return emitError(loc, "calls '")
             << function.getName() << "', which no library provides";
  return success();
}

/// What whoever launches the text by hand has to know, since PTX cannot say it:
/// a comment for each kernel whose launch allocates workgroup memory.
static std::string launchComments(ModuleOp module, const Target &target) {
  std::string comments;
  llvm::raw_string_ostream stream(comments);
  for (FunctionOpInterface kernel : findKernels(module))
    if (int64_t bytes = dynamicWorkgroupMemory(kernel, target))
      stream << "// " << emittedSymbol(kernel.getName()) << ": launch with "
             << bytes << " bytes of dynamic shared memory\n";
  return comments;
}

/// What LLVM makes of a converted module, before other tools.
static FailureOr<std::string> generate(ModuleOp module, const Target &target,
                                       EmitKind kind,
                                       llvm::LLVMContext &context) {
  Location loc = module.getLoc();
  std::unique_ptr<llvm::Module> code = translate(module, target, context);
  if (!code)
    return emitError(loc, "could not be translated to LLVM IR"), failure();
  if (failed(checkSelfContained(loc, *code)))
    return failure();
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(loc, target);
  if (failed(machine))
    return failure();
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  optimize(*code, **machine);
  // The allocator that is fast takes seconds where the other takes minutes, and
  // code that spills this much is slow with either.
  if (llvm::any_of(*code, [](const llvm::Function &function) {
        return function.hasFnAttribute(kSpillsMostly);
      }))
    (*machine)->setOptLevel(llvm::CodeGenOptLevel::None);
  if (kind == EmitKind::LLVM) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    code->print(stream, nullptr);
    return text;
  }
  return generateCode(loc, *code, **machine,
                      kind == EmitKind::HSACO
                          ? llvm::CodeGenFileType::ObjectFile
                          : llvm::CodeGenFileType::AssemblyFile);
}

FailureOr<std::string> distaff::emitText(ModuleOp module, const Target &target,
                                         EmitKind kind) {
  Location loc = module.getLoc();
  if (failed(checkKind(loc, target, kind)))
    return failure();

  OwningOpRef<ModuleOp> copy = module.clone();
  LogicalResult converted = failure();
  if (std::optional<std::string> why =
          runContained([&] { converted = convert(*copy, target); })) {
    (void)copy.release();
    return emitError(loc, "MLIR does not convert this for ")
           << target.name << ": " << *why;
  }
  if (failed(converted))
    return failure();
  auto context = std::make_unique<llvm::LLVMContext>();
  FailureOr<std::string> code = failure();
  if (std::optional<std::string> why = runContained(
          [&] { code = generate(*copy, target, kind, *context); })) {
    (void)context.release();
    return emitError(loc, "LLVM does not generate code for ")
           << target.name << " from this: " << *why;
  }
  if (failed(code))
    return failure();
  switch (kind) {
  case EmitKind::LLVM:
    return code;
  case EmitKind::PTX:
  case EmitKind::GCN:
    code->insert(0, launchComments(module, target));
    return code;
  case EmitKind::Cubin:
    return assemblePtx(loc, *code, target);
  case EmitKind::HSACO:
    return linkCodeObject(loc, *code);
  }
  llvm_unreachable("unknown kind");
}
