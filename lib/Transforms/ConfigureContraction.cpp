//===- ConfigureContraction.cpp - Tiles and MMA of a contraction ----------===//
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
// counts both. Tiles that do not divide the extents are no candidates.
//
//===----------------------------------------------------------------------===//
#include "ConfigureUnrolled.h"
#include "ContractionBody.h"
#include "distaff/Analysis/ContractionChoice.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;

namespace {
/// One tile of the contraction, per loop of the root.
struct Tile {
  SmallVector<int64_t> workgroup; // K loops at their full extent
  SmallVector<int64_t> step;      // as workgroup, K loops at one step
};

/// What one workgroup holds of one tile.
struct Footprint {
  int64_t accBytes;
  int64_t stepBytes[2]; // of lhs and rhs, one step of K
  int64_t words[2];     // per lane, in the layout that the product wants
  int64_t registers;    // per lane
};

class ContractionRanker {
public:
  ContractionRanker(const FusedGroup &group, const Target &target,
                    const UserChoices &user)
      : group(group), target(target), user(user), root(*group.root()),
        mostRegisters(target.registersPerLane * 3 / 4),
        op(cast<linalg::LinalgOp>(root.op)), body(*matchContraction(op)),
        extents(op.getStaticLoopRanges()) {
    maps = op.getIndexingMapsArray();
  }

  Ranking rank();

private:
  SmallVector<int64_t> sizesFor(unsigned loop, int64_t most) const;
  int64_t elementBytes(unsigned operand) const;
  int64_t tileBytes(unsigned operand, ArrayRef<int64_t> tile) const;
  ContractionProblem problemFor(ArrayRef<int64_t> tile) const;
  void addCandidates(const Tile &tile, bool useMma, Ranking &ranking);
  Ranking rank(bool useMma);
  int64_t meetingCost(const ContractionCandidate &choice,
                      int64_t accBytes) const;
  std::optional<Footprint> footprintOf(const Tile &tile,
                                       const ContractionCandidate *choice,
                                       int64_t lanes) const;
  int64_t operandCost(const Footprint &footprint, unsigned operand,
                      bool promoted, int64_t subgroups) const;
  Candidate describe(const Tile &tile, const ContractionCandidate *choice,
                     ArrayRef<int64_t> promoted) const;
  void price(const Tile &tile, const ContractionCandidate *choice,
             int64_t subgroups, ArrayRef<int64_t> promoted, Ranking &ranking);

  const FusedGroup &group;
  const Target &target;
  const UserChoices &user;
  const GroupOp &root;
  int64_t mostRegisters; // per lane, that a candidate may take
  linalg::LinalgOp op;
  ContractionBody body;
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps;
};
} // namespace

