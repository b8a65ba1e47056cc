//===- LinalgBody.cpp - Execution of linalg bodies ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Linalg.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

/// The element numbers of an operand by (parallel point, reduced index).
class PointOffsets {
public:
  PointOffsets(AffineMap map, ArrayRef<int64_t> shape, ArrayRef<int64_t> box,
               ArrayRef<bool> isReduction);

  int64_t at(int64_t point, int64_t reduced) const {
    if (separable)
      return parallel[point] + reduction[reduced];
    return all[point * numReduced + reduced];
  }

private:
  bool separable;
  int64_t numReduced = 1;
  std::vector<int64_t> parallel, reduction, all;
};

/// Returns the extents of the reduced or the parallel dimensions.
Shape extentsOf(ArrayRef<int64_t> box, ArrayRef<bool> isReduction,
                bool reduced) {
  Shape extents;
  for (auto [extent, is] : llvm::zip_equal(box, isReduction))
    if (is == reduced)
      extents.push_back(extent);
  return extents;
}

/// Returns the dimensions, parallel ones first.
SmallVector<unsigned> sortedDimensions(ArrayRef<bool> isReduction) {
  SmallVector<unsigned> order;
  for (bool reduced : {false, true})
    for (auto [d, is] : llvm::enumerate(isReduction))
      if (is == reduced)
        order.push_back(unsigned(d));
  return order;
}

PointOffsets::PointOffsets(AffineMap map, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> box, ArrayRef<bool> isReduction) {
  Shape strides = rowMajorStrides(shape);
  std::optional<LinearAccess> access = linearAccessOf(map, strides);
  separable = access.has_value();
  Shape reduced = extentsOf(box, isReduction, true);
  numReduced = numElements(reduced);
  if (separable) {
    LinearAccess alongParallel{access->base, {}}, alongReduced;
    for (auto [d, is] : llvm::enumerate(isReduction))
      (is ? alongReduced : alongParallel).strides.push_back(access->strides[d]);
    parallel = offsetsOf(alongParallel, extentsOf(box, isReduction, false));
    reduction = offsetsOf(alongReduced, reduced);
    return;
  }
  SmallVector<unsigned> order = sortedDimensions(isReduction);
  Shape sorted;
  for (unsigned d : order)
    sorted.push_back(box[d]);
  SmallVector<AffineExpr> dims(order.size());
  for (auto [position, d] : llvm::enumerate(order))
    dims[d] = getAffineDimExpr(position, map.getContext());
  all = offsetsOf(map.replaceDimsAndSymbols(dims, {}, order.size(), 0), strides,
                  sorted);
}

/// Copies cells between an array and consecutive points.
void gather(uint8_t *to, const uint8_t *from, unsigned bytes, int64_t points,
            auto offsetOf) {
  auto copy = [&]<size_t size>() {
    for (int64_t i = 0; i < points; ++i)
      std::memcpy(to + i * size, from + offsetOf(i) * size, size);
  };
  switch (bytes) {
  case 2:
    return copy.template operator()<2>();
  case 4:
    return copy.template operator()<4>();
  case 8:
    return copy.template operator()<8>();
  case 24:
    return copy.template operator()<24>();
  }
  for (int64_t i = 0; i < points; ++i)
    std::memcpy(to + i * bytes, from + offsetOf(i) * bytes, bytes);
}

void scatter(uint8_t *to, const uint8_t *from, unsigned bytes, int64_t points,
             auto offsetOf) {
  for (int64_t i = 0; i < points; ++i)
    std::memcpy(to + offsetOf(i) * bytes, from + i * bytes, bytes);
}

/// The loops over blocks of parallel points and reduced indices.
class BodyLoops {
public:
  explicit BodyLoops(StructuredRun &run);
  bool run();

private:
  bool runPoint(int64_t first, int64_t reduced);
  void loadAccumulators(int64_t first);
  void carryAccumulators();
  void storeAccumulators(int64_t first, int64_t points);
  void loadSteppedAccumulators(int64_t first, int64_t reduced);
  void storeSteppedAccumulators(int64_t first, int64_t reduced, int64_t points);
  void keepTerms(int64_t reduced, int64_t points);
  void foldTerms(size_t output, ArrayRef<int64_t> reduced, int64_t first,
                 int64_t points);
  bool runBlock(int64_t first, int64_t points);
  /// Returns the places of an output's accumulators of a block; the last point
  /// repeats.
  auto accumulators(size_t output, int64_t first, int64_t reduced = 0) {
    return [this, output, first, reduced](int64_t i) {
      return offsets[plan.numInputs + output].at(
          std::min(first + i, numPoints - 1), reduced);
    };
  }
  /// Returns the loop-carried outputs: those with another accumulator at each
  /// reduced index (stepped), or those that keep theirs.
  auto carried(bool stepped) {
    return llvm::make_filter_range(
        llvm::seq<size_t>(0, plan.folds.size()), [this, stepped](size_t k) {
          return plan.folds[k].isCarried() && plan.isStepped[k] == stepped;
        });
  }
  std::vector<std::vector<int64_t>> reducedByCell(size_t output) const;
  unsigned bytesOf(size_t operand) const { return cellBytes[operand]; }

