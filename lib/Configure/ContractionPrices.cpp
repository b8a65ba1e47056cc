//===- ContractionPrices.cpp - Prices of a contraction's tiles ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ContractionRanker.h"
#include "Unrolled.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace distaff;

/// Returns the cost of subgroups that split a dim of the result that ops of the
/// group reduce: each of these ops exchanges through shared memory.
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

/// Returns the elements of one operand that a lane holds, in 32-bit words.
int64_t ContractionRanker::wordsPerLane(const ContractionCandidate &choice,
                                        unsigned operand) const {
  int64_t elements = elementBytes[operand];
  for (const NestedDim &dim : (operand == 0 ? choice.lhs : choice.rhs).dims)
    elements = saturatingProduct(elements, dim.batchTile * dim.outerTile *
                                               dim.elementTile);
  return llvm::divideCeil(elements, 4);
}

/// Returns how often the product is computed if a dim of it is sequential: once
/// for each op that reduces along it.
int64_t ContractionRanker::passes(const ContractionTile &tile) const {
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

/// Returns the most elements of one op that a workgroup may hold.
int64_t ContractionRanker::mostElements(const ContractionTile &tile,
                                        int64_t lanes) const {
  if (isInMemory())
    return attentionElements(target);
  return lanes * target.registersPerLane +
         matrices.elementsOf(tile.workgroup, tile.step);
}

/// Counts the words that a lane holds of the operands of one step.
void ContractionRanker::countOperands(TileFootprint &footprint,
                                      const ContractionTile &tile,
                                      const ContractionCandidate *choice,
                                      const Sharing &sharing,
                                      int64_t lanes) const {
  int64_t steps = 1;
  if (choice)
    for (unsigned loop : body.k)
      steps = saturatingProduct(steps, tile.step[loop]);
  steps = choice ? std::max<int64_t>(1, steps / choice->row->k) : 1;
  for (unsigned operand : {0, 1}) {
    footprint.stepBytes[operand] = tileBytes(operand, tile.step);
    footprint.words[operand] =
        choice ? wordsPerLane(*choice, operand)
               : llvm::divideCeil(sharing.perLane(axesOf(root, maps[operand])) *
                                      elementBytes[2],
                                  4);
    footprint.fragments[operand] = llvm::divideCeil(
        footprint.words[operand] * std::min<int64_t>(steps, 2), steps);
    footprint.staged[operand] =
        llvm::divideCeil(footprint.stepBytes[operand], 4 * lanes);
  }
}

TileFootprint ContractionRanker::footprintOf(const ContractionTile &tile,
                                             const ContractionCandidate *choice,
                                             int64_t subgroups) const {
  Candidate candidate = tiledBy(tile);
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
  SmallVector<int64_t> held = heldPerAxis(group, tile.workgroup, tile.step);
  TileFootprint result;
  result.accBytes = tileBytes(2, tile.step);
  result.accElements = sharing.perLane(axesOf(root, maps[2]));
  result.busyLanes = choice ? lanes : sharing.busyLanes(axesOf(root, maps[2]));
  countOperands(result, tile, choice, sharing, lanes);
  result.fits =
      !findMisfit(group, candidate.workgroupTiles, candidate.reductionTiles,
                  mostElements(tile, lanes)) &&
      !findNestedWalk(group, candidate.workgroupTiles,
                      candidate.reductionTiles);
  result.sums = llvm::divideCeil(result.accElements * elementBytes[2], 4);
  result.attention = {};
  if (choice && isAttention) {
    result.attention =
        attentionWords(group, body, tile.step, *choice->row, lanes,
                       /*holdsSteps=*/user.phases.clusters > 1);
    result.sums = result.attention.sums;
    result.registers.atRoot = result.sums + result.attention.others;
  } else {
    result.registers = registers.demand(sharing, [&](const GroupOp &each) {
      return !choice ||
             (each.op != root.op && !instructionOf(group, each, held, target));
    });
  }
  result.productsBeside = productsBeside(group, held);
  result.singleWordsBeside = singleWordsBeside(group, held, lanes);
  result.unrolled = isInMemory()
                        ? 0
                        : unrolledOperations(group, target,
                                             {candidate.workgroupTiles,
                                              candidate.reductionTiles, lanes,
                                              choice ? choice->row : nullptr});
  return result;
}

/// Returns the bytes that a lane reads at once of an operand straight from
/// global memory, and the lines that all lanes touch then (VX-293): one for
/// each row of the instruction's fragment, where rows are no shorter than a
/// line.
std::pair<int64_t, int64_t>
ContractionRanker::directRead(unsigned operand,
                              const ContractionCandidate *choice) const {
  // Neighbors along k share an access if they are contiguous in memory; else
  // each takes a load of its own.
  AffineMap map = maps[operand];
  unsigned inner = map.getDimPosition(map.getNumResults() - 1);
  bool contiguous = llvm::is_contained(body.k, inner);
  int64_t laneBytes = contiguous ? 4 : elementBytes[operand];
  if (!choice)
    return {laneBytes, 1};
  const NestedLayout &layout = operand == 0 ? choice->lhs : choice->rhs;
  int64_t rowBytes = 16;
  if (contiguous && layout.rank() == map.getNumResults()) {
    const NestedDim &dim = layout[layout.rank() - 1];
    laneBytes = std::clamp(dim.elementTile * elementBytes[operand], laneBytes,
                           target.globalMemory.maxAccessBits / 8);
    rowBytes = dim.threadTile * laneBytes;
  }
  int64_t lineBytes = target.globalMemory.lineBytes;
  int64_t ofLine = std::min(
      saturatingProduct(extents[inner], elementBytes[operand]), lineBytes);
  int64_t rows = laneBytes * target.subgroupSize / rowBytes;
  return {laneBytes, llvm::divideCeil(rows * ofLine, lineBytes)};
}

/// Returns the slots to bring one step of an operand to the lanes that multiply
/// it: through shared memory, read once for all subgroups, or straight from
/// global memory, where each subgroup reads its own part by the instruction's
/// fragments. Promoted operands count no lines: their rows are read whole.
int64_t ContractionRanker::operandCost(
    int64_t words, int64_t stepBytes, unsigned operand, bool promoted,
    int64_t subgroups, const ContractionCandidate *choice) const {
  const GlobalMemoryModel &global = target.globalMemory;
  if (promoted)
    return stepBytes / global.sectorBytes * global.sectorCost +
           2 * subgroups * words * target.costs.sharedWavefront;
  auto [laneBytes, lines] = directRead(operand, choice);
  int64_t loads = llvm::divideCeil(words * 4, laneBytes);
  int64_t bytes = loads * std::max<int64_t>(4, laneBytes) * target.subgroupSize;
  int64_t access = global.issueCost + target.costOfAccess(lines) -
                   target.costOfAccess(/*lines=*/1);
  return subgroups *
         (loads * access + bytes / global.sectorBytes * global.sectorCost);
}

/// Returns the cycles until a step's operands are loaded. Where barriers hold
/// loads back, each promoted one has a memory latency of its own (VX-292).
static int64_t latencyOfLoads(const Target &target, int64_t promoted) {
  int64_t trips =
      target.barriers.holdsLoads ? std::max<int64_t>(1, promoted) : 1;
  return trips * target.globalMemory.latency;
}

/// Returns the workgroups, and the steps of each one, where a partial last step
/// counts as its fraction.
std::pair<int64_t, double>
ContractionRanker::workgroupsAndSteps(const ContractionTile &tile) const {
  int64_t workgroups = 1;
  double steps = passes(tile);
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    workgroups *= llvm::divideCeil(extents[loop], tile.workgroup[loop]);
    steps *=
        std::max(1.0, double(tile.workgroup[loop]) / double(tile.step[loop]));
  }
  return {workgroups, steps};
}

