//===- CarryVectors.cpp - Carrying tensors as vectors ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of a worker are registers, so tensors that its loops carry, and
// that its branches and blocks forward, become vectors:
//
//   %r = scf.if %c -> tensor<4xf32> {        %v = scf.if %c -> vector<4xf32> {
//     scf.yield %t : tensor<4xf32>             %x = vector.transfer_read %t
//   } ...                                      scf.yield %x : vector<4xf32>
//                                            } ...
//                                            %r = vector.transfer_write %v, ...
//
// A value is converted regardless of its definition: two loops, each of which
// carries the value of the other, have no order in which one could be analyzed
// before the other. The patterns for reads and writes remove the transfers
// around a value (VectorizeSlices.cpp).
//
//===----------------------------------------------------------------------===//
#include "../Distribute/CarriedValues.h"
#include "WrittenVectors.h"

#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Rewrite/WholeTensors.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

static bool isVectorTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() > 0 &&
         VectorType::isValidElementType(type.getElementType());
}

/// Returns whether the op is in a worker's code; a function in which no op
/// starts workers is a part of such code.
static bool isOfWorker(Operation *op) {
  if (op->getParentOfType<RefOwnerOpInterface>())
    return true;
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function && !function
                          ->walk([](RefOwnerOpInterface) {
                            return WalkResult::interrupt();
                          })
                          .wasInterrupted();
}

/// Collects the tensors that control flow carries in the code of workers.
static CarriedValues collectCarriedTensors(Operation *root) {
  CarriedValues carried(isVectorTensor);
  root->walk([&](Operation *op) {
    if (isOfWorker(op))
      carried.addOp(op);
    if (isa<RefOwnerOpInterface>(op))
      for (Region &region : op->getRegions())
        carried.addBlocks(region);
  });
  return carried;
}

void pcf::carryVectors(RewriterBase &rewriter, Operation *root) {
  CarriedValues carried = collectCarriedTensors(root);
  for (OpOperand *operand : carried.operands) {
    Operation *owner = operand->getOwner();
    rewriter.setInsertionPoint(owner);
    Value vector = readTensor(rewriter, owner->getLoc(), operand->get());
    rewriter.modifyOpInPlace(owner, [&] { operand->set(vector); });
  }
  // All uses take a tensor here, even those that read the vector again.
  for (Value value : carried.values) {
    auto type = cast<RankedTensorType>(value.getType());
    value.setType(VectorType::get(type.getShape(), type.getElementType()));
    rewriter.setInsertionPointAfterValue(value);
    Value tensor = writeVector(rewriter, value.getLoc(), value);
    rewriter.replaceAllUsesExcept(value, tensor, tensor.getDefiningOp());
  }
}
