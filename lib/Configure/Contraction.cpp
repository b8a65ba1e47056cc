//===- Contraction.cpp - Tiles and MMA of a contraction -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is a tile m x n x k and a number of subgroups; Analysis says how
// they split the tile and on which instruction. Larger tiles read each operand
// less often, smaller ones make enough workgroups to fill the device: the price
// counts both. Tiles come from the machine and from the extents: one that does
// not divide an extent is masked at its end, and computes more than is asked.
//
// An m or n loop that workgroups cannot share, because another op reduces along
// it, may be walked: the keys of an attention, 64 at a time. Whoever reads the
// product then walks by itself and computes its part of the product again.
//
//===----------------------------------------------------------------------===//
#include "AttentionSteps.h"
#include "CoreTiles.h"
#include "Unrolled.h"
#include "distaff/Analysis/ContractionBody.h"
#include "distaff/Analysis/ContractionChoice.h"
#include "distaff/Analysis/OnlineSoftmax.h"
#include "distaff/Analysis/TileSizes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace distaff;

namespace {
/// One tile of the contraction, per loop of the root.
struct Tile {
  SmallVector<int64_t> workgroup; // walked loops at their full extent
  SmallVector<int64_t> step;      // as workgroup, walked loops at one step
};

/// What one workgroup holds of one tile.
struct Footprint {
  int64_t accBytes;
  int64_t accElements;  // per lane
  int64_t busyLanes;    // that hold elements of the result
  int64_t stepBytes[2]; // of lhs and rhs, one step of K
  int64_t words[2];     // per lane, in the layout that the product wants
  int64_t registers;    // per lane, of all ops of the group
  bool fits; // no op needs more than all lanes hold, or has nested walks
};

class ContractionRanker {
public:
  ContractionRanker(const FusedGroup &group, const Target &target,
                    const UserChoices &user, Ranking &ranking)
      : group(group), target(target), user(user), root(*group.root()),
        registers(group), op(cast<linalg::LinalgOp>(root.op)),
        body(*matchProduct(op)), extents(op.getStaticLoopRanges()),
        isAttention(!findAttention(root.op).empty()),
        features(target.isHost() ? featuresOfAttention(root.op) : std::nullopt),
        ranking(ranking) {
    maps = op.getIndexingMapsArray();
    for (auto [loop, extent] : llvm::enumerate(extents))
      if (ShapedType::isDynamic(extent))
        extent = isTiled(loop) ? nominalExtent : 1;
    matrixDot = findMatrixDot();
  }

  void rank();

private:
  /// Of several m, n or k loops the innermost is tiled; of the outer ones, a
  /// workgroup takes one row (m, n) or walks them one at a time (k).
  bool isTiled(unsigned loop) const {
    return loop == body.m.back() || loop == body.n.back() ||
           loop == body.k.back();
  }
  bool isReduced(unsigned loop) const {
    return root.iterators[loop] == utils::IteratorType::reduction;
  }
  /// Whether one workgroup takes all of a loop, or all of it step by step.
  bool isWhole(unsigned loop) const {
    return isReduced(loop) || !group.axes()[root.axes[loop]].mayBeGridAxis();
  }
  /// Whether a core has the tiles in memory, and goes over them in loops.
  bool isInMemory() const { return features.has_value(); }
  void rankInMemory();
  SmallVector<int64_t> sizesFor(unsigned loop, int64_t most, bool useMma) const;
  int64_t elementBytes(unsigned operand) const;
  int64_t tileBytes(unsigned operand, ArrayRef<int64_t> tile) const;
  ContractionProblem problemFor(ArrayRef<int64_t> tile) const;
  int64_t mmaGranule() const;
  void takeBlocks(SmallVectorImpl<int64_t> &tile) const;
  void addCandidates(const Tile &tile, bool useMma);
  void rank(bool useMma);
  int64_t meetingCost(const ContractionCandidate &choice,
                      int64_t accBytes) const;
  int64_t passes(const Tile &tile) const;
  const WordDot *findMatrixDot() const;
  const WordDot *matrixDotOf(const Tile &tile) const;
  int64_t mostElements(const Tile &tile, int64_t lanes) const;
  std::optional<CoreStep> coreStep(const Tile &tile) const;
  std::pair<int64_t, double> workgroupsAndSteps(const Tile &tile) const;
  int64_t roomFor(int64_t lanes, bool usesMma, bool isOnCore) const;
  int64_t singleWords(const Tile &tile, const Footprint &footprint,
                      int64_t subgroups, ArrayRef<int64_t> promoted) const;
  Footprint footprintOf(const Tile &tile, const ContractionCandidate *choice,
                        int64_t subgroups) const;
  int64_t operandCost(const Footprint &footprint, unsigned operand,
                      bool promoted, int64_t subgroups) const;
  Candidate describe(const Tile &tile, const ContractionCandidate *choice,
                     ArrayRef<int64_t> promoted) const;
  void price(const Tile &tile, const ContractionCandidate *choice,
             const Footprint &footprint, int64_t subgroups,
             ArrayRef<int64_t> promoted);

