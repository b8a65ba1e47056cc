//===- CarriedParts.cpp - Lane parts carried by control flow --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CarriedParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vector_ext;

/// Returns whether an op is a branch whose regions yield its results.
static bool isBranch(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp>(op);
}

/// Returns the values that control flow forwards to a result of an op: the
/// initial value of a loop, followed by one value per region.
static SmallVector<Value> getSources(Operation *op, unsigned number) {
  SmallVector<Value> sources;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    sources.push_back(loop.getInitArgs()[number]);
  if (isa<scf::ForOp>(op) || isBranch(op))
    for (Region &region : op->getRegions())
      if (!region.empty())
        sources.push_back(region.front().getTerminator()->getOperand(number));
  return sources;
}

namespace {
/// Traces a vector back to the to_simt that created its lane parts.
class PartStart {
public:
  ToSimtOp find(Value value);

private:
  llvm::DenseSet<Value> visited;
};
} // namespace

ToSimtOp PartStart::find(Value value) {
  if (!isa<VectorType>(value.getType()) || !visited.insert(value).second)
    return {};
  SmallVector<Value> sources;
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop)
      sources = getSources(loop, argument.getArgNumber() - 1);
  } else if (auto start = dyn_cast<ToSimtOp>(op)) {
    return start;
  } else if (isa<vector::ShapeCastOp>(op) ||
             OpTrait::hasElementwiseMappableTraits(op)) {
    sources.assign(op->operand_begin(), op->operand_end());
  } else {
    sources = getSources(op, cast<OpResult>(value).getResultNumber());
  }
  for (Value source : sources)
    if (ToSimtOp start = find(source))
      return start;
  return {};
}

namespace {
/// Replaces one carried lane part by the whole vector.
class CarriedWhole {
public:
  CarriedWhole(OpResult result, ToSimtOp start,
               llvm::DenseSet<Operation *> &ends)
      : result(result), part(cast<VectorType>(result.getType())),
        layout(start.getInput().getDefiningOp<ToLayoutOp>()), ends(ends) {
    whole = start.getInput().getType().clone(part.getElementType());
  }

  void emit();

private:
  void putTogether(OpOperand &operand);
  void takeApart(Value value, OpBuilder b);

  OpResult result;
  VectorType part, whole;
  /// The layout op of the vector that the part belongs to; null where a lane
  /// has all elements.
  ToLayoutOp layout;
  llvm::DenseSet<Operation *> &ends;
};
} // namespace

void CarriedWhole::putTogether(OpOperand &operand) {
  OpBuilder b(operand.getOwner());
  auto end = ToSimdOp::create(b, result.getLoc(), whole, operand.get());
  ends.insert(end);
  operand.set(end);
}

void CarriedWhole::takeApart(Value value, OpBuilder b) {
  value.setType(whole);
  Value laidOut = value;
  if (layout)
    laidOut = ToLayoutOp::create(b, value.getLoc(), value, layout.getLayout());
  auto again = ToSimtOp::create(b, value.getLoc(), part, laidOut);
  Operation *first = layout ? laidOut.getDefiningOp() : again;
  value.replaceAllUsesExcept(again, first);
}

void CarriedWhole::emit() {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    putTogether(loop.getInitArgsMutable()[number]);
    takeApart(loop.getRegionIterArg(number),
              OpBuilder::atBlockBegin(loop.getBody()));
  }
  for (Region &region : op->getRegions())
    if (!region.empty())
      putTogether(region.front().getTerminator()->getOpOperand(number));
  OpBuilder after(op->getContext());
  after.setInsertionPointAfter(op);
  takeApart(result, after);
}

llvm::DenseSet<Operation *> distaff::carryWholes(FunctionOpInterface function) {
  llvm::DenseSet<Operation *> ends;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<scf::ForOp>(op) && !isBranch(op))
      return;
    for (OpResult result : op->getResults())
      if (ToSimtOp start = PartStart().find(result))
        CarriedWhole(result, start, ends).emit();
  });
  return ends;
}
