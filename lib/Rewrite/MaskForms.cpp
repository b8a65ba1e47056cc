//===- MaskForms.cpp - Masks in forms that upstream folds correctly -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22.1.8 folds a transfer in the region of a vector.mask as if it had no
// mask: a read of a written value becomes the vector, and a write hides the one
// before. A transfer with its mask as an operand is not folded.
//
// One fold ignores this mask too: a whole tensor that is read and written to
// another one becomes the first tensor, whatever the masks. A select under the
// same mask between the two ops prevents the fold.
//
// Upstream folds a reduction of a vector along no dimension to the vector,
// without the accumulator. This form replaces it by a combination of two
// vectors.
//
//===----------------------------------------------------------------------===//
#include "OwnFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Masks as operands
//===----------------------------------------------------------------------===//

/// Moves a transfer out of the region of a mask, which becomes its operand. A
/// mask with a passthru, which upstream's folds check, stays.
static void takeOut(vector::MaskOp region) {
  auto transfer =
      dyn_cast_or_null<VectorTransferOpInterface>(region.getMaskableOp());
  if (!transfer || region.hasPassthru())
    return;
  OpBuilder builder(region);
  Value mask = region.getMask();
  if (Value own = transfer.getMask())
    mask = arith::AndIOp::create(builder, region.getLoc(), own, mask);
  transfer->moveBefore(region);
  if (auto read = dyn_cast<vector::TransferReadOp>(transfer.getOperation()))
    read.getMaskMutable().assign(mask);
  else
    cast<vector::TransferWriteOp>(transfer.getOperation())
        .getMaskMutable()
        .assign(mask);
  region->replaceAllUsesWith(transfer->getResults());
  region.erase();
}

void distaff::takeTransfersOut(Operation *root) {
  // The list is built first, so that moved ops are not visited again.
  SmallVector<vector::MaskOp> regions;
  root->walk([&](vector::MaskOp region) { regions.push_back(region); });
  llvm::for_each(regions, takeOut);
}

//===----------------------------------------------------------------------===//
// Masks as selections
//===----------------------------------------------------------------------===//

/// Returns whether a transfer is between a vector and a whole tensor, or, with
/// `orDynamic`, may be.
static bool isOfWholeTensor(VectorTransferOpInterface transfer,
                            bool orDynamic) {
  auto tensor = dyn_cast<RankedTensorType>(transfer.getShapedType());
  ArrayRef<int64_t> vector = transfer.getVectorType().getShape();
  return tensor && transfer.getPermutationMap().isIdentity() &&
         tensor.getRank() == int64_t(vector.size()) &&
         llvm::all_of(
             llvm::zip_equal(tensor.getShape(), vector), [&](auto extents) {
               auto [has, moves] = extents;
               return has == moves || (orDynamic && ShapedType::isDynamic(has));
             });
}

static bool isSelectedBy(Value mask, Operation *op) {
  auto select = dyn_cast_or_null<arith::SelectOp>(op);
  return select && select.getCondition() == mask;
}

/// Selects the padding where the mask of a read is false.
static void selectRead(vector::TransferReadOp read) {
  Value mask = read.getMask(), value = read.getVector();
  auto isStored = [](Operation *user) {
    return isa<vector::TransferWriteOp>(user);
  };
  if (!mask ||
      !isOfWholeTensor(read, llvm::any_of(value.getUsers(), isStored)) ||
      llvm::all_of(value.getUsers(),
                   [&](Operation *user) { return isSelectedBy(mask, user); }))
    return;
  OpBuilder builder(read->getContext());
  builder.setInsertionPointAfter(read);
  Location loc = read.getLoc();
  Value padding = vector::BroadcastOp::create(builder, loc, value.getType(),
                                              read.getPadding());
  auto chosen = arith::SelectOp::create(builder, loc, mask, value, padding);
  value.replaceAllUsesExcept(chosen, chosen);
}

/// Selects zero where the mask of a write is false.
static void selectWritten(vector::TransferWriteOp write) {
  Value mask = write.getMask(), value = write.getVector();
  Operation *maker = value.getDefiningOp();
  if (!mask ||
      !isOfWholeTensor(write, isa_and_nonnull<vector::TransferReadOp>(maker)) ||
      isSelectedBy(mask, maker))
    return;
  OpBuilder builder(write);
  Location loc = write.getLoc();
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(value.getType())));
  write.getValueToStoreMutable().assign(
      arith::SelectOp::create(builder, loc, mask, value, zero));
}

void distaff::selectUnderMasks(Operation *root) {
  root->walk(selectRead);
  root->walk(selectWritten);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Replaces a reduction along no dimension by a combination with its
/// accumulator.
static void combine(vector::MultiDimReductionOp reduction) {
  if (llvm::is_contained(reduction.getReductionMask(), true))
    return;
  auto region = dyn_cast<vector::MaskOp>(reduction->getParentOp());
  Operation *whole = region ? region.getOperation() : reduction;
  OpBuilder builder(whole);
  Location loc = reduction.getLoc();
  Value result = vector::makeArithReduction(
      builder, loc, reduction.getKind(), reduction.getSource(),
      reduction.getAcc(), /*fastmath=*/{}, region ? region.getMask() : Value());
  if (region && region.hasPassthru())
    result = arith::SelectOp::create(builder, loc, region.getMask(), result,
                                     region.getPassthru());
  whole->replaceAllUsesWith(ValueRange(result));
  whole->erase();
}

void distaff::combineWhatIsNotReduced(Operation *root) {
  // The list is built first, so that replaced ops are not visited again.
  SmallVector<vector::MultiDimReductionOp> reductions;
  root->walk([&](vector::MultiDimReductionOp op) { reductions.push_back(op); });
  llvm::for_each(reductions, combine);
}
