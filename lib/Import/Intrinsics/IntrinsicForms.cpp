//===- IntrinsicForms.cpp - LLVM intrinsics as ops of other dialects ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two tables list functions of elements and reductions; functions implement the
// other forms. Names and meanings are those of LLVM's language reference.
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector::CombiningKind;

namespace {
/// An intrinsic that is equivalent to one op on the first `operands` operands;
/// a call's further operands define which results are undefined, and the op
/// defines them.
struct ElementRow {
  StringLiteral intrinsic, op;
  unsigned operands;
};
struct ReductionRow {
  StringLiteral intrinsic;
  CombiningKind kind;
  bool hasStart = false; // the first operand
};
} // namespace

// Rounding is to the nearest even, which is what nearbyint and rint do unless a
// program changes the mode. fmuladd may round once.
static constexpr ElementRow elementRows[] = {
    {"abs", "math.absi", 1},          {"acos", "math.acos", 1},
    {"asin", "math.asin", 1},         {"atan", "math.atan", 1},
    {"atan2", "math.atan2", 2},       {"ceil", "math.ceil", 1},
    {"copysign", "math.copysign", 2}, {"cos", "math.cos", 1},
    {"cosh", "math.cosh", 1},         {"ctlz", "math.ctlz", 1},
    {"ctpop", "math.ctpop", 1},       {"cttz", "math.cttz", 1},
    {"exp", "math.exp", 1},           {"exp2", "math.exp2", 1},
    {"fabs", "math.absf", 1},         {"floor", "math.floor", 1},
    {"fma", "math.fma", 3},           {"fmuladd", "math.fma", 3},
    {"log", "math.log", 1},           {"log10", "math.log10", 1},
    {"log2", "math.log2", 1},         {"maximum", "arith.maximumf", 2},
    {"maxnum", "arith.maxnumf", 2},   {"minimum", "arith.minimumf", 2},
    {"minnum", "arith.minnumf", 2},   {"nearbyint", "math.roundeven", 1},
    {"pow", "math.powf", 2},          {"rint", "math.roundeven", 1},
    {"round", "math.round", 1},       {"roundeven", "math.roundeven", 1},
    {"sin", "math.sin", 1},           {"sinh", "math.sinh", 1},
    {"smax", "arith.maxsi", 2},       {"smin", "arith.minsi", 2},
    {"sqrt", "math.sqrt", 1},         {"tan", "math.tan", 1},
    {"tanh", "math.tanh", 1},         {"trunc", "math.trunc", 1},
    {"umax", "arith.maxui", 2},       {"umin", "arith.minui", 2},
};

static constexpr ReductionRow reductionRows[] = {
    {"vector.reduce.add", CombiningKind::ADD},
    {"vector.reduce.and", CombiningKind::AND},
    {"vector.reduce.fadd", CombiningKind::ADD, /*hasStart=*/true},
    {"vector.reduce.fmax", CombiningKind::MAXNUMF},
    {"vector.reduce.fmaximum", CombiningKind::MAXIMUMF},
    {"vector.reduce.fmin", CombiningKind::MINNUMF},
    {"vector.reduce.fminimum", CombiningKind::MINIMUMF},
    {"vector.reduce.fmul", CombiningKind::MUL, /*hasStart=*/true},
    {"vector.reduce.mul", CombiningKind::MUL},
    {"vector.reduce.or", CombiningKind::OR},
    {"vector.reduce.smax", CombiningKind::MAXSI},
    {"vector.reduce.smin", CombiningKind::MINSI},
    {"vector.reduce.umax", CombiningKind::MAXUI},
    {"vector.reduce.umin", CombiningKind::MINUI},
    {"vector.reduce.xor", CombiningKind::XOR},
};

namespace {
/// An intrinsic that rounds a float as one op does, to an integer.
struct RoundingRow {
  StringLiteral intrinsic, op;
};
} // namespace

