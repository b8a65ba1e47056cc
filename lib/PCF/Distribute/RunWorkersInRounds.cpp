//===- RunWorkersInRounds.cpp - Row blocking of workers' code -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of a worker computes on rows whose number is dynamic. Registers are
// allocated statically, for the largest number of rows. Rows that are
// independent of each other are computed in rounds (PCF-155):
//
//   %a = read_slice %A[%o, 0] [%s, 32]    scf.for %r = 0 to %rounds {
//   ...                                     %from = min(32 * %r, %s)
//   write_slice %y into %O[%o, 0]           %size = min(32, %s - %from)
//       [%s, 128]                           read_slice %A[%o + %from, 0]
//       [%size, 32]
//                                           ...
//                                           pcf.barrier(#sg) fence(%panel) }
//
// All of the workers' code is in the loop: copies of some workers to panels for
// the others are repeated in each round. The program stays the same if a round
// has the effects of the one before, except for the rows that it writes.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "CollectiveOps.h"
#include "RowBoxes.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PCFRUNWORKERSINROUNDS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
/// Rematerializes numbers that are the same for all workers before the rounds.
class CommonNumbers {
public:
  CommonNumbers(GenericOp generic, RewriterBase &rewriter)
      : generic(generic), rewriter(rewriter) {}

  /// Returns an upper bound of `number` for all workers; null if none is known.
  Value getBound(OpFoldResult number);

private:
  Value get(Value value);
  /// Returns whether a division by zero is the only reason not to speculate an
  /// op.
  static bool isUnsignedDivision(Operation *op) {
    return isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op);
  }

  GenericOp generic;
  RewriterBase &rewriter;
  IRMapping made;
};

/// Rewrites the code of a worker for the rows of a round.
class RoundWriter {
public:
  RoundWriter(SharedExecutorOp executor, GenericOp generic,
              const RowBoxes &rows, RewriterBase &rewriter)
      : executor(executor), generic(generic), rows(rows), rewriter(rewriter) {}

  void write(ArrayRef<Operation *> ops, ArrayRef<RowBox> boxes);

private:
  Value countRounds(ArrayRef<Operation *> ops, const RowBox &box);
  scf::ForOp wrap(Value rounds);
  void addBarrier(ArrayRef<Operation *> ops, scf::ForOp loop);
  void narrow(Operation *op, unsigned dim, const RowBox &box, Value round);
  std::pair<OpFoldResult, OpFoldResult>
  cut(OpFoldResult size, const RowBox &box, Value round, Location loc);

  SharedExecutorOp executor;
  GenericOp generic;
  const RowBoxes &rows;
  RewriterBase &rewriter;
};
} // namespace

Value CommonNumbers::get(Value value) {
  Region &code = generic.getExecute();
  if (!code.isAncestor(value.getParentRegion()) ||
      llvm::is_contained(generic.getCounts(), value))
    return value;
  if (Value known = made.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op) ||
      !(isSpeculatable(op) || isUnsignedDivision(op)))
    return Value();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(get(operand));
    if (!operands.back())
      return Value();
  }
  if (!isSpeculatable(op)) {
    Value one = arith::ConstantOp::create(rewriter, op->getLoc(),
                                          rewriter.getOneAttr(value.getType()));
    operands[1] =
        arith::MaxUIOp::create(rewriter, op->getLoc(), operands[1], one);
  }
  Operation *copy = rewriter.clone(*op);
  copy->setOperands(operands);
  made.map(value, copy->getResult(0));
  return copy->getResult(0);
}

Value CommonNumbers::getBound(OpFoldResult number) {
  auto value = dyn_cast<Value>(number);
  if (!value)
    return Value();
  if (Value common = get(value))
    return common;
  auto smaller = value.getDefiningOp<arith::MinUIOp>();
  if (!smaller)
    return Value();
  Value lhs = getBound(smaller.getLhs());
  return lhs ? lhs : getBound(smaller.getRhs());
}

/// Returns the sizes of a slice, or of an empty tensor, along its own
/// dimensions.
static SmallVector<OpFoldResult> getExtentsOf(Operation *op) {
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op))
    return slice.getMixedSizes();
  return cast<tensor::EmptyOp>(op).getMixedSizes();
}

static Value getShapedValue(Operation *op) {
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return write.getSource();
  return op->getResult(0);
}

/// Returns a number of rounds that covers all rows of every worker.
Value RoundWriter::countRounds(ArrayRef<Operation *> ops, const RowBox &box) {
  Location loc = executor.getLoc();
  CommonNumbers numbers(generic, rewriter);
  llvm::SetVector<Value> bounds;
  for (Operation *op : ops)
    if (isa<ReadSliceOp, WriteSliceOp, tensor::EmptyOp>(op))
      if (auto dim = rows.dimOf(getShapedValue(op), box.extent))
        bounds.insert(numbers.getBound(getExtentsOf(op)[*dim]));
  Value all = arith::ConstantIndexOp::create(rewriter, loc, box.most);
  if (!bounds.empty() && !bounds.contains(Value())) {
    Value largest = bounds.front();
    for (Value bound : bounds.getArrayRef().drop_front())
      largest = arith::MaxUIOp::create(rewriter, loc, largest, bound);
    all = arith::MinUIOp::create(rewriter, loc, largest, all);
  }
  Value size = arith::ConstantIndexOp::create(rewriter, loc, box.size);
  return arith::CeilDivUIOp::create(rewriter, loc, all, size);
}

/// Wraps the executor's code in a loop.
scf::ForOp RoundWriter::wrap(Value rounds) {
  Location loc = executor.getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(rewriter, loc, zero, rounds, one);
  Operation *yield = loop.getBody()->getTerminator();
  Block &block = executor.getExecute().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           std::next(Block::iterator(loop)), std::prev(block.end()))))
    rewriter.moveOpBefore(&op, yield);
  return loop;
}

