//===- GroupPlan.cpp - Grouping of tiles into workgroups of a CPU ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers below were chosen by measurements; the figures are in
// docs/rationale/cpu-tiles-share-packed-panels.md.
//
//===----------------------------------------------------------------------===//
#include "PanelPlan.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;

namespace {
class GroupPlanning {
public:
  GroupPlanning(scf::ForallOp grid, const Target &target, bool strictFp)
      : grid(grid), target(target), strictFp(strictFp) {}

  std::optional<TileGroup> planCopy();
  std::optional<TileGroup> planWalk();

private:
  int64_t tilesAlong(unsigned dim);
  int64_t evenly(unsigned dim, int64_t tiles);
  bool isEnough(ArrayRef<TileGroup::Walk> walks, int64_t workgroupsPerCore);
  void choose(TileGroup &group, unsigned dim, int64_t most);
  std::optional<int64_t> chooseBlocks(TileGroup &group, int64_t bytes);

  std::optional<TileGroup> groupOfTwo(const Panel &panel, const Panel &left,
                                      bool ofMatrices);
  std::optional<TileGroup> groupOfOne(const Panel &panel);
  std::optional<unsigned> dimOfRows(vector::TransferReadOp read,
                                    scf::ForOp loop);
  SmallVector<scf::ForOp> outerLoops();

  scf::ForallOp grid;
  const Target &target;
  bool strictFp;
};
} // namespace

/// Returns the tiles along a dim; a large number if it is known only at launch.
int64_t GroupPlanning::tilesAlong(unsigned dim) {
  constexpr int64_t many = 1024;
  std::optional<int64_t> count =
      getConstantIntValue(grid.getMixedUpperBound()[dim]);
  return std::max<int64_t>(1, count.value_or(many));
}

/// Returns the fewest tiles that give as many workgroups.
int64_t GroupPlanning::evenly(unsigned dim, int64_t tiles) {
  int64_t count = tilesAlong(dim);
  return llvm::divideCeil(count, llvm::divideCeil(count, tiles));
}

/// Returns whether each core has so many workgroups.
bool GroupPlanning::isEnough(ArrayRef<TileGroup::Walk> walks,
                             int64_t workgroupsPerCore) {
  int64_t workgroups = 1;
  for (int64_t dim = 0; dim < grid.getRank(); ++dim) {
    auto walk = llvm::find_if(
        walks, [&](const TileGroup::Walk &each) { return each.dim == dim; });
    int64_t tiles = walk == walks.end() ? 1 : walk->tiles;
    workgroups = saturatingProduct(
        workgroups, int64_t(llvm::divideCeil(tilesAlong(dim), tiles)));
  }
  return workgroups >= workgroupsPerCore * target.computeUnits;
}

/// Makes a group iterate over as many tiles as leave work for all cores.
void GroupPlanning::choose(TileGroup &group, unsigned dim, int64_t most) {
  TileGroup::Walk walk{dim, std::min(tilesAlong(dim), most)};
  while (walk.tiles > 1 && !isEnough(walk, /*workgroupsPerCore=*/4))
    walk.tiles = std::max<int64_t>(1, walk.tiles * 3 / 4);
  walk.tiles = evenly(dim, walk.tiles);
  group.walks = {walk};
}

int64_t TileGroup::bytesOfSteps(const Panel &panel, int64_t steps) const {
  if (!words)
    return saturatingProduct(steps, panel.bytesOfStep());
  int64_t count = llvm::divideCeil(steps, words->steps());
  return saturatingProduct(4 * panel.partType().getNumElements(), count);
}