/// Returns the registers per lane for the operands of the root's instruction
/// (VX-256): the fragments of one step of it, and of the next, which is loaded
/// meanwhile, and data staged for shared memory. Operands that come straight
/// from global memory are loaded as early as possible, for a whole step.
int64_t ContractionRanker::operandWords(const TileFootprint &footprint,
                                        ArrayRef<int64_t> promoted) const {
  int64_t words = footprint.attention.fragments;
  for (unsigned operand : {0u, 1u})
    words += isAttention ? 0
             : llvm::is_contained(promoted, operand)
                 ? footprint.fragments[operand] + footprint.staged[operand]
                 : footprint.words[operand];
  return words;
}

/// Returns whether an instruction's tile takes only sums and fragments: tiles
/// that end past an extent compare positions and read element by element.
bool ContractionRanker::isCounted(const ContractionTile &tile) const {
  for (auto [loop, axis] : llvm::enumerate(root.axes))
    if (group.axes()[axis].isDynamic || extents[loop] % tile.step[loop] != 0)
      return false;
  return !readSingly[0] && !readSingly[1];
}

/// Sets a candidate's registers, and the number that is spilled.
void ContractionRanker::predictSpills(Candidate &candidate,
                                      const ContractionTile &tile,
                                      const ContractionCandidate *choice,
                                      const TileFootprint &footprint,
                                      ArrayRef<int64_t> promoted) const {
  // Phases reserve registers for addresses of panels, and share the others with
  // other clusters and with producers (PCF-210).
  const PhaseDemand &phases = user.phases;
  int64_t lanes = saturatingProduct(candidate.workgroupSize,
                                    std::max<int64_t>(1, phases.clusters)) +
                  phases.producers * target.subgroupSize;
  int64_t reserved = phases.clusters > 0 ? target.overheadRegisters : 0;
  auto missing = [&](int64_t registers, int64_t room) {
    return std::max<int64_t>(0, registers + reserved - room);
  };
  if (std::optional<CoreStep> core = coreStep(tile)) {
    candidate.registers = core->words;
    candidate.spilled = missing(core->words, target.registersPerLane);
    return;
  }
  if (!choice) {
    candidate.registers = footprint.registers.with(0);
    candidate.spilled =
        missing(candidate.registers, target.plainRegistersFor(lanes));
    return;
  }
  int64_t single =
      isAttention ? 0
                  : singleWords(tile, footprint,
                                candidate.workgroupSize / target.subgroupSize,
                                promoted);
  if (single > 0 || !isCounted(tile)) {
    // All of a step is loaded, and packed, before it is multiplied, by
    // instructions for which accumulation registers are moved.
    int64_t operands = footprint.attention.fragments;
    for (unsigned operand : {0u, 1u})
      operands += isAttention
                      ? 0
                      : footprint.words[operand] + footprint.staged[operand];
    candidate.registers = footprint.registers.with(operands) + single;
    candidate.spilled = missing(candidate.registers,
                                single > 0 ? target.plainRegistersFor(lanes)
                                           : target.vectorRegistersFor(lanes));
    return;
  }
  int64_t operands = operandWords(footprint, promoted);
  candidate.registers = footprint.registers.with(operands);
  int64_t estimated = target.vectorRegistersFor(lanes),
          counted = target.countedRegistersFor(lanes);
  // Sums are moved to and fro if they leave operands no registers that all
  // instructions can use.
  candidate.spilled =
      std::max({missing(footprint.registers.elsewhere, estimated),
                missing(candidate.registers, std::max(estimated, counted)),
                missing(footprint.sums + operands, counted)});
}

