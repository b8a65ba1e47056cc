//===- TileSizes.cpp - Tile sizes of a lowering_config, per axis ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `lowering_config` numbers the loops of its op. All ops of a group are tiled
// by it, through the axes on which those loops lie; an axis that the root lacks
// is not tiled. The sizes may come from a user, so they are checked here.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/TileSizes.h"

using namespace distaff;

int64_t distaff::tileOf(compat::LoweringConfigAttr config, StringRef key,
                        unsigned loop) {
  SmallVector<int64_t> sizes = config.getInts(key);
  return loop < sizes.size() ? sizes[loop] : 0;
}

/// Reads one key of the root's config, with every size checked to divide; along
/// axes that workgroups could share that may not be needed.
static FailureOr<SmallVector<int64_t>>
readTiles(const FusedGroup &group, StringRef key, bool mayLeaveRest) {
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  if (!config)
    return root->emitOpError("has no lowering_config to tile by; run "
                             "distaff-configure first");
  SmallVector<int64_t> tiles;
  for (const LoopAxis &axis : group.axes())
    tiles.push_back(axis.extent);
  for (auto [axis, size] : llvm::zip(group.root()->axes, config.getInts(key))) {
    int64_t extent = group.axes()[axis].extent;
    if (size <= 0 || size >= extent)
      continue;
    bool isCut = mayLeaveRest && group.axes()[axis].mayBeGridAxis();
    if (extent % size != 0 && !isCut)
      return root->emitOpError()
             << key << " tile " << size << " does not divide the extent "
             << extent << "; tiles that need a mask are not supported yet";
    tiles[axis] = size;
  }
  return tiles;
}

FailureOr<SmallVector<int64_t>>
distaff::readWorkgroupTiles(const FusedGroup &group) {
  FailureOr<SmallVector<int64_t>> tiles =
      readTiles(group, "workgroup", /*mayLeaveRest=*/false);
  if (failed(tiles))
    return failure();
  for (auto [axis, info] : llvm::enumerate(group.axes()))
    if ((*tiles)[axis] != info.extent && !info.mayBeGridAxis())
      return group.root()->op->emitOpError("workgroup tile ")
             << (*tiles)[axis] << " of extent " << info.extent
             << " lies along a dimension that an op of the kernel reduces or "
                "lacks, so workgroups cannot share it; only 0 is possible";
  return tiles;
}

/// Whether the group reads what `groupOp` makes; the parts of a softmax read
/// each other.
static bool isReadInGroup(const GroupOp &groupOp) {
  return isa<linalg::SoftmaxOp>(groupOp.op) ||
         llvm::any_of(groupOp.op->getUsers(),
                      llvm::IsaPred<linalg::LinalgOp, linalg::SoftmaxOp>);
}

const GroupOp *distaff::findNestedWalk(const FusedGroup &group,
                                       ArrayRef<int64_t> workgroupTiles,
                                       ArrayRef<int64_t> reductionTiles) {
  SmallVector<int64_t> held; // per axis, what a workgroup has to walk
  for (const LoopAxis &axis : group.axes())
    held.push_back(axis.extent);
  for (auto [axis, size] : llvm::zip(group.root()->axes, workgroupTiles))
    if (size > 0)
      held[axis] = std::min(held[axis], size);
  llvm::SmallBitVector walked(group.axes().size());
  for (auto [axis, size] : llvm::zip(group.root()->axes, reductionTiles))
    if (size > 0 && size < held[axis])
      walked.set(axis);
  for (const GroupOp &groupOp : group.ops()) {
    bool alongReduction = false, alongResult = false;
    for (auto [axis, iterator] :
         llvm::zip_equal(groupOp.axes, groupOp.iterators))
      (iterator == utils::IteratorType::reduction ? alongReduction
                                                  : alongResult) |=
          walked.test(axis);
    if (alongReduction && alongResult && isReadInGroup(groupOp))
      return &groupOp;
  }
  return nullptr;
}