/// Makes a group run its steps in blocks of at most so many bytes of its first
/// panel, if there are several and its loops can be blocked. Returns how many
/// steps are copied at once; none if that is unbounded.
std::optional<int64_t> GroupPlanning::chooseBlocks(TileGroup &group,
                                                   int64_t bytes) {
  const Panel &panel = group.panels.front();
  const int64_t granule = std::max<int64_t>(
      8, group.stepsPerWord() * (group.words ? group.words->wordsAtOnce() : 1));
  std::optional<int64_t> all = panel.steps();
  int64_t most = granule * (bytes / group.bytesOfSteps(panel, granule));
  bool isShort = all && *all < most + most / 2 && !group.words;
  if (panel.loops.size() != 1 || most < granule || isShort)
    return all;
  SmallVector<scf::ForOp> loops;
  for (vector::TransferReadOp read : panel.reads)
    loops.push_back(read->getParentOfType<scf::ForOp>());
  group.blocked = findCacheBlocking(*grid.getBody(), loops);
  if (!group.blocked)
    return all;
  group.stepsPerBlock = most;
  if (all) {
    int64_t count = llvm::divideCeil(*all, most);
    group.stepsPerBlock = llvm::alignTo(llvm::divideCeil(*all, count), granule);
  }
  return group.stepsPerBlock;
}

/// Returns the stack bytes for a group of two: those that the kernel's own
/// memory and ConvertAhead.cpp leave.
static int64_t bytesForGroup(scf::ForallOp grid) {
  constexpr int64_t most = 1280 << 10, ofConversions = 96 << 10;
  int64_t own = 0;
  grid->getParentOfType<FunctionOpInterface>()->walk([&](Operation *op) {
    auto alloca = dyn_cast<memref::AllocaOp>(op);
    if (!alloca)
      return;
    MemRefType type = alloca.getType();
    if (type.hasStaticShape()) // others are refused later
      own = saturatingSum(
          own, saturatingProduct(type.getNumElements(),
                                 bytesInMemory(type.getElementType())));
  });
  return std::min(most, hostWorkgroupBytes - ofConversions - own);
}

namespace {
/// The limits of a group of two: tiles of each side.
struct GroupLimits {
  int64_t mostPanels, mostTiles, fewestPanels, fewestTiles;
};
} // namespace

/// Returns the limits. Tiles of matrices are larger: as many rows and columns
/// need fewer tiles.
static GroupLimits limitsOf(const Panel &panel, const Panel &left,
                            bool ofMatrices) {
  // The left side is copied for each panel.
  if (!ofMatrices)
    return {32, 64, left.conversions.empty() ? 8 : 4, 8};
  constexpr int64_t mostColumns = 512, mostRows = 384;
  return {mostColumns / panel.partType().getNumElements(),
          mostRows / left.partType().getNumElements(), 4, 2};
}

