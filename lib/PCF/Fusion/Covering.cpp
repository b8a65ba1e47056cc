//===- Covering.cpp - Proof that all of a result is written ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Covering.h"

#include "../Distribute/WorkerGrids.h"
#include "MixedSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {

/// Limits of the elements to mark and of the iterations to enumerate: above
/// them, nothing is proved.
constexpr int64_t mostElements = int64_t(1) << 20;
constexpr int64_t mostIterations = int64_t(1) << 16;

/// The known values of iteration ids.
using Known = llvm::SmallDenseMap<Value, int64_t>;

/// Evaluates an op on known numbers; none for ops that are not listed, and for
/// unsigned ops, divisions and remainders with a negative operand.
std::optional<int64_t> evaluateOp(Operation *op, ArrayRef<int64_t> numbers) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Attribute> operands, results;
    for (int64_t number : numbers)
      operands.push_back(Builder(op->getContext()).getIndexAttr(number));
    if (failed(apply.getAffineMap().constantFold(operands, results)))
      return std::nullopt;
    return cast<IntegerAttr>(results.front()).getInt();
  }
  if (numbers.size() != 2)
    return std::nullopt;
  int64_t a = numbers[0], b = numbers[1];
  using Number = std::optional<int64_t>;
  auto ofSigned = [&] {
    return llvm::TypeSwitch<Operation *, Number>(op)
        .Case([&](arith::AddIOp) { return llvm::checkedAdd(a, b); })
        .Case([&](arith::SubIOp) { return llvm::checkedSub(a, b); })
        .Case([&](arith::MulIOp) { return llvm::checkedMul(a, b); })
        .Case([&](arith::MinSIOp) { return Number(std::min(a, b)); })
        .Case([&](arith::MaxSIOp) { return Number(std::max(a, b)); })
        .Default(Number());
  };
  if (Number number = ofSigned())
    return number;
  if (a < 0 || b < 0)
    return std::nullopt;
  auto divided = [&](int64_t quotient) {
    return b == 0 ? Number() : Number(quotient);
  };
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::MinUIOp) { return Number(std::min(a, b)); })
      .Case([&](arith::MaxUIOp) { return Number(std::max(a, b)); })
      .Case<arith::DivUIOp, arith::DivSIOp>(
          [&](auto) { return divided(a / std::max<int64_t>(b, 1)); })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return divided(a % std::max<int64_t>(b, 1)); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto) {
        return divided(llvm::divideCeil(a, std::max<int64_t>(b, 1)));
      })
      .Default(Number());
}

/// Evaluates an index that is computed from constants and known ids.
std::optional<int64_t> evaluate(OpFoldResult index, const Known &known) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return constant;
  Value value = cast<Value>(index);
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isIndex() || op->getNumRegions() != 0)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = evaluate(operand, known);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return evaluateOp(op, numbers);
}

/// Describes a dimension of a loop around a write. Its bounds may depend on the
/// ids of loops around it.
struct Iteration {
  Value id;
  OpFoldResult lower, upper, step;
};

/// Adds the dimensions of an scf.for or scf.forall. Returns false for other
/// ops.
bool addLoop(Operation *op, SmallVectorImpl<Iteration> &loops) {
  if (!isa<scf::ForallOp, scf::ForOp>(op))
    return false;
  auto loop = cast<LoopLikeOpInterface>(op);
  for (auto [id, lower, upper, step] :
       llvm::zip_equal(*loop.getLoopInductionVars(), *loop.getLoopLowerBounds(),
                       *loop.getLoopUpperBounds(), *loop.getLoopSteps()))
    loops.push_back({id, lower, upper, step});
  return true;
}

/// Returns whether an op is a phase of the whole group, which has members; a
/// cluster of it may have none.
bool isPhaseOfAll(Operation *op) {
  auto phase = dyn_cast<RunClusterOp>(op);
  return phase && llvm::any_of(phase.getSources().getTypes(),
                               llvm::IsaPred<ThreadgroupType>);
}

/// Returns the loops around a write that runs in each of their iterations,
/// outermost first; none if that is not certain.
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
  Builder builder(owner->getContext());
  auto add = [&](Value id, OpFoldResult from, OpFoldResult end) {
    loops.push_back({id, from, end, builder.getIndexAttr(1)});
  };
  if (auto loop = dyn_cast<LoopOp>(*owner))
    for (auto [id, count] : llvm::zip_equal(loop.getIds(), loop.getCounts()))
      add(id, builder.getIndexAttr(0), count);
  // Each worker runs the body once, and the launch fixes their number.
  auto workers = dyn_cast<GenericOp>(*owner);
  std::optional<int64_t> count =
      workers ? getLaunchCount(owner, owner.getScope()) : std::nullopt;
  if (count && workers.getIds().size() == 1) {
    OpFoldResult end = builder.getIndexAttr(*count);
    add(workers.getIds().front(), builder.getIndexAttr(0), end);
    add(workers.getCounts().front(), end, builder.getIndexAttr(*count + 1));
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// Records the elements of a shape that have been written.
class Marks {
public:
  Marks(ArrayRef<int64_t> shape)
      : shape(shape), marks(ShapedType::getNumElements(shape)) {}

  /// Marks the elements that a slice writes in each iteration of all loops.
  /// Returns false if they are not known, or are out of bounds.
  bool addAll(const MixedSlice &slice, ArrayRef<Iteration> loops,
              Known &known) {
    if (loops.empty())
      return add(slice, known, 0, 0);
    const Iteration &loop = loops.front();
    std::optional<int64_t> lower = evaluate(loop.lower, known),
                           upper = evaluate(loop.upper, known),
                           step = evaluate(loop.step, known);
    if (!lower || !upper || !step || *step <= 0)
      return false;
    for (int64_t id = *lower; id < *upper; id += *step) {
      known[loop.id] = id;
      if (--budget < 0 || !addAll(slice, loops.drop_front(), known))
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

void pcf::dropInit(OpBuilder &builder, RefOwnerOpInterface owner,
                   OpOperand &init) {
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPoint(owner);
  Location loc = owner->getLoc();
  auto type = cast<RankedTensorType>(init.get().getType());
  init.set(tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, init.get()),
      type.getElementType(), type.getEncoding()));
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
