//===- LaneCode.cpp - Lane code between to_simt and to_simd ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaneCode.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::vector_ext;

namespace {
/// The code of one to_simd: a backward slice up to the to_simt ops.
class LanePart {
public:
  LanePart(ToSimdOp end, LaneCode::Refuse refuse) : end(end), refuse(refuse) {}

  LogicalResult visit(Value value);

  llvm::SetVector<Value> values;

private:
  LogicalResult visitStart(ToSimtOp op);
  /// Visits all values that a loop or a branch forwards a value to.
  LogicalResult visitCarried(Operation *op, unsigned number);

  ToSimdOp end;
  LaneCode::Refuse refuse;
  ToLayoutOp layout; // of the first to_simt
};
} // namespace

/// Returns whether an op treats each element alike, independent of its place.
static bool combines(Operation *op) {
  return isa<vector::ShapeCastOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Returns whether a value is one scalar in all lanes and elements.
static bool isSplat(Value value) {
  DenseElementsAttr bits;
  if (matchPattern(value, m_Constant(&bits)))
    return bits.isSplat();
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  return broadcast && !isa<VectorType>(broadcast.getSourceType());
}

/// Returns whether a value is computed from splats only. Whole-workgroup
/// code may also read it, and takes the first elements of its register.
static bool isUniform(Value value) {
  if (!isa<VectorType>(value.getType()) || isSplat(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && combines(op) && llvm::all_of(op->getOperands(), isUniform);
}

/// Returns whether a lane's elements have the same order in both shapes that a
/// part may have: batches, outer and element tiles of all dims, and those of
/// each dim together.
static bool isOrderedByDim(VectorLayoutInterface layout) {
  SmallVector<int64_t> shape = layout.getDistributedShape();
  int64_t rank = layout.getRank(), last = 0;
  if (int64_t(shape.size()) != 3 * rank)
    return false;
  for (auto [at, extent] : llvm::enumerate(shape)) {
    if (extent == 1)
      continue;
    if (int64_t(at) % rank < last)
      return false;
    last = int64_t(at) % rank;
  }
  return true;
}

LogicalResult LanePart::visitStart(ToSimtOp op) {
  auto own = op.getInput().getDefiningOp<ToLayoutOp>();
  if (!own)
    return refuse(op, "a lane's part of a value without a to_layout");
  if (!layout)
    layout = own;
  if (op.getInput().getType() !=
      end.getOutput().getType().clone(op.getInput().getType().getElementType()))
    return refuse(op, "a lane's part of a whole of another shape than what is "
                      "put together");
  if (own.getLayout() != layout.getLayout())
    return refuse(op, "a lane's part that is combined with one of another "
                      "layout");
  if (op.getOutput().getType().getShape() !=
          end.getInput().getType().getShape() &&
      !isOrderedByDim(own.getLayout()))
    return refuse(op, "a lane's part that is put together in another shape");
  return success();
}

LogicalResult LanePart::visitCarried(Operation *op, unsigned number) {
  SmallVector<Value> same{op->getResult(number)};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    same.push_back(loop.getInitArgs()[number]);
    same.push_back(loop.getRegionIterArg(number));
  }
  for (Region &region : op->getRegions())
    if (!region.empty())
      same.push_back(region.front().getTerminator()->getOperand(number));
  return success(
      llvm::all_of(same, [&](Value value) { return succeeded(visit(value)); }));
}

LogicalResult LanePart::visit(Value value) {
  if (!isa<VectorType>(value.getType()) || !values.insert(value))
    return success();
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      return visitCarried(loop, argument.getArgNumber() - 1);
    return refuse(end, "a lane's part that is handed on by another op than "
                       "scf.for, scf.if and scf.index_switch");
  }
  if (isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp>(op))
    return visitCarried(op, cast<OpResult>(value).getResultNumber());
  if (auto start = dyn_cast<ToSimtOp>(op))
    return visitStart(start);
  if (isSplat(value))
    return success();
  if (!combines(op))
    return refuse(op, "an op of a lane's part that is not elementwise");
  return success(llvm::all_of(op->getOperands(), [&](Value operand) {
    return succeeded(visit(operand));
  }));
}

/// Adds the values that a uniform value is computed from.
static void addUniform(Value value, int64_t count,
                       llvm::MapVector<Value, int64_t> &elements) {
  if (!isa<VectorType>(value.getType()) ||
      !elements.try_emplace(value, count).second || isSplat(value))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    addUniform(operand, count, elements);
}

/// Adds lane code without uses, which also reads parts.
static void addUnread(Operation *kernel,
                      llvm::MapVector<Value, int64_t> &elements) {
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!combines(op) || op->getNumResults() != 1 ||
        elements.contains(op->getResult(0)) || isUniform(op->getResult(0)))
      return;
    int64_t count = 0;
    for (Value operand : op->getOperands())
      if (isa<VectorType>(operand.getType()) && !isUniform(operand)) {
        auto part = elements.find(operand);
        if (part == elements.end())
          return;
        count = part->second;
      }
    if (count == 0)
      return;
    for (Value operand : op->getOperands())
      if (isUniform(operand))
        addUniform(operand, count, elements);
    elements[op->getResult(0)] = count;
  });
}

/// Refuses other readers of a part: it has the elements of all lanes here.
static LogicalResult
checkReaders(const llvm::MapVector<Value, int64_t> &elements,
             LaneCode::Refuse refuse) {
  auto isPart = [&](Value result) { return elements.contains(result); };
  for (auto [value, count] : elements)
    for (Operation *user : value.getUsers())
      if (!isUniform(value) && !isa<ToSimdOp>(user) &&
          llvm::none_of(isa<scf::YieldOp>(user)
                            ? user->getParentOp()->getResults()
                            : user->getResults(),
                        isPart))
        return refuse(user, "an op of a lane's part that no to_simd puts "
                            "together");
  return success();
}

FailureOr<LaneCode> LaneCode::get(Operation *kernel, Refuse refuse) {
  llvm::MapVector<Value, int64_t> elements;
  WalkResult walked = kernel->walk([&](ToSimdOp end) {
    int64_t count = end.getOutput().getType().getNumElements();
    // With one lane a part is the whole.
    if (count == end.getInput().getType().getNumElements())
      return WalkResult::advance();
    LanePart part(end, refuse);
    if (failed(part.visit(end.getInput())))
      return WalkResult::interrupt();
    for (Value value : part.values)
      elements[value] = std::max(elements[value], count);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  addUnread(kernel, elements);
  if (failed(checkReaders(elements, refuse)))
    return failure();
  LaneCode code;
  for (auto [value, count] : elements)
    code.elements[value] = count;
  return code;
}
