//===- AttentionSteps.cpp - Tiles along the keys of an attention ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AttentionSteps.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;

ContractionProblem distaff::problemOf(const GroupOp &groupOp,
                                      const ContractionBody &body,
                                      ArrayRef<int64_t> tile) {
  auto op = cast<linalg::LinalgOp>(groupOp.op);
  ContractionProblem problem;
  problem.extents = llvm::to_vector(tile);
  for (utils::IteratorType iterator : groupOp.iterators)
    problem.reduced.push_back(iterator == utils::IteratorType::reduction);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  problem.lhs = maps[0];
  problem.rhs = maps[1];
  problem.acc = maps[2];
  auto factor = [&](unsigned operand, ArrayRef<Operation *> chain) {
    return Multiplicand::get(
        getElementTypeOrSelf(op->getOperand(operand).getType()), chain);
  };
  problem.lhsFactor = factor(0, body.lhsChain);
  problem.rhsFactor = factor(1, body.rhsChain);
  problem.mayDropBits = mayDropBits(op);
  problem.accElement = getElementTypeOrSelf(op->getOperand(2).getType());
  return problem;
}

const MmaRow *distaff::instructionOf(const FusedGroup &group,
                                     const GroupOp &groupOp,
                                     ArrayRef<int64_t> held,
                                     const Target &target) {
  std::optional<ContractionBody> body = matchContraction(groupOp.op);
  if (!body)
    return nullptr;
  SmallVector<int64_t> sizes;
  for (auto [axis, iterator] :
       llvm::zip_equal(groupOp.axes, groupOp.iterators)) {
    bool isPadded = iterator == utils::IteratorType::reduction &&
                    !group.root()->loopOf(axis);
    sizes.push_back(isPadded ? llvm::alignTo(held[axis], mmaRows) : held[axis]);
  }
  std::vector<ContractionCandidate> choices =
      enumerateMma(problemOf(groupOp, *body, sizes), target, 1);
  return choices.empty() ? nullptr : choices.front().row;
}

bool distaff::suitsScores(const FusedGroup &group, ArrayRef<int64_t> held,
                          const Target &target) {
  SmallVector<int64_t> rounded;
  for (int64_t extent : held)
    rounded.push_back(llvm::alignTo(extent, mmaRows));
  return llvm::all_of(group.ops(), [&](const GroupOp &groupOp) {
    return !groupOp.contracts || &groupOp == group.root() ||
           instructionOf(group, groupOp, held, target) ||
           !instructionOf(group, groupOp, rounded, target);
  });
}

AttentionWords distaff::attentionWords(const FusedGroup &group,
                                       const ContractionBody &body,
                                       ArrayRef<int64_t> step,
                                       const MmaRow &row, int64_t lanes,
                                       bool holdsSteps) {
  constexpr int64_t ofFew = 32;
  auto bytesOf = [&](unsigned operand) {
    return int64_t(llvm::divideCeil(
        getElementTypeOrSelf(group.root()->op->getOperand(operand))
            .getIntOrFloatBitWidth(),
        8));
  };
  int64_t rows = 1, features = 1, keys = 1, depth = 1;
  for (unsigned loop : body.m)
    rows = saturatingProduct(rows, step[loop]);
  for (unsigned loop : body.n)
    features = saturatingProduct(features, step[loop]);
  for (unsigned loop : body.k)
    keys = saturatingProduct(keys, step[loop]);
  for (const GroupOp &groupOp : group.ops())
    if (groupOp.contracts && &groupOp != group.root())
      for (auto [axis, iterator] :
           llvm::zip_equal(groupOp.axes, groupOp.iterators))
        if (iterator == utils::IteratorType::reduction)
          depth = saturatingProduct(depth, group.axes()[axis].extent);
  auto wordsOf = [&](int64_t columns, int64_t bytes) {
    return llvm::divideCeil(
        saturatingProduct(saturatingProduct(rows, columns), bytes), 4 * lanes);
  };
  // Rows that begin between words are loaded element by element, all at once.
  int64_t single = 0;
  for (int64_t row : {depth, features})
    if (row * bytesOf(1) % 4 != 0)
      single = std::max<int64_t>(
          single, llvm::divideCeil(saturatingProduct(keys, row), lanes));
  int64_t ofStep = llvm::divideCeil(
      saturatingProduct(keys, std::max(depth, features)) * bytesOf(1),
      4 * row.subgroupSize);
  int64_t fragments = holdsSteps ? std::max(ofFew, ofStep) : ofFew;
  int64_t copies =
      std::max<int64_t>(1, row.fragmentA.numRegisters() * row.subgroupSize /
                               (row.blocks * row.m * row.k));
  // Keys and values are staged for shared memory before there are powers.
  int64_t staged = llvm::divideCeil(
      saturatingProduct(keys, saturatingSum(depth, features)) * bytesOf(1),
      4 * lanes);
  int64_t ofPowers = copies * int64_t(wordsOf(keys, bytesOf(0)));
  return {int64_t(wordsOf(features, 4) + wordsOf(keys, 4)), copies * fragments,
          copies * int64_t(wordsOf(depth, bytesOf(0))) +
              std::max(ofPowers, staged - copies * fragments) + single};
}

std::optional<AttentionTile> distaff::tileInMemory(int64_t features,
                                                   const Target &target) {
  constexpr int64_t room = 448 << 10; // of 512 KiB
  AttentionTile tile{48, 64};
  // Scores and powers, rows and results; keys twice, and values.
  auto fits = [&] {
    int64_t bytes =
        saturatingSum(saturatingProduct(4 * tile.rows,
                                        saturatingSum(2 * tile.keys, features)),
                      saturatingProduct(8 * tile.keys, features));
    return bytes <= room &&
           saturatingProduct(tile.keys, features) <= attentionElements(target);
  };
  while (!fits() && tile.keys > 8) {
    tile.keys /= 2;
    tile.rows = std::max<int64_t>(6, tile.rows / 2);
  }
  return fits() ? std::optional(tile) : std::nullopt;
}

int64_t distaff::productsBeside(const FusedGroup &group,
                                ArrayRef<int64_t> held) {
  auto pointsOf = [&](const GroupOp &groupOp) {
    int64_t points = 1;
    for (unsigned axis : groupOp.axes)
      points = saturatingProduct(points, held[axis]);
    return points;
  };
  const GroupOp &root = *group.root();
  int64_t others = 0, own = std::max<int64_t>(1, pointsOf(root));
  for (const GroupOp &groupOp : group.ops())
    if (groupOp.contracts && groupOp.op != root.op)
      others += llvm::divideCeil(pointsOf(groupOp), own);
  return others;
}

int64_t distaff::evenTile(int64_t extent, int64_t most, int64_t granule) {
  assert(extent > 0 && most > 0 && granule > 0 && "tiles are of some elements");
  int64_t count = llvm::divideCeil(extent, most);
  int64_t even = llvm::alignTo(llvm::divideCeil(extent, count), granule);
  return std::min({extent, most, even});
}