  const FusedGroup &group;
  const Target &target;
  const UserChoices &user;
  const GroupOp &root;
  RegisterModel registers;
  linalg::LinalgOp op;
  ContractionBody body;
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps;
  bool isAttention;
  std::optional<int64_t> features;    // of an attention that a core walks
  const WordDot *matrixDot = nullptr; // of registers that hold matrices
  Ranking &ranking;
};
} // namespace

/// Sizes worth trying along a loop, of a workgroup's tile or of a step; for an
/// instruction, multiples of what every one of the target wants.
SmallVector<int64_t> ContractionRanker::sizesFor(unsigned loop, int64_t most,
                                                 bool useMma) const {
  const LoopAxis &axis = group.axes()[root.axes[loop]];
  if (std::optional<int64_t> tile = user.tile(
          isWhole(loop) ? "reduction" : "workgroup", loop, extents[loop]))
    return {*tile};
  int64_t granule = useMma ? mmaGranule() : 1;
  // Who walks features would compute all scores for each part of them.
  bool isFeature = isAttention && llvm::is_contained(body.n, loop);
  // Most instructions take 16 of a loop.
  int64_t usual = useMma ? std::lcm(granule, 16) : 1;
  if (!axis.mayBeWalked() || (isFeature && isWhole(loop))) {
    int64_t least = llvm::alignTo(extents[loop], granule),
            all = llvm::alignTo(extents[loop], usual);
    return least == all ? SmallVector<int64_t>{all}
                        : SmallVector<int64_t>{least, all};
  }
  SmallVector<int64_t> sizes = sizesBetween(extents[loop], most);
  // Of a core's 16 vectors, sums take 12.
  if (target.isHost() && !isReduced(loop))
    for (int64_t size : {3, 6, 12, 24})
      if (size < extents[loop] && !llvm::is_contained(sizes, size))
        sizes.push_back(size);
  // Steps along K that are no powers of two part the operands unevenly.
  llvm::erase_if(sizes, [&](int64_t size) {
    return size % granule != 0 ||
           (!useMma && isReduced(loop) && size != extents[loop] &&
            !llvm::isPowerOf2_64(size));
  });
  // One tile has all of an extent below what an instruction takes.
  for (int64_t size : {granule, usual})
    if (size <= most && (sizes.empty() || size > sizes.back()))
      sizes.push_back(size);
  return sizes;
}

/// What every instruction for these types and loops divides tiles by.
int64_t ContractionRanker::mmaGranule() const {
  ContractionProblem problem = withFactorsOf(problemFor(extents), target);
  return target.mmaGranule([&](const MmaRow &row) {
    return typesFit(problem, row) && (row.blocks == 1 || !body.batch.empty());
  });
}

/// Of batches one at a time is taken, but as many as an instruction multiplies
/// that the user asks for.
void ContractionRanker::takeBlocks(SmallVectorImpl<int64_t> &tile) const {
  compat::MmaLayoutAttr kind =
      user.config ? user.config.getMmaKind() : compat::MmaLayoutAttr();
  if (!kind || body.batch.empty())
    return;
  unsigned loop = body.batch.back();
  int64_t blocks = kind.getRow()->blocks;
  bool isFree = !user.tile("workgroup", loop, extents[loop]);
  if (isFree && extents[loop] % blocks == 0)
    tile[loop] = std::max(tile[loop], blocks);
}