static LogicalResult checkWalks(const FusedGroup &group) {
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  const GroupOp *nested = findNestedWalk(group, config.getWorkgroupTiles(),
                                         config.getReductionTiles());
  if (!nested)
    return success();
  InFlightDiagnostic diagnostic = nested->op->emitOpError(
      "is walked both along what it reduces and along its result, which "
      "other ops of the kernel read: the whole result would have to be kept in "
      "memory between the loops; give `reduction` tiles along one of the two "
      "only, or make the `workgroup` tile as small");
  if (nested->op != root)
    diagnostic.attachNote(root->getLoc()) << "the tiles are those of this op";
  return diagnostic;
}

/// Whether an op combines floats so that the order can be seen.
static bool dependsOnOrder(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return true;
  WalkResult result = op->walk([](Operation *inner) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

const GroupOp *distaff::findReordered(const FusedGroup &group,
                                      ArrayRef<int64_t> reductionTiles) {
  SmallVector<int64_t> step; // per axis
  for (const LoopAxis &axis : group.axes())
    step.push_back(axis.extent);
  for (auto [axis, size] : llvm::zip(group.root()->axes, reductionTiles))
    if (size > 0)
      step[axis] = std::min(step[axis], size);
  for (const GroupOp &groupOp : group.ops()) {
    bool onlyWhole = false; // some loop before takes several at once
    for (auto [axis, iterator] :
         llvm::zip_equal(groupOp.axes, groupOp.iterators)) {
      if (iterator != utils::IteratorType::reduction)
        continue;
      if (onlyWhole && step[axis] < group.axes()[axis].extent &&
          dependsOnOrder(groupOp.op))
        return &groupOp;
      onlyWhole |= step[axis] > 1;
    }
  }
  return nullptr;
}

static LogicalResult checkOrder(const FusedGroup &group) {
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  const GroupOp *reordered = findReordered(group, config.getReductionTiles());
  if (!reordered)
    return success();
  InFlightDiagnostic diagnostic = reordered->op->emitOpError(
      "would take its floats in another order than written, which strict-fp "
      "forbids; give `reduction` tiles of 1 to all loops before the tiled one");
  if (reordered->op != root)
    diagnostic.attachNote(root->getLoc()) << "the tiles are those of this op";
  return diagnostic;
}

FailureOr<SmallVector<int64_t>>
distaff::readSerialTiles(const FusedGroup &group, bool strictFp) {
  FailureOr<SmallVector<int64_t>> tiles =
      readTiles(group, "reduction", /*mayLeaveRest=*/true);
  if (failed(tiles))
    return failure();
  for (auto [axis, info] : llvm::enumerate(group.axes()))
    if ((*tiles)[axis] != info.extent && !info.mayBeWalked())
      return group.root()->op->emitOpError("reduction tile ")
             << (*tiles)[axis] << " of extent " << info.extent
             << " lies along a dimension of which an op of the kernel needs "
                "different parts at once; only 0 is possible";
  if (failed(checkWalks(group)) || (strictFp && failed(checkOrder(group))))
    return failure();
  return tiles;
}

FailureOr<SmallVector<int64_t>>
distaff::readRaggedTiles(const FusedGroup &group, bool strictFp) {
  const GroupOp &root = *group.root();
  auto config = root.op->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  if (!config)
    return root.op->emitOpError("has no lowering_config to tile by; run "
                                "distaff-configure first");
  SmallVector<int64_t> tiles;
  for (auto [loop, axis] : llvm::enumerate(root.axes)) {
    const LoopAxis &info = group.axes()[axis];
    bool isReduced = root.iterators[loop] == utils::IteratorType::reduction;
    StringRef wanted = isReduced ? "reduction" : "workgroup",
              other = isReduced ? "workgroup" : "reduction";
    if (tileOf(config, other, loop) > 0)
      return root.op->emitOpError("has a ")
             << other << " tile for loop " << loop
             << "; where tiles are cut workgroups share the loops of the "
                "result and walk those that are reduced";
    int64_t tile = tileOf(config, wanted, loop);
    if (info.isDynamic && tile <= 0)
      return root.op->emitOpError("has a dynamic extent along loop ")
             << loop << " and no " << wanted << " tile for it; give it one";
    if (!info.isDynamic)
      tile = tile > 0 ? std::min(tile, info.extent) : info.extent;
    tiles.push_back(tile);
  }
  if (strictFp && failed(checkOrder(group)))
    return failure();
  return tiles;
}
