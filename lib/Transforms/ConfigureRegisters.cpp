//===- ConfigureRegisters.cpp - Registers that tiles will need ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prediction from tiles alone, before there are vectors: the ops of the group
// run in program order, and what they make lives until its last reader. Lanes
// share an axis in equal parts, so a prime extent of 67 that 32 lanes cannot
// divide is 67 registers of one lane, not 3 of each.
//
//===----------------------------------------------------------------------===//
#include "Configure.h"
#include "ContractionBody.h"

using namespace distaff;

int64_t distaff::largestDivisor(int64_t value, int64_t most) {
  for (int64_t divisor = std::min(value, most); divisor > 1; --divisor)
    if (value % divisor == 0)
      return divisor;
  return 1;
}

Sharing::Sharing(const FusedGroup &group, ArrayRef<int64_t> workgroupTiles,
                 ArrayRef<int64_t> serialTiles, HardwareShape hardware)
    : hardware(hardware) {
  for (const LoopAxis &axis : group.axes())
    held.push_back(axis.extent);
  for (ArrayRef<int64_t> tiles : {workgroupTiles, serialTiles})
    for (auto [axis, size] : llvm::zip(group.root()->axes, tiles))
      if (size > 0)
        held[axis] = std::min(held[axis], size);
  lanes.assign(held.size(), 0);
}

/// Lanes take neighbours in memory, subgroups what is far apart.
SmallVector<int64_t> Sharing::lanesAlong(ArrayRef<unsigned> axes) const {
  int64_t left = hardware.lanes * hardware.subgroups;
  SmallVector<int64_t> result, rest;
  for (unsigned axis : axes) {
    result.push_back(std::max<int64_t>(1, lanes[axis]));
    rest.push_back(lanes[axis] == 0 ? held[axis] : 1);
    left = std::max<int64_t>(1, left / result.back());
  }
  auto take = [&](size_t i, int64_t &units) {
    int64_t part = largestDivisor(rest[i], units);
    result[i] *= part;
    rest[i] /= part;
    units /= part;
  };
  int64_t subgroupLanes = std::min(left, hardware.lanes);
  int64_t subgroups = left / subgroupLanes;
  for (size_t i = 0; i < axes.size(); ++i)
    take(i, subgroupLanes);
  for (size_t i = axes.size(); i-- > 0;)
    take(i, subgroups);
  return result;
}

void Sharing::share(ArrayRef<unsigned> axes) {
  for (auto [axis, count] : llvm::zip_equal(axes, lanesAlong(axes)))
    lanes[axis] = count;
}

int64_t Sharing::perLane(ArrayRef<unsigned> axes) const {
  int64_t elements = 1;
  for (auto [axis, count] : llvm::zip_equal(axes, lanesAlong(axes)))
    elements = saturatingProduct(elements,
                                 int64_t(llvm::divideCeil(held[axis], count)));
  return elements;
}

int64_t Sharing::busyLanes(ArrayRef<unsigned> axes) const {
  int64_t busy = 1;
  for (int64_t count : lanesAlong(axes))
    busy *= count;
  return busy;
}

namespace {
/// Lives and sizes of what the ops of a group make.
class Lifetimes {
public:
  Lifetimes(const FusedGroup &group, const Sharing &sharing,
            std::optional<int64_t> rootOperands)
      : group(group), sharing(sharing), rootOperands(rootOperands) {}

  int64_t most() {
    findLastReaders();
    int64_t live = 0, most = 0;
    for (auto [index, groupOp] : llvm::enumerate(group.ops())) {
      if (isa<linalg::FillOp>(groupOp.op))
        continue; // a constant
      for (auto [result, map] :
           llvm::zip_equal(groupOp.op->getResults(), groupOp.resultMaps))
        live += wordsOf(groupOp, map, result);
      most = std::max(most, live + operandWords(groupOp) + partials(groupOp));
      live -= endingAt(index);
    }
    return most;
  }

private:
  void findLastReaders() {
    for (auto [index, groupOp] : llvm::enumerate(group.ops())) {
      for (Value result : groupOp.op->getResults())
        lastReader[result] = index;
      for (Value operand : groupOp.op->getOperands())
        if (lastReader.contains(operand))
          lastReader[operand] = index;
    }
  }

