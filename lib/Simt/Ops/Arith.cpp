//===- Arith.cpp - arith and ub operations --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of arith is elementwise: a table gives each op the domain's function.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "../Translate/OpRegistry.h"
#include "FastMath.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace distaff;
using namespace distaff::simt;

static constexpr StringLiteral otherRounding =
    "a rounding mode other than to nearest even";

static bool roundsToNearest(Operation *op) {
  auto rounded = dyn_cast<arith::ArithRoundingModeInterface>(op);
  auto mode = rounded ? rounded.getRoundingModeAttr() : nullptr;
  return !mode || mode.getValue() == arith::RoundingMode::to_nearest_even;
}

/// Returns the translator of an op that is a function of its result's floats.
template <typename Function>
static OpRegistry::Translate arithFloat(Function function) {
  return [=](Operation *op, Translator &t) {
    Kind kind = t.reg(op->getResult(0)).kind;
    if (!roundsToNearest(op))
      return t.notModelled(op, otherRounding);
    if constexpr (std::is_same_v<Function, FloatBinary>) {
      auto terms = op->getAttrOfType<DenseI64ArrayAttr>("any_order");
      if (terms && terms.size() == 2)
        return t.elementwise(
            op, t.domain().binaryOfMany(function, kind.format, terms[0],
                                        /*isTermFirst=*/terms[1] == 0));
      return t.elementwise(
          op, relaxed(op, t, t.domain().binary(function, kind.format)));
    } else
      return t.elementwise(
          op, relaxed(op, t, t.domain().unary(function, kind.format)));
  };
}

