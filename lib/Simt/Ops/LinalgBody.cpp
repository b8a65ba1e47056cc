//===- LinalgBody.cpp - Running the body of a structured operation --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Linalg.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

/// Element numbers of an operand over (parallel point, reduced index).
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

/// The extents of the dimensions of one kind.
Shape extentsOf(ArrayRef<int64_t> box, ArrayRef<bool> isReduction,
                bool reduced) {
  Shape extents;
  for (auto [extent, is] : llvm::zip_equal(box, isReduction))
    if (is == reduced)
      extents.push_back(extent);
  return extents;
}

/// Dimensions sorted: parallel ones first.
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
  bool carryAccumulators(int64_t first, int64_t points);
  bool sumTerms(int64_t first, int64_t points);
  unsigned bytesOf(size_t operand) const { return cellBytes[operand]; }

  StructuredRun &op;
  const StructuredOp &plan;
  BodyRun body;
  SmallVector<PointOffsets> offsets;
  SmallVector<unsigned> cellBytes;
  SmallVector<PointOffsets> indices;
  int64_t numPoints, numReduced;
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

bool BodyLoops::carryAccumulators(int64_t first, int64_t points) {
  int64_t width = plan.body->points();
  size_t numOutputs = op.outputs.size();
  auto offsetOf = [&](size_t k) {
    return [&, k](int64_t i) {
      return offsets[plan.numInputs + k].at(std::min(first + i, numPoints - 1),
                                            0);
    };
  };
  for (size_t k = 0; k < numOutputs; ++k)
    gather(body.argument(plan.numInputs + k), op.outputs[k],
           bytesOf(plan.numInputs + k), width, offsetOf(k));
  SmallVector<std::vector<uint8_t>> yielded(numOutputs);
  for (int64_t reduced = 0; reduced < numReduced; ++reduced) {
    if (!runPoint(first, reduced))
      return false;
    if (reduced + 1 == numReduced)
      break;
    // A result may be another accumulator's register: all are saved first.
    for (size_t k = 0; k < numOutputs; ++k)
      yielded[k].assign(body.result(k),
                        body.result(k) + width * bytesOf(plan.numInputs + k));
    for (size_t k = 0; k < numOutputs; ++k)
      std::memcpy(body.argument(plan.numInputs + k), yielded[k].data(),
                  yielded[k].size());
  }
  for (size_t k = 0; k < numOutputs; ++k)
    scatter(op.outputs[k], body.result(k), bytesOf(plan.numInputs + k), points,
            offsetOf(k));
  return true;
}

/// All terms of a block of points, then one sum.
bool BodyLoops::sumTerms(int64_t first, int64_t points) {
  unsigned bytes = bytesOf(plan.numInputs);
  std::vector<uint64_t> room((numReduced * points * bytes + 7) / 8);
  auto *terms = reinterpret_cast<uint8_t *>(room.data());
  for (int64_t reduced = 0; reduced < numReduced; ++reduced) {
    if (!runPoint(first, reduced))
      return false;
    std::memcpy(terms + reduced * points * bytes, body.result(0),
                points * bytes);
  }
  ContractionSpace space;
  space.lhsBatch = space.rhsBatch = space.accBatch = space.rhsN =
      space.accN = {0};
  for (int64_t i = 0; i < points; ++i) {
    space.lhsM.push_back(i);
    space.accM.push_back(offsets[plan.numInputs].at(first + i, 0));
  }
  for (int64_t reduced = 0; reduced < numReduced; ++reduced)
    space.lhsK.push_back(reduced * points);
  space.rhsK.assign(numReduced, 0);
  plan.contract(space, 1, terms, op.agent.cells(plan.one), op.outputs[0]);
  return true;
}

bool BodyLoops::run() {
  int64_t width = plan.body->points();
  for (int64_t first = 0; first < numPoints; first += width) {
    int64_t points = std::min(width, numPoints - first);
    bool done =
        plan.isSum ? sumTerms(first, points) : carryAccumulators(first, points);
    if (!done)
      return false;
  }
  return true;
}

} // namespace

bool simt::runBody(StructuredRun &run) {
  if (BodyLoops(run).run())
    return true;
  run.agent.fault(*run.agent.workgroup().fault);
  return false;
}
