//===- TileSizes.cpp - Tile sizes of a lowering_config, per axis ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `lowering_config` numbers the loops of its op. It tiles all ops of a group,
// through the axes of these loops; an axis that the root lacks is not tiled,
// but lanes may need a longer one. The sizes may come from a user, so they are
// checked here.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/TileSizes.h"

using namespace distaff;

int64_t distaff::tileOf(iree::LoweringConfigAttr config, StringRef key,
                        unsigned loop) {
  SmallVector<int64_t> sizes = config.getInts(key);
  return loop < sizes.size() ? sizes[loop] : 0;
}

int64_t distaff::tileAlong(const LoopAxis &axis, int64_t size) {
  constexpr int64_t alwaysFine = 64; // minimum that instructions may need
  if (axis.isDynamic)
    return size;
  return std::min<int64_t>(
      size, std::max<int64_t>(alwaysFine, llvm::PowerOf2Ceil(axis.extent)));
}

int64_t distaff::largestDivisor(int64_t value, int64_t most) {
  assert(value > 0 && most > 0 && "units that there are share places");
  for (int64_t divisor = std::min(value, most); divisor > 1; --divisor)
    if (value % divisor == 0)
      return divisor;
  return 1;
}

int64_t distaff::sharedWhole(const FusedGroup &group, unsigned axis) {
  constexpr int64_t few = 8, lanes = 32;
  const LoopAxis &info = group.axes()[axis];
  if (info.isDynamic || info.isEmpty || info.isOfFillsOnly ||
      info.extent <= few || !info.mayBeWalked() || group.root()->loopOf(axis) ||
      llvm::any_of(group.ops(), [&](const GroupOp &groupOp) {
        return groupOp.contracts && groupOp.loopOf(axis);
      }))
    return info.extent;
  if (2 * largestDivisor(info.extent, lanes) > std::min(info.extent, lanes))
    return info.extent;
  return info.extent < lanes ? int64_t(llvm::PowerOf2Ceil(info.extent))
                             : int64_t(llvm::alignTo(info.extent, lanes));
}

/// Reads one key of the root's config; the extent if there is no tile.
static FailureOr<SmallVector<int64_t>> readTiles(const FusedGroup &group,
                                                 StringRef key) {
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  if (!config)
    return root->emitOpError("has no lowering_config to tile by; run "
                             "distaff-configure first");
  SmallVector<int64_t> tiles;
  for (const LoopAxis &axis : group.axes())
    tiles.push_back(axis.whole());
  for (auto [axis, size] : llvm::zip(group.root()->axes, config.getInts(key)))
    if (size > 0)
      tiles[axis] = tileAlong(group.axes()[axis], size);
  return tiles;
}

FailureOr<SmallVector<int64_t>>
distaff::readWorkgroupTiles(const FusedGroup &group) {
  FailureOr<SmallVector<int64_t>> tiles = readTiles(group, "workgroup");
  if (failed(tiles))
    return failure();
  for (auto [axis, info] : llvm::enumerate(group.axes()))
    if ((*tiles)[axis] != info.whole() && !info.mayBeGridAxis())
      return group.root()->op->emitOpError("workgroup tile ")
             << (*tiles)[axis] << " of extent " << info.extent
             << " lies along a dimension that an op of the kernel reduces or "
                "lacks, so workgroups cannot share it; only 0 is possible";
  return tiles;
}

/// Returns whether an op of the group reads the result of `groupOp`; the parts
/// of a softmax read each other.
static bool isReadInGroup(const GroupOp &groupOp) {
  return isa<linalg::SoftmaxOp>(groupOp.op) ||
         llvm::any_of(groupOp.op->getUsers(),
                      llvm::IsaPred<linalg::LinalgOp, linalg::SoftmaxOp>);
}

