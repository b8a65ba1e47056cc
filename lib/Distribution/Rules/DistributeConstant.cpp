//===- DistributeConstant.cpp - Values without a fixed layout -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants, vector.step, masks made from bounds, poison and broadcast scalars
// have no layout: every use may require another, and the value is built for it.
// Their elements depend on the index alone, so a lane computes its part:
//
//   splat, poison, scalar   the same of the distributed shape          (VX-67)
//   step                    constant(register part) + lane's part      (VX-73)
//   create_mask             index < bound, and'ed over the dims        (VX-74)
//   affine constants        arithmetic on the index, as for step
//   other constants         selected by the lane's ids where few lanes differ,
//                           else read from a table in global memory    (W18)
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

/// Returns the indices along `dim` of a block, which lanes share later: the
/// block begins at its subgroup's base and is contiguous.
static Value indicesOfBlock(OpBuilder &b, Location loc,
                            const Placement &placement, int64_t dim,
                            Distributor &out) {
  VectorType type = placement.type(b.getIndexType());
  auto row = VectorType::get(type.getDimSize(dim), b.getIndexType());
  Value at = vector::StepOp::create(b, loc, row);
  if (Value base = out.ids.base(placement, dim); !matchPattern(base, m_Zero()))
    at = arith::AddIOp::create(
        b, loc, vector::BroadcastOp::create(b, loc, row, base), at);
  // Broadcasts the row along the dims before it.
  SmallVector<int64_t> shape(type.getShape()), order;
  std::swap(shape[dim], shape.back());
  for (int64_t i = 0; i < type.getRank(); ++i)
    order.push_back(i);
  std::swap(order[dim], order.back());
  Value all = vector::BroadcastOp::create(
      b, loc, VectorType::get(shape, b.getIndexType()), at);
  return dim + 1 == type.getRank()
             ? all
             : vector::TransposeOp::create(b, loc, all, order).getResult();
}

/// Returns the index along `dim` of every register: a vector of indices.
static Value indices(OpBuilder &b, Location loc, const Placement &placement,
                     int64_t dim, Distributor &out) {
  if (out.options.keepsBlocks)
    return indicesOfBlock(b, loc, placement, dim, out);
  VectorType type = placement.type(b.getIndexType());
  SmallVector<APInt> parts;
  for (int64_t reg = 0; reg < placement.numRegisters(); ++reg)
    parts.push_back(APInt(64, placement.offsetOf(reg)[dim]));
  Value registers =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, parts));
  Value base = out.ids.base(placement, dim);
  if (matchPattern(base, m_Zero()))
    return registers;
  Value bases = vector::BroadcastOp::create(b, loc, type, base);
  return arith::AddIOp::create(b, loc, bases, registers);
}

/// Returns `index < bound` in every dim.
static Value mask(OpBuilder &b, Location loc, const Placement &placement,
                  ValueRange bounds, Distributor &out) {
  VectorType type = placement.type(b.getIndexType());
  if (out.options.keepsBlocks) {
    SmallVector<Value> left;
    for (auto [dim, bound] : llvm::enumerate(bounds))
      left.push_back(
          arith::SubIOp::create(b, loc, bound, out.ids.base(placement, dim)));
    return vector::CreateMaskOp::create(b, loc, placement.type(b.getI1Type()),
                                        left);
  }
  Value all;
  for (auto [dim, bound] : llvm::enumerate(bounds)) {
    Value at = indices(b, loc, placement, dim, out);
    Value limit = vector::BroadcastOp::create(b, loc, type, bound);
    Value in =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, limit);
    all = all ? arith::AndIOp::create(b, loc, all, in).getResult() : in;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Constants that are not splats
//===----------------------------------------------------------------------===//

namespace {
/// A constant whose value at an index is `origin + sum of steps[d] * index[d]`,
/// wrapping in the width of its type.
struct AffineValues {
  APInt origin;
  SmallVector<APInt> steps;
};
} // namespace

static std::optional<AffineValues> readAffine(DenseElementsAttr values) {
  if (!values.getElementType().isIntOrIndex())
    return std::nullopt;
  SmallVector<APInt> all(values.getValues<APInt>());
  SmallVector<int64_t> shape(values.getType().getShape());
  SmallVector<int64_t> strides = computeStrides(shape);
  AffineValues affine{all.front(), {}};
  for (auto [size, stride] : llvm::zip_equal(shape, strides))
    affine.steps.push_back(size > 1
                               ? all[stride] - all.front()
                               : APInt::getZero(all.front().getBitWidth()));
  for (auto [at, value] : llvm::enumerate(all)) {
    APInt expected = affine.origin;
    for (auto [step, index] :
         llvm::zip_equal(affine.steps, delinearize(at, strides)))
      expected += step * APInt(step.getBitWidth(), index, false,
                               /*implicitTrunc=*/true);
    if (expected != value)
      return std::nullopt;
  }
  return affine;
}

static Value buildAffine(OpBuilder &b, Location loc, const AffineValues &affine,
                         const Placement &placement, Type element,
                         Distributor &out) {
  VectorType type = placement.type(element);
  auto constant = [&](const APInt &value) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, value));
  };
  Value sum = constant(affine.origin);
  for (auto [dim, step] : llvm::enumerate(affine.steps)) {
    if (step.isZero())
      continue;
    Value index = indices(b, loc, placement, dim, out);
    if (!element.isIndex())
      index = arith::IndexCastOp::create(b, loc, type, index);
    if (!step.isOne())
      index = arith::MulIOp::create(b, loc, index, constant(step));
    sum = arith::AddIOp::create(b, loc, sum, index);
  }
  return sum;
}

