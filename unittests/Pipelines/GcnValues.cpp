//===- GcnValues.cpp - What an instruction of one lane computes -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GcnValues.h"
#include "GcnMemory.h"
#include "NarrowReference.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace distaff::gcn {

/// What the host's function makes of a number for which LLVM folds nothing (a
/// NaN, or outside of the function's domain).
static Constant *mathValue(const IntrinsicInst &call, const Constant *operand) {
  if (!call.getType()->isFloatTy() || !isa<ConstantFP>(operand))
    return nullptr;
  double x = toDouble(operand);
  switch (call.getIntrinsicID()) {
  case Intrinsic::sqrt:
    return ConstantFP::get(call.getType(), std::sqrt(x));
  case Intrinsic::amdgcn_rcp: // within one unit of it
    return ConstantFP::get(call.getType(), 1 / x);
  case Intrinsic::exp2:
  case Intrinsic::amdgcn_exp2: // makes zeros of subnormal results besides
    return ConstantFP::get(call.getType(), std::exp2(x));
  default:
    return nullptr;
  }
}

/// The pair conversions of 8-bit floats (MI300 ISA, V_CVT_PK_*): two bytes of a
/// word, the one that the word select names, from or to two f32, the lower byte
/// first. fp8 and bf8 are FNUZ; what is too large is NaN.
static Constant *narrowValue(StringRef name, ArrayRef<Constant *> operands) {
  bool widens = name.consume_front("llvm.amdgcn.cvt.pk.f32.");
  if (!widens && (!name.consume_front("llvm.amdgcn.cvt.pk.") ||
                  !name.consume_back(".f32")))
    return nullptr;
  if (name != "fp8" && name != "bf8")
    return nullptr;
  auto format =
      name == "fp8" ? narrow::Format::E4M3FNUZ : narrow::Format::E5M2FNUZ;
  LLVMContext &context = operands[0]->getContext();
  auto number = [&](unsigned i) { return dyn_cast<ConstantInt>(operands[i]); };
  unsigned shift = number(widens ? 1 : 3)->isZero() ? 0 : 16;
  if (widens) {
    if (!number(0))
      return nullptr;
    uint64_t bits = number(0)->getZExtValue() >> shift;
    auto one = [&](uint64_t byte) {
      return float(narrow::valueOf(format, uint8_t(byte)));
    };
    return ConstantDataVector::get(context,
                                   ArrayRef{one(bits), one(bits >> 8)});
  }
  if (!isa<ConstantFP>(operands[0]) || !isa<ConstantFP>(operands[1]) ||
      !number(2))
    return nullptr;
  uint64_t bits = narrow::nearest(format, toDouble(operands[0])) |
                  narrow::nearest(format, toDouble(operands[1])) << 8;
  uint64_t kept = number(2)->getZExtValue() & ~(uint64_t(0xFFFF) << shift);
  return ConstantInt::get(Type::getInt32Ty(context), kept | bits << shift);
}

/// The product of the low 24 bits of two numbers (MI300 ISA, V_MUL_U32_U24 and
/// V_MUL_I32_I24, with V_MUL_HI_* of the bits above the lowest 32).
static Constant *product24(const IntrinsicInst &call,
                           ArrayRef<Constant *> operands) {
  Intrinsic::ID id = call.getIntrinsicID();
  bool isSigned =
      id == Intrinsic::amdgcn_mul_i24 || id == Intrinsic::amdgcn_mulhi_i24;
  bool isHigh =
      id == Intrinsic::amdgcn_mulhi_i24 || id == Intrinsic::amdgcn_mulhi_u24;
  if (!isSigned && !isHigh && id != Intrinsic::amdgcn_mul_u24)
    return nullptr;
  auto *a = dyn_cast<ConstantInt>(operands[0]);
  auto *b = dyn_cast<ConstantInt>(operands[1]);
  if (!a || !b)
    return nullptr;
  auto factor = [&](const ConstantInt &number) {
    return isSigned ? SignExtend64<24>(number.getZExtValue())
                    : int64_t(number.getZExtValue() & 0xffffff);
  };
  int64_t product = factor(*a) * factor(*b);
  return ConstantInt::get(call.getType(), isHigh ? product >> 32 : product,
                          /*IsSigned=*/true, /*ImplicitTrunc=*/true);
}

/// Elements of one vector in the place of elements of another.
static Constant *insertedValue(ArrayRef<Constant *> operands) {
  auto *into = cast<FixedVectorType>(operands[0]->getType());
  auto *part = cast<FixedVectorType>(operands[1]->getType());
  uint64_t begin = cast<ConstantInt>(operands[2])->getZExtValue();
  SmallVector<Constant *> elements;
  for (uint64_t i = 0; i < into->getNumElements(); ++i) {
    bool isInPart = i >= begin && i - begin < part->getNumElements();
    elements.push_back(operands[isInPart ? 1 : 0]->getAggregateElement(
        isInPart ? unsigned(i - begin) : unsigned(i)));
    if (!elements.back())
      return nullptr;
  }
  return ConstantVector::get(elements);
}

Constant *laneValue(const IntrinsicInst &call, ArrayRef<Constant *> operands) {
  if (call.getIntrinsicID() == Intrinsic::vector_insert)
    return insertedValue(operands);
  if (Constant *known = mathValue(call, operands[0]))
    return known;
  if (Constant *known = product24(call, operands))
    return known;
  return narrowValue(call.getCalledFunction()->getName(), operands);
}

} // namespace distaff::gcn
