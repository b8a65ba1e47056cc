//===- Masks.cpp - Masks as one bit per register --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask element is true while its index is below the bound in every dim.
//
//===----------------------------------------------------------------------===//
#include "ScalarRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

static LogicalResult lowerConstantMask(vector::ConstantMaskOp op,
                                       Lowering &lowering) {
  SmallVector<Value> elements;
  ArrayRef<int64_t> bounds = op.getMaskDimSizes();
  auto type = cast<VectorType>(op.getType());
  if (type.getRank() == 0)
    elements.push_back(lowering.boolean(bounds.front() != 0));
  else
    forEachIndex(type.getShape(), [&](int64_t, ArrayRef<int64_t> index) {
      bool inside = true;
      for (auto [digit, bound] : llvm::zip_equal(index, bounds))
        inside &= digit < bound;
      elements.push_back(lowering.boolean(inside));
    });
  lowering.setElements(op.getResult(), elements);
  return success();
}

static LogicalResult lowerCreateMask(vector::CreateMaskOp op,
                                     Lowering &lowering) {
  auto type = cast<VectorType>(op.getType());
  auto below = [&](int64_t position, Value bound) {
    return lowering.builder.createOrFold<arith::CmpIOp>(
        op.getLoc(), arith::CmpIPredicate::slt, lowering.index(position),
        bound);
  };
  // All elements at a position of a dim share one comparison.
  SmallVector<SmallVector<Value>> inside;
  for (auto [extent, bound] : llvm::zip(type.getShape(), op.getOperands())) {
    inside.emplace_back();
    for (int64_t i = 0; i < extent; ++i)
      inside.back().push_back(below(i, bound));
  }
  SmallVector<Value> elements;
  if (type.getRank() == 0)
    elements.push_back(below(0, op.getOperands().front()));
  else
    forEachIndex(type.getShape(), [&](int64_t, ArrayRef<int64_t> index) {
      Value all = inside[0][index[0]];
      for (size_t dim = 1; dim < index.size(); ++dim)
        all = lowering.builder.createOrFold<arith::AndIOp>(
            op.getLoc(), all, inside[dim][index[dim]]);
      elements.push_back(all);
    });
  lowering.setElements(op.getResult(), elements);
  return success();
}

void registers::addMaskRules(RuleSet &rules) {
  rules.add(lowerConstantMask);
  rules.add(lowerCreateMask);
}