/// Plans a group of several panels with their left sides: panels are in the
/// first cache one by one, all else in the second.
std::optional<TileGroup> GroupPlanning::groupOfTwo(const Panel &panel,
                                                   const Panel &left,
                                                   bool ofMatrices) {
  llvm::SmallBitVector others = panel.ids;
  others.reset(left.ids);
  llvm::SmallBitVector walked = left.ids;
  walked.reset(panel.ids);
  if (left.loops != panel.loops || others.none() || walked.none())
    return std::nullopt;
  unsigned across = others.find_last(), dim = walked.find_last();

  TileGroup group;
  group.panels = {panel, left};
  group.words = ofMatrices
                    ? matchMatrixWords(panel, left, target, strictFp)
                    : matchPackedDotOperands(panel, left, target, strictFp);
  if (ofMatrices && !group.words)
    return std::nullopt;
  auto [mostPanels, mostTiles, fewestPanels, fewestTiles] =
      limitsOf(panel, left, ofMatrices);
  // A tile's matrices are read once in each block, so blocks are longer.
  std::optional<int64_t> steps =
      chooseBlocks(group, target.simd.level1Bytes * (ofMatrices ? 6 : 3) / 8);
  if (!group.blocked) { // packed words need blocks
    if (ofMatrices)
      return std::nullopt;
    group.words.reset();
  }
  // Short rows are read in place.
  if (!steps || (left.row && !group.blocked))
    return std::nullopt;
  if (group.blocked &&
      !llvm::all_of(left.reads, [&](vector::TransferReadOp read) {
        return llvm::is_contained(group.blocked->loops,
                                  read->getParentOfType<scf::ForOp>());
      }))
    return std::nullopt;
  int64_t waiting = group.blocked ? group.blocked->bytesPerTile() : 0;
  int64_t ofPanel = group.bytesOfSteps(panel, *steps);
  int64_t ofLeft = group.bytesOfSteps(left, *steps);
  TileGroup::Walk panels{across, std::min(tilesAlong(across), mostPanels)};
  int64_t room = bytesForGroup(grid) - saturatingProduct(panels.tiles, ofPanel);
  TileGroup::Walk tiles{dim,
                        std::min({tilesAlong(dim), mostTiles,
                                  room / (ofLeft + panels.tiles * waiting)})};
  if ((panels.tiles < fewestPanels && !group.words) ||
      tiles.tiles < std::min(fewestTiles, tilesAlong(dim)))
    return std::nullopt;
  while (!isEnough({panels, tiles}, /*workgroupsPerCore=*/2) &&
         (panels.tiles > fewestPanels || tiles.tiles > fewestTiles)) {
    if (panels.tiles > fewestPanels)
      panels.tiles = std::max(fewestPanels, panels.tiles / 2);
    else
      tiles.tiles = std::max(fewestTiles, tiles.tiles / 2);
  }
  panels.tiles = evenly(across, panels.tiles);
  tiles.tiles = evenly(dim, tiles.tiles);
  group.walks = {panels, tiles};
  return group;
}

/// Returns whether the stack has room for the partial sums of all tiles of a
/// workgroup.
static bool mayWait(const TileGroup &group) {
  constexpr int64_t mostBytes = 32 << 10;
  return saturatingProduct(group.blocked->bytesPerTile(),
                           group.walks.front().tiles) <= mostBytes;
}

/// The most tiles of one workgroup that share one panel.
static constexpr int64_t mostTilesOfPanel = 32;

/// Plans a group of one panel, in blocks of an eighth of the second cache if
/// there are several. Shorter blocks would stay in the first cache, but the
/// other runs that the tiles read would be too short for the prefetcher. Where
/// tiles read parts of rows, nothing is prefetched, and the rows of a block
/// must stay in a near cache from tile to tile.
std::optional<TileGroup> GroupPlanning::groupOfOne(const Panel &panel) {
  constexpr int64_t mostBytes = 256 << 10;
  TileGroup group;
  unsigned dim = panel.ids.find_last_unset();
  choose(group, dim, mostTilesOfPanel);
  if (group.walks.front().tiles == 1) // it shares nothing
    return std::nullopt;
  group.panels = {panel};
  auto loop = panel.reads.front()->getParentOfType<scf::ForOp>();
  bool sharesRows = llvm::any_of(
      loop.getBody()->getOps<vector::TransferReadOp>(),
      [&](vector::TransferReadOp read) {
        return read != panel.reads.front() && dimOfRows(read, loop) == dim;
      });
  std::optional<int64_t> steps =
      chooseBlocks(group, sharesRows ? target.simd.level1Bytes / 2
                                     : target.simd.level2Bytes / 8);
  if (group.blocked && !mayWait(group)) {
    group.blocked.reset();
    steps = panel.steps();
  }
  // Small enough for a stack and the second cache.
  if (!steps || saturatingProduct(*steps, panel.bytesOfStep()) >
                    std::min<int64_t>(target.simd.level2Bytes / 2, mostBytes))
    return std::nullopt;
  return group;
}

