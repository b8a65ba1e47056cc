//===- CopyInits.cpp - Copying arguments that initialize results ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is memory of its own, and an argument is only read. If a body reads
// a result's ref, or leaves some of it unwritten, the argument's values have to
// be there: the workgroup's subgroups copy them first, together. Workers that
// each run their own code find them there, too.
//
//===----------------------------------------------------------------------===//
#include "Covering.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/PCF/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PCFCOPYINITS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Number of elements that are copied at a time: they fit a subgroup's
/// registers.
static constexpr int64_t mostAtATime = 4096;

/// Returns the tensor that initializes a result; null if it has no values, or
/// is already in memory of workers.
static OpOperand *findInit(RefOwnerOpInterface executor, unsigned result) {
  OpOperand *init = executor.getTiedInit(result);
  if (!init || !isa<RankedTensorType>(init->get().getType()) ||
      isa_and_present<tensor::EmptyOp, RefOwnerOpInterface>(
          init->get().getDefiningOp()))
    return nullptr;
  return init;
}

/// Returns whether the initial value of a result is never read: all of it is
/// overwritten first.
static bool isOverwritten(RefOwnerOpInterface executor, unsigned result) {
  BlockArgument ref = executor.getRefOfResult(result);
  bool isWritten = false;
  return seesNoValue(ref, isWritten) &&
         isCovered(executor, ref, /*assumed=*/false);
}

/// Drops an initial value that ops before the workers compute, which would
/// write the memory of the result, too.
static void dropComputed(RewriterBase &rewriter, RefOwnerOpInterface executor,
                         OpOperand &init) {
  Operation *maker = init.get().getDefiningOp();
  dropInit(rewriter, executor, init);
  if (isOpTriviallyDead(maker))
    rewriter.eraseOp(maker);
}

/// Emits a copy of a slice of `shape`, from `firstRow` on.
static void emitSlice(RewriterBase &rewriter, Location loc, Value from,
                      Value to, ArrayRef<int64_t> shape, Value firstRow) {
  SmallVector<OpFoldResult> offsets(shape.size(), rewriter.getIndexAttr(0)),
      ones(shape.size(), rewriter.getIndexAttr(1));
  if (firstRow)
    offsets[0] = firstRow;
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(rewriter.getContext(), shape);
  Type type = RankedTensorType::get(
      shape, cast<SRefType>(from.getType()).getElementType());
  Value values =
      ReadSliceOp::create(rewriter, loc, type, from, offsets, sizes, ones);
  WriteSliceOp::create(rewriter, loc, values, to, offsets, sizes, ones);
}

/// Emits a phase that copies a slice of `shape`, from `firstRow` on.
static void emitCopy(RewriterBase &rewriter, Location loc, Value threadgroup,
                     Value from, Value to, ArrayRef<int64_t> shape,
                     Value firstRow) {
  auto phase =
      RunClusterOp::create(rewriter, loc, Type(), threadgroup, ValueRange());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(&phase.getBody().front());
  emitSlice(rewriter, loc, from, to, shape, firstRow);
  ClusterYieldOp::create(rewriter, loc);
}

/// Returns the largest divisor of the number of rows that can be copied at a
/// time.
static int64_t rowsAtATime(RankedTensorType type) {
  int64_t rows = type.getDimSize(0), best = 1;
  int64_t most = mostAtATime / (type.getNumElements() / rows);
  for (int64_t count = 1; count <= std::min(rows, most); ++count)
    if (rows % count == 0)
      best = count;
  return best;
}

/// Emits a copy of all of `from` by a group.
static void emitCopyOfGroup(RewriterBase &rewriter, SharedExecutorOp copy,
                            RankedTensorType type) {
  Location loc = copy.getLoc();
  Value from = copy.getRefArgs()[0], to = copy.getRefArgs()[1];
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty() || type.getNumElements() <= mostAtATime)
    return emitCopy(rewriter, loc, copy.getThreadgroup(), from, to, shape,
                    Value());
  shape[0] = rowsAtATime(type);
  auto at = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto loop = scf::ForOp::create(rewriter, loc, at(0), at(type.getDimSize(0)),
                                 at(shape[0]));
  rewriter.setInsertionPointToStart(loop.getBody());
  emitCopy(rewriter, loc, copy.getThreadgroup(), from, to, shape,
           loop.getInductionVar());
}