/// Prices one tile on one instruction (null: on none), with the operands of
/// `promoted` in shared memory.
void ContractionRanker::price(const ContractionTile &tile,
                              const ContractionCandidate *choice,
                              const TileFootprint &footprint, int64_t subgroups,
                              ArrayRef<int64_t> promoted) {
  int64_t sharedBytes = 0, operands = 0;
  auto [workgroups, steps] = workgroupsAndSteps(tile);
  for (unsigned operand : {0, 1}) {
    bool isPromoted = llvm::is_contained(promoted, operand);
    operands +=
        operandCost(footprint.words[operand], footprint.stepBytes[operand],
                    operand, isPromoted, subgroups, choice);
    sharedBytes += isPromoted ? footprint.stepBytes[operand] : 0;
  }
  // A quarter more for the padding that avoids bank conflicts.
  if (sharedBytes * 5 / 4 > target.sharedMemoryBytes)
    return;
  Candidate candidate = tiledBy(tile);
  candidate.workgroupSize = subgroups * target.subgroupSize;

  int64_t stepK = 1;
  for (unsigned loop : body.k)
    stepK = saturatingProduct(stepK, tile.step[loop]);
  std::optional<CoreStep> core = coreStep(tile);
  if (core)
    operands = 0; // loaded while the core multiplies
  int64_t ofStep =
      core ? core->slots : target.issue.multiplyAdd * footprint.accElements;
  int64_t compute = saturatingProduct(choice ? choice->cost
                                             : saturatingProduct(ofStep, stepK),
                                      1 + footprint.productsBeside);
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
  int64_t latency =
      forAll(latencyOfLoads(target, promoted.size()) + barriers + compute);

  // Without an instruction, the product may change its layout to be written.
  bool fitsInMemory = choice || target.isHost() ||
                      footprint.accBytes * 5 / 4 <= target.sharedMemoryBytes;
  candidate.fits = fitsInMemory && footprint.fits;
  predictSpills(candidate, tile, choice, footprint, promoted);
  candidate.busyLanes = footprint.busyLanes;
  candidate.workgroups = workgroups;
  candidate.starves =
      workgroups > 1 && saturatingProduct(tile.workgroup) < target.subgroupSize;
  candidate.cost = priceLaunch(target, workgroups, candidate.workgroupSize,
                               candidate.registers, throughput, latency);
  candidate.unrolled = footprint.unrolled;
  candidate.number = candidateNumber++;
  ranking.addWork(saturatingProduct(workgroups, throughput) /
                  target.computeUnits);
  ranking.add(std::move(candidate), [&](Candidate &kept) {
    describe(kept, tile, choice, promoted, subgroups);
  });
}