static constexpr RoundingRow roundingRows[] = {{"llrint", "math.roundeven"},
                                               {"llround", "math.round"},
                                               {"lrint", "math.roundeven"},
                                               {"lround", "math.round"}};

static constexpr StringLiteral integerForms[] = {
    "bitreverse", "bswap",    "fshl",     "fshr",
    "sadd.sat",   "ssub.sat", "uadd.sat", "usub.sat"};

static constexpr StringLiteral powerForms[] = {"exp10", "ldexp", "powi"};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool distaff::isIntrinsicNamed(StringRef called, StringRef intrinsic) {
  return called.consume_front(intrinsic) &&
         (called.empty() || called.front() == '.');
}

StringRef distaff::intrinsicOf(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("llvm.intr."))
    return name;
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  if (!call)
    return "";
  StringRef called = call.getIntrin();
  (void)called.consume_front("llvm.");
  for (const ElementRow &row : elementRows)
    if (isIntrinsicNamed(called, row.intrinsic))
      return row.intrinsic;
  for (const ReductionRow &row : reductionRows)
    if (isIntrinsicNamed(called, row.intrinsic))
      return row.intrinsic;
  for (const RoundingRow &row : roundingRows)
    if (isIntrinsicNamed(called, row.intrinsic))
      return row.intrinsic;
  for (StringRef known : llvm::concat<const StringLiteral>(
           ArrayRef(integerForms), ArrayRef(powerForms)))
    if (isIntrinsicNamed(called, known))
      return known;
  StringRef predicated = predicatedIntrinsicOf(called);
  return predicated.empty() ? called : predicated;
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static arith::FastMathFlags fastMathOf(Operation *op) {
  auto flagged = dyn_cast<LLVM::FastmathFlagsInterface>(op);
  if (!flagged)
    return arith::FastMathFlags::none;
  using From = LLVM::FastmathFlags;
  using To = arith::FastMathFlags;
  static constexpr std::pair<From, To> pairs[] = {
      {From::nnan, To::nnan},         {From::ninf, To::ninf},
      {From::nsz, To::nsz},           {From::arcp, To::arcp},
      {From::contract, To::contract}, {From::afn, To::afn},
      {From::reassoc, To::reassoc}};
  From from = flagged.getFastmathAttr().getValue();
  To to = To::none;
  for (auto [has, gets] : pairs)
    if (LLVM::bitEnumContainsAll(from, has))
      to = to | gets;
  return to;
}

Value distaff::createWithFlagsOf(ImplicitLocOpBuilder &b, Operation *op,
                                 StringRef name, ValueRange operands) {
  OperationState state(b.getLoc(), name);
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  arith::FastMathFlags flags = fastMathOf(op);
  if (flags != arith::FastMathFlags::none)
    state.addAttribute("fastmath",
                       arith::FastMathFlagsAttr::get(b.getContext(), flags));
  return b.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Emits the elements in the opposite order.
static Value emitReversed(ImplicitLocOpBuilder &b, Value vector) {
  int64_t elements = cast<VectorType>(vector.getType()).getNumElements();
  return vector::ShuffleOp::create(
      b, vector, vector,
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, elements))));
}

/// Emits the same for a call by name.
static Value emitCalledSliceForm(ImplicitLocOpBuilder &b,
                                 LLVM::CallIntrinsicOp call) {
  constexpr int64_t one = 1;
  StringRef name = intrinsicOf(call);
  ValueRange args = call.getArgs();
  APInt position;
  if (isIntrinsicNamed(name, "vector.reverse"))
    return emitReversed(b, args[0]);
  if (isIntrinsicNamed(name, "vector.interleave2"))
    return vector::InterleaveOp::create(b, args[0], args[1]);
  if (isIntrinsicNamed(name, "vector.insert") &&
      matchPattern(args[2], m_ConstantInt(&position)))
    return vector::InsertStridedSliceOp::create(
        b, args[1], args[0], ArrayRef(position.getSExtValue()), ArrayRef(one));
  if (isIntrinsicNamed(name, "vector.extract") &&
      matchPattern(args[1], m_ConstantInt(&position)))
    return vector::ExtractStridedSliceOp::create(
        b, args[0], ArrayRef(position.getSExtValue()),
        cast<VectorType>(call->getResult(0).getType()).getShape(),
        ArrayRef(one));
  return nullptr;
}