  StructuredRun &op;
  const StructuredOp &plan;
  BodyRun body;
  SmallVector<PointOffsets> offsets;
  SmallVector<unsigned> cellBytes;
  SmallVector<PointOffsets> indices;
  int64_t numPoints, numReduced;
  /// The terms of a block per output, and their factors: [reduced index][term
  /// of the fold][point].
  struct Terms {
    std::vector<uint64_t> terms, factors;
  };
  SmallVector<Terms> kept;
  /// The reduced indices of each cell, per output with a fold.
  std::vector<std::vector<std::vector<int64_t>>> folded;
};

BodyLoops::BodyLoops(StructuredRun &run)
    : op(run), plan(run.plan), body(*run.plan.body, run.agent) {
  for (auto [i, map] : llvm::enumerate(plan.maps)) {
    offsets.emplace_back(map, op.operands[i].shape, op.box, plan.isReduction);
    cellBytes.push_back(
        op.agent.code().domain->cellBytes(plan.operands[i].kind));
  }
  MLIRContext *context = plan.op->getContext();
  for (int64_t d : plan.indexDimensions)
    indices.emplace_back(
        AffineMap::get(op.box.size(), 0, getAffineDimExpr(d, context)),
        ArrayRef<int64_t>{1}, op.box, plan.isReduction);
  numPoints = numElements(extentsOf(op.box, plan.isReduction, false));
  numReduced = numElements(extentsOf(op.box, plan.isReduction, true));
}

/// Runs the body on a block of points at one reduced index; points past the
/// last one repeat it.
bool BodyLoops::runPoint(int64_t first, int64_t reduced) {
  int64_t points = plan.body->points();
  auto pointOf = [&](int64_t i) { return std::min(first + i, numPoints - 1); };
  for (size_t i = 0; i < plan.numInputs; ++i)
    if (plan.isRead[i])
      gather(body.argument(i), op.operands[i].cells, bytesOf(i), points,
             [&](int64_t p) { return offsets[i].at(pointOf(p), reduced); });
  for (auto [number, index] : llvm::enumerate(indices))
    for (int64_t i = 0; i < points; ++i)
      body.setIndex(number, i, index.at(pointOf(i), reduced));
  return body.execute();
}

void BodyLoops::loadAccumulators(int64_t first) {
  for (size_t k : carried(/*stepped=*/false))
    gather(body.argument(plan.numInputs + k), op.outputs[k],
           bytesOf(plan.numInputs + k), plan.body->points(),
           accumulators(k, first));
}

void BodyLoops::carryAccumulators() {
  // A result may be another accumulator's register: all are saved first.
  SmallVector<std::vector<uint8_t>> yielded(plan.folds.size());
  for (size_t k : carried(/*stepped=*/false)) {
    uint8_t *result = body.result(plan.folds[k].yielded);
    yielded[k].assign(result, result + plan.body->points() *
                                           bytesOf(plan.numInputs + k));
  }
  for (size_t k : carried(/*stepped=*/false))
    std::memcpy(body.argument(plan.numInputs + k), yielded[k].data(),
                yielded[k].size());
}

void BodyLoops::storeAccumulators(int64_t first, int64_t points) {
  for (size_t k : carried(/*stepped=*/false))
    scatter(op.outputs[k], body.result(plan.folds[k].yielded),
            bytesOf(plan.numInputs + k), points, accumulators(k, first));
}

void BodyLoops::loadSteppedAccumulators(int64_t first, int64_t reduced) {
  for (size_t k : carried(/*stepped=*/true))
    gather(body.argument(plan.numInputs + k), op.outputs[k],
           bytesOf(plan.numInputs + k), plan.body->points(),
           accumulators(k, first, reduced));
}

void BodyLoops::storeSteppedAccumulators(int64_t first, int64_t reduced,
                                         int64_t points) {
  for (size_t k : carried(/*stepped=*/true))
    scatter(op.outputs[k], body.result(plan.folds[k].yielded),
            bytesOf(plan.numInputs + k), points,
            accumulators(k, first, reduced));
}

