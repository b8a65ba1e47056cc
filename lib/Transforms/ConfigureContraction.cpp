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
#include "Configure.h"
#include "ContractionBody.h"
#include "distaff/Analysis/ContractionChoice.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;

namespace {
/// One tile of the contraction, per loop of the root.
struct Tile {
  SmallVector<int64_t> workgroup; // K loops at their full extent
  SmallVector<int64_t> step;      // as workgroup, K loops at one step
};

class ContractionRanker {
public:
  ContractionRanker(const FusedGroup &group, const Target &target,
                    LaunchShape shape)
      : group(group), target(target), shape(shape), root(*group.root()),
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
  void price(const Tile &tile, const ContractionCandidate *choice,
             int64_t subgroups, Ranking &ranking);

  const FusedGroup &group;
  const Target &target;
  LaunchShape shape;
  const GroupOp &root;
  linalg::LinalgOp op;
  ContractionBody body;
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps;
};
} // namespace

static int64_t product(ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

/// Tile sizes worth trying along a loop: all of it, or a divisor that is a
/// multiple of 8, which every instruction of the tables wants.
SmallVector<int64_t> ContractionRanker::sizesFor(unsigned loop,
                                                 int64_t most) const {
  const LoopAxis &axis = group.axes()[root.axes[loop]];
  bool mayBeTiled = root.iterators[loop] == utils::IteratorType::parallel
                        ? axis.mayBeGridAxis()
                        : axis.mayBeWalked();
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
      bytes *= tile[loop];
  return bytes;
}

ContractionProblem
ContractionRanker::problemFor(ArrayRef<int64_t> tile) const {
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

/// Prices one tile on one instruction.
void ContractionRanker::price(const Tile &tile,
                              const ContractionCandidate *choice,
                              int64_t subgroups, Ranking &ranking) {
  const int64_t lanes = subgroups * target.subgroupSize;
  const GlobalMemoryModel &global = target.globalMemory;
  int64_t workgroups = 1, steps = 1;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    workgroups *= extents[loop] / tile.workgroup[loop];
    steps *= tile.workgroup[loop] / tile.step[loop];
  }

  int64_t accBytes = tileBytes(2, tile.workgroup);
  int64_t stepBytes[2] = {tileBytes(0, tile.step), tileBytes(1, tile.step)};
  int64_t copyBytes = stepBytes[0] + stepBytes[1];
  // A quarter more for the padding that keeps accesses conflict-free.
  if (copyBytes * 5 / 4 > target.sharedMemoryBytes)
    return;
  // Without an instruction, a lane computes a block of the result that is about
  // square, and holds the rows and columns of the operands that it takes.
  int64_t points = product(tile.step);
  int64_t accWords = llvm::divideCeil(accBytes, 4 * lanes);
  int64_t stepK = 1;
  for (unsigned loop : body.k)
    stepK *= tile.step[loop];
  int64_t side = 1;
  while (side * side < accWords)
    ++side;
  int64_t operandWords = choice ? choice->operandWords : 2 * side * stepK;
  int64_t registers =
      accWords + operandWords + llvm::divideCeil(copyBytes, 4 * lanes);
  if (registers > target.registersPerLane * 3 / 4)
    return;

  // Four instruction issuers share a compute unit.
  constexpr int64_t issuers = 4, fmaSlots = 2;
  int64_t perSubgroup = choice ? choice->cost : fmaSlots * points / lanes;
  int64_t fragmentReads = subgroups * operandWords * target.costs.sharedWavefront;
  int64_t copies = copyBytes / global.sectorBytes * global.sectorCost;
  int64_t barriers = 2 * target.costs.barrier;
  int64_t store = accBytes / global.sectorBytes * global.sectorCost;
  int64_t throughput =
      steps * (perSubgroup * subgroups / issuers + fragmentReads + copies) +
      store;
  if (choice)
    throughput += meetingCost(*choice, accBytes);
  constexpr int64_t memoryLatency = 400;
  int64_t latency = steps * (memoryLatency + barriers + perSubgroup);

  Candidate candidate;
  candidate.workgroupSize = lanes;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    bool reduced = root.iterators[loop] == utils::IteratorType::reduction;
    candidate.workgroupTiles.push_back(reduced ? 0 : tile.workgroup[loop]);
    candidate.reductionTiles.push_back(reduced ? tile.step[loop] : 0);
  }
  if (choice) {
    candidate.subgroups = choice->subgroups;
    candidate.mma = choice->getKind(op.getContext());
    candidate.promoted = {0, 1};
  }
  candidate.cost = priceLaunch(target, workgroups, lanes, registers, throughput,
                               latency);
  llvm::raw_string_ostream os(candidate.description);
  os << "tile ";
  llvm::interleave(tile.step, os, "x");
  os << ", " << subgroups << " subgroups, "
     << (choice ? choice->describe() : std::string("no MMA")) << ", "
     << workgroups << " workgroups";
  ranking.add(std::move(candidate));
}

void ContractionRanker::addCandidates(const Tile &tile, bool useMma,
                                      Ranking &ranking) {
  SmallVector<int64_t> counts = {1, 2, 4, 8};
  if (shape.workgroupSize)
    counts = {shape.workgroupSize / target.subgroupSize};
  for (int64_t subgroups : counts) {
    if (!useMma) {
      price(tile, nullptr, subgroups, ranking);
      continue;
    }
    for (const ContractionCandidate &choice :
         enumerateMma(problemFor(tile.step), target, subgroups))
      price(tile, &choice, subgroups, ranking);
  }
}

Ranking ContractionRanker::rank(bool useMma) {
  Tile tile;
  for (unsigned loop = 0; loop < extents.size(); ++loop) {
    bool isGrid = group.axes()[root.axes[loop]].mayBeGridAxis();
    tile.workgroup.push_back(isGrid ? 1 : extents[loop]);
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
/// none fits any.
Ranking ContractionRanker::rank() {
  Ranking ranking = rank(/*useMma=*/true);
  return ranking.empty() ? rank(/*useMma=*/false) : ranking;
}

Ranking distaff::rankContraction(const FusedGroup &group, const Target &target,
                                 LaunchShape shape) {
  return ContractionRanker(group, target, shape).rank();
}