int64_t ContractionRanker::elementBytes(unsigned operand) const {
  Type type = getElementTypeOrSelf(op->getOperand(operand).getType());
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

int64_t ContractionRanker::tileBytes(unsigned operand,
                                     ArrayRef<int64_t> tile) const {
  int64_t bytes = elementBytes(operand);
  for (unsigned loop = 0; loop < tile.size(); ++loop)
    if (maps[operand].isFunctionOfDim(loop))
      bytes = saturatingProduct(bytes, tile[loop]);
  return bytes;
}

ContractionProblem ContractionRanker::problemFor(ArrayRef<int64_t> tile) const {
  ContractionProblem problem = problemOf(root, body, tile);
  problem.config = user.config;
  return problem;
}

/// What it costs that subgroups split a dim of the result that ops of the group
/// reduce: for each of them they meet in shared memory.
int64_t ContractionRanker::meetingCost(const ContractionCandidate &choice,
                                       int64_t accBytes) const {
  int64_t meetings = 0;
  for (auto [loop, count] : llvm::enumerate(choice.subgroups))
    for (const GroupOp &other : group.ops())
      if (std::optional<unsigned> theirs = other.loopOf(root.axes[loop]))
        meetings += count > 1 && other.op != root.op &&
                    other.iterators[*theirs] == utils::IteratorType::reduction;
  return meetings *
         (2 * target.costs.barrier +
          accBytes / (4 * target.subgroupSize) * target.costs.sharedWavefront);
}

/// Elements of one operand that a lane holds, in 32-bit words.
static int64_t wordsPerLane(const NestedLayout &layout, int64_t elementBytes) {
  return llvm::divideCeil(
      saturatingProduct(layout.distributedShape()) * elementBytes, 4);
}

/// How often the product is computed if a dim of it is walked: once for each op
/// that reduces along it.
int64_t ContractionRanker::passes(const Tile &tile) const {
  int64_t count = 0;
  for (auto [loop, axis] : llvm::enumerate(root.axes))
    if (!isReduced(loop) && tile.step[loop] < tile.workgroup[loop])
      for (const GroupOp &other : group.ops())
        if (std::optional<unsigned> theirs = other.loopOf(axis))
          // A softmax is two reductions.
          count += other.iterators[*theirs] == utils::IteratorType::reduction
                       ? 1 + isa<linalg::SoftmaxOp>(other.op)
                       : 0;
  return std::max<int64_t>(1, count);
}

/// Elements of one op that a workgroup has room for.
int64_t ContractionRanker::mostElements(const Tile &tile, int64_t lanes) const {
  if (isInMemory())
    return attentionElements(target);
  return lanes * target.registersPerLane +
         (matrixDotOf(tile) ? wordsInMatrices(target) : 0);
}

Footprint ContractionRanker::footprintOf(const Tile &tile,
                                         const ContractionCandidate *choice,
                                         int64_t subgroups) const {
  Candidate candidate = describe(tile, choice, {});
  HardwareShape hardware{subgroups, target.subgroupSize};
  int64_t lanes = hardware.subgroups * hardware.lanes;
  Sharing sharing(group, candidate.workgroupTiles, candidate.reductionTiles,
                  hardware);
  for (unsigned loop : body.k)
    sharing.share(root.axes[loop], 1);
  if (choice) {
    SmallVector<int64_t> perDim = choice->acc.unpackedShape();
    for (auto [dim, expr] : llvm::enumerate(maps[2].getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      sharing.share(root.axes[loop], tile.step[loop] / perDim[dim]);
    }
  } else {
    sharing.share(axesOf(root, maps[2]));
  }
  Footprint result;
  result.accBytes = tileBytes(2, tile.step);
  result.accElements = sharing.perLane(axesOf(root, maps[2]));
  result.busyLanes = choice ? lanes : sharing.busyLanes(axesOf(root, maps[2]));
  int64_t rootOperands = 0;
  for (unsigned operand : {0, 1}) {
    result.stepBytes[operand] = tileBytes(operand, tile.step);
    int64_t bytes = elementBytes(choice ? operand : 2);
    result.words[operand] =
        choice ? wordsPerLane(operand == 0 ? choice->lhs : choice->rhs, bytes)
               : llvm::divideCeil(
                     sharing.perLane(axesOf(root, maps[operand])) * bytes, 4);
    rootOperands +=
        result.words[operand] +
        int64_t(llvm::divideCeil(result.stepBytes[operand], 4 * lanes));
  }
  result.fits =
      !findMisfit(group, candidate.workgroupTiles, candidate.reductionTiles,
                  mostElements(tile, lanes)) &&
      !findNestedWalk(group, candidate.workgroupTiles,
                      candidate.reductionTiles);
  result.registers =
      choice && isAttention
          ? attentionWords(group, body, tile.step,
                           subgroups * target.subgroupSize)
          : registers.predict(
                sharing, choice ? std::optional(rootOperands) : std::nullopt,
                [&](const GroupOp &other) {
                  return !hasInstruction(
                      group, other,
                      heldPerAxis(group, tile.workgroup, tile.step), target);
                });
  return result;
}

/// Slots to bring one step of an operand to the lanes that multiply it: through
/// shared memory, read once for all subgroups, or straight from global memory,
/// where each subgroup reads its own part in the pieces of the instruction.
int64_t ContractionRanker::operandCost(const Footprint &footprint,
                                       unsigned operand, bool promoted,
                                       int64_t subgroups) const {
  const GlobalMemoryModel &global = target.globalMemory;
  int64_t words = footprint.words[operand];
  if (promoted)
    return footprint.stepBytes[operand] / global.sectorBytes *
               global.sectorCost +
           2 * subgroups * words * target.costs.sharedWavefront;
  // Neighbours along k share a register; if they are no neighbours in memory,
  // each takes a load of its own.
  AffineMap map = maps[operand];
  bool contiguous =
      llvm::is_contained(body.k, map.getDimPosition(map.getNumResults() - 1));
  int64_t loads = contiguous ? words : words * 4 / elementBytes(operand);
  int64_t bytes = loads * 4 * target.subgroupSize;
  return subgroups * (loads * global.issueCost +
                      bytes / global.sectorBytes * global.sectorCost);
}

/// Workgroups, and the steps that each one takes: of a rest, the part that it
/// is.
std::pair<int64_t, double>
ContractionRanker::workgroupsAndSteps(const Tile &tile) const {
  int64_t workgroups = 1;
  double steps = passes(tile);
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    workgroups *= llvm::divideCeil(extents[loop], tile.workgroup[loop]);
    steps *=
        std::max(1.0, double(tile.workgroup[loop]) / double(tile.step[loop]));
  }
  return {workgroups, steps};
}

/// Registers for what `Candidate::registers` counts.
int64_t ContractionRanker::roomFor(int64_t lanes, bool usesMma,
                                   bool isOnCore) const {
  if (isOnCore)
    return target.registersPerLane;
  return usesMma ? target.vectorRegistersFor(lanes)
                 : target.plainRegistersFor(lanes);
}

/// Prices one tile on one instruction (null: on none), with the operands of
/// `promoted` in shared memory.
void ContractionRanker::price(const Tile &tile,
                              const ContractionCandidate *choice,
                              const Footprint &footprint, int64_t subgroups,
                              ArrayRef<int64_t> promoted) {
  Candidate candidate = describe(tile, choice, promoted);
  candidate.workgroupSize = subgroups * target.subgroupSize;
  int64_t sharedBytes = 0, operands = 0;
  auto [workgroups, steps] = workgroupsAndSteps(tile);
  for (unsigned operand : {0, 1}) {
    bool isPromoted = llvm::is_contained(promoted, operand);
    operands += operandCost(footprint, operand, isPromoted, subgroups);
    sharedBytes += isPromoted ? footprint.stepBytes[operand] : 0;
  }
  // A quarter more for the padding that keeps accesses conflict-free.
  if (sharedBytes * 5 / 4 > target.sharedMemoryBytes)
    return;

  int64_t stepK = 1;
  for (unsigned loop : body.k)
    stepK = saturatingProduct(stepK, tile.step[loop]);
  std::optional<CoreStep> core = coreStep(tile);
  if (core)
    operands = 0; // loaded while it multiplies
  int64_t ofStep =
      core ? core->slots : target.issue.multiplyAdd * footprint.accElements;
  int64_t compute = saturatingProduct(
      choice ? choice->cost : saturatingProduct(ofStep, stepK),
      1 + productsBeside(group, heldPerAxis(group, tile.workgroup, tile.step)));
  int64_t barriers = promoted.empty() ? 0 : 2 * target.costs.barrier;
  auto forAll = [&](int64_t slotsPerStep) {
    return int64_t(std::ceil(steps * double(slotsPerStep)));
  };
  int64_t throughput =
      forAll(compute * subgroups / target.issue.issuers + operands) +
      footprint.accBytes / target.globalMemory.sectorBytes *
          target.globalMemory.sectorCost;
  if (choice)
    throughput += meetingCost(*choice, footprint.accBytes);
  int64_t latency = forAll(target.globalMemory.latency + barriers + compute);

  // Without an instruction, the product may change its layout to be written.
  bool fitsInMemory = choice || target.isHost() ||
                      footprint.accBytes * 5 / 4 <= target.sharedMemoryBytes;
  candidate.fits = fitsInMemory && footprint.fits;
  candidate.registers = core ? core->words : footprint.registers;
  if (choice && !isAttention)
    candidate.registers += singleWords(tile, footprint, subgroups, promoted);
  candidate.busyLanes = footprint.busyLanes;
  candidate.workgroups = workgroups;
  candidate.starves =
      workgroups > 1 && saturatingProduct(tile.workgroup) < target.subgroupSize;
  candidate.spilled = std::max<int64_t>(
      0, candidate.registers -
             roomFor(candidate.workgroupSize, choice != nullptr, bool(core)));
  candidate.cost = priceLaunch(target, workgroups, candidate.workgroupSize,
                               candidate.registers, throughput, latency);
  llvm::raw_string_ostream(candidate.description)
      << ", " << subgroups << " subgroups, " << workgroups << " workgroups";
  if (!isInMemory())
    checkUnrolledCode(group, target, candidate);
  ranking.add(std::move(candidate));
}

/// 32-bit registers per lane that a step's operands take besides, until the
/// elements that were loaded one by one are together: with an address each.
int64_t ContractionRanker::singleWords(const Tile &tile,
                                       const Footprint &footprint,
                                       int64_t subgroups,
                                       ArrayRef<int64_t> promoted) const {
  // Of the rows' places and of what is behind their ends.
  constexpr int64_t ofPlaces = 48;
  int64_t words = 0;
  for (unsigned operand : {0u, 1u}) {
    int64_t bytes = elementBytes(operand);
    if (!isReadSingly(group, root, operand))
      continue;
    int64_t held = llvm::is_contained(promoted, operand)
                       ? llvm::divideCeil(footprint.stepBytes[operand],
                                          4 * subgroups * target.subgroupSize)
                       : footprint.words[operand];
    words += 2 * held * (4 / bytes - 1);
  }
  words +=
      singleWordsBeside(group, heldPerAxis(group, tile.workgroup, tile.step),
                        subgroups * target.subgroupSize);
  return words > 0 ? words + ofPlaces : 0;
}

/// What multiplies matrices of the operands' elements, if they are read as they
/// are, by whatever tile: a workgroup copies the operands of several, and what
/// it copies has one loop over steps.
const WordDot *ContractionRanker::findMatrixDot() const {
  constexpr int64_t fewestSteps = 8;
  if (target.simd.matrices.registers == 0 || isAttention ||
      body.k.size() != 1 || extents[body.k.front()] < fewestSteps ||
      !matchContraction(op))
    return nullptr;
  for (unsigned operand : {0, 1})
    if (Operation *maker = op->getOperand(operand).getDefiningOp();
        maker && group.find(maker))
      return nullptr;
  // Sums lie in rows of the right side's.
  AffineMap sums = maps[2];
  if (sums.getNumResults() < 2 ||
      sums.getDimPosition(sums.getNumResults() - 1) != body.n.back())
    return nullptr;
  ContractionProblem problem = problemFor(extents);
  for (const WordDot &dot : target.simd.matrices.dots)
    if (problem.accElement == elementTypeOf(dot.result, op->getContext()) &&
        (!user.strictFp || isInteger(dot.result)) &&
        problem.lhsFactor.as(dot.lhs, /*mayDropBits=*/false) &&
        problem.rhsFactor.as(dot.rhs, /*mayDropBits=*/false))
      return &dot;
  return nullptr;
}

/// The same of one tile, of which there are others in both directions.
const WordDot *ContractionRanker::matrixDotOf(const Tile &tile) const {
  unsigned m = body.m.back(), n = body.n.back();
  auto isShared = [&](unsigned loop) {
    return !isWhole(loop) && tile.workgroup[loop] < extents[loop];
  };
  bool isOfMatrices = matrixDot && isShared(m) && isShared(n) &&
                      tile.step[body.k.front()] == 1 &&
                      target.simd.matrices.holds(tile.step[m], tile.step[n]);
  return isOfMatrices ? matrixDot : nullptr;
}

/// A step of the tile on a core; none on a GPU, and of an attention that is not
/// in memory, which holds more than its sums.
std::optional<CoreStep> ContractionRanker::coreStep(const Tile &tile) const {
  if (!target.isHost() || maps[2].getNumResults() == 0)
    return std::nullopt;
  if (isInMemory())
    return stepInMemory(target, tileBytes(2, tile.step) / elementBytes(2));
  if (isAttention)
    return std::nullopt;
  if (const WordDot *dot = matrixDotOf(tile))
    return stepOnMatrices(target, tile.step[body.m.back()],
                          tile.step[body.n.back()], dot->partsPerWord());
  unsigned row = maps[2].getDimPosition(maps[2].getNumResults() - 1);
  int64_t rows = 1;
  for (unsigned dim = 0; dim + 1 < maps[2].getNumResults(); ++dim)
    rows = saturatingProduct(rows, tile.step[maps[2].getDimPosition(dim)]);
  bool isFused = isa<FloatType>(getElementTypeOrSelf(op->getOperand(2)));
  return stepOnCore(target, rows, tile.step[row], elementBytes(2), isFused);
}

/// What a candidate fixes, without its price.
Candidate ContractionRanker::describe(const Tile &tile,
                                      const ContractionCandidate *choice,
                                      ArrayRef<int64_t> promoted) const {
  Candidate candidate;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    bool isWalked = isReduced(loop) || tile.step[loop] != tile.workgroup[loop];
    candidate.workgroupTiles.push_back(isWalked ? 0 : tile.workgroup[loop]);
    candidate.reductionTiles.push_back(isWalked ? tile.step[loop] : 0);
  }
  candidate.promoted = llvm::to_vector(promoted);
  llvm::raw_string_ostream os(candidate.description);
  os << "tile ";
  llvm::interleave(tile.step, os, "x");
  if (!choice) {
    const WordDot *dot = matrixDotOf(tile);
    os << ", " << (dot ? StringRef(dot->name) : "no MMA");
    return candidate;
  }
  candidate.subgroups = choice->subgroups;
  candidate.mma = choice->getKind(op->getContext());
  os << ", " << choice->describe();
  constexpr StringRef names[] = {"lhs", "rhs"};
  for (int64_t operand : promoted)
    os << ", " << names[operand] << " in shared memory";
  return candidate;
}