void BodyLoops::keepTerms(int64_t reduced, int64_t points) {
  for (auto [k, fold] : llvm::enumerate(plan.folds)) {
    int64_t row = points * bytesOf(plan.numInputs + k);
    auto *terms = reinterpret_cast<uint8_t *>(kept[k].terms.data());
    auto *factors = reinterpret_cast<uint8_t *>(kept[k].factors.data());
    for (auto [i, term] : llvm::enumerate(fold.terms)) {
      int64_t at = (reduced * int64_t(fold.terms.size()) + i) * row;
      std::memcpy(terms + at, body.result(term.term), row);
      if (term.factor) {
        std::memcpy(factors + at, body.result(*term.factor), row);
      } else if (!fold.isPlain()) {
        Reg unit = plan.units[k][term.isSubtracted];
        for (int64_t point = 0; point < points; ++point)
          std::memcpy(factors + at + point * unit.cellBytes,
                      op.agent.cells(unit), unit.cellBytes);
      }
    }
  }
}

/// Returns the reduced indices of each cell that an output has for a parallel
/// point.
std::vector<std::vector<int64_t>>
BodyLoops::reducedByCell(size_t output) const {
  llvm::MapVector<int64_t, std::vector<int64_t>> cells;
  for (int64_t reduced = 0; reduced < numReduced; ++reduced) {
    int64_t cell = plan.isStepped[output]
                       ? offsets[plan.numInputs + output].at(0, reduced)
                       : 0;
    cells[cell].push_back(reduced);
  }
  std::vector<std::vector<int64_t>> groups;
  for (auto &entry : cells)
    groups.push_back(std::move(entry.second));
  return groups;
}

/// Adds the terms of some reduced indices to the accumulators of a block.
void BodyLoops::foldTerms(size_t output, ArrayRef<int64_t> reduced,
                          int64_t first, int64_t points) {
  const Fold &fold = plan.folds[output];
  // A term and its factor belong to the same point, as in a batch; a factor of
  // 1 belongs to all.
  ContractionSpace space;
  std::vector<int64_t> at, to;
  for (int64_t i = 0; i < points; ++i) {
    at.push_back(i);
    to.push_back(
        offsets[plan.numInputs + output].at(first + i, reduced.front()));
  }
  int64_t numTerms = fold.terms.size();
  for (int64_t index : reduced)
    for (int64_t term = 0; term < numTerms; ++term)
      space.lhsK.push_back((index * numTerms + term) * points);
  space.lhsBatch = space.rhsBatch = space.accBatch = space.lhsM = space.accM =
      space.rhsN = space.accN = {0};
  const void *factors = kept[output].factors.data();
  if (fold.isPlain()) {
    space.lhsM = at;
    space.accM = to;
    space.rhsK.assign(space.lhsK.size(), 0);
    factors = op.agent.cells(plan.units[output][0]);
  } else {
    space.lhsBatch = space.rhsBatch = at;
    space.accBatch = to;
    space.rhsK = space.lhsK;
  }
  fold.contract(space, 1, kept[output].terms.data(), factors,
                op.outputs[output]);
}

bool BodyLoops::runBlock(int64_t first, int64_t points) {
  loadAccumulators(first);
  for (int64_t reduced = 0; reduced < numReduced; ++reduced) {
    if (reduced > 0)
      carryAccumulators();
    loadSteppedAccumulators(first, reduced);
    if (!runPoint(first, reduced))
      return false;
    storeSteppedAccumulators(first, reduced, points);
    keepTerms(reduced, points);
  }
  storeAccumulators(first, points);
  for (auto [k, cells] : llvm::enumerate(folded))
    for (ArrayRef<int64_t> reduced : cells)
      foldTerms(k, reduced, first, points);
  return true;
}

bool BodyLoops::run() {
  int64_t width = plan.body->points();
  for (auto [k, fold] : llvm::enumerate(plan.folds)) {
    int64_t cells =
        numReduced * int64_t(fold.terms.size()) * std::min(width, numPoints);
    size_t room = (cells * bytesOf(plan.numInputs + k) + 7) / 8;
    Terms &terms = kept.emplace_back();
    terms.terms.resize(room);
    if (!fold.isPlain())
      terms.factors.resize(room);
    folded.push_back(fold.isCarried() ? decltype(folded)::value_type{}
                                      : reducedByCell(k));
  }
  for (int64_t first = 0; first < numPoints; first += width)
    if (!runBlock(first, std::min(width, numPoints - first)))
      return false;
  return true;
}

} // namespace

bool simt::runBody(StructuredRun &run) {
  if (BodyLoops(run).run())
    return true;
  run.agent.fault(*run.agent.workgroup().fault);
  return false;
}
