//===- TensorTilingRewrite.cpp - Rewriting a phase for one member ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TensorTiling.h"

#include "../Order/PhaseRaces.h"
#include "TiledBody.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;
using namespace distaff::pcf;

void TiledBody::makeWrite(WriteSliceOp op) {
  const TileMap *map = getMap(op.getSource());
  TileMap all = TileMap::replicated(op.getSourceType().getShape());
  if (!map)
    map = &all;
  auto writeTile = [&](const Repeats &at) {
    Value tile = makeTile(op.getSource(), *map, at);
    Sizes offsets = moveOffsets(*map, at, remap(op.getMixedOffsets()),
                                remap(op.getMixedStrides()));
    WriteSliceOp::create(rewriter, loc, tile,
                         mapping.lookupOrDefault(op.getDest()), offsets,
                         clampSizes(*map, at, remap(op.getMixedSizes())),
                         remap(op.getMixedStrides()));
  };
  guardReplicas(*map, [&] { forEachTile(*map, writeTile); });
}

/// Rebuilds an op whose tensors have no repeats.
void TiledBody::makeEagerly(Operation &op) {
  auto isTensorOp = isa<ReadSliceOp, tensor::PadOp, tensor::ExtractSliceOp>(op);
  if (!isTensorOp) {
    Repeats none;
    if (op.getNumResults())
      if (const TileMap *map = getMap(op.getResult(0)))
        none.resize(map->dims.size());
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), makeOnTile(op, none)))
      if (to)
        mapping.map(from, to);
    return;
  }
  Value result = op.getResult(0);
  if (const TileMap *map = getMap(result)) // Otherwise it is unused.
    mapping.map(result, makeTileOf(result, *map, Repeats(map->dims.size())));
}

void TiledBody::make(Operation &op) {
  loc = op.getLoc();
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return makeWrite(write);
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && !branch.getNumResults()) {
    auto copy = scf::IfOp::create(
        rewriter, loc, mapping.lookupOrDefault(branch.getCondition()),
        !branch.getElseRegion().empty());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(copy.thenBlock());
    makeBlock(*branch.thenBlock());
    if (!branch.elseBlock())
      return;
    rewriter.setInsertionPointToStart(copy.elseBlock());
    makeBlock(*branch.elseBlock());
    return;
  }
  if (op.getNumResults() == 1 &&
      isa<RankedTensorType>(op.getResult(0).getType()) &&
      isRemade(op.getResult(0)))
    return;
  auto isWhole = [&](Value result) { return wholes.contains(result); };
  if (llvm::any_of(op.getResults(), isWhole))
    return makeWhole(op);
  // Others are rebuilt where they are written.
  if (llvm::none_of(op.getResults(), [&](Value v) { return isPacked(v); }))
    makeEagerly(op);
}

void TiledBody::makeBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    make(op);
}

void TiledBody::makeBlockOnce(Block &block) {
  const TileMap *map = nullptr;
  block.walk(
      [&](WriteSliceOp write) { map = map ? map : getMap(write.getSource()); });
  // Without a map every member has all elements.
  guardReplicas(map ? *map : TileMap(), [&] { makeBlock(block); });
}

void pcf::rewriteTiled(RunClusterOp op, RunThreadOp newOp, ValueRange ids,
                       const WorkerGrid &grid, const PayloadClasses &classes,
                       const FixedClasses &fixed, const BodyTiling &tiling,
                       RewriterBase &rewriter) {
  rewriter.setInsertionPointToStart(&newOp.getBody().front());
  TiledBody body(op, ids, grid, tiling, rewriter);
  for (auto [from, to] :
       llvm::zip_equal(op.getPayloadArgs(), newOp.getPayloadArgs()))
    body.mapping.map(from, to);
  Refusal refusal;
  if (*needsOneReplica(op, tiling, grid, refusal))
    body.makeBlockOnce(op.getBody().front());
  else
    body.makeBlock(op.getBody().front());
  SmallVector<Value> yielded;
  for (OpOperand &operand : op.getYield()->getOpOperands()) {
    Attribute map = fixed.at(classes.of(operand)).mapping;
    TileMap box = map ? TileMap::decode(map) : TileMap();
    yielded.push_back(body.getPart(operand.get(), box));
  }
  ClusterYieldOp::create(rewriter, op.getYield().getLoc(), yielded);
}
