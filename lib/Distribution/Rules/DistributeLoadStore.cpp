//===- DistributeLoadStore.cpp - load, store, gather, scatter, expand -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores are transfers along the last dims, in bounds (VX-78). The
// ops with a mask of their own become a few other ops, which are inserted
// before them and distributed one by one:
//
//   maskedload       transfer_read with the mask; select
//   expandload       position of each element: how many of the mask are set
//                    before it (an exclusive scan); gather
//   compressstore    the same; scatter
//
// A gather or scatter has an index per element, so that each lane runs it on
// its own elements (VX-79); only canonical copies are written.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

/// Returns the map of the last dims of the memory, all of them in bounds.
static AffineMap lastDims(Value memref, VectorType vector) {
  int64_t rank = cast<ShapedType>(memref.getType()).getRank();
  return AffineMap::getMinorIdentityMap(rank, vector.getRank(),
                                        memref.getContext());
}

static ArrayAttr allInBounds(OpBuilder &b, VectorType vector) {
  return b.getBoolArrayAttr(SmallVector<bool>(vector.getRank(), true));
}

/// Distributes `op`, which replaces an erased `source`.
template <typename Op>
static LogicalResult distributeInstead(Op op, OperationName source,
                                       Distributor &out) {
  out.setSource(op, source);
  LogicalResult done = success();
  if constexpr (std::is_same_v<Op, vector::ScanOp> ||
                std::is_same_v<Op, vector::ScatterOp>)
    done = distribute(op, out);
  else
    done = distribute(op, /*mask=*/nullptr, out);
  if (failed(done))
    out.note(op, "cannot be distributed");
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Inserts a transfer_read with `mask` (null: of all elements) before `op`, to
/// be distributed.
static vector::TransferReadOp readFor(OpBuilder &b, Operation *op, Value base,
                                      ValueRange indices, OpOperand *mask,
                                      VectorType type,
                                      const Placement &placement,
                                      Distributor &out) {
  Value padding = arith::ConstantOp::create(
      b, op->getLoc(), b.getZeroAttr(type.getElementType()));
  auto read = vector::TransferReadOp::create(
      b, op->getLoc(), type, base, indices,
      AffineMapAttr::get(lastDims(base, type)), padding,
      mask ? mask->get() : Value(), allInBounds(b, type));
  out.layOut(read.getResult(), placement);
  if (mask)
    out.layOut(read.getMaskMutable()[0], *out.placementOf(*mask));
  return read;
}

LogicalResult distaff::distribute(vector::LoadOp op, Distributor &out) {
  OpBuilder b(op);
  vector::TransferReadOp read =
      readFor(b, op, op.getBase(), op.getIndices(), /*mask=*/nullptr,
              op.getVectorType(), *out.placementOf(op.getResult()), out);
  OperationName source = op->getName();
  op.replaceAllUsesWith(read.getResult());
  op->erase();
  return distributeInstead(read, source, out);
}

LogicalResult distaff::distribute(vector::MaskedLoadOp op, Distributor &out) {
  OpBuilder b(op);
  const Placement &placement = *out.placementOf(op.getResult());
  vector::TransferReadOp read =
      readFor(b, op, op.getBase(), op.getIndices(), &op.getMaskMutable(),
              op.getVectorType(), placement, out);
  auto select = arith::SelectOp::create(b, op.getLoc(), op.getMask(),
                                        read.getResult(), op.getPassThru());
  for (OpOperand &operand : select->getOpOperands())
    out.layOut(operand, placement);
  out.layOut(select.getResult(), placement);
  OperationName source = op->getName();
  op.replaceAllUsesWith(select.getResult());
  op->erase();
  (void)distributeInstead(read, source, out);
  return distributeElementwise(select, out);
}

/// Distributes a store of `value`, with `mask` (or null), as a transfer_write.
static LogicalResult storeAs(Operation *op, Value base, ValueRange indices,
                             OpOperand &value, OpOperand *mask,
                             Distributor &out) {
  OpBuilder b(op);
  auto type = cast<VectorType>(value.get().getType());
  auto write = vector::TransferWriteOp::create(
      b, op->getLoc(), /*result=*/Type(), value.get(), base, indices,
      AffineMapAttr::get(lastDims(base, type)), mask ? mask->get() : Value(),
      allInBounds(b, type));
  out.layOut(write.getValueToStoreMutable(), *out.placementOf(value));
  if (mask)
    out.layOut(write.getMaskMutable()[0], *out.placementOf(*mask));
  OperationName source = op->getName();
  op->erase();
  return distributeInstead(write, source, out);
}

LogicalResult distaff::distribute(vector::StoreOp op, Distributor &out) {
  return storeAs(op, op.getBase(), op.getIndices(), op.getValueToStoreMutable(),
                 /*mask=*/nullptr, out);
}

LogicalResult distaff::distribute(vector::MaskedStoreOp op, Distributor &out) {
  return storeAs(op, op.getBase(), op.getIndices(), op.getValueToStoreMutable(),
                 &op.getMaskMutable(), out);
}

//===----------------------------------------------------------------------===//
// Gathers and scatters
//===----------------------------------------------------------------------===//

/// Returns the lane's registers as a 1-D vector: gathers and scatters have no
/// rank 0.
static Value line(OpBuilder &b, OpOperand &use, Distributor &out) {
  Value value = out.get(b, use);
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  return reshapeRegisters(b, use.getOwner()->getLoc(), value, count);
}

LogicalResult distaff::distribute(vector::GatherOp op, OpOperand *mask,
                                  Distributor &out) {
  OpBuilder b(op);
  const Placement &placement = *out.placementOf(op.getResult());
  Value own = line(b, op.getMaskMutable(), out);
  if (mask)
    own = arith::AndIOp::create(b, op.getLoc(), own, line(b, *mask, out));
  Value passThru = line(b, op.getPassThruMutable(), out);
  auto gather = vector::GatherOp::create(b, op.getLoc(), passThru.getType(),
                                         op.getBase(), op.getOffsets(),
                                         line(b, op.getIndicesMutable(), out),
                                         own, passThru, op.getAlignmentAttr());
  if (isa<MemRefType>(op.getBase().getType()))
    out.hazards.record(
        gather, {op.getBase(), /*writes=*/false, out.hazards.newGroup(), {}});
  out.replace(op, reshapeRegisters(b, op.getLoc(), gather.getResult(),
                                   placement.shape()));
  return success();
}

LogicalResult distaff::distribute(vector::ScatterOp op, Distributor &out) {
  if (!isa<MemRefType>(op.getBase().getType()))
    return out.refuse(op, "writes a tensor; bufferize first");
  OpBuilder b(op);
  const Placement &placement = *out.placementOf(op.getValueToStoreMutable());
  Value indices = line(b, op.getIndicesMutable(), out);
  Value mask = line(b, op.getMaskMutable(), out);
  Value value = line(b, op.getValueToStoreMutable(), out);
  Operation *emitted = emitGuarded(
      b, op.getLoc(), isCanonical(out, placement), [&](OpBuilder &b) {
        vector::ScatterOp::create(b, op.getLoc(), /*result=*/Type(),
                                  op.getBase(), op.getOffsets(), indices, mask,
                                  value, op.getAlignmentAttr());
      });
  out.hazards.record(
      emitted, {op.getBase(), /*writes=*/true, out.hazards.newGroup(), {}});
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Expanding and compressing
//===----------------------------------------------------------------------===//

/// Returns for each element how many of `mask` are set before it, as a value
/// still to be distributed by `distributePositions`.
static vector::ScanOp positionsOf(OpBuilder &b, OpOperand &mask,
                                  Distributor &out) {
  Location loc = mask.getOwner()->getLoc();
  const Placement &placement = *out.placementOf(mask);
  auto type = VectorType::get(cast<VectorType>(mask.get().getType()).getShape(),
                              b.getI32Type());
  auto ones = arith::ExtUIOp::create(b, loc, type, mask.get());
  out.layOut(ones->getOpOperand(0), placement);
  out.layOut(ones.getResult(), placement);
  Value zero = splat(b, loc, VectorType::get({}, b.getI32Type()),
                     b.getI32IntegerAttr(0));
  auto scan = vector::ScanOp::create(b, loc, vector::CombiningKind::ADD, ones,
                                     zero, /*reduction_dim=*/0,
                                     /*inclusive=*/false);
  const Placement &scalar = *out.place(rankZeroLayout(b.getContext()));
  out.layOut(scan.getSourceMutable(), placement);
  out.layOut(scan.getInitialValueMutable(), scalar);
  out.layOut(scan.getDest(), placement);
  out.layOut(scan.getAccumulatedValue(), scalar);
  return scan;
}

static void distributePositions(vector::ScanOp scan, OperationName source,
                                Distributor &out) {
  (void)distributeElementwise(scan.getSource().getDefiningOp(), out);
  (void)distributeInstead(scan, source, out);
}

static LogicalResult requireLine(Operation *op, VectorType type,
                                 Distributor &out) {
  if (type.getRank() == 1)
    return success();
  return out.refuse(op, "counts along one dim, and its vector has " +
                            Twine(type.getRank()) +
                            "; unroll the others, or cast the shape");
}

LogicalResult distaff::distribute(vector::ExpandLoadOp op, Distributor &out) {
  if (failed(requireLine(op, op.getVectorType(), out)))
    return failure();
  OpBuilder b(op);
  const Placement &placement = *out.placementOf(op.getResult());
  vector::ScanOp positions = positionsOf(b, op.getMaskMutable(), out);
  auto gather = vector::GatherOp::create(
      b, op.getLoc(), op.getVectorType(), op.getBase(), op.getIndices(),
      positions.getDest(), op.getMask(), op.getPassThru());
  for (OpOperand *operand :
       {&gather.getIndicesMutable(), &gather.getMaskMutable(),
        &gather.getPassThruMutable()})
    out.layOut(*operand, placement);
  out.layOut(gather.getResult(), placement);
  OperationName source = op->getName();
  op.replaceAllUsesWith(gather.getResult());
  op->erase();
  distributePositions(positions, source, out);
  return distributeInstead(gather, source, out);
}

LogicalResult distaff::distribute(vector::CompressStoreOp op,
                                  Distributor &out) {
  if (failed(requireLine(op, op.getVectorType(), out)))
    return failure();
  OpBuilder b(op);
  const Placement &placement = *out.placementOf(op.getValueToStoreMutable());
  vector::ScanOp positions = positionsOf(b, op.getMaskMutable(), out);
  auto scatter = vector::ScatterOp::create(
      b, op.getLoc(), /*result=*/Type(), op.getBase(), op.getIndices(),
      positions.getDest(), op.getMask(), op.getValueToStore(),
      /*alignment=*/IntegerAttr());
  for (OpOperand *operand :
       {&scatter.getIndicesMutable(), &scatter.getMaskMutable(),
        &scatter.getValueToStoreMutable()})
    out.layOut(*operand, placement);
  OperationName source = op->getName();
  op->erase();
  distributePositions(positions, source, out);
  return distributeInstead(scatter, source, out);
}