  /// The axes of what `map` selects, innermost first: lanes take neighbours.
  static SmallVector<unsigned> axesOf(const GroupOp &groupOp, AffineMap map) {
    SmallVector<unsigned> axes;
    for (AffineExpr expr : llvm::reverse(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        axes.push_back(groupOp.axes[dim.getPosition()]);
    return axes;
  }

  /// 32-bit registers of a value of the element type of `typed`.
  static int64_t wordsOf(const Sharing &sharing, ArrayRef<unsigned> axes,
                         Value typed) {
    Type element = getElementTypeOrSelf(typed.getType());
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    // More than any register file is enough to know.
    constexpr int64_t enough = int64_t(1) << 32;
    return llvm::divideCeil(std::min(sharing.perLane(axes), enough) * bits, 32);
  }

  int64_t wordsOf(const GroupOp &groupOp, AffineMap map, Value value) const {
    return wordsOf(sharing, axesOf(groupOp, map), value);
  }

  /// What an op reads that no op of the group makes; it is in registers only
  /// while the op runs.
  int64_t operandWords(const GroupOp &groupOp) const {
    if (rootOperands && groupOp.op == group.root()->op)
      return *rootOperands;
    if (!rootOperands && matchContraction(groupOp.op))
      return factorWords(groupOp);
    int64_t words = 0;
    auto op = cast<DestinationStyleOpInterface>(groupOp.op);
    for (OpOperand *operand : op.getDpsInputOperands()) {
      bool isScalar = !isa<ShapedType>(operand->get().getType());
      if (!isScalar && !lastReader.contains(operand->get()))
        words +=
            wordsOf(groupOp, groupOp.operandMaps[operand->getOperandNumber()],
                    operand->get());
    }
    return words;
  }

  /// What a lane needs of the factors of a product that no instruction
  /// computes: rows and columns of its own part of the result, for every K.
  int64_t factorWords(const GroupOp &groupOp) const {
    Sharing own = sharing;
    for (auto [axis, iterator] :
         llvm::zip_equal(groupOp.axes, groupOp.iterators))
      own.share(axis, iterator == utils::IteratorType::reduction);
    own.share(axesOf(groupOp, groupOp.resultMaps[0]));
    int64_t words = 0;
    for (unsigned operand : {0, 1})
      words += wordsOf(own, axesOf(groupOp, groupOp.operandMaps[operand]),
                       groupOp.op->getResult(0));
    return words;
  }

  /// A reduction that is walked keeps one partial result per element of a
  /// step; a contraction adds into its result.
  int64_t partials(const GroupOp &groupOp) const {
    bool isWalked = false;
    for (auto [axis, iterator] :
         llvm::zip_equal(groupOp.axes, groupOp.iterators))
      isWalked |= iterator == utils::IteratorType::reduction &&
                  sharing.heldAlong(axis) < group.axes()[axis].extent;
    if (!isWalked || matchContraction(groupOp.op))
      return 0;
    AffineMap all = AffineMap::getMultiDimIdentityMap(groupOp.iterators.size(),
                                                      groupOp.op->getContext());
    int64_t words = 0;
    for (Value result : groupOp.op->getResults())
      words += wordsOf(groupOp, all, result);
    return words;
  }

  int64_t endingAt(size_t index) const {
    int64_t words = 0;
    for (const GroupOp &groupOp : group.ops()) {
      if (isa<linalg::FillOp>(groupOp.op))
        continue;
      for (auto [result, map] :
           llvm::zip_equal(groupOp.op->getResults(), groupOp.resultMaps))
        if (lastReader.lookup(result) == index)
          words += wordsOf(groupOp, map, result);
      if (groupOp.op == group.ops()[index].op)
        break;
    }
    return words;
  }

  const FusedGroup &group;
  const Sharing &sharing;
  std::optional<int64_t> rootOperands;
  DenseMap<Value, size_t> lastReader; // itself where there is none
};
} // namespace

int64_t distaff::predictRegisters(const FusedGroup &group,
                                  const Sharing &sharing,
                                  std::optional<int64_t> rootOperands) {
  return Lifetimes(group, sharing, rootOperands).most();
}