std::optional<TileGroup> GroupPlanning::planCopy() {
  if (grid.getRank() < 2)
    return std::nullopt;
  auto sizeOf = [](const Panel &panel) {
    return vector::TransferReadOp(panel.reads.front())
        .getVectorType()
        .getNumElements();
  };
  SmallVector<Panel, 0> panels = findPanels(grid);
  SmallVector<const Panel *> bySize(llvm::make_pointer_range(panels));
  llvm::sort(bySize, [&](const Panel *a, const Panel *b) {
    return std::pair(-sizeOf(*a), a) < std::pair(-sizeOf(*b), b);
  });
  if (target.simd.matrices.registers > 0)
    for (const Panel *panel : bySize)
      for (const Panel *left : bySize)
        if (panel != left)
          if (std::optional<TileGroup> group =
                  groupOfTwo(*panel, *left, /*ofMatrices=*/true))
            return group;
  for (auto panel = bySize.begin(); panel != bySize.end(); ++panel)
    for (const Panel *left : llvm::make_range(panel + 1, bySize.end()))
      if (std::optional<TileGroup> group =
              groupOfTwo(**panel, *left, /*ofMatrices=*/false))
        return group;
  for (const Panel *panel : bySize)
    if (std::optional<TileGroup> group = groupOfOne(*panel))
      return group;
  return std::nullopt;
}

/// Returns the outermost loops of a tile.
SmallVector<scf::ForOp> GroupPlanning::outerLoops() {
  SmallVector<scf::ForOp> loops;
  for (Operation &op : *grid.getBody()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      loops.push_back(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region &side : branch->getRegions())
        llvm::append_range(loops, side.getOps<scf::ForOp>());
  }
  return loops;
}

/// Returns the dim of the grid along which tiles lie in a row of the read
/// memory, if a step of the loop goes to a distant row.
std::optional<unsigned> GroupPlanning::dimOfRows(vector::TransferReadOp read,
                                                 scf::ForOp loop) {
  constexpr int64_t farApart = 2048; // bytes
  auto memref = dyn_cast<MemRefType>(read.getBase().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memref || failed(memref.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  SmallVector<OpFoldResult> begin = beginOf(read);
  if (begin.empty())
    begin = getAsOpFoldResult(SmallVector<Value>(read.getIndices()));
  bool goesFar = false;
  std::optional<unsigned> rowDim;
  for (auto [index, stride] : llvm::zip_equal(begin, strides)) {
    auto value = dyn_cast<Value>(index);
    if (!value)
      continue;
    bool ofLoop = isComputedFrom(value, loop.getInductionVar());
    if (stride == 1) {
      if (ofLoop)
        return std::nullopt;
      for (auto [dim, id] : llvm::enumerate(grid.getInductionVars()))
        if (isComputedFrom(value, id))
          rowDim = dim;
    }
    goesFar |=
        ofLoop &&
        (ShapedType::isDynamic(stride) ||
         saturatingProduct(stride, bytesInMemory(memref.getElementType())) >=
             farApart);
  }
  return goesFar ? rowDim : std::nullopt;
}

std::optional<TileGroup> GroupPlanning::planWalk() {
  constexpr int64_t stepsPerBlock = 8; // rows that the core prefetches
                                       // (measured)
  SmallVector<scf::ForOp> loops = outerLoops();
  if (loops.empty())
    return std::nullopt;
  TileGroup group;
  group.blocked = findCacheBlocking(*grid.getBody(), loops);
  group.stepsPerBlock = stepsPerBlock;
  if (!group.blocked ||
      group.blocked->steps.value_or(2 * stepsPerBlock) < 2 * stepsPerBlock)
    return std::nullopt;
  for (vector::TransferReadOp read :
       loops.front().getBody()->getOps<vector::TransferReadOp>()) {
    if (std::optional<unsigned> dim = dimOfRows(read, loops.front())) {
      choose(group, *dim, mostTilesOfPanel);
      return group.walks.front().tiles > 1 && mayWait(group)
                 ? std::optional(group)
                 : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<TileGroup>
distaff::planGroup(scf::ForallOp grid, const Target &target, bool strictFp) {
  GroupPlanning planning(grid, target, strictFp);
  std::optional<TileGroup> group = planning.planCopy();
  return group ? group : planning.planWalk();
}
