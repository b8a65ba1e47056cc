//===- UnitInputs.cpp - Inputs of gathers without unit dims ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   linalg.generic (d0, d1) -> (0, d1), ...  ins(%i : tensor<1x8xi64>)
//   =>  %j = tensor.collapse_shape %i [[0, 1]] : ... into tensor<8xi64>
//       linalg.generic (d0, d1) -> (d1), ...  ins(%j : tensor<8xi64>)
//
// where the body reads by tensor.extract: the positions are vectors along the
// loops that an input has, and a dimension of extent 1 is none.
//
//===----------------------------------------------------------------------===//
#include "BodyForms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace distaff;

/// Returns the dims of an input that are one element by its type and its map.
static llvm::SmallBitVector findUnitDims(Value input, AffineMap map) {
  auto type = cast<RankedTensorType>(input.getType());
  llvm::SmallBitVector units(type.getRank());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (isa<AffineConstantExpr>(expr) && type.getDimSize(dim) == 1)
      units.set(dim);
  return units;
}

/// Returns groups of dims, each with one dim that is kept.
static SmallVector<ReassociationIndices>
groupAround(const llvm::SmallBitVector &units) {
  SmallVector<ReassociationIndices> groups;
  bool hasKept = false; // whether the last group has one
  for (unsigned dim = 0; dim < units.size(); ++dim) {
    if (groups.empty() || (hasKept && !units.test(dim))) {
      groups.emplace_back();
      hasKept = false;
    }
    groups.back().push_back(dim);
    hasKept |= !units.test(dim);
  }
  return units.all() ? SmallVector<ReassociationIndices>() : groups;
}

void distaff::dropUnitInputs(func::FuncOp kernel) {
  for (auto op :
       llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>())) {
    if (!op.hasPureTensorSemantics() ||
        op.getBlock()->getOps<tensor::ExtractOp>().empty())
      continue;
    OpBuilder b(op);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isa<RankedTensorType>(input->get().getType()))
        continue;
      AffineMap &map = maps[input->getOperandNumber()];
      llvm::SmallBitVector units = findUnitDims(input->get(), map);
      if (units.none())
        continue;
      SmallVector<AffineExpr> kept;
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (!units.test(dim))
          kept.push_back(expr);
      map = AffineMap::get(map.getNumDims(), 0, kept, b.getContext());
      input->set(tensor::CollapseShapeOp::create(b, op.getLoc(), input->get(),
                                                 groupAround(units)));
    }
    op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  }
}
