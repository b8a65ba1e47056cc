//===- CarryVectors.cpp - Control flow hands on vectors -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of a worker are registers, so what its loops carry, and what its
// branches and blocks hand on, becomes vectors:
//
//   %r = scf.if %c -> tensor<4xf32> {        %v = scf.if %c -> vector<4xf32> {
//     scf.yield %t : tensor<4xf32>             %x = vector.transfer_read %t
//   } ...                                      scf.yield %x : vector<4xf32>
//                                            } ...
//                                            %r = vector.transfer_write %v, ...
//
// A value is converted without regard to where it comes from: two loops, each
// of which hands the value of the other on, have no order in which one could be
// judged before the other. The patterns for reads and writes remove what stands
// around a value (VectorizeSlices.cpp).
//
//===----------------------------------------------------------------------===//
#include "WrittenVectors.h"

#include "../WholeTensors.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

static bool isVectorTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() > 0 &&
         VectorType::isValidElementType(type.getElementType());
}

/// Whether the op is in a worker's code; a function in which nothing starts
/// workers is a part of such code.
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

/// Whether all tensors that the op takes and gives are handed on by it.
static bool handsOn(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, arith::SelectOp>(op);
}

namespace {
/// What changes its type.
struct Carried {
  SmallVector<Value> values;
  SmallVector<OpOperand *> operands;

  void add(ValueRange range) {
    llvm::copy_if(range, std::back_inserter(values), isVectorTensor);
  }
  void add(MutableArrayRef<OpOperand> range) {
    for (OpOperand &operand : range)
      if (isVectorTensor(operand.get()))
        operands.push_back(&operand);
  }
};
} // namespace

/// What the blocks of a region begin with and end in. The first block begins
/// with what its op hands it, if it does.
static void collectBlocks(Region &region, bool isHandedOn, Carried &carried) {
  for (Block &block : region) {
    if (isHandedOn || !block.isEntryBlock())
      carried.add(block.getArguments());
    Operation *end = block.mightHaveTerminator() ? block.getTerminator()
                                                 : nullptr;
    if (end && (isHandedOn || isa<BranchOpInterface>(end)))
      carried.add(end->getOpOperands());
  }
}

static Carried collectCarried(Operation *root) {
  Carried carried;
  root->walk([&](Operation *op) {
    bool isHandedOn = handsOn(op) && isOfWorker(op);
    if (isHandedOn) {
      carried.add(op->getResults());
      carried.add(op->getOpOperands());
    }
    if (isHandedOn || isa<RefOwnerOpInterface>(op))
      for (Region &region : op->getRegions())
        collectBlocks(region, isHandedOn, carried);
  });
  return carried;
}

void pcf::carryVectors(RewriterBase &rewriter, Operation *root) {
  Carried carried = collectCarried(root);
  for (OpOperand *operand : carried.operands) {
    Operation *owner = operand->getOwner();
    rewriter.setInsertionPoint(owner);
    Value vector = readWholeTensor(rewriter, owner->getLoc(), operand->get());
    rewriter.modifyOpInPlace(owner, [&] { operand->set(vector); });
  }
  // Whoever uses a value now takes a tensor, be it to read the vector again.
  for (Value value : carried.values) {
    auto type = cast<RankedTensorType>(value.getType());
    value.setType(VectorType::get(type.getShape(), type.getElementType()));
    rewriter.setInsertionPointAfterValue(value);
    Value tensor = writeVector(rewriter, value.getLoc(), value);
    rewriter.replaceAllUsesExcept(value, tensor, tensor.getDefiningOp());
  }
}
