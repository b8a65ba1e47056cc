//===- TileRegisters.cpp - Register pressure of tiles ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts registers from tiles alone, before there are vectors: the ops of the
// group run in program order, and their results are live until their last
// reader. Lanes share an axis in equal parts, so a prime extent of 67 that 32
// lanes cannot divide is 67 registers of one lane, not 3 of each.
//
//===----------------------------------------------------------------------===//
#include "TileRegisters.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"

using namespace distaff;

Sharing::Sharing(const FusedGroup &group, ArrayRef<int64_t> workgroupTiles,
                 ArrayRef<int64_t> serialTiles, HardwareShape hardware)
    : hardware(hardware),
      held(heldPerAxis(group, workgroupTiles, serialTiles)) {
  lanes.assign(held.size(), 0);
}

/// Lanes take neighbors in memory, subgroups distant points.
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
  assert(busy <= hardware.lanes * hardware.subgroups &&
         "no more lanes are busy than there are");
  return busy;
}

SmallVector<unsigned> distaff::axesOf(const GroupOp &groupOp, AffineMap map) {
  SmallVector<unsigned> axes;
  for (AffineExpr expr : llvm::reverse(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      axes.push_back(groupOp.axes[dim.getPosition()]);
  return axes;
}

static int64_t elementBits(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

bool distaff::isReadSingly(const FusedGroup &group, const GroupOp &groupOp,
                           unsigned operand) {
  int64_t bytes =
      llvm::divideCeil(elementBits(groupOp.op->getOperand(operand)), 8);
  AffineMap map = groupOp.operandMaps[operand];
  if (bytes >= 4 || map.getNumResults() == 0)
    return false;
  auto loop = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!loop)
    return true;
  const LoopAxis &axis = group.axes()[groupOp.axes[loop.getPosition()]];
  return axis.isDynamic || axis.extent * bytes % 4 != 0;
}

int64_t distaff::singleWordsBeside(const FusedGroup &group,
                                   ArrayRef<int64_t> held, int64_t lanes) {
  constexpr int64_t withAddress = 3;
  int64_t words = 0;
  for (const GroupOp &groupOp : group.ops()) {
    if (!groupOp.contracts || &groupOp == group.root())
      continue;
    for (unsigned operand : {0u, 1u}) {
      Value value = groupOp.op->getOperand(operand);
      if (group.find(value.getDefiningOp()) ||
          !isReadSingly(group, groupOp, operand))
        continue;
      int64_t elements = 1;
      for (unsigned axis : axesOf(groupOp, groupOp.operandMaps[operand]))
        elements = saturatingProduct(elements, held[axis]);
      words += withAddress * llvm::divideCeil(elements, lanes);
    }
  }
  return words;
}

int64_t distaff::boundWords(const FusedGroup &group) {
  constexpr int64_t ofAxis = 8, ofHalves = 8;
  int64_t words =
      ofAxis * llvm::count_if(group.axes(), [](const LoopAxis &axis) {
        return axis.isDynamic;
      });
  bool readsHalves = llvm::any_of(group.ops(), [&](const GroupOp &groupOp) {
    return llvm::any_of(llvm::seq<unsigned>(groupOp.op->getNumOperands()),
                        [&](unsigned operand) {
                          Value value = groupOp.op->getOperand(operand);
                          return isa<RankedTensorType>(value.getType()) &&
                                 !group.find(value.getDefiningOp()) &&
                                 isReadSingly(group, groupOp, operand);
                        });
  });
  return words > 0 && readsHalves ? words + ofHalves : words;
}

int64_t distaff::rowPointerWords(const FusedGroup &group,
                                 const Sharing &sharing, int64_t lanes) {
  constexpr int64_t ofPointer = 2;
  int64_t words = 0;
  for (const GroupOp &groupOp : group.ops())
    for (auto [operand, map] : llvm::zip_equal(
             groupOp.op->getOperands().take_front(groupOp.operandMaps.size()),
             groupOp.operandMaps)) {
      if (!isa<RankedTensorType>(operand.getType()) ||
          group.find(operand.getDefiningOp()))
        continue;
      SmallVector<unsigned> axes = axesOf(groupOp, map); // innermost first
      if (axes.size() < 2 || !group.axes()[axes.front()].isDynamic)
        continue;
      // Neighbors of a row come first, so that a lane has few of each row.
      int64_t held = 1;
      for (unsigned axis : axes)
        held = saturatingProduct(held, sharing.heldAlong(axis));
      int64_t ofRow = llvm::divideCeil(sharing.heldAlong(axes[0]), lanes);
      int64_t rows = llvm::divideCeil(llvm::divideCeil(held, lanes), ofRow);
      words = saturatingSum(
          words, saturatingProduct(ofPointer, std::max<int64_t>(rows - 1, 0)));
    }
  return words;
}

RegisterModel::RegisterModel(const FusedGroup &group) : group(group) {
  for (const GroupOp &groupOp : group.ops())
    isOnline |= !findAttention(groupOp.op).empty();
  DenseMap<Value, std::pair<size_t, Held>> made; // with its last reader so far
  for (const GroupOp &groupOp : group.ops()) {
    if (isa<linalg::FillOp>(groupOp.op))
      continue; // a constant
    Step &step = steps.emplace_back();
    step.groupOp = &groupOp;
    step.isContraction = groupOp.contracts;
    for (auto [operand, map] :
         llvm::zip_equal(groupOp.op->getOperands(), groupOp.operandMaps)) {
      if (auto it = made.find(operand); it != made.end())
        it->second.first = steps.size() - 1;
      else if (isa<ShapedType>(operand.getType()) &&
               !cast<DestinationStyleOpInterface>(groupOp.op)
                    .isDpsInit(&groupOp.op->getOpOperand(step.operands.size())))
        step.reads.push_back({axesOf(groupOp, map), elementBits(operand)});
      step.operands.push_back({axesOf(groupOp, map), elementBits(operand)});
    }
    for (auto [result, map] :
         llvm::zip_equal(groupOp.op->getResults(), groupOp.resultMaps)) {
      step.results.push_back({axesOf(groupOp, map), elementBits(result)});
      made.insert({result, {steps.size() - 1, step.results.back()}});
    }
  }
  for (auto &[value, lastReader] : made)
    steps[lastReader.first].ending.push_back(lastReader.second);
}

/// Returns the 32-bit registers per lane.
static int64_t wordsPerLane(const Sharing &sharing, ArrayRef<unsigned> axes,
                            int64_t bits) {
  // Larger counts than any register file has are clamped.
  constexpr int64_t enough = int64_t(1) << 32;
  return llvm::divideCeil(std::min(sharing.perLane(axes), enough) * bits, 32);
}

int64_t RegisterModel::wordsOf(const Sharing &sharing,
                               ArrayRef<Held> values) const {
  int64_t words = 0;
  for (const Held &value : values)
    words += wordsPerLane(sharing, value.axes, value.bits);
  return words;
}

/// Returns the words that a lane needs of the factors of a product that no
/// instruction computes: rows and columns of its own part of the result, for
/// every K.
int64_t RegisterModel::factorWords(const Step &step,
                                   const Sharing &sharing) const {
  Sharing own = sharing;
  for (auto [axis, iterator] :
       llvm::zip_equal(step.groupOp->axes, step.groupOp->iterators))
    own.share(axis, iterator == utils::IteratorType::reduction);
  own.share(step.results.front().axes);
  int64_t words = 0;
  for (const Held &factor : ArrayRef(step.operands).take_front(2)) {
    int64_t bits = step.results.front().bits;
    words += wordsPerLane(own, factor.axes, bits);
    // The factor before its extension is live as well.
    if (factor.bits != bits)
      words += wordsPerLane(own, factor.axes, factor.bits);
  }
  return words;
}

/// Returns the words of partial results: a reduction with a sequential loop
/// keeps one per element of a step; a contraction adds into its result.
int64_t RegisterModel::partialWords(const Step &step,
                                    const Sharing &sharing) const {
  const GroupOp &groupOp = *step.groupOp;
  bool isWalked = false;
  for (auto [axis, iterator] : llvm::zip_equal(groupOp.axes, groupOp.iterators))
    isWalked |= iterator == utils::IteratorType::reduction &&
                sharing.heldAlong(axis) < group.axes()[axis].extent;
  if (!isWalked || step.isContraction || isOnline)
    return 0;
  SmallVector<unsigned> all = llvm::to_vector(llvm::reverse(groupOp.axes));
  int64_t words = 0;
  for (const Held &result : step.results)
    words += wordsPerLane(sharing, all, result.bits);
  return words;
}

RegisterDemand
RegisterModel::demand(const Sharing &sharing,
                      function_ref<bool(const GroupOp &)> isPlain) const {
  int64_t live = 0;
  RegisterDemand result;
  const Operation *root = group.root()->op;
  for (const Step &step : steps) {
    int64_t results = wordsOf(sharing, step.results);
    // In elementwise ops, operands that are read for the last time are freed.
    int64_t freed = step.groupOp->isReduction() || step.isContraction
                        ? 0
                        : std::min(results, wordsOf(sharing, step.ending));
    live += results - freed;
    bool isRoot = step.groupOp->op == root;
    bool usesMma = step.isContraction && !isPlain(*step.groupOp);
    int64_t operands = usesMma ? isRoot ? 0 : wordsOf(sharing, step.reads)
                       : step.isContraction ? factorWords(step, sharing)
                                            : wordsOf(sharing, step.reads);
    int64_t held = live + operands + partialWords(step, sharing);
    int64_t &most = isRoot ? result.atRoot : result.elsewhere;
    most = std::max(most, held);
    live -= wordsOf(sharing, step.ending) - freed;
  }
  return result;
}
