//===- MatrixRegisterTiles.cpp - Products in matrix registers -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatrixRegisterTiles.h"
#include "AttentionSteps.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

MatrixRegisterTiles::MatrixRegisterTiles(const FusedGroup &group,
                                         const Target &target, bool strictFp)
    : unit(target.simd.matrices), dot(find(group, strictFp)) {}

/// Returns whether a product's operand is read from an array without change, in
/// the element type that is multiplied.
static bool isReadAsItIs(Value operand, const Multiplicand &factor) {
  Type element = getElementTypeOrSelf(operand.getType());
  return factor.element == element && fillsItsBytes(element) &&
         (isa<BlockArgument>(operand) ||
          operand.getDefiningOp<arith::ConstantOp>());
}

const PackedDot *MatrixRegisterTiles::find(const FusedGroup &group,
                                           bool strictFp) {
  constexpr int64_t fewestSteps = 8;
  const GroupOp &root = *group.root();
  body = unit.registers > 0 ? matchContraction(root.op) : std::nullopt;
  // Operands that are packed for several tiles have one loop over steps.
  if (!body || body->k.size() != 1 || !findAttention(root.op).empty())
    return nullptr;
  auto op = cast<linalg::LinalgOp>(root.op);
  extents = op.getStaticLoopRanges();
  for (int64_t &extent : extents)
    if (ShapedType::isDynamic(extent))
      extent = nominalExtent;
  // Sums lie in rows along the right side's columns.
  AffineMap sums = op.getIndexingMapsArray()[2];
  if (extents[body->k.front()] < fewestSteps || sums.getNumResults() < 2 ||
      sums.getDimPosition(sums.getNumResults() - 1) != body->n.back())
    return nullptr;
  ContractionProblem problem = problemOf(root, *body, extents);
  if (!isReadAsItIs(op->getOperand(0), problem.lhsFactor) ||
      !isReadAsItIs(op->getOperand(1), problem.rhsFactor))
    return nullptr;
  for (const PackedDot &each : unit.dots)
    if (problem.accElement == elementTypeOf(each.result, op->getContext()) &&
        (!strictFp || isInteger(each.result)) &&
        problem.lhsFactor.as(each.lhs, /*mayDropBits=*/false) &&
        problem.rhsFactor.as(each.rhs, /*mayDropBits=*/false))
      return &each;
  return nullptr;
}

const PackedDot *MatrixRegisterTiles::dotOf(ArrayRef<int64_t> workgroup,
                                            ArrayRef<int64_t> step) const {
  if (!dot || workgroup.size() != extents.size() ||
      step.size() != extents.size())
    return nullptr;
  unsigned m = body->m.back(), n = body->n.back();
  // Other tiles follow in both directions, so both sides are packed.
  bool isOfMatrices = workgroup[m] < extents[m] && workgroup[n] < extents[n] &&
                      step[body->k.front()] == 1 &&
                      unit.holds(workgroup[m], workgroup[n]);
  return isOfMatrices ? dot : nullptr;
}