void ContractionRanker::addCandidates(const Tile &tile, bool useMma) {
  if (useMma && isAttention && !user.config &&
      !suitsScores(group, heldPerAxis(group, tile.workgroup, tile.step),
                   target))
    return;
  SmallVector<SmallVector<int64_t>> promotions = {{0, 1}, {0}, {1}, {}};
  if (user.config && user.config.getAttributes().contains("promote_operands"))
    promotions = {user.config.getPromotedOperands()};
  // More are tried only for a tile that no instruction fits: it may be one that
  // may not be cut.
  constexpr int64_t mostWithMma = 8;
  SmallVector<int64_t> counts;
  for (int64_t count = 1;
       count * target.subgroupSize <= target.maxWorkgroupSize &&
       (!useMma || count <= mostWithMma);
       count *= 2)
    counts.push_back(count);
  if (user.workgroupSize)
    counts = {user.workgroupSize / target.subgroupSize};
  for (int64_t subgroups : counts) {
    if (!useMma) {
      price(tile, nullptr, footprintOf(tile, nullptr, subgroups), subgroups,
            {});
      continue;
    }
    for (const ContractionCandidate &choice :
         enumerateMma(problemFor(tile.step), target, subgroups)) {
      // Who shares features computes scores twice and meets at every maximum.
      if (isAttention && llvm::any_of(body.n, [&](unsigned loop) {
            return choice.subgroups[loop] > 1;
          }))
        continue;
      Footprint footprint = footprintOf(tile, &choice, subgroups);
      for (ArrayRef<int64_t> promoted : promotions)
        price(tile, &choice, footprint, subgroups, promoted);
    }
  }
}