/// Returns the translator of an op that is a function of its result's integers.
static OpRegistry::Translate arithInteger(IntegerBinary function) {
  return [=](Operation *op, Translator &t) {
    unsigned width = t.reg(op->getResult(0)).kind.width;
    return t.elementwise(op, t.domain().binary(function, width));
  };
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static uint64_t patternOf(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().bitcastToAPInt().getZExtValue();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue().getZExtValue();
  return cast<BoolAttr>(attribute).getValue();
}

/// Returns the bit patterns of the elements of a dense attribute.
static SmallVector<uint64_t> patternsOf(DenseElementsAttr dense) {
  SmallVector<uint64_t> patterns;
  int64_t count = dense.isSplat() ? 1 : dense.getNumElements();
  patterns.reserve(count);
  if (isa<FloatType>(dense.getElementType())) {
    for (const APFloat &value :
         llvm::make_range(dense.getValues<APFloat>().begin(),
                          dense.getValues<APFloat>().begin() + count))
      patterns.push_back(value.bitcastToAPInt().getZExtValue());
    return patterns;
  }
  for (const APInt &value :
       llvm::make_range(dense.getValues<APInt>().begin(),
                        dense.getValues<APInt>().begin() + count))
    patterns.push_back(value.getZExtValue());
  return patterns;
}

static LogicalResult translateConstantTensor(arith::ConstantOp op,
                                             DenseElementsAttr dense,
                                             Translator &t) {
  Reg r = t.reg(op.getResult());
  Tensor tensor = Tensor::allocate(dense.getType().getShape(), r.cellBytes);
  SmallVector<uint64_t> patterns = patternsOf(dense);
  for (int64_t e = 0, n = tensor.numElements(); e < n; ++e)
    t.domain().constant(r.kind, patterns[patterns.size() == 1 ? 0 : e],
                        tensor.mutableCells() + e * r.cellBytes);
  t.emit(op, [=](Agent &agent) { agent.tensor(r) = tensor; });
  return success();
}

static LogicalResult translateConstant(arith::ConstantOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (isa<ShapedType>(op.getType()) && !dense)
    return t.notModelled(op, "a constant that is not dense");
  if (r.isTensor())
    return translateConstantTensor(op, dense, t);
  if (!dense) {
    t.setConstant(r, 0, patternOf(op.getValue()));
    return success();
  }
  SmallVector<uint64_t> patterns = patternsOf(dense);
  for (int64_t e = 0; e < r.elements; ++e)
    t.setConstant(r, e, patterns[patterns.size() == 1 ? 0 : e]);
  return success();
}

/// Translates poison to an unlikely value: a NaN, or a large odd number.
static LogicalResult translatePoison(ub::PoisonOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  if (r.isMemRef())
    return t.notModelled(op, "a poisoned memref");
  uint64_t bits = r.kind.isFloat ? ~uint64_t(0) : 0x5BADBADBADBADBAD;
  bits &= ~uint64_t(0) >> (64 - r.kind.width);
  if (!r.isTensor()) {
    for (int64_t e = 0; e < r.elements; ++e)
      t.setConstant(r, e, bits);
    return success();
  }
  auto type = cast<RankedTensorType>(op.getType());
  if (!type.hasStaticShape())
    return t.notModelled(op, "a poisoned tensor of unknown shape");
  Tensor tensor = Tensor::allocate(type.getShape(), r.cellBytes);
  for (int64_t e = 0, n = tensor.numElements(); e < n; ++e)
    t.domain().constant(r.kind, bits, tensor.mutableCells() + e * r.cellBytes);
  t.emit(op, [=](Agent &agent) { agent.tensor(r) = tensor; });
  return success();
}

//===----------------------------------------------------------------------===//
// Comparisons and choices
//===----------------------------------------------------------------------===//

static LogicalResult translateCmpF(arith::CmpFOp op, Translator &t) {
  Kind kind = t.reg(op.getLhs()).kind;
  return t.elementwise(op, t.domain().compare(op.getPredicate(), kind.format));
}

static LogicalResult translateCmpI(arith::CmpIOp op, Translator &t) {
  Kind kind = t.reg(op.getLhs()).kind;
  return t.elementwise(op, t.domain().compare(op.getPredicate(), kind.width));
}

/// Emits the choice between whole descriptors or tensors by a scalar condition.
static void selectWhole(arith::SelectOp op, Reg condition, Reg ifTrue,
                        Reg ifFalse, Reg r, Translator &t) {
  t.emit(op, [=](Agent &agent) {
    if (!r.isTensor()) {
      MemRefView whole = agent.memRef(r), yes = agent.memRef(ifTrue),
                 no = agent.memRef(ifFalse);
      for (int64_t e = 0; e < r.elements; ++e)
        for (int64_t l = 0; l < agent.lanes(); ++l) {
          int64_t at = e * agent.lanes() + l;
          whole.cells[at] =
              agent.integer(condition, l) & 1 ? yes.cells[at] : no.cells[at];
        }
      return;
    }
    if (agent.code().domain->anyUndecided(1, agent.cells(condition)))
      agent.noteUndecided(op);
    agent.tensor(r) =
        agent.tensor(agent.integer(condition) & 1 ? ifTrue : ifFalse);
  });
}

/// Emits the choice between handles, with their payload.
static LogicalResult selectHandle(arith::SelectOp op, Translator &t) {
  Translator::BlockId yes = t.newBlock(), no = t.newBlock(),
                      after = t.newBlock();
  t.branch(op, t.reg(op.getCondition()), yes, no);
  for (auto [block, value] :
       {std::pair(yes, op.getTrueValue()), {no, op.getFalseValue()}}) {
    t.startBlock(block);
    t.copy(op, t.reg(value), t.reg(op.getResult()));
    t.jump(op, after);
  }
  t.startBlock(after);
  return success();
}

static LogicalResult translateSelect(arith::SelectOp op, Translator &t) {
  if (t.reg(op.getResult()).isHandle())
    return selectHandle(op, t);
  Reg condition = t.reg(op.getCondition()), r = t.reg(op.getResult());
  Reg ifTrue = t.reg(op.getTrueValue()), ifFalse = t.reg(op.getFalseValue());
  bool isWhole = r.isMemRef() || (r.isTensor() && !condition.isTensor());
  if (isWhole) {
    selectWhole(op, condition, ifTrue, ifFalse, r, t);
    return success();
  }
  Ternary select = t.domain().select(r.kind);
  if (condition.isTensor() || condition.elements == r.elements)
    return t.elementwise(op, select);
  if (!select)
    return t.notModelled(op, "select of this type");
  int64_t step = t.lanes() * r.cellBytes;
  t.emit(op, [=](Agent &agent) {
    for (int64_t e = 0; e < r.elements; ++e)
      select(agent.lanes(), agent.cells(condition),
             agent.cells(ifTrue) + e * step, agent.cells(ifFalse) + e * step,
             agent.cells(r) + e * step);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Bits and double-width results
//===----------------------------------------------------------------------===//

static LogicalResult translateBitcast(arith::BitcastOp op, Translator &t) {
  Reg a = t.reg(op.getIn()), r = t.reg(op.getOut());
  Regroup bitcast = t.domain().bitcast(a.kind, r.kind);
  if (!bitcast)
    return t.notModelled(op, "a bitcast in this domain");
  return t.elementwise(op, Unary([=](int64_t n, const void *from, void *to) {
                         bitcast(n, 1, from, 1, to);
                       }));
}

/// Returns the translator of an op with two results, each a function of the
/// same two operands.
static OpRegistry::Translate resultPair(IntegerBinary first,
                                        IntegerBinary second) {
  return [=](Operation *op, Translator &t) {
    Reg a = t.reg(op->getOperand(0)), b = t.reg(op->getOperand(1));
    Reg low = t.reg(op->getResult(0)), high = t.reg(op->getResult(1));
    Binary computeLow = t.domain().binary(first, a.kind.width);
    Binary computeHigh = t.domain().binary(second, a.kind.width);
    if (!computeLow || !computeHigh || a.isTensor())
      return t.notModelled(op, "a result of double width");
    t.emit(op, [=](Agent &agent) {
      computeLow(agent.numCells(a), agent.cells(a), agent.cells(b),
                 agent.cells(low));
      computeHigh(agent.numCells(a), agent.cells(a), agent.cells(b),
                  agent.cells(high));
    });
    return success();
  };
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void registerFloats(OpRegistry &registry) {
  registry.add<arith::AddFOp>(arithFloat(FloatBinary::Add));
  registry.add<arith::SubFOp>(arithFloat(FloatBinary::Sub));
  registry.add<arith::MulFOp>(arithFloat(FloatBinary::Mul));
  registry.add<arith::DivFOp>(arithFloat(FloatBinary::Div));
  registry.add<arith::RemFOp>(arithFloat(FloatBinary::Rem));
  registry.add<arith::MinimumFOp>(arithFloat(FloatBinary::Minimum));
  registry.add<arith::MaximumFOp>(arithFloat(FloatBinary::Maximum));
  registry.add<arith::MinNumFOp>(arithFloat(FloatBinary::MinNum));
  registry.add<arith::MaxNumFOp>(arithFloat(FloatBinary::MaxNum));
  registry.add<arith::NegFOp>(arithFloat(FloatUnary::Negate));
}

static void registerIntegers(OpRegistry &registry) {
  registry.add<arith::AddIOp>(arithInteger(IntegerBinary::Add));
  registry.add<arith::SubIOp>(arithInteger(IntegerBinary::Sub));
  registry.add<arith::MulIOp>(arithInteger(IntegerBinary::Mul));
  registry.add<arith::DivSIOp>(arithInteger(IntegerBinary::DivS));
  registry.add<arith::DivUIOp>(arithInteger(IntegerBinary::DivU));
  registry.add<arith::CeilDivSIOp>(arithInteger(IntegerBinary::CeilDivS));
  registry.add<arith::CeilDivUIOp>(arithInteger(IntegerBinary::CeilDivU));
  registry.add<arith::FloorDivSIOp>(arithInteger(IntegerBinary::FloorDivS));
  registry.add<arith::RemSIOp>(arithInteger(IntegerBinary::RemS));
  registry.add<arith::RemUIOp>(arithInteger(IntegerBinary::RemU));
  registry.add<arith::AndIOp>(arithInteger(IntegerBinary::And));
  registry.add<arith::OrIOp>(arithInteger(IntegerBinary::Or));
  registry.add<arith::XOrIOp>(arithInteger(IntegerBinary::Xor));
  registry.add<arith::ShLIOp>(arithInteger(IntegerBinary::ShiftLeft));
  registry.add<arith::ShRSIOp>(arithInteger(IntegerBinary::ShiftRightS));
  registry.add<arith::ShRUIOp>(arithInteger(IntegerBinary::ShiftRightU));
  registry.add<arith::MinSIOp>(arithInteger(IntegerBinary::MinS));
  registry.add<arith::MinUIOp>(arithInteger(IntegerBinary::MinU));
  registry.add<arith::MaxSIOp>(arithInteger(IntegerBinary::MaxS));
  registry.add<arith::MaxUIOp>(arithInteger(IntegerBinary::MaxU));
  registry.add<arith::AddUIExtendedOp>(
      resultPair(IntegerBinary::Add, IntegerBinary::AddCarry));
  registry.add<arith::MulSIExtendedOp>(
      resultPair(IntegerBinary::Mul, IntegerBinary::MulHighS));
  registry.add<arith::MulUIExtendedOp>(
      resultPair(IntegerBinary::Mul, IntegerBinary::MulHighU));
}

static void registerConversions(OpRegistry &registry) {
  registry.add<arith::ExtFOp>(elementConversion(Conversion::FloatToFloat));
  registry.add<arith::TruncFOp>(
      [](Operation *op, Translator &t) -> LogicalResult {
        if (!roundsToNearest(op))
          return t.notModelled(op, otherRounding);
        return elementConversion(Conversion::FloatToFloat)(op, t);
      });
  registry.add<arith::FPToSIOp>(elementConversion(Conversion::FloatToSigned));
  registry.add<arith::FPToUIOp>(elementConversion(Conversion::FloatToUnsigned));
  registry.add<arith::SIToFPOp>(elementConversion(Conversion::SignedToFloat));
  registry.add<arith::UIToFPOp>(elementConversion(Conversion::UnsignedToFloat));
  registry.add<arith::ExtSIOp>(elementConversion(Conversion::SignExtend));
  registry.add<arith::ExtUIOp>(elementConversion(Conversion::ZeroExtend));
  registry.add<arith::TruncIOp>(elementConversion(Conversion::Truncate));
  registry.add<arith::BitcastOp>(translateBitcast);
}

/// Returns the translator of a cast between index (64 bits) and an integer.
static OpRegistry::Translate arithIndexCast(Conversion widening) {
  return [=](Operation *op, Translator &t) {
    Kind from = t.reg(op->getOperand(0)).kind,
         to = t.reg(op->getResult(0)).kind;
    if (t.reg(op->getResult(0)).isMemRef())
      return t.notModelled(op, "a cast of memrefs");
    Conversion conversion =
        to.width < from.width ? Conversion::Truncate : widening;
    return t.elementwise(op, t.domain().convert(conversion, from, to));
  };
}

void distaff::simt::registerArith(OpRegistry &registry) {
  registerFloats(registry);
  registerIntegers(registry);
  registerConversions(registry);
  registry.add<arith::IndexCastOp>(arithIndexCast(Conversion::SignExtend));
  registry.add<arith::IndexCastUIOp>(arithIndexCast(Conversion::ZeroExtend));
  registry.add<arith::ConstantOp>(translateConstant);
  registry.add<ub::PoisonOp>(translatePoison);
  registry.add<arith::CmpFOp>(translateCmpF);
  registry.add<arith::CmpIOp>(translateCmpI);
  registry.add<arith::SelectOp>(translateSelect);
}
