//===- TileReducedProducts.cpp - Tiling products for shared memory --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product that is reduced goes through memory (MaterializeOperands.cpp): each
// worker has all of its product there. If that is more than the target has,
// some rows are multiplied and reduced at a time, in a loop,
//
//   %p = linalg.matmul ...     : 128x64     scf.for %i = 0 to 128 step 32
//   %m = linalg.reduce ... %p  : 128   =>     %p = linalg.matmul ... : 32x64
//                                             %m = linalg.reduce ... : 32
//
// also along the rows: then sums begin as those of the rows before, in order.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/ScopeOption.h"
#include "CollectiveOps.h"
#include "SharedDims.h"
#include "TensorPlaces.h"
#include "WorkerGrids.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Legality/SizeLimits.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_PCFTILEREDUCEDPRODUCTS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Describes a reduction of a product without other uses.
struct ReducedProduct {
  linalg::LinalgOp reduction, product;
  /// The loop of the reduction that is the product's rows, and their maximum
  /// number.
  unsigned loop;
  int64_t rows;
  /// Bytes of memory for one row of the product of every worker.
  int64_t bytesPerRow;
  MixedSizes extents;
};
} // namespace

/// Rows of a matrix instruction, of which a tile is a multiple.
static constexpr int64_t rowsOfInstruction = 16;

/// Returns the number of workers that have memory of their own for the tensors
/// of an executor.
static std::optional<int64_t> countOwners(SharedExecutorOp executor) {
  auto workers = dyn_cast<GenericOp>(executor->getParentOp());
  return workers ? getLaunchCount(workers, workers.getScope())
                 : std::optional<int64_t>(1);
}

static std::optional<ReducedProduct> matchReducedProduct(Operation *op,
                                                         int64_t owners) {
  auto reduction = dyn_cast<linalg::LinalgOp>(op);
  if (!reduction || isMatrixProduct(op) ||
      reduction.getNumReductionLoops() == 0)
    return std::nullopt;
  for (OpOperand *input : reduction.getDpsInputOperands()) {
    Operation *maker = input->get().getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (!maker || !type || !isMatrixProduct(maker) ||
        maker->getBlock() != op->getBlock() || !maker->hasOneUse() ||
        !type.getElementType().isIntOrFloat() ||
        ShapedType::isDynamicShape(type.getShape().drop_front()))
      continue;
    auto rows = dyn_cast<AffineDimExpr>(
        reduction.getMatchingIndexingMap(input).getResult(0));
    if (!rows)
      continue;
    int64_t bytes = saturatingProduct(
        saturatingProduct(
            ShapedType::getNumElements(type.getShape().drop_front()), owners),
        llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    return ReducedProduct{reduction,
                          cast<linalg::LinalgOp>(maker),
                          rows.getPosition(),
                          type.getDimSize(0),
                          bytes,
                          {}};
  }
  return std::nullopt;
}

/// Returns the number of rows that are computed at a time: as many as `bytes`
/// hold, a divisor of all rows if possible.
static int64_t chooseRows(const ReducedProduct &reduced, int64_t bytes) {
  int64_t most = bytes / std::max<int64_t>(reduced.bytesPerRow, 1);
  most = std::max(most - most % rowsOfInstruction, rowsOfInstruction);
  for (int64_t rows = most; rows > most / 2; rows -= rowsOfInstruction)
    if (reduced.rows % rows == 0)
      return rows;
  return most;
}

static LogicalResult tile(ReducedProduct reduced, int64_t rows,
                          RewriterBase &rewriter) {
  rewriter.setInsertionPoint(reduced.reduction);
  SmallVector<OpFoldResult> sizes(reduced.reduction.getNumLoops(),
                                  rewriter.getIndexAttr(0));
  sizes[reduced.loop] = rewriter.getIndexAttr(rows);
  scf::SCFTilingOptions tiling;
  tiling.setTileSizes(sizes);
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer, bool isDestination)
          -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (isDestination || !isa<linalg::LinalgOp>(producer.getOwner()))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });
  auto op = cast<TilingInterface>(*reduced.reduction);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, op, options);
  if (failed(tiled))
    return op->emitOpError("reduces a product that workgroup memory does not "
                           "hold, and cannot be tiled along its rows; multiply "
                           "fewer rows at a time");
  for (OpResult result : op->getResults())
    rewriter.replaceAllUsesWith(result, tiled->replacements.lookup(result));
  rewriter.eraseOp(op);
  // The loop reads the extents of the old product, which is not computed any
  // more.
  for (Operation *user :
       llvm::make_early_inc_range(reduced.product->getUsers())) {
    if (isOpTriviallyDead(user)) {
      rewriter.eraseOp(user);
      continue;
    }
    auto dim = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
    if (!number)
      continue;
    rewriter.setInsertionPoint(dim);
    rewriter.replaceOp(
        dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(),
                                             reduced.extents[*number]));
  }
  if (reduced.product->use_empty())
    rewriter.eraseOp(reduced.product);
  return success();
}

namespace {
struct TileReducedProducts final
    : distaff::impl::PCFTileReducedProductsBase<TileReducedProducts> {
  using PCFTileReducedProductsBase::PCFTileReducedProductsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PCFTileReducedProductsBase::getDependentDialects(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    FailureOr<Attribute> wanted = parseOptionalScope(scope, &getContext());
    if (failed(wanted))
      return signalPassFailure();
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : collectUnformed(getOperation(), *wanted))
      if (failed(run(executor, *machine, rewriter)))
        return signalPassFailure();
  }

private:
  static LogicalResult run(SharedExecutorOp executor, const Target &machine,
                           RewriterBase &rewriter) {
    std::optional<int64_t> owners = countOwners(executor);
    if (!owners)
      return success();
    SmallVector<ReducedProduct> products;
    int64_t needed = 0;
    walkCollectiveCode(executor.getExecute(), [&](Operation *op) {
      if (std::optional<ReducedProduct> reduced =
              matchReducedProduct(op, *owners))
        products.push_back(*reduced);
    });
    TensorPlaces places(executor, rewriter);
    for (ReducedProduct &reduced : products) {
      // For a dynamic number of rows, use the upper bound.
      FailureOr<MixedSizes> extents =
          places.getExtents(reduced.product->getResult(0), reduced.product);
      if (failed(extents))
        return failure();
      FailureOr<SmallVector<int64_t>> bounds =
          places.getBounds(*extents, reduced.product);
      if (failed(bounds))
        return failure();
      reduced.rows = bounds->front();
      reduced.extents = *extents;
      needed = saturatingSum(
          needed, saturatingProduct(reduced.bytesPerRow, reduced.rows));
    }
    auto kernel = executor->getParentOfType<FunctionOpInterface>();
    int64_t left =
        machine.dynamicSharedMemoryBytes -
        workgroupMemoryWithPanels(kernel, machine.workgroupAlignment());
    if (products.empty() || needed <= left)
      return success();
    // A quarter is left for padded tensors and for data that phases exchange.
    int64_t each = std::max<int64_t>(left, 0) / 4 * 3 /
                   static_cast<int64_t>(products.size());
    for (const ReducedProduct &reduced : products)
      if (int64_t rows = chooseRows(reduced, each); rows < reduced.rows)
        if (failed(tile(reduced, rows, rewriter)))
          return failure();
    return success();
  }
};
} // namespace
