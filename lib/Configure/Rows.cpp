//===- Rows.cpp - Tiles of reductions and elementwise ops -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup takes a block of the root's iteration space. Along grid axes the
// block is a workgroup tile; along the others it is everything, in sequential
// tiles when that is too much for the registers. Blocks grow from the innermost
// loop outwards, so that a workgroup reads contiguous memory:
//
//   64x4096, rows are the grid axis: block 1x4096, one row per workgroup
//   64x4096, columns are the grid axis: block 64x32, some rows at a time
//
// Sizes are those that lanes share well, whether they divide the extent or not;
// points of a block past the end are masked.
//
//   1009x1013, both are grid axes: block 1x512, two per row
//   64x1009, rows are the grid axis: block 1x1024
//
//===----------------------------------------------------------------------===//
#include "Unrolled.h"
#include "distaff/Analysis/Layout/LaneTiles.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;

/// Slots from an operation to the next that reads its result: the subgroups'
/// partial results are combined in a chain.
static constexpr int64_t kCombineLatency = 4;

namespace {
class RowRanker {
public:
  RowRanker(const FusedGroup &group, const Target &target,
            const UserChoices &user, Ranking &ranking);
  void rank();

private:
  struct Block {
    int64_t workgroups = 1; // workgroups of the grid
    int64_t steps = 1;      // steps of a workgroup
    int64_t results = 1;    // points along grid axes
    int64_t reduced = 1;    // points along the other axes
    int64_t subgroups = 1;
    int64_t wide = 1;       // points of one access
    int64_t busy = 1;       // lanes that have points
    int64_t perLane = 1;    // points per lane
    int64_t words = 1;      // 32-bit words, for one element per point
    int64_t conditions = 0; // bound checks of accesses past an extent
  };

  SmallVector<SmallVector<unsigned>> memoryOrders() const;
  void grow(int64_t budget, bool alongGrid, ArrayRef<unsigned> order,
            SmallVector<int64_t> &tile) const;
  SmallVector<int64_t> sizesAlong(unsigned loop) const;
  bool mayLayOut(ArrayRef<int64_t> tile) const;
  SmallVector<SmallVector<int64_t>> tilesToTry() const;
  static void describe(Candidate &candidate, ArrayRef<int64_t> tile,
                       const Block &block);
  int64_t missingScalars(const Block &block) const;
  void predictRegisters(Candidate &candidate, const Block &block) const;
  void addCandidate(ArrayRef<int64_t> tile, int64_t lanes, int64_t mostWords);
  int64_t readBytes(ArrayRef<int64_t> tile) const;
  Block blockOf(ArrayRef<int64_t> tile, int64_t lanes) const;
  std::pair<int64_t, int64_t> priceReductions(const Block &block) const;
  int64_t reductions() const;
  int64_t passes() const;

  bool isGrid(unsigned loop) const {
    return group.axes()[root.axes[loop]].mayBeGridAxis();
  }

  /// Returns whether lanes share a loop: a reduced value has the layout of the
  /// operands in memory, and where no tensor that is read lies along a loop,
  /// each lane holds all points of it.
  bool isShared(unsigned loop) const { return shared[loop]; }
  SmallVector<bool> findShared() const;

  bool isDynamic(unsigned loop) const {
    return group.axes()[root.axes[loop]].isDynamic;
  }

  /// Returns whether a workgroup's tile differs from the loop's extent, or may.
  bool isTiled(unsigned loop, ArrayRef<int64_t> tile) const {
    return isDynamic(loop) || tile[loop] != extents[loop];
  }

  const FusedGroup &group;
  const Target &target;
  const UserChoices &user;
  const GroupOp &root;
  SmallVector<int64_t> extents;              // extents per loop of the root
  SmallVector<SmallVector<unsigned>> orders; // see memoryOrders
  SmallVector<bool> shared;                  // per loop: see isShared
  RegisterModel registers;
  int64_t elementBytes = 1;
  Ranking &ranking;
};
} // namespace