/// Returns the id whose digits `digits` have the mixed-radix value `number`.
static int64_t idOf(ArrayRef<Digit> digits, int64_t number) {
  int64_t id = 0;
  for (const Digit &digit : llvm::reverse(digits)) {
    id += number % digit.size * digit.stride;
    number /= digit.size;
  }
  return id;
}

static int64_t combinations(ArrayRef<Digit> digits) {
  int64_t count = 1;
  for (const Digit &digit : digits)
    count *= digit.size;
  return count;
}

static DenseElementsAttr patternAt(DenseElementsAttr values,
                                   const Placement &placement, int64_t subgroup,
                                   int64_t lane) {
  SmallVector<int64_t> strides = computeStrides(values.getType().getShape());
  auto all = values.getValues<Attribute>();
  SmallVector<Attribute> own;
  for (int64_t reg = 0; reg < placement.numRegisters(); ++reg)
    own.push_back(all[linearize(placement.layout.indexOf({subgroup, lane, reg}),
                                strides)]);
  return DenseElementsAttr::get(placement.type(values.getElementType()), own);
}

/// Builds a constant with few different lanes: a chain of selects on the number
/// of the lane's digits.
static Value buildBySelects(OpBuilder &b, Location loc,
                            DenseElementsAttr values,
                            const Placement &placement, Distributor &out) {
  SmallVector<Digit> subgroups = placement.digitsOn(Axis::Subgroup);
  SmallVector<Digit> lanes = placement.digitsOn(Axis::Lane);
  int64_t numLanes = combinations(lanes),
          count = combinations(subgroups) * numLanes;
  Value number = out.ids.step(b, loc, out.ids.number(lanes, lanes),
                              out.ids.number(subgroups, subgroups), numLanes);

  DenseElementsAttr last;
  Value result;
  for (int64_t at = 0; at < count; ++at) {
    DenseElementsAttr pattern =
        patternAt(values, placement, idOf(subgroups, at / numLanes),
                  idOf(lanes, at % numLanes));
    if (pattern == last)
      continue;
    last = pattern;
    Value value = arith::ConstantOp::create(b, loc, pattern);
    if (result) {
      Value from = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                         number, out.ids.constant(at));
      value = arith::SelectOp::create(b, loc, from, value, result);
    }
    result = value;
  }
  return result;
}

/// Builds a constant with many different lanes: a table in memory, one load per
/// register.
static Value buildByTable(OpBuilder &b, Location loc, DenseElementsAttr values,
                          const Placement &placement, Distributor &out) {
  Value table = out.table(b, loc, values);
  SmallVector<Value> elements;
  for (int64_t reg = 0; reg < placement.numRegisters(); ++reg) {
    SmallVector<Value> position;
    for (auto [dim, offset] : llvm::enumerate(placement.offsetOf(reg)))
      position.push_back(
          out.ids.offset(b, loc, out.ids.base(placement, dim), offset));
    elements.push_back(memref::LoadOp::create(b, loc, table, position));
  }
  return fromScalars(b, loc, elements, placement.type(values.getElementType()));
}

static Value buildConstant(OpBuilder &b, arith::ConstantOp op,
                           const Placement &placement, Distributor &out) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values) {
    out.note(op, "is not a dense constant; write its elements out, as "
                 "dense<[...]>");
    return nullptr;
  }
  Location loc = op.getLoc();
  if (values.isSplat())
    return arith::ConstantOp::create(
        b, loc, values.resizeSplat(placement.type(values.getElementType())));
  if (std::optional<AffineValues> affine = readAffine(values))
    return buildAffine(b, loc, *affine, placement, values.getElementType(),
                       out);
  constexpr int64_t maxSelects = 8;
  int64_t places = combinations(placement.digitsOn(Axis::Subgroup)) *
                   combinations(placement.digitsOn(Axis::Lane));
  if (places <= maxSelects || out.options.avoidsTables)
    return buildBySelects(b, loc, values, placement, out);
  return buildByTable(b, loc, values, placement, out);
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

Value distaff::buildLayoutFree(OpBuilder &b, Value value,
                               const Placement &placement, Distributor &out) {
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  VectorType type =
      placement.type(cast<VectorType>(value.getType()).getElementType());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp op) {
        return buildConstant(b, op, placement, out);
      })
      .Case([&](ub::PoisonOp) { return ub::PoisonOp::create(b, loc, type); })
      .Case([&](vector::BroadcastOp op) {
        return vector::BroadcastOp::create(b, loc, type, op.getSource());
      })
      .Case([&](vector::StepOp) { return indices(b, loc, placement, 0, out); })
      .Case([&](vector::CreateMaskOp op) {
        return mask(b, loc, placement, op.getOperands(), out);
      })
      .Case([&](vector::ConstantMaskOp op) {
        SmallVector<Value> bounds =
            llvm::map_to_vector(op.getMaskDimSizes(), [&](int64_t size) {
              return out.ids.constant(size);
            });
        return mask(b, loc, placement, bounds, out);
      })
      .Default([&](Operation *op) {
        out.note(op, "has no distribution rule; write it as arith.constant");
        return nullptr;
      });
}