/// Adds a barrier after which memory of the workers is written again: all have
/// read it.
void RoundWriter::addBarrier(ArrayRef<Operation *> ops, scf::ForOp loop) {
  llvm::SetVector<Value> written;
  for (Operation *op : ops)
    if (auto write = dyn_cast<WriteSliceOp>(op);
        write && isWorkersOwn(write.getDest(), generic))
      written.insert(write.getDest());
  if (written.empty())
    return;
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  BarrierOp::create(rewriter, executor.getLoc(), generic.getScope(),
                    /*clusters=*/ValueRange(), /*ranges=*/ValueRange(),
                    written.getArrayRef());
}

/// Returns the offset and the number of the rows of a round, out of `size`.
std::pair<OpFoldResult, OpFoldResult> RoundWriter::cut(OpFoldResult size,
                                                       const RowBox &box,
                                                       Value round,
                                                       Location loc) {
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0),
             s1 = rewriter.getAffineSymbolExpr(1);
  auto make = [&](AffineExpr a, AffineExpr b, Value first) -> OpFoldResult {
    return affine::makeComposedFoldedAffineMin(
        rewriter, loc, AffineMap::get(0, 2, {a, b}, rewriter.getContext()),
        {first, size});
  };
  OpFoldResult from = make(s0 * box.size, s1, round);
  AffineExpr most = rewriter.getAffineConstantExpr(box.size);
  return {from, make(most, s1 - s0,
                     getValueOrCreateConstantIndexOp(rewriter, loc, from))};
}

/// Restricts a slice, or an empty tensor, to the rows of a round.
void RoundWriter::narrow(Operation *op, unsigned dim, const RowBox &box,
                         Value round) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes = getExtentsOf(op);
  auto [from, size] = cut(sizes[dim], box, round, loc);
  sizes[dim] = size;
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  if (!slice) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, sizes,
                                                 type.getElementType());
    return;
  }
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            strides = slice.getMixedStrides();
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0),
             s1 = rewriter.getAffineSymbolExpr(1),
             s2 = rewriter.getAffineSymbolExpr(2);
  offsets[dim] = affine::makeComposedFoldedAffineApply(
      rewriter, loc, s0 + s1 * s2, {offsets[dim], from, strides[dim]});
  if (auto read = dyn_cast<ReadSliceOp>(op)) {
    rewriter.replaceOpWithNewOp<ReadSliceOp>(op, read.getResult().getType(),
                                             read.getSource(), offsets, sizes,
                                             strides);
    return;
  }
  auto write = cast<WriteSliceOp>(op);
  rewriter.replaceOpWithNewOp<WriteSliceOp>(
      op, write.getSource(), write.getDest(), offsets, sizes, strides);
}

void RoundWriter::write(ArrayRef<Operation *> ops, ArrayRef<RowBox> boxes) {
  rewriter.setInsertionPointToStart(&executor.getExecute().front());
  Value rounds;
  for (const RowBox &box : boxes) {
    Value own = countRounds(ops, box);
    rounds = rounds ? arith::MaxUIOp::create(rewriter, executor.getLoc(),
                                             rounds, own)
                    : own;
  }
  scf::ForOp loop = wrap(rounds);
  addBarrier(ops, loop);
  // Collect first: `narrow` replaces the values that rows are looked up by.
  SmallVector<std::tuple<Operation *, unsigned, RowBox>> changes;
  for (Operation *op : ops)
    if (isa<ReadSliceOp, WriteSliceOp, tensor::EmptyOp>(op))
      for (const RowBox &box : boxes)
        if (auto dim = rows.dimOf(getShapedValue(op), box.extent))
          changes.push_back({op, *dim, box});
  for (auto [op, dim, box] : changes)
    narrow(op, dim, box, loop.getInductionVar());
}

/// Returns whether the executor is the only code of a worker with memory
/// effects.
static bool isOnlyCode(SharedExecutorOp executor, GenericOp generic) {
  return generic.getExecute().hasOneBlock() &&
         executor->getBlock() == &generic.getExecute().front() &&
         executor.getExecute().hasOneBlock() &&
         executor.getLeadingArgs().empty() && executor->getNumResults() == 0 &&
         llvm::all_of(*executor->getBlock(), [&](Operation &op) {
           return &op == executor || isMemoryEffectFree(&op) ||
                  op.hasTrait<mlir::OpTrait::IsTerminator>();
         });
}

namespace {
struct RunWorkersInRounds final
    : distaff::impl::PCFRunWorkersInRoundsBase<RunWorkersInRounds> {
  using PCFRunWorkersInRoundsBase::PCFRunWorkersInRoundsBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : collectUnformed(getOperation(), {})) {
      auto generic = dyn_cast<GenericOp>(executor->getParentOp());
      if (generic && isOnlyCode(executor, generic) &&
          failed(run(executor, generic, *machine, rewriter)))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult run(SharedExecutorOp executor, GenericOp generic,
                           const Target &machine, RewriterBase &rewriter) {
    SmallVector<Operation *> ops;
    walkCollectiveCode(executor.getExecute(),
                       [&](Operation *op) { ops.push_back(op); });
    NumberBounds numbers(executor->getParentOfType<FunctionOpInterface>());
    FailureOr<ExtentBounds> bounds = ExtentBounds::compute(ops, numbers);
    if (failed(bounds))
      return failure();
    RowBoxes rows(executor, generic, ops, *bounds, machine);
    SmallVector<RowBox> boxes = rows.compute();
    if (!boxes.empty())
      RoundWriter(executor, generic, rows, rewriter).write(ops, boxes);
    return success();
  }
};
} // namespace