void ContractionRanker::rank(bool useMma) {
  Tile tile{extents, {}};
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!isWhole(loop))
      tile.workgroup[loop] = sizesFor(loop, 1, /*useMma=*/false).front();
  if (useMma)
    takeBlocks(tile.workgroup);
  tile.step = tile.workgroup;
  for (unsigned loop : body.k)
    tile.step[loop] = sizesFor(loop, 1, /*useMma=*/false).front();
  unsigned m = body.m.back(), n = body.n.back(), k = body.k.back();
  auto set = [&](unsigned loop, int64_t size) {
    tile.step[loop] = size;
    tile.workgroup[loop] = isWhole(loop) ? extents[loop] : size;
  };
  bool isWalkedAlongResult = isWhole(m) || isWhole(n);
  for (int64_t sizeM : sizesFor(m, isWhole(m) ? extents[m] : 256, useMma))
    for (int64_t sizeN : sizesFor(n, isWhole(n) ? extents[n] : 256, useMma)) {
      set(m, sizeM);
      set(n, sizeN);
      // Without an instruction a step is what one access has of a row: lanes
      // hold all rows of it.
      int64_t longest =
          useMma ? 128 : std::max<int64_t>(1, 16 / elementBytes(0));
      SmallVector<int64_t> steps = sizesFor(k, longest, useMma);
      // What is walked along its result is not walked along K as well.
      SmallVector<int64_t> granules{useMma ? mmaGranule() : 1};
      if (useMma && isAttention) // as rows of scores they are of another size
        granules.push_back(mmaRows);
      for (int64_t granule : granules)
        if (int64_t whole = llvm::alignTo(extents[k], granule);
            isWalkedAlongResult && !user.tile("reduction", k, extents[k]) &&
            !llvm::is_contained(steps, whole))
          steps.push_back(whole);
      for (int64_t sizeK : steps) {
        set(k, sizeK);
        addCandidates(tile, useMma);
      }
    }
}