/// Returns the distinct memory orders of the group's tensors, as orders of the
/// root's loops, contiguous one first. Ops other than the root count where they
/// share its axes.
SmallVector<SmallVector<unsigned>> RowRanker::memoryOrders() const {
  SmallVector<SmallVector<unsigned>> orders;
  auto add = [&](const GroupOp &groupOp, AffineMap map) {
    SmallVector<unsigned> order;
    for (AffineExpr expr : llvm::reverse(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (auto loop = root.loopOf(groupOp.axes[dim.getPosition()]))
          order.push_back(*loop);
    if (order.empty() && !extents.empty())
      return;
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (!llvm::is_contained(order, loop))
        order.push_back(loop);
    if (!llvm::is_contained(orders, order))
      orders.push_back(order);
  };
  for (const GroupOp &groupOp : group.ops()) {
    if (isa<linalg::FillOp>(groupOp.op))
      continue;
    for (AffineMap map : groupOp.operandMaps)
      if (map.getNumResults() == extents.size())
        add(groupOp, map);
    for (AffineMap map : groupOp.resultMaps)
      if (map.getNumResults() == extents.size())
        add(groupOp, map);
  }
  if (orders.empty())
    add(root, AffineMap::getMultiDimIdentityMap(extents.size(),
                                                root.op->getContext()));
  return orders;
}

SmallVector<bool> RowRanker::findShared() const {
  SmallVector<bool> all(extents.size(), true), read(extents.size(), false);
  bool readsAny = false;
  for (const GroupOp &groupOp : group.ops()) {
    if (isa<linalg::FillOp>(groupOp.op))
      continue;
    auto op = cast<DestinationStyleOpInterface>(groupOp.op);
    for (auto [operand, map] :
         llvm::zip_equal(op->getOpOperands(), groupOp.operandMaps)) {
      if (op.isDpsInit(&operand) || group.find(operand.get().getDefiningOp()) ||
          !isa<ShapedType>(operand.get().getType()))
        continue;
      for (AffineExpr expr : map.getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          if (auto loop = root.loopOf(groupOp.axes[dim.getPosition()]))
            readsAny = read[*loop] = true;
    }
  }
  return readsAny && reductions() > 0 ? read : all;
}

RowRanker::RowRanker(const FusedGroup &group, const Target &target,
                     const UserChoices &user, Ranking &ranking)
    : group(group), target(target), user(user), root(*group.root()),
      registers(group), ranking(ranking) {
  for (unsigned axis : root.axes)
    extents.push_back(group.axes()[axis].extent);
  orders = memoryOrders();
  shared = findShared();
  for (Value operand : root.op->getOperands()) {
    Type type = getElementTypeOrSelf(operand.getType());
    int64_t bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    elementBytes = std::max<int64_t>(elementBytes, llvm::divideCeil(bits, 8));
  }
}

/// Returns sizes of a block along a loop, smallest first: divisors of the
/// extent, powers of two, and for an extent that lanes cannot share the next
/// one that they can.
SmallVector<int64_t> RowRanker::sizesAlong(unsigned loop) const {
  int64_t extent = extents[loop], lanes = target.subgroupSize;
  SmallVector<int64_t> sizes;
  if (!isDynamic(loop))
    sizes = divisors(extent);
  for (int64_t size = 1; size < extent || (isDynamic(loop) && size == extent);
       size *= 2)
    sizes.push_back(size);
  if (2 * largestDivisor(extent, lanes) <= std::min(extent, lanes)) {
    // At most an eighth more, or a multiple of the subgroup size.
    int64_t granule =
        std::max<int64_t>(lanes, llvm::PowerOf2Ceil(uint64_t(extent)) / 16);
    sizes.push_back(extent < lanes ? int64_t(llvm::PowerOf2Ceil(extent))
                                   : int64_t(llvm::alignTo(extent, granule)));
  }
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  return sizes;
}

/// Grows `tile` along the grid loops or along the others until it has `budget`
/// points; a loop is entered only when the ones inside it are whole.
void RowRanker::grow(int64_t budget, bool alongGrid, ArrayRef<unsigned> order,
                     SmallVector<int64_t> &tile) const {
  for (unsigned loop : order) {
    if (isGrid(loop) != alongGrid)
      continue;
    if (!group.axes()[root.axes[loop]].mayBeWalked()) {
      tile[loop] = extents[loop];
      continue;
    }
    for (int64_t size : sizesAlong(loop)) {
      int64_t before = tile[loop];
      tile[loop] = size;
      if (saturatingProduct(tile) > budget && size != 1) {
        tile[loop] = before;
        return;
      }
    }
  }
}

/// Returns the number of ops that reduce along a loop of the root; the other
/// ops cost little.
int64_t RowRanker::reductions() const {
  return llvm::count_if(group.ops(), [&](const GroupOp &groupOp) {
    return llvm::any_of(llvm::zip_equal(groupOp.axes, groupOp.iterators),
                        [&](auto loop) {
                          auto [axis, iterator] = loop;
                          return iterator == utils::IteratorType::reduction &&
                                 root.loopOf(axis);
                        });
  });
}

/// Returns how often a block with a sequential loop is read: once per reduction
/// along a loop of the root, at least once.
int64_t RowRanker::passes() const { return std::max<int64_t>(reductions(), 1); }

/// Returns the bytes moved for one block, in whole sectors of each contiguous
/// run: the mean over the memory orders.
int64_t RowRanker::readBytes(ArrayRef<int64_t> tile) const {
  int64_t sector = target.globalMemory.sectorBytes, bytes = 0;
  for (ArrayRef<unsigned> order : orders) {
    int64_t run = 1;
    for (unsigned loop : order) {
      run *= tile[loop];
      if (tile[loop] < extents[loop])
        break;
    }
    bytes += saturatingProduct(tile) / run *
             int64_t(llvm::divideCeil(run * elementBytes, sector)) * sector;
  }
  return bytes / int64_t(orders.size());
}

/// Returns how a block's points are distributed. Lanes and subgroups share a
/// dim in equal parts, so a prime extent is no work for more than one of them.
RowRanker::Block RowRanker::blockOf(ArrayRef<int64_t> tile,
                                    int64_t lanes) const {
  Block block;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    int64_t count = llvm::divideCeil(extents[loop], tile[loop]);
    (isGrid(loop) ? block.workgroups : block.steps) *= count;
    (isGrid(loop) ? block.results : block.reduced) *= tile[loop];
  }
  block.subgroups = lanes / target.subgroupSize;
  SmallVector<int64_t> rest = llvm::to_vector(tile);
  ArrayRef<unsigned> order = orders.front();
  int64_t widest = target.globalMemory.maxAccessBits / (8 * elementBytes);
  if (!order.empty() && !isDynamic(order.front()))
    while (2 * block.wide <= widest && rest[order.front()] % 2 == 0 &&
           extents[order.front()] % (2 * block.wide) == 0) {
      block.wide *= 2;
      rest[order.front()] /= 2;
    }
  // Lanes take neighbors in memory, subgroups distant points.
  auto share = [&](unsigned loop, int64_t &units) {
    int64_t part = largestDivisor(rest[loop], units);
    rest[loop] /= part;
    units /= part;
    block.busy *= part;
  };
  int64_t subgroupLanes = target.subgroupSize, subgroups = block.subgroups;
  for (unsigned loop : order)
    if (isShared(loop))
      share(loop, subgroupLanes);
  for (unsigned loop : llvm::reverse(order))
    if (isShared(loop))
      share(loop, subgroups);
  for (auto [loop, size] : llvm::enumerate(tile))
    if (isDynamic(loop) || extents[loop] % size != 0)
      block.conditions =
          saturatingProduct(std::max<int64_t>(1, block.conditions), rest[loop]);
  block.perLane = saturatingProduct(tile) / block.busy;
  block.words = block.perLane * int64_t(llvm::divideCeil(elementBytes, 4));
  return block;
}

/// Returns slots and latency of combining the elements of a workgroup's lanes:
/// by shuffles among the lanes that share a result, and in shared memory if
/// they are of several subgroups.
std::pair<int64_t, int64_t>
RowRanker::priceReductions(const Block &block) const {
  int64_t lanes = block.subgroups * target.subgroupSize;
  int64_t lanesPerResult =
      block.reduced == 1 ? 1 : std::max<int64_t>(1, lanes / block.results);
  int64_t resultsPerLane = llvm::divideCeil(block.results, lanes);
  int64_t rounds =
      llvm::Log2_64_Ceil(std::min(lanesPerResult, target.subgroupSize));
  int64_t slots = rounds * target.costs.shuffle * resultsPerLane;
  int64_t latency = rounds * target.issue.shuffleLatency;
  if (lanesPerResult > target.subgroupSize)
    latency += 2 * target.costs.barrier +
               block.subgroups * target.costs.sharedWavefront +
               lanesPerResult / target.subgroupSize * kCombineLatency;
  return {reductions() * slots, reductions() * latency};
}

void RowRanker::describe(Candidate &candidate, ArrayRef<int64_t> tile,
                         const Block &block) {
  llvm::raw_string_ostream os(candidate.description);
  os << "block ";
  llvm::interleave(tile, os, "x");
  os << ", " << candidate.workgroupSize << " lanes, " << block.workgroups
     << " workgroups";
  if (block.steps > 1)
    os << ", " << block.steps << " steps";
}

/// Returns the registers that a subgroup lacks for the conditions of a block,
/// which may be live from the first read to the last write (VX-283).
int64_t RowRanker::missingScalars(const Block &block) const {
  if (target.scalarRegisters == 0)
    return 0;
  int64_t words = target.subgroupSize / 32;
  return std::max<int64_t>(0, saturatingProduct(words, block.conditions) +
                                  target.overheadRegisters -
                                  target.scalarRegisters);
}

/// Predicts the registers of a lane for a candidate's tile.
void RowRanker::predictRegisters(Candidate &candidate,
                                 const Block &block) const {
  int64_t lanes = candidate.workgroupSize;
  Sharing sharing(group, candidate.workgroupTiles, candidate.reductionTiles,
                  {block.subgroups, target.subgroupSize});
  SmallVector<unsigned> axes;
  for (unsigned loop : orders.front())
    if (isShared(loop))
      axes.push_back(root.axes[loop]);
    else
      sharing.share(root.axes[loop], 1);
  sharing.share(axes);
  candidate.registers = registers.predict(sharing) + boundWords(group);
  // Within the register budget, pointers do not reduce occupancy: they are
  // rematerialized.
  candidate.spilled = std::max<int64_t>(
      0, candidate.registers + rowPointerWords(group, sharing, lanes) -
             target.plainRegistersFor(lanes));
  candidate.spilled += missingScalars(block);
}

void RowRanker::addCandidate(ArrayRef<int64_t> tile, int64_t lanes,
                             int64_t mostWords) {
  const GlobalMemoryModel &global = target.globalMemory;
  Block block = blockOf(tile, lanes);
  if (block.words > mostWords)
    return;
  int64_t walks = block.steps == 1 ? 1 : passes();
  int64_t bytes = readBytes(tile) * block.steps * walks;
  int64_t accesses =
      llvm::divideCeil(block.perLane, block.wide) * block.steps * walks;
  int64_t arithmetic =
      block.perLane * int64_t(group.ops().size()) * block.steps;
  int64_t issued = accesses * global.issueCost + arithmetic;
  auto [exchange, exchangeLatency] = priceReductions(block);

  int64_t throughput =
      block.subgroups * (issued + exchange) / target.issue.issuers +
      bytes / global.sectorBytes * global.sectorCost;
  int64_t latency =
      block.steps * walks * global.latency + issued + exchangeLatency;

  Candidate candidate;
  candidate.workgroupSize = lanes;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    candidate.workgroupTiles.push_back(isGrid(loop) ? tile[loop] : 0);
    bool isWalked = !isGrid(loop) && isTiled(loop, tile);
    candidate.reductionTiles.push_back(isWalked ? tile[loop] : 0);
  }
  candidate.fits =
      !findMisfit(group, candidate.workgroupTiles, candidate.reductionTiles,
                  lanes * target.registersPerLane) &&
      !findNestedWalk(group, candidate.workgroupTiles,
                      candidate.reductionTiles) &&
      !(user.strictFp && findReordered(group, candidate.reductionTiles));
  predictRegisters(candidate, block);
  candidate.cost = priceLaunch(target, block.workgroups, lanes,
                               candidate.registers, throughput, latency);
  candidate.busyLanes = block.busy;
  candidate.workgroups = block.workgroups;
  int64_t points = block.steps;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    points = saturatingProduct(points, std::min(tile[loop], extents[loop]));
  candidate.starves = block.workgroups > 1 && points < target.subgroupSize;
  candidate.unrolled =
      unrolledOperations(group, target,
                         {candidate.workgroupTiles, candidate.reductionTiles,
                          lanes, /*row=*/nullptr});
  ranking.add(std::move(candidate),
              [&](Candidate &kept) { describe(kept, tile, block); });
}

/// Returns whether lanes can share the tile as the user's config specifies.
bool RowRanker::mayLayOut(ArrayRef<int64_t> tile) const {
  std::string why;
  return !user.config || !user.config.laysOutLanes() ||
         layOutTile(user.config, tile, target.subgroupSize, why);
}

/// Returns blocks that grow along one memory order, and for tensors with two
/// memory orders also blocks that are whole sectors in both.
SmallVector<SmallVector<int64_t>> RowRanker::tilesToTry() const {
  constexpr int64_t mostResults = 4096, mostPoints = 1 << 16, mostSide = 64;
  SmallVector<SmallVector<int64_t>> tiles;
  auto add = [&](SmallVector<int64_t> tile) {
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (std::optional<int64_t> size = user.tile(
              isGrid(loop) ? "workgroup" : "reduction", loop, extents[loop]))
        tile[loop] = *size;
    if (mayLayOut(tile) && !llvm::is_contained(tiles, tile))
      tiles.push_back(std::move(tile));
  };
  for (ArrayRef<unsigned> order : orders)
    for (int64_t results = 1; results <= mostResults; results *= 2)
      for (int64_t points = results; points <= mostPoints; points *= 2) {
        SmallVector<int64_t> tile(extents.size(), 1);
        grow(results, /*alongGrid=*/true, order, tile);
        grow(std::max(points, saturatingProduct(tile)), /*alongGrid=*/false,
             order, tile);
        add(std::move(tile));
      }
  if (orders.size() < 2)
    return tiles;
  unsigned a = orders[0].front(), b = orders[1].front();
  if (a == b)
    return tiles;
  for (int64_t sizeA : sizesAlong(a))
    for (int64_t sizeB : sizesAlong(b))
      if (sizeA <= mostSide && sizeB <= mostSide) {
        SmallVector<int64_t> tile(extents.size(), 1);
        tile[a] = sizeA;
        tile[b] = sizeB;
        for (unsigned loop = 0; loop < extents.size(); ++loop)
          if (!group.axes()[root.axes[loop]].mayBeWalked())
            tile[loop] = extents[loop];
        add(std::move(tile));
      }
  return tiles;
}

void RowRanker::rank() {
  SmallVector<int64_t> sizes;
  for (int64_t lanes = target.subgroupSize; lanes <= target.maxWorkgroupSize;
       lanes *= 2)
    sizes.push_back(lanes);
  if (user.workgroupSize)
    sizes = {user.workgroupSize};
  SmallVector<SmallVector<int64_t>> tiles = tilesToTry();
  // A lane that holds little is quicker to compile and to run; only a block
  // that cannot be smaller may use more. A core has instruction-level
  // parallelism from the elements of one lane.
  int64_t little =
      llvm::divideCeil(target.registersPerLane, target.isHost() ? 2 : 8);
  for (int64_t words : {little, target.registersPerLane / 2,
                        std::numeric_limits<int64_t>::max()}) {
    for (ArrayRef<int64_t> tile : tiles)
      for (int64_t lanes : sizes)
        addCandidate(tile, lanes, words);
    if (!ranking.empty() && ranking.winner().fits &&
        ranking.winner().spilled == 0)
      break;
  }
}

void distaff::rankRows(const FusedGroup &group, const Target &target,
                       const UserChoices &user, Ranking &ranking) {
  RowRanker(group, target, user, ranking).rank();
}