/// Returns the additional 32-bit registers per lane of a step's operands, until
/// elements that were loaded one by one are packed: with an address each.
int64_t ContractionRanker::singleWords(const ContractionTile &tile,
                                       const TileFootprint &footprint,
                                       int64_t subgroups,
                                       ArrayRef<int64_t> promoted) const {
  // Registers for the rows' positions and the checks past their ends.
  constexpr int64_t ofPlaces = 48;
  int64_t words = 0;
  for (unsigned operand : {0u, 1u}) {
    int64_t bytes = elementBytes[operand];
    if (!readSingly[operand])
      continue;
    int64_t held = llvm::is_contained(promoted, operand)
                       ? llvm::divideCeil(footprint.stepBytes[operand],
                                          4 * subgroups * target.subgroupSize)
                       : footprint.words[operand];
    words += 2 * held * (4 / bytes - 1);
  }
  words += footprint.singleWordsBeside;
  return words > 0 ? words + ofPlaces : 0;
}

/// Returns a step of the tile on a core; none on a GPU, and none for an
/// attention that is not in memory, which holds more than its sums.
std::optional<CoreStep>
ContractionRanker::coreStep(const ContractionTile &tile) const {
  if (!target.isHost() || maps[2].getNumResults() == 0)
    return std::nullopt;
  if (isInMemory())
    return stepInMemory(target, tileBytes(2, tile.step) / elementBytes[2]);
  if (isAttention)
    return std::nullopt;
  if (const PackedDot *dot = matrices.dotOf(tile.workgroup, tile.step))
    return stepOnMatrices(target, tile.step[body.m.back()],
                          tile.step[body.n.back()], dot->partsPerWord());
  unsigned row = maps[2].getDimPosition(maps[2].getNumResults() - 1);
  int64_t rows = 1;
  for (unsigned dim = 0; dim + 1 < maps[2].getNumResults(); ++dim)
    rows = saturatingProduct(rows, tile.step[maps[2].getDimPosition(dim)]);
  bool isFused = isa<FloatType>(getElementTypeOrSelf(op->getOperand(2)));
  return stepOnCore(target, rows, tile.step[row], elementBytes[2], isFused);
}