/// Emits a copy of `from` in which each worker copies rows cyclically.
static void emitCopyOfWorker(RewriterBase &rewriter, GenericOp copy,
                             RankedTensorType type,
                             ArrayRef<OpFoldResult> extents) {
  Location loc = copy.getLoc();
  Value from = copy.getRefArgs()[0], to = copy.getRefArgs()[1];
  SmallVector<int64_t> shape(type.getShape());
  OpFoldResult rows = extents.empty() ? rewriter.getIndexAttr(1) : extents[0];
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc, rows);
  auto loop = scf::ForOp::create(rewriter, loc, copy.getIds().front(), end,
                                 copy.getCounts().front());
  rewriter.setInsertionPointToStart(loop.getBody());
  if (!shape.empty())
    shape.front() = 1;
  emitSlice(rewriter, loc, from, to, shape,
            shape.empty() ? Value() : loop.getInductionVar());
}

/// Creates a tensor with the values of the argument, written by the subgroups:
/// together, or each on its own, depending on the kind of `executor`.
static Value copyArgument(RewriterBase &rewriter, RefOwnerOpInterface executor,
                          BlockArgument argument) {
  Location loc = executor->getLoc();
  auto type = cast<RankedTensorType>(argument.getType());
  Attribute scope = executor.getScope();
  rewriter.setInsertionPoint(executor);
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, argument);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, extents, type.getElementType());
  RefOwnerParts parts{scope, /*syncOnReturn=*/false, {}};
  parts.refs.push_back(
      {SRefType::get(type.getShape(), type.getElementType(), scope),
       Type(),
       argument,
       {},
       /*isReadonly=*/true});
  parts.refs.push_back(
      {SRefType::get(type.getShape(), type.getElementType(), scope,
                     SyncOnReturnAttr::get(rewriter.getContext())),
       type,
       empty,
       {},
       /*isReadonly=*/false});
  auto begin = [&](RefOwnerOpInterface copy) {
    rewriter.setInsertionPointToEnd(&copy.getExecute().front());
    rewriter.setInsertionPoint(ReturnOp::create(rewriter, loc));
  };
  if (isa<GenericOp>(*executor)) {
    auto copy = GenericOp::create(rewriter, loc, parts, /*numIds=*/1);
    begin(copy);
    emitCopyOfWorker(rewriter, copy, type, extents);
    return copy->getResult(0);
  }
  auto copy = SharedExecutorOp::create(rewriter, loc, parts);
  begin(copy);
  emitCopyOfGroup(rewriter, copy, type);
  return copy->getResult(0);
}

namespace {
struct CopyInits final : distaff::impl::PCFCopyInitsBase<CopyInits> {
  void runOnOperation() override {
    SmallVector<RefOwnerOpInterface> executors;
    getOperation()->walk([&](RefOwnerOpInterface executor) {
      if (isa<SharedExecutorOp, GenericOp>(*executor) &&
          isa<iree::SubgroupScopeAttr>(executor.getScope()) &&
          isa<func::FuncOp>(executor->getParentOp()))
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    for (RefOwnerOpInterface executor : executors)
      for (OpResult result : executor->getResults())
        if (failed(copyInit(rewriter, executor, result.getResultNumber())))
          return signalPassFailure();
  }

  static LogicalResult copyInit(RewriterBase &rewriter,
                                RefOwnerOpInterface executor, unsigned result) {
    OpOperand *init = findInit(executor, result);
    if (!init)
      return success();
    auto argument = dyn_cast<BlockArgument>(init->get());
    if (isOverwritten(executor, result)) {
      if (!argument)
        dropComputed(rewriter, executor, *init);
      return success();
    }
    if (!argument) {
      InFlightDiagnostic error =
          executor->emitOpError("begins its result ")
          << result
          << " with a value that is no argument, of which it may keep a part; "
             "begin with tensor.empty, and write that value first";
      error.attachNote(init->get().getLoc()) << "the value";
      return error;
    }
    // Workers copy row by row, for any number of rows.
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(argument.getType()).getShape();
    if (isa<GenericOp>(*executor) && !shape.empty())
      shape = shape.drop_front();
    if (ShapedType::isDynamicShape(shape))
      return executor->emitOpError("begins its result ")
             << result << " with the values of argument "
             << argument.getArgNumber() << ", of type " << argument.getType()
             << ", which would have to be copied and has a dynamic extent; "
                "begin with tensor.empty, and read the argument by a readonly "
                "ref";
    Value copy = copyArgument(rewriter, executor, argument);
    rewriter.modifyOpInPlace(executor, [&] { init->set(copy); });
    return success();
  }
};
} // namespace
