//===- FuseProducers.cpp - Fusing producers into reads --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read of a ref, before any write to it, reads the ref's init, and a read of
// a readonly ref reads its source. If a tilable op computes that tensor, the
// read is replaced by just that tile of it.
//
//===----------------------------------------------------------------------===//
#include "../Order/MovedOps.h"
#include "Covering.h"
#include "MixedSlice.h"
#include "RefUsers.h"
#include "TileTrial.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Passes.h"
#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_PCFFUSEPRODUCERS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Order of reads and writes
//===----------------------------------------------------------------------===//

/// Returns whether two slices with stride 1 have constant, disjoint ranges in
/// some dimension.
static bool areKnownDisjoint(const MixedSlice &a, const MixedSlice &b) {
  auto isBefore = [](OpFoldResult offset, OpFoldResult size,
                     OpFoldResult other) {
    std::optional<int64_t> first = getConstantIntValue(offset),
                           count = getConstantIntValue(size),
                           next = getConstantIntValue(other);
    return first && count && next && *first <= *next &&
           *count <= *next - *first;
  };
  for (unsigned dim : llvm::seq<unsigned>(0, a.sizes.size()))
    if (isBefore(a.offsets[dim], a.sizes[dim], b.offsets[dim]) ||
        isBefore(b.offsets[dim], b.sizes[dim], a.offsets[dim]))
      return true;
  return false;
}

