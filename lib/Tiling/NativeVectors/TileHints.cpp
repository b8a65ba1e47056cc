//===- TileHints.cpp - Preferred tiles of a root --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Cone.h"
#include <numeric>

using namespace distaff;
using namespace distaff::vectortiles;

void TileHints::merge(const TileHints &other) {
  for (size_t dim = 0; dim < isRow.size(); ++dim) {
    isRow[dim] |= other.isRow[dim];
    if (other.most[dim])
      most[dim] =
          most[dim] ? std::min(most[dim], other.most[dim]) : other.most[dim];
    multiple[dim] = std::lcm(multiple[dim], other.multiple[dim]);
    isReducedBeside[dim] |= other.isReducedBeside[dim];
  }
  reducedElements = std::max(reducedElements, other.reducedElements);
  accumulators = std::max(accumulators, other.accumulators);
  granule = std::max(granule, other.granule);
  if (other.ordered)
    ordered = other.ordered;
  for (const OrderedScan &scan : other.scans)
    if (llvm::none_of(scans, [&](const OrderedScan &known) {
          return known.op == scan.op;
        }))
      scans.push_back(scan);
  reads += other.reads;
  isScattered |= other.isScattered;
}

void TileHints::limit(int dim, int64_t size) {
  if (dim < 0)
    return;
  most[dim] = most[dim] ? std::min(most[dim], size) : size;
}

/// Limits the register tile of a contraction on lanes: accumulators are a third
/// of the registers, in a square that needs as many rows as columns.
void TileHints::limitContraction(Operation *op, ArrayRef<int> dims,
                                 const Machine &machine) {
  constexpr int64_t most = 32; // per lane
  int64_t accumulators = std::min<int64_t>(
      llvm::bit_floor(uint64_t(std::max<int64_t>(machine.registers / 3, 1))),
      most);
  this->accumulators = accumulators;
  if (machine.matrixSteps(op))
    granule = 32; // rows and columns of any instruction
  int64_t elements = accumulators * machine.pieceElements;
  int64_t side = int64_t(1) << llvm::Log2_64_Ceil(elements) / 2;
  for (int dim : dims.take_back(2)) {
    limit(dim, side);
    side = std::max<int64_t>(elements / side, 1);
  }
}

/// Sets the elements that lanes combine at a time: along contiguous rows as
/// many as are read at once, along other dims some of a lane's own.
void TileHints::limitReduction(VectorType source, ArrayRef<bool> reduced,
                               ArrayRef<int> dims, const Machine &machine) {
  constexpr int64_t perLane = 4;
  int64_t elements =
      reduced.back() ? machine.subgroupLanes() * perLane : perLane;
  int64_t most = 1;
  for (auto [dim, isReduced] : llvm::enumerate(reduced))
    if (isReduced)
      most *= source.getDimSize(dim);
  reducedElements =
      std::max(reducedElements, std::min(elements, Machine::evenExtent(most)));
  for (int dim : dims)
    if (dim >= 0)
      isReducedBeside[dim] = true;
}
