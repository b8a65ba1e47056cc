//===- Covering.cpp - Whether all of a result is written ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Covering.h"

#include "MixedSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {

/// Most elements to mark, and most iterations to look at: beyond, the answer is
/// no.
constexpr int64_t mostElements = int64_t(1) << 20;
constexpr int64_t mostIterations = int64_t(1) << 16;

/// Numbers that iteration ids have.
using Known = llvm::SmallDenseMap<Value, int64_t>;

/// The number that an index is, computed from constants and known ids.
std::optional<int64_t> evaluate(OpFoldResult index, const Known &known);

std::optional<int64_t> evaluateOp(Operation *op, const Known &known) {
  if (!isa<affine::AffineApplyOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(
          op))
    return std::nullopt;
  SmallVector<Attribute> operands;
  Builder builder(op->getContext());
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = evaluate(operand, known);
    if (!number)
      return std::nullopt;
    operands.push_back(builder.getIndexAttr(*number));
  }
  auto number = [&](unsigned i) {
    return cast<IntegerAttr>(operands[i]).getInt();
  };
  if (isa<arith::AddIOp>(op))
    return llvm::checkedAdd(number(0), number(1));
  if (isa<arith::SubIOp>(op))
    return llvm::checkedSub(number(0), number(1));
  if (isa<arith::MulIOp>(op))
    return llvm::checkedMul(number(0), number(1));
  SmallVector<Attribute> results;
  if (failed(cast<affine::AffineApplyOp>(op).getAffineMap().constantFold(
          operands, results)))
    return std::nullopt;
  return cast<IntegerAttr>(results.front()).getInt();
}

std::optional<int64_t> evaluate(OpFoldResult index, const Known &known) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return constant;
  Value value = cast<Value>(index);
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  return op && value.getType().isIndex() ? evaluateOp(op, known) : std::nullopt;
}

/// One dimension of a loop around a write.
struct Iteration {
  Value id;
  int64_t lower, upper, step;
};

/// Adds the dimensions of an scf.for or scf.forall. False: it is none, or its
/// bounds are not constant.
bool addLoop(Operation *op, SmallVectorImpl<Iteration> &loops) {
  if (!isa<scf::ForallOp, scf::ForOp>(op))
    return false;
  auto loop = cast<LoopLikeOpInterface>(op);
  for (auto [id, lower, upper, step] :
       llvm::zip_equal(*loop.getLoopInductionVars(), *loop.getLoopLowerBounds(),
                       *loop.getLoopUpperBounds(), *loop.getLoopSteps())) {
    std::optional<int64_t> first = getConstantIntValue(lower),
                           end = getConstantIntValue(upper),
                           by = getConstantIntValue(step);
    if (!first || !end || !by || *by <= 0)
      return false;
    loops.push_back({id, *first, *end, *by});
  }
  return true;
}

/// Whether an op is a phase of the whole group, which has members; a cluster of
/// it may have none.
bool isPhaseOfAll(Operation *op) {
  auto phase = dyn_cast<RunClusterOp>(op);
  return phase && llvm::any_of(phase.getSources().getTypes(),
                               llvm::IsaPred<ThreadgroupType>);
}

/// Loops around a write that runs in each of their iterations, or none if that
/// cannot be said.
std::optional<SmallVector<Iteration>> getLoops(RefOwnerOpInterface owner,
                                               Operation *write) {
  SmallVector<Iteration> loops;
  for (; write->getParentOp() != owner; write = write->getParentOp()) {
    if (isPhaseOfAll(write->getParentOp()))
      continue;
    if (!addLoop(write->getParentOp(), loops))
      return std::nullopt;
  }
  // The entry block runs on every worker, and there is at least one.
  if (write->getBlock() != &owner.getExecute().front())
    return std::nullopt;
  if (auto loop = dyn_cast<LoopOp>(*owner))
    for (auto [id, count] : llvm::zip_equal(loop.getIds(), loop.getCounts())) {
      std::optional<int64_t> end = getConstantIntValue(count);
      if (!end)
        return std::nullopt;
      loops.push_back({id, 0, *end, 1});
    }
  return loops;
}

/// The elements of a shape that have been written.
class Marks {
public:
  Marks(ArrayRef<int64_t> shape)
      : shape(shape), marks(ShapedType::getNumElements(shape)) {}

  /// Marks what a slice writes in each iteration of all loops. False: that is
  /// not known, or lies outside.
  bool addAll(const MixedSlice &slice, ArrayRef<Iteration> loops,
              Known &known) {
    if (loops.empty())
      return --budget >= 0 && add(slice, known, 0, 0);
    const Iteration &loop = loops.front();
    for (int64_t id = loop.lower; id < loop.upper; id += loop.step) {
      known[loop.id] = id;
      if (!addAll(slice, loops.drop_front(), known))
        return false;
    }
    return true;
  }

  bool all() const { return marks.all(); }

private:
  bool add(const MixedSlice &slice, const Known &known, unsigned dim,
           int64_t linear) {
    if (dim == shape.size()) {
      marks.set(linear);
      return true;
    }
    std::optional<int64_t> offset = evaluate(slice.offsets[dim], known),
                           size = evaluate(slice.sizes[dim], known),
                           stride = evaluate(slice.strides[dim], known);
    if (!offset || !size || !stride)
      return false;
    for (int64_t i = 0; i < *size; ++i) {
      int64_t place = *offset + i * *stride;
      if (place < 0 || place >= shape[dim] ||
          !add(slice, known, dim + 1, linear * shape[dim] + place))
        return false;
    }
    return true;
  }

  ArrayRef<int64_t> shape;
  llvm::BitVector marks;
  int64_t budget = mostIterations;
};

bool isSmall(ShapedType type) {
  return type.hasStaticShape() && type.getNumElements() <= mostElements;
}

} // namespace

bool pcf::isCovered(RefOwnerOpInterface owner, BlockArgument ref,
                    bool assumed) {
  SmallVector<WriteSliceOp> writes;
  for (OpOperand &use : ref.getUses())
    if (auto write = dyn_cast<WriteSliceOp>(use.getOwner()))
      writes.push_back(write);
  if (writes.empty() || assumed)
    return !writes.empty();
  auto type = cast<ShapedType>(ref.getType());
  if (!isSmall(type))
    return false;
  Marks marks(type.getShape());
  for (WriteSliceOp write : writes) {
    std::optional<SmallVector<Iteration>> loops = getLoops(owner, write);
    Known known;
    if (loops && !marks.addAll(MixedSlice::of(write), *loops, known))
      return false;
  }
  return marks.all();
}

bool pcf::seesNoValue(Value ref, bool &isWritten) {
  for (OpOperand &use : ref.getUses()) {
    Operation *user = use.getOwner();
    if (isa<BarrierOp, FenceOp>(user))
      continue;
    if (isa<SubviewOp, ExpandShapeOp>(user)) {
      if (!seesNoValue(user->getResult(0), isWritten))
        return false;
      continue;
    }
    auto write = dyn_cast<WriteSliceOp>(user);
    if (!write || &use != &write.getDestMutable())
      return false;
    isWritten = true;
  }
  return true;
}

bool pcf::fillsDestination(scf::ForallOp forall, Operation *op, bool assumed) {
  if (assumed)
    return true;
  auto insert = cast<tensor::ParallelInsertSliceOp>(op);
  RankedTensorType type = insert.getDestType();
  SmallVector<Iteration> loops;
  if (!isSmall(type) || !addLoop(forall, loops))
    return false;
  Marks marks(type.getShape());
  Known known;
  return marks.addAll(MixedSlice::of(insert), loops, known) && marks.all();
}
