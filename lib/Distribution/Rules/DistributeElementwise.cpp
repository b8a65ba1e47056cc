//===- DistributeElementwise.cpp - Elementwise ops ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An elementwise op computes each result element from the operands' elements at
// the same index. With equal layouts those are in the same register of the same
// lane, so the op is cloned on the lane's vectors, with its attributes (VX-68).
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

using namespace distaff;

LogicalResult distaff::distributeElementwise(Operation *op, Distributor &out) {
  const Placement *placement = nullptr;
  for (OpResult result : op->getResults())
    if (isa<VectorType>(result.getType()))
      placement = out.placementOf(result);
  assert(placement && "an elementwise op has a vector result");

  OpBuilder b(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(out.get(b, operand));
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
        auto vectorType = dyn_cast<VectorType>(type);
        return vectorType ? placement->type(vectorType.getElementType()) : type;
      });
  Operation *distributed = b.create(op->getLoc(), op->getName().getIdentifier(),
                                    operands, types, op->getAttrs());
  out.replace(op, distributed->getResults());
  return success();
}