/// Returns whether `first` may run before `second` in one execution of the
/// owner's body.
static bool canRunBefore(RefOwnerOpInterface owner, Operation *first,
                         Operation *second) {
  // Find the region that holds both ops; an op that repeats it repeats both.
  Region *region = first->getParentRegion();
  while (!region->isAncestor(second->getParentRegion()))
    region = region->getParentRegion();
  for (Region *outer = region; outer != &owner.getExecute();
       outer = outer->getParentRegion())
    if (!isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(
            outer->getParentOp()))
      return true;
  for (Region *outer = region;; outer = outer->getParentRegion()) {
    Operation *a = outer->findAncestorOpInRegion(*first),
              *b = outer->findAncestorOpInRegion(*second);
    if (a != b && a->getBlock() == b->getBlock() && a->isBeforeInBlock(b))
      return true;
    // Follow the branches of a control-flow graph, also back to the same block.
    for (Block *next : a->getBlock()->getSuccessors())
      if (next == b->getBlock() || next->isReachable(b->getBlock()))
        return true;
    if (outer == &owner.getExecute())
      return false;
  }
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Returns whether the producer can compute the tile that is read.
static bool canComputeTile(TilingInterface producer, ReadSliceOp read) {
  MixedSlice slice = MixedSlice::of(read);
  // Tilable ops take a size of 0 as "do not tile".
  if (llvm::any_of(slice.sizes, isZeroInteger))
    return false;
  if (isa<VectorType>(read.getType()) &&
      !Builder(read.getContext())
           .getZeroAttr(read.getRefType().getElementType()))
    return false;
  TileTrial trial(producer);
  FailureOr<TilingResult> tile = trial.copy.generateResultTileValue(
      trial.builder, 0, slice.offsets, slice.sizes);
  return succeeded(tile) && tile->tiledValues.size() == 1;
}

/// Returns whether a read is in a phase: the producer's operands would be
/// shaped values that the phase captures, which are not distributed.
static bool isInPhase(ReadSliceOp read) {
  return read->getParentOfType<RunClusterOp>() ||
         read->getParentOfType<RunThreadOp>();
}

FailureOr<TilableProducer> pcf::matchTilableProducer(RefOwnerOpInterface owner,
                                                     unsigned ref,
                                                     bool assumeCovering) {
  OpOperand *source = owner.getSourceOfRef(ref);
  Operation *op = source ? source->get().getDefiningOp() : nullptr;
  if (!isa<GenericOp, LoopOp>(*owner) || !op || !isTilable(op) ||
      op->getNumResults() != 1)
    return failure();
  auto destination = cast<DestinationStyleOpInterface>(op);
  BlockArgument argument = owner.getRefArgs()[ref];
  FailureOr<RefUsers> users = getTileUsers(owner, argument);
  if (failed(users) || users->reads.empty() ||
      !mapsTiles(*destination.getDpsInitOperand(0)))
    return failure();
  auto producer = cast<TilingInterface>(op);
  for (ReadSliceOp read : users->reads) {
    for (WriteSliceOp write : users->writes)
      if (canRunBefore(owner, write, read) &&
          !areKnownDisjoint(MixedSlice::of(write), MixedSlice::of(read)))
        return failure();
    if (isInPhase(read) || !canComputeTile(producer, read))
      return failure();
  }
  // A readonly source is not used after the reads.
  std::optional<unsigned> result = owner.getResultOfRef(ref);
  bool replacesInit = !result || owner->getResult(*result).use_empty() ||
                      isCovered(owner, argument, assumeCovering);
  return TilableProducer{producer, owner, ref, users->reads, replacesInit};
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Returns the vector that a read yields, from the tile that it reads.
static Value readVector(RewriterBase &rewriter, ReadSliceOp read, Value tile) {
  auto type = cast<VectorType>(read.getType());
  Location loc = read.getLoc();
  SmallVector<bool> inBounds;
  for (auto [size, extent] :
       llvm::zip_equal(read.getMixedSizes(), type.getShape()))
    inBounds.push_back(getConstantIntValue(size) == extent);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value padding = arith::ConstantOp::create(
      rewriter, loc,
      cast<TypedAttr>(rewriter.getZeroAttr(type.getElementType())));
  return vector::TransferReadOp::create(
      rewriter, loc, type, tile, SmallVector<Value>(type.getRank(), zero),
      padding, ArrayRef(inBounds));
}

static void fuseIntoRead(RewriterBase &rewriter, TilingInterface producer,
                         ReadSliceOp read) {
  Operation *previous = read->getPrevNode();
  rewriter.setInsertionPoint(read);
  // Tile a copy in place: tilable ops emit their extents before themselves.
  auto copy = cast<TilingInterface>(rewriter.clone(*producer));
  MixedSlice slice = MixedSlice::of(read);
  FailureOr<TilingResult> result =
      copy.generateResultTileValue(rewriter, 0, slice.offsets, slice.sizes);
  assert(succeeded(result) && "the match has tried this");
  Value tile = result->tiledValues.front();
  if (isa<VectorType>(read.getType()))
    tile = readVector(rewriter, read, tile);
  else if (tile.getType() != read.getType())
    tile =
        tensor::CastOp::create(rewriter, read.getLoc(), read.getType(), tile);
  rewriter.replaceOp(copy, producer->getResults());
  rewriter.replaceAllUsesWith(read, tile);
  simplifyBetween(rewriter, previous, read, read->getOperands().drop_front());
  rewriter.eraseOp(read);
}

void pcf::fuseTilableProducer(RewriterBase &rewriter,
                              const TilableProducer &match) {
  OpBuilder::InsertionGuard guard(rewriter);
  TilingInterface producer = match.producer;
  for (ReadSliceOp read : match.reads)
    fuseIntoRead(rewriter, producer, read);
  RefOwnerOpInterface owner = match.owner;
  if (match.replacesInit) {
    Value init = cast<DestinationStyleOpInterface>(*producer)
                     .getDpsInitOperand(0)
                     ->get();
    rewriter.modifyOpInPlace(
        owner, [&] { owner.getSourceOfRef(match.ref)->set(init); });
  }
  if (producer->use_empty())
    rewriter.eraseOp(producer);
}

namespace {
struct FuseProducers final
    : distaff::impl::PCFFuseProducersBase<FuseProducers> {
  using PCFFuseProducersBase::PCFFuseProducersBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PCFFuseProducersBase::getDependentDialects(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<RefOwnerOpInterface> owners;
    // Outer ops come first: their reads may be the init of an inner one.
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](RefOwnerOpInterface owner) { owners.push_back(owner); });
    for (RefOwnerOpInterface owner : owners)
      for (unsigned ref : llvm::seq<unsigned>(0, owner.getRefArgs().size())) {
        FailureOr<TilableProducer> match =
            matchTilableProducer(owner, ref, assumeCovering);
        if (succeeded(match))
          fuseTilableProducer(rewriter, *match);
      }
  }
};
} // namespace