/// Tile sizes worth trying along a loop: all of it, or a divisor that is a
/// multiple of 8, which every instruction of the tables wants.
SmallVector<int64_t> ContractionRanker::sizesFor(unsigned loop,
                                                 int64_t most) const {
  const LoopAxis &axis = group.axes()[root.axes[loop]];
  bool reduced = root.iterators[loop] == utils::IteratorType::reduction;
  if (std::optional<int64_t> tile =
          user.tile(reduced ? "reduction" : "workgroup", loop, extents[loop]))
    return {*tile};
  bool mayBeTiled = reduced ? axis.mayBeWalked() : axis.mayBeGridAxis();
  if (!mayBeTiled)
    return {extents[loop]};
  SmallVector<int64_t> sizes;
  for (int64_t size : divisors(extents[loop]))
    if (size <= most && size % 8 == 0)
      sizes.push_back(size);
  if (sizes.empty())
    for (int64_t size : divisors(extents[loop]))
      if (size <= most)
        sizes = {size};
  return sizes;
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
  ContractionProblem problem;
  problem.extents = llvm::to_vector(tile);
  for (utils::IteratorType iterator : root.iterators)
    problem.reduced.push_back(iterator == utils::IteratorType::reduction);
  problem.lhs = maps[0];
  problem.rhs = maps[1];
  problem.acc = maps[2];
  auto operandElement = [&](unsigned operand, ArrayRef<Operation *> chain) {
    // An exact extension is part of the instruction; other ops come before it.
    Type type = getElementTypeOrSelf(op->getOperand(operand).getType());
    for (Operation *link : chain)
      if (!isa<arith::ExtFOp, arith::ExtSIOp>(link))
        type = link->getResult(0).getType();
    return type;
  };
  problem.lhsElement = operandElement(0, body.lhsChain);
  problem.rhsElement = operandElement(1, body.rhsChain);
  problem.accElement = getElementTypeOrSelf(op->getOperand(2).getType());
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

/// Without an instruction, a lane computes a block of the result that is about
/// square, and holds the rows and columns of the operands that it takes.
static int64_t wordsOfSquareBlock(int64_t accWords, int64_t stepK) {
  int64_t side = 1;
  while (side * side < accWords)
    ++side;
  return side * stepK;
}

std::optional<Footprint> ContractionRanker::footprintOf(
    const Tile &tile, const ContractionCandidate *choice, int64_t lanes) const {
  Footprint result;
  result.accBytes = tileBytes(2, tile.workgroup);
  int64_t accWords = llvm::divideCeil(result.accBytes, 4 * lanes);
  int64_t stepK = 1;
  for (unsigned loop : body.k)
    stepK = saturatingProduct(stepK, tile.step[loop]);
  result.registers = accWords;
  for (unsigned operand : {0, 1}) {
    result.stepBytes[operand] = tileBytes(operand, tile.step);
    result.words[operand] =
        choice ? wordsPerLane(operand == 0 ? choice->lhs : choice->rhs,
                              elementBytes(operand))
               : wordsOfSquareBlock(accWords, stepK);
    result.registers +=
        result.words[operand] +
        int64_t(llvm::divideCeil(result.stepBytes[operand], 4 * lanes));
  }
  if (result.registers > mostRegisters)
    return std::nullopt;
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

/// Prices one tile on one instruction (null: on none), with the operands of
/// `promoted` in shared memory.
void ContractionRanker::price(const Tile &tile,
                              const ContractionCandidate *choice,
                              int64_t subgroups, ArrayRef<int64_t> promoted,
                              Ranking &ranking) {
  const int64_t lanes = subgroups * target.subgroupSize;
  std::optional<Footprint> footprint = footprintOf(tile, choice, lanes);
  if (!footprint)
    return;
  int64_t workgroups = 1, steps = 1, sharedBytes = 0, operands = 0;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    workgroups *= extents[loop] / tile.workgroup[loop];
    steps *= tile.workgroup[loop] / tile.step[loop];
  }
  for (unsigned operand : {0, 1}) {
    bool isPromoted = llvm::is_contained(promoted, operand);
    operands += operandCost(*footprint, operand, isPromoted, subgroups);
    sharedBytes += isPromoted ? footprint->stepBytes[operand] : 0;
  }
  // A quarter more for the padding that keeps accesses conflict-free.
  if (sharedBytes * 5 / 4 > target.sharedMemoryBytes)
    return;

  // Four instruction issuers share a compute unit.
  constexpr int64_t issuers = 4, fmaSlots = 2, memoryLatency = 400;
  int64_t compute =
      choice ? choice->cost : fmaSlots * saturatingProduct(tile.step) / lanes;
  int64_t barriers = promoted.empty() ? 0 : 2 * target.costs.barrier;
  int64_t throughput = steps * (compute * subgroups / issuers + operands) +
                       footprint->accBytes / target.globalMemory.sectorBytes *
                           target.globalMemory.sectorCost;
  if (choice)
    throughput += meetingCost(*choice, footprint->accBytes);
  int64_t latency = steps * (memoryLatency + barriers + compute);

  Candidate candidate = describe(tile, choice, promoted);
  candidate.workgroupSize = lanes;
  candidate.fits =
      !findMisfit(group, candidate.workgroupTiles, candidate.reductionTiles,
                  lanes * target.registersPerLane);
  candidate.cost = priceLaunch(target, workgroups, lanes, footprint->registers,
                               throughput, latency);
  llvm::raw_string_ostream(candidate.description)
      << ", " << subgroups << " subgroups, " << workgroups << " workgroups";
  priceUnrolledCode(group, target, candidate);
  ranking.add(std::move(candidate));
}

/// What a candidate fixes, without its price.
Candidate ContractionRanker::describe(const Tile &tile,
                                      const ContractionCandidate *choice,
                                      ArrayRef<int64_t> promoted) const {
  Candidate candidate;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    bool reduced = root.iterators[loop] == utils::IteratorType::reduction;
    candidate.workgroupTiles.push_back(reduced ? 0 : tile.workgroup[loop]);
    candidate.reductionTiles.push_back(reduced ? tile.step[loop] : 0);
  }
  candidate.promoted = llvm::to_vector(promoted);
  llvm::raw_string_ostream os(candidate.description);
  os << "tile ";
  llvm::interleave(tile.step, os, "x");
  if (!choice) {
    os << ", no MMA";
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

void ContractionRanker::addCandidates(const Tile &tile, bool useMma,
                                      Ranking &ranking) {
  SmallVector<SmallVector<int64_t>> promotions = {{0, 1}, {0}, {1}, {}};
  if (user.config && user.config.getAttributes().contains("promote_operands"))
    promotions = {user.config.getPromotedOperands()};
  SmallVector<int64_t> counts = {1, 2, 4, 8};
  // A tile that may not be cut and that no instruction fits may take them all.
  if (!useMma)
    for (int64_t count = 16;
         count * target.subgroupSize <= target.maxWorkgroupSize; count *= 2)
      counts.push_back(count);
  if (user.workgroupSize)
    counts = {user.workgroupSize / target.subgroupSize};
  for (int64_t subgroups : counts) {
    if (!useMma) {
      price(tile, nullptr, subgroups, {}, ranking);
      continue;
    }
    for (const ContractionCandidate &choice :
         enumerateMma(problemFor(tile.step), target, subgroups))
      for (ArrayRef<int64_t> promoted : promotions)
        price(tile, &choice, subgroups, promoted, ranking);
  }
}

Ranking ContractionRanker::rank(bool useMma) {
  Tile tile;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    bool isParallel = root.iterators[loop] == utils::IteratorType::parallel;
    tile.workgroup.push_back(isParallel ? sizesFor(loop, 1).front()
                                        : extents[loop]);
  }
  // Of several m, n or k loops the innermost is tiled; of the outer ones, a
  // workgroup takes one row (m, n) or walks them one at a time (k).
  unsigned m = body.m.back(), n = body.n.back(), k = body.k.back();
  Ranking ranking;
  for (int64_t sizeM : sizesFor(m, 256))
    for (int64_t sizeN : sizesFor(n, 256))
      for (int64_t sizeK : sizesFor(k, useMma ? 128 : 16)) {
        tile.workgroup[m] = sizeM;
        tile.workgroup[n] = sizeN;
        tile.step = tile.workgroup;
        for (unsigned loop : body.k)
          tile.step[loop] = sizesFor(loop, 1).front();
        tile.step[k] = sizeK;
        addCandidates(tile, useMma, ranking);
      }
  return ranking;
}

/// An instruction beats everything, so tiles that none fits are tried only if
/// none fits any; and registers that spill beat a refusal. Who asks for an
/// instruction gets no other way.
Ranking ContractionRanker::rank() {
  bool needsMma = user.config && user.config.getMmaKind();
  Ranking ranking = rank(/*useMma=*/true);
  if (ranking.empty() && !needsMma)
    ranking = rank(/*useMma=*/false);
  if (ranking.empty()) {
    mostRegisters = 4 * target.registersPerLane;
    ranking = rank(/*useMma=*/needsMma);
  }
  return ranking;
}

Ranking distaff::rankContraction(const FusedGroup &group, const Target &target,
                                 const UserChoices &user) {
  return ContractionRanker(group, target, user).rank();
}