/// Emits insertions and extractions of slices at static positions.
static Value emitSliceForm(ImplicitLocOpBuilder &b, Operation *op) {
  constexpr int64_t one = 1;
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return emitCalledSliceForm(b, call);
  if (auto insert = dyn_cast<LLVM::vector_insert>(op))
    return vector::InsertStridedSliceOp::create(
        b, insert.getSrcvec(), insert.getDstvec(),
        ArrayRef<int64_t>{int64_t(insert.getPos())}, ArrayRef(one));
  if (auto extract = dyn_cast<LLVM::vector_extract>(op))
    return vector::ExtractStridedSliceOp::create(
        b, extract.getSrcvec(), ArrayRef<int64_t>{int64_t(extract.getPos())},
        cast<VectorType>(extract.getType()).getShape(), ArrayRef(one));
  if (auto both = dyn_cast<LLVM::vector_interleave2>(op))
    return vector::InterleaveOp::create(b, both.getVec1(), both.getVec2());
  return nullptr;
}

static Value emitReductionForm(ImplicitLocOpBuilder &b, Operation *op,
                               const ReductionRow &row) {
  if (!row.hasStart)
    return vector::ReductionOp::create(b, row.kind, op->getOperand(0),
                                       fastMathOf(op));
  return vector::ReductionOp::create(b, row.kind, op->getOperand(1),
                                     op->getOperand(0), fastMathOf(op));
}

/// Emits a rounding; a value that does not fit is undefined, as for
/// arith.fptosi.
static Value emitRoundingForm(ImplicitLocOpBuilder &b, Operation *op,
                              const RoundingRow &row) {
  OperationState state(b.getLoc(), row.op);
  state.addOperands(op->getOperand(0));
  state.addTypes(op->getOperand(0).getType());
  return arith::FPToSIOp::create(b, op->getResult(0).getType(),
                                 b.create(state)->getResult(0));
}

static bool isScalable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.isScalable();
}

Value distaff::emitForm(ImplicitLocOpBuilder &b, Operation *op) {
  if (op->getNumResults() != 1 || !isa<LLVM::LLVMDialect>(op->getDialect()) ||
      llvm::any_of(op->getOperandTypes(), isScalable) ||
      llvm::any_of(op->getResultTypes(), isScalable))
    return nullptr;
  if (isa<LLVM::ExtractValueOp>(op))
    return emitOverflowForm(b, op);
  StringRef intrinsic = intrinsicOf(op);
  if (intrinsic.empty())
    return emitInstructionForm(b, op);
  for (const ElementRow &row : elementRows)
    if (row.intrinsic == intrinsic)
      return createWithFlagsOf(b, op, row.op,
                               op->getOperands().take_front(row.operands));
  for (const ReductionRow &row : reductionRows)
    if (row.intrinsic == intrinsic)
      return emitReductionForm(b, op, row);
  for (const RoundingRow &row : roundingRows)
    if (row.intrinsic == intrinsic)
      return emitRoundingForm(b, op, row);
  if (llvm::is_contained(integerForms, intrinsic))
    return emitIntegerForm(b, intrinsic, op->getOperands());
  if (llvm::is_contained(powerForms, intrinsic))
    return emitPowerForm(b, intrinsic, op);
  if (Value predicated = emitPredicatedForm(b, intrinsic, op))
    return predicated;
  if (Value slice = emitSliceForm(b, op))
    return slice;
  return emitMatrixForm(b, op);
}