void ContractionRanker::rankInMemory() {
  std::optional<AttentionTile> most = tileInMemory(*features, target);
  if (!most)
    return;
  Tile tile{extents, {}};
  auto chosen = [&](StringRef kind, unsigned loop, int64_t size) {
    return user.tile(kind, loop, extents[loop]).value_or(size);
  };
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!isWhole(loop) && !llvm::is_contained(body.n, loop))
      tile.workgroup[loop] = chosen("workgroup", loop, 1);
  unsigned row = body.m.back(), key = body.k.back();
  if (!isWhole(row))
    tile.workgroup[row] =
        chosen("workgroup", row, evenTile(extents[row], most->rows, 6));
  tile.step = tile.workgroup;
  for (unsigned loop : body.k)
    tile.step[loop] = chosen("reduction", loop, 1);
  tile.step[key] =
      chosen("reduction", key, evenTile(extents[key], most->keys, 16));
  price(tile, nullptr, footprintOf(tile, nullptr, /*subgroups=*/1),
        /*subgroups=*/1, {});
}

/// An instruction beats everything where it neither spills nor unrolls to more
/// than the budget, so tiles that none fits are tried only where it does. Who
/// asks for an instruction gets no other way.
void ContractionRanker::rank() {
  if (!target.mma.empty() && matchContraction(op))
    rank(/*useMma=*/true);
  bool needsMma = user.config && user.config.getMmaKind();
  bool isEnough = !ranking.empty() && ranking.winner().fits &&
                  !ranking.winner().overBudget && ranking.winner().spilled == 0;
  if (!isEnough && !needsMma)
    isInMemory() ? rankInMemory() : rank(/*useMma=*/false);
}

void distaff::rankContraction(const FusedGroup &group, const Target &target,
                              const UserChoices &user, Ranking &ranking) {
  ContractionRanker(group, target, user, ranking).rank();
}