const GroupOp *distaff::findNestedWalk(const FusedGroup &group,
                                       ArrayRef<int64_t> workgroupTiles,
                                       ArrayRef<int64_t> reductionTiles) {
  SmallVector<int64_t> held; // per axis, the extent of a workgroup's loop
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
  auto config = root->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
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

/// Returns whether the order in which an op combines floats affects the result.
static bool combinesFloatsInOrder(Operation *op) {
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
  SmallVector<int64_t> step; // tile per axis
  for (const LoopAxis &axis : group.axes())
    step.push_back(axis.extent);
  for (auto [axis, size] : llvm::zip(group.root()->axes, reductionTiles))
    if (size > 0)
      step[axis] = std::min(step[axis], size);
  for (const GroupOp &groupOp : group.ops()) {
    bool onlyWhole = false; // an earlier loop has tile size > 1
    for (auto [axis, iterator] :
         llvm::zip_equal(groupOp.axes, groupOp.iterators)) {
      if (iterator != utils::IteratorType::reduction)
        continue;
      if (onlyWhole && step[axis] < group.axes()[axis].extent &&
          combinesFloatsInOrder(groupOp.op))
        return &groupOp;
      onlyWhole |= step[axis] > 1;
    }
  }
  return nullptr;
}

static LogicalResult checkOrder(const FusedGroup &group) {
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
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
  FailureOr<SmallVector<int64_t>> tiles = readTiles(group, "reduction");
  if (failed(tiles))
    return failure();
  for (auto [axis, info] : llvm::enumerate(group.axes()))
    if ((*tiles)[axis] < info.whole() && !info.mayBeWalked())
      return group.root()->op->emitOpError("reduction tile ")
             << (*tiles)[axis] << " of extent " << info.extent
             << " lies along a dimension of which an op of the kernel needs "
                "different parts at once; only 0 is possible";
  if (failed(checkWalks(group)) || (strictFp && failed(checkOrder(group))))
    return failure();
  return tiles;
}

/// Checks that the serial tiles divide the workgroup's tiles, and that every
/// dynamic extent is tiled.
LogicalResult distaff::checkTilesTogether(const FusedGroup &group,
                                          ArrayRef<int64_t> workgroupTiles,
                                          ArrayRef<int64_t> serialTiles) {
  assert(workgroupTiles.size() == group.axes().size() &&
         serialTiles.size() == group.axes().size() && "each axis has its tile");
  Operation *root = group.root()->op;
  for (auto [axis, info] : llvm::enumerate(group.axes())) {
    int64_t all = workgroupTiles[axis], step = serialTiles[axis];
    bool isShared = all != info.whole(), isWalked = step != info.whole();
    if (isShared && isWalked && step < all && all % step != 0)
      return root->emitOpError("reduction tile ")
             << step << " does not divide the workgroup tile " << all
             << " along the same dimension";
    if (!info.isDynamic || info.isOfFillsOnly || isShared || isWalked)
      continue;
    if (std::optional<unsigned> loop = group.root()->loopOf(axis))
      return root->emitOpError("has a dynamic extent along loop ")
             << *loop << " and no "
             << (info.mayBeGridAxis() ? "workgroup" : "reduction")
             << " tile for it; give it one";
    for (const GroupOp &groupOp : group.ops())
      if (std::optional<unsigned> loop = groupOp.loopOf(axis)) {
        InFlightDiagnostic diagnostic =
            groupOp.op->emitOpError("has a dynamic extent along loop ")
            << *loop
            << " that it would have to hold whole; make it static, or "
               "put the op into a kernel of its own";
        diagnostic.attachNote(root->getLoc())
            << "the kernel is tiled by the loops of this op";
        return diagnostic;
      }
  }
  return success();
}

SmallVector<int64_t> distaff::divisors(int64_t extent) {
  assert(extent > 0 && "an extent of none has no largest divisor");
  SmallVector<int64_t> small, large;
  for (int64_t divisor = 1; divisor * divisor <= extent; ++divisor) {
    if (extent % divisor != 0)
      continue;
    small.push_back(divisor);
    if (divisor * divisor != extent)
      large.push_back(extent / divisor);
  }
  llvm::append_range(small, llvm::reverse(large));
  return small;
}
