//===- CpuInstructions.cpp - Ops that are a CPU's instructions ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-151. LLVM checks the feature of an intrinsic only in instruction
// selection, and aborts if it is missing. So the table below checks it earlier:
// the row with the longest matching prefix of the intrinsic's name applies.
// Features have LLVM's names, from the manuals that lib/Target/Host.cpp cites.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/CpuInstructions.h"
#include "distaff/Target/ThisMachine.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/ArmNeon/ArmNeonDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace distaff;

namespace {
struct FeatureRow {
  StringLiteral begins, feature;
};
} // namespace

static constexpr FeatureRow featureRows[] = {
    {"llvm.aarch64.neon.bfdot", "bf16"},
    {"llvm.aarch64.neon.bfmmla", "bf16"},
    {"llvm.aarch64.neon.sdot", "dotprod"},
    {"llvm.aarch64.neon.smmla", "i8mm"},
    {"llvm.aarch64.neon.udot", "dotprod"},
    {"llvm.aarch64.neon.ummla", "i8mm"},
    {"llvm.aarch64.neon.usdot", "i8mm"},
    {"llvm.aarch64.neon.usmmla", "i8mm"},
    {"llvm.aarch64.sve.", "sve"},
    {"llvm.x86.avx10.", "avx10.2"},
    {"llvm.x86.avx2.", "avx2"},
    {"llvm.x86.avx2.vpdp", "avxvnniint8"},
    {"llvm.x86.avx512.", "avx512f"},
    {"llvm.x86.avx512.vp2intersect", "avx512vp2intersect"},
    {"llvm.x86.avx512.vpdp", "avx512vnni"},
    {"llvm.x86.avx512bf16.", "avx512bf16"},
    {"llvm.x86.avx512fp16.", "avx512fp16"},
    {"llvm.x86.fma.", "fma"},
    {"llvm.x86.tdpbf16ps", "amx-bf16"},
    {"llvm.x86.tdpfp16ps", "amx-fp16"},
    {"llvm.x86.tdp", "amx-int8"},
    {"llvm.x86.tile", "amx-tile"},
    {"llvm.x86.vbcst", "avxneconvert"},
    {"llvm.x86.vcvtne", "avxneconvert"},
};

/// Returns the feature of an intrinsic, or an empty string if no row has it.
static StringRef featureOf(StringRef intrinsic) {
  const FeatureRow *best = nullptr;
  for (const FeatureRow &row : featureRows)
    if (intrinsic.starts_with(row.begins) &&
        (!best || row.begins.size() > best->begins.size()))
      best = &row;
  return best ? best->feature : StringLiteral("");
}

static bool touchesVector(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
}

/// Returns the intrinsic that an op becomes, or one that needs the same
/// feature.
static std::string intrinsicBehind(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin().str();
  if (auto known = dyn_cast<x86vector::X86IntrinsicOp>(op))
    return known.getIntrinsicName();
  StringRef name = op->getName().getStringRef();
  if (isa<x86vector::X86VectorDialect>(op->getDialect()))
    return name.contains("vp2intersect") ? "llvm.x86.avx512.vp2intersect"
                                         : "llvm.x86.avx512.";
  if (name.consume_front("arm_neon.intr."))
    return ("llvm.aarch64.neon." + name).str();
  if (isa<amx::TileMulFOp>(op)) {
    bool isHalf = getElementTypeOrSelf(op->getOperand(0)).isF16();
    return isHalf ? "llvm.x86.tdpfp16ps" : "llvm.x86.tdpbf16ps";
  }
  if (isa<amx::TileMulIOp>(op))
    return "llvm.x86.tdp";
  return isa<amx::AMXDialect>(op->getDialect()) ? "llvm.x86.tile" : "";
}

bool distaff::isCpuInstruction(Operation *op) {
  return isa_and_nonnull<x86vector::X86VectorDialect, arm_neon::ArmNeonDialect,
                         LLVM::LLVMDialect>(op->getDialect()) &&
         touchesVector(op);
}

/// Rejects an op on a whole vector, which a GPU does not support.
static LogicalResult refuseOnGpu(Operation *op, StringRef intrinsic,
                                 const Target &target) {
  InFlightDiagnostic error = op->emitOpError();
  if (!intrinsic.empty())
    error << "(\"" << intrinsic << "\") ";
  error << "is for the code of a CPU alone, and " << target.name
        << " is a GPU; take ops of arith, math and vector, or an intrinsic of "
           "LLVM with the meaning of one";
  return error;
}

static LogicalResult refuseArchitecture(Operation *op, bool isOfX86) {
  return op->emitOpError("is an instruction of ")
         << (isOfX86 ? "x86-64" : "AArch64") << ", and this CPU is "
         << (isOfX86 ? "AArch64" : "x86-64")
         << "; take ops of arith, math and vector, which both have";
}

/// Returns whether an op reads memory of bf16, which has an integer type when
/// code is generated.
static bool readsMemoryOfBF16(Operation *op) {
  return !isa<amx::AMXDialect>(op->getDialect()) &&
         llvm::any_of(op->getOperandTypes(), [](Type type) {
           auto memory = dyn_cast<MemRefType>(type);
           return memory && memory.getElementType().isBF16();
         });
}

static LogicalResult checkInstruction(Operation *op, const Target &target) {
  std::string intrinsic = intrinsicBehind(op);
  if (!target.isHost())
    return refuseOnGpu(
        op, isa<LLVM::CallIntrinsicOp>(op) ? StringRef(intrinsic) : StringRef(),
        target);
  bool isOfX86 = StringRef(intrinsic).starts_with("llvm.x86."),
       isOfArm = StringRef(intrinsic).starts_with("llvm.aarch64.");
  bool runsX86 = thisCpu().architecture == CpuArchitecture::X86_64;
  if ((isOfX86 && !runsX86) || (isOfArm && runsX86))
    return refuseArchitecture(op, isOfX86);
  if (readsMemoryOfBF16(op))
    return op->emitOpError("reads memory of bf16, which has no code; load a "
                           "vector, and extend it");
  StringRef feature = featureOf(intrinsic);
  if (feature.empty() || hasFeature(target, feature))
    return success();
  InFlightDiagnostic error = op->emitOpError("needs the feature ")
                             << feature << ", which " << target.name
                             << " lacks; ";
  if (const Target *level = lowestLevelWith(feature))
    error << "--target " << level->name << " has it";
  else
    error << "no level of host has it, and `host` itself only on a machine "
             "that does";
  return error;
}

LogicalResult distaff::checkCpuInstructions(FunctionOpInterface kernel,
                                            const Target &target) {
  WalkResult walked = kernel->walk([&](Operation *op) -> WalkResult {
    if (!isCpuInstruction(op) &&
        !isa_and_nonnull<amx::AMXDialect>(op->getDialect()))
      return WalkResult::advance();
    return checkInstruction(op, target);
  });
  return failure(walked.wasInterrupted());
}
