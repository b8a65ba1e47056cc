//===- BodyBranches.cpp - scf.if in bodies becomes selects ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %q = scf.if %ok -> i32 {                 %e = arith.select %ok, %d, %one
//     %v = arith.divsi %x, %d                %v = arith.divsi %x, %e
//     scf.yield %v                    ->     %q = arith.select %ok, %v, %x
//   } else {
//     scf.yield %x
//   }
//
// Lanes of one vector take both sides. A division whose side has checked the
// divisor, or a read whose side has checked the position, must not get the
// operands of points that do not take that side.
//
//===----------------------------------------------------------------------===//
#include "BodyForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

namespace {
/// Moves the ops of one side before the branch.
class SideMover {
public:
  SideMover(scf::IfOp branch, bool isThen)
      : branch(branch), isThen(isThen), b(branch) {}

  void move(Operation *op);

private:
  /// Returns whether the side is taken, as an i1 before the branch.
  Value condition() {
    Value taken = branch.getCondition();
    if (isThen)
      return taken;
    if (!negated) {
      Value yes =
          arith::ConstantOp::create(b, branch.getLoc(), b.getBoolAttr(true));
      negated = arith::XOrIOp::create(b, branch.getLoc(), taken, yes);
    }
    return negated;
  }
  void replaceWhereNotTaken(OpOperand &operand, int64_t number);

  scf::IfOp branch;
  bool isThen;
  OpBuilder b;
  Value negated;
};
} // namespace

/// Replaces an operand by `number` where the side is not taken.
void SideMover::replaceWhereNotTaken(OpOperand &operand, int64_t number) {
  Value value = operand.get();
  Value instead = arith::ConstantOp::create(
      b, branch.getLoc(), b.getIntegerAttr(value.getType(), number));
  operand.set(
      arith::SelectOp::create(b, branch.getLoc(), condition(), value, instead));
}

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Returns whether an op of one side can be computed for points of the other:
/// as it is, or with an operand that is replaced there.
static bool canMove(Operation *op) {
  return isa<cf::AssertOp, tensor::ExtractOp>(op) || isDivision(op) ||
         isPure(op);
}

void SideMover::move(Operation *op) {
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    Value yes = arith::ConstantOp::create(b, op->getLoc(), b.getBoolAttr(true));
    Value holds = arith::SelectOp::create(b, op->getLoc(), condition(),
                                          assertion.getArg(), yes);
    assertion.getArgMutable().assign(holds);
  } else if (isDivision(op)) {
    replaceWhereNotTaken(op->getOpOperand(1), 1);
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    for (OpOperand &index : extract.getIndicesMutable())
      replaceWhereNotTaken(index, 0);
  }
  op->moveBefore(branch);
}

static void moveAll(scf::IfOp branch, Block *side, bool isThen) {
  SideMover mover(branch, isThen);
  for (Operation &op : llvm::make_early_inc_range(side->without_terminator()))
    mover.move(&op);
}

static void flatten(scf::IfOp branch) {
  moveAll(branch, branch.thenBlock(), /*isThen=*/true);
  if (branch.elseBlock())
    moveAll(branch, branch.elseBlock(), /*isThen=*/false);
  OpBuilder b(branch);
  SmallVector<Value> chosen;
  for (unsigned i = 0; i < branch.getNumResults(); ++i) {
    Value ours = branch.thenYield().getOperand(i),
          theirs = branch.elseYield().getOperand(i);
    chosen.push_back(ours == theirs ? ours
                                    : arith::SelectOp::create(
                                          b, branch.getLoc(),
                                          branch.getCondition(), ours, theirs)
                                          .getResult());
  }
  branch.replaceAllUsesWith(chosen);
  branch.erase();
}

/// Fails with a diagnostic where a side has ops that vectors cannot compute.
/// Branches inside of it are flat by the time that it is moved.
static LogicalResult checkSides(scf::IfOp branch) {
  for (Region *side : branch.getRegions())
    for (Operation &op : side->getOps())
      if (!op.hasTrait<::mlir::OpTrait::IsTerminator>() &&
          !isa<scf::IfOp>(op) && !canMove(&op))
        return op.emitOpError(
            "stands in a branch of a linalg op's body, which computes both "
            "sides of it; only ops of arith and math, reads by tensor.extract "
            "and cf.assert may stand there");
  return success();
}

LogicalResult distaff::flattenBodyBranches(func::FuncOp kernel) {
  // In post-order, so that inner branches are flat by then.
  SmallVector<scf::IfOp> branches;
  kernel.walk<WalkOrder::PostOrder>([&](scf::IfOp branch) {
    if (branch->getParentOfType<linalg::GenericOp>())
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    if (failed(checkSides(branch)))
      return failure();
  llvm::for_each(branches, flatten);
  return success();
}
