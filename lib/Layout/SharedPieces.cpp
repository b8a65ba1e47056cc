//===- SharedPieces.cpp - Conversions in slices through shared memory -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is larger than the available memory goes through it in slices of
// its index space. A slice ends between two digits of both layouts, or splits a
// digit into two that both are whole, so the slice of a place is a sum of
// contributions of subgroup, lane and register:
//
//     128 = B[4] T[32]      in 8 slices of 16: T[32] is split into T[2] T[16],
//                           slice = 2 * batch + (lane / 16)
//
// Slices along registers are free: every lane stores some of its registers in
// each round. Slices along lanes or subgroups leave the others idle in a round,
// and a lane must then pick its round on loading.
//
// The rest of a layout within a slice is a layout again, and its plan through
// memory is searched like any other.
//
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"
#include "SharedMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <map>
#include <tuple>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Slices of a layout
//===----------------------------------------------------------------------===//

namespace {
/// Describes a dim split at an extent: the digits within a slice, and how many
/// slices the lanes and subgroups of one register distinguish.
struct MatrixRows {
  SmallVector<Digit> inner;
  int64_t byHardware = 1;
};
} // namespace

static std::optional<MatrixRows> cutAt(ArrayRef<Digit> digits, int64_t extent) {
  MatrixRows cut;
  int64_t weight = 1;
  for (const Digit &digit : llvm::reverse(digits)) {
    // The part of the digit that lies within the slice.
    int64_t inside = 1;
    if (weight < extent) {
      if (extent % weight != 0)
        return std::nullopt;
      inside = std::min(digit.size, extent / weight);
      if (digit.size % inside != 0)
        return std::nullopt;
    }
    if (inside > 1)
      cut.inner.insert(cut.inner.begin(), {digit.axis, inside, digit.stride});
    if (digit.axis != Axis::Register)
      cut.byHardware *= digit.size / inside;
    weight *= digit.size;
  }
  return cut;
}

std::optional<Layout> distaff::sliceOf(const Layout &layout,
                                       ArrayRef<int64_t> slices) {
  assert(int64_t(slices.size()) == layout.rank() && "a number per dim");
  DimDigits dims;
  for (auto [dim, extent] : llvm::enumerate(layout.shape())) {
    assert(slices[dim] > 0 && extent % slices[dim] == 0 &&
           "slices of a dim are equal");
    std::optional<MatrixRows> cut =
        cutAt(layout.digits(dim), extent / slices[dim]);
    if (!cut)
      return std::nullopt;
    dims.push_back(std::move(cut->inner));
  }
  closeRegisterGaps(dims);
  return LayoutBuilder::build(std::move(dims));
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {
/// A slicing of one dim that suits both layouts.
struct DimSlices {
  int64_t count;                   // slices
  int64_t storeRounds, loadRounds; // in which a lane stores, loads one register
};

/// A slicing of a value, and its estimated cost, in accesses per lane.
struct Slicing {
  SmallVector<int64_t> slices;
  int64_t pieces = 1, cost = 0;
};

/// Returns the cost of a barrier before and one after each store, and the
/// accesses of all slices.
int64_t costOfPieces(int64_t pieces, int64_t accesses, const MoveCosts &costs) {
  return 2 * pieces * costs.barrier + accesses * costs.sharedWavefront;
}

class Slicer {
public:
  Slicer(const Layout &src, const Layout &dst, int64_t maxElements,
         const MoveCosts &costs)
      : src(src), dst(dst), maxElements(maxElements), costs(costs),
        shape(src.shape()) {
    for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim)
      choices.push_back(choicesOf(dim));
  }

  /// Returns the cheapest slicings, best first.
  SmallVector<Slicing> best(size_t count) {
    current.slices.assign(shape.size(), 1);
    visit(0, 1, 1, 1);
    llvm::stable_sort(found, [](const Slicing &a, const Slicing &b) {
      return std::tie(a.cost, a.pieces) < std::tie(b.cost, b.pieces);
    });
    if (found.size() > count)
      found.resize(count);
    return std::move(found);
  }

private:
  SmallVector<DimSlices> choicesOf(int64_t dim) const {
    SmallVector<DimSlices> result;
    for (int64_t count = 1;
         count <= std::min(shape[dim], SharedMemoryPlan::maxPieces); ++count) {
      if (shape[dim] % count != 0)
        continue;
      std::optional<MatrixRows> from =
          cutAt(src.digits(dim), shape[dim] / count);
      std::optional<MatrixRows> to = cutAt(dst.digits(dim), shape[dim] / count);
      if (from && to)
        result.push_back({count, from->byHardware, to->byHardware});
    }
    return result;
  }

  void visit(int64_t dim, int64_t pieces, int64_t storeRounds,
             int64_t loadRounds) {
    if (dim == int64_t(shape.size())) {
      int64_t elements = 1;
      for (auto [extent, slices] : llvm::zip_equal(shape, current.slices))
        elements *= extent / slices;
      if (elements > maxElements)
        return;
      current.pieces = pieces;
      current.cost = costOfPieces(pieces,
                                  src.numRegisters() * storeRounds +
                                      dst.numRegisters() * loadRounds,
                                  costs);
      found.push_back(current);
      return;
    }
    for (const DimSlices &choice : choices[dim]) {
      if (pieces * choice.count > SharedMemoryPlan::maxPieces)
        continue;
      current.slices[dim] = choice.count;
      visit(dim + 1, pieces * choice.count, storeRounds * choice.storeRounds,
            loadRounds * choice.loadRounds);
    }
  }

  const Layout &src, &dst;
  int64_t maxElements;
  const MoveCosts &costs;
  SmallVector<int64_t> shape;
  SmallVector<SmallVector<DimSlices>> choices;
  Slicing current;
  SmallVector<Slicing> found;
};
} // namespace

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> modulo(ArrayRef<int64_t> index,
                                   ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  for (auto [i, extent] : llvm::zip_equal(index, shape))
    result.push_back(i % extent);
  return result;
}

/// Multiplies the counts of one slice by the number of slices.
static void countPieces(SharedAccess &access, int64_t pieces) {
  access.requests *= pieces;
  access.wavefronts *= pieces;
  access.ideal *= pieces;
}

/// Returns the position of an index in an array of slices of `shape`, slice
/// after slice, `counts` of them along each dim.
static int64_t positionInSlices(ArrayRef<int64_t> index,
                                ArrayRef<int64_t> counts,
                                ArrayRef<int64_t> shape) {
  int64_t slice = 0, within = 0;
  for (auto [i, count, extent] : llvm::zip_equal(index, counts, shape)) {
    slice = slice * count + i / extent;
    within = within * extent + i % extent;
  }
  return slice * llvm::product_of(shape) + within;
}

/// Returns the registers of `whole` that every slice holds, slice after slice,
/// in the order of the slice's registers.
static SmallVector<SmallVector<int64_t>>
registersOfSlices(const Layout &whole, const Layout &slice,
                  ArrayRef<int64_t> counts) {
  SmallVector<int64_t> shape = slice.shape();
  // The registers by position, of which the slice's number is the first part.
  std::map<int64_t, int64_t> registers;
  for (int64_t reg = 0, e = whole.numRegisters(); reg < e; ++reg)
    registers[positionInSlices(whole.indexOf({0, 0, reg}), counts, shape)] =
        reg;
  SmallVector<int64_t> within, one(shape.size(), 1);
  for (int64_t reg = 0, e = slice.numRegisters(); reg < e; ++reg)
    within.push_back(positionInSlices(slice.indexOf({0, 0, reg}), one, shape));
  int64_t elements = slice.numElements();
  SmallVector<SmallVector<int64_t>> all;
  for (auto it = registers.begin(); it != registers.end();) {
    int64_t begin = it->first / elements * elements;
    SmallVector<int64_t> &ofSlice = all.emplace_back();
    for (int64_t position : within)
      ofSlice.push_back(registers.at(begin + position));
    it = registers.lower_bound(begin + elements);
  }
  return all;
}

/// Expands an access of one slice to that of all slices.
static void expandRegisters(SharedAccess &access, const Layout &whole,
                            const Layout &slice, ArrayRef<int64_t> counts) {
  SmallVector<int64_t> all;
  for (ArrayRef<int64_t> ofSlice : registersOfSlices(whole, slice, counts))
    for (int64_t reg : access.registers)
      all.push_back(ofSlice[reg]);
  assert(int64_t(all.size()) == whole.numRegisters() &&
         "each register of a lane belongs to one slice");
  access.registers = std::move(all);
}

/// Returns the order of the first slice's registers: those of the whole, with
/// ofOtherSlice for registers that other slices hold.
static SmallVector<int64_t> orderOfSlice(const OperandOrder &order,
                                         const Layout &whole,
                                         const Layout &slice,
                                         ArrayRef<int64_t> counts) {
  if (order.registers.empty())
    return {};
  SmallVector<int64_t> first = registersOfSlices(whole, slice, counts).front();
  SmallVector<int64_t> result;
  for (int64_t reg : order.registers) {
    auto *found = llvm::find(first, reg);
    result.push_back(found == first.end() ? OperandOrder::ofOtherSlice
                                          : found - first.begin());
  }
  return result;
}

int64_t SharedMemoryPlan::pieces() const { return llvm::product_of(slices); }

SmallVector<int64_t> SharedMemoryPlan::sliceOf(ArrayRef<int64_t> index) const {
  SmallVector<int64_t> result;
  for (auto [i, extent] : llvm::zip_equal(index, memory.shape))
    result.push_back(i / extent);
  return result;
}

int64_t SharedMemoryPlan::offsetOf(ArrayRef<int64_t> index) const {
  return memory.offsetOf(modulo(index, memory.shape));
}

SharedMemoryPlan distaff::planSharedMemory(
    const Layout &src, const Layout &dst, HardwareShape hardware,
    int64_t elementBits, const BankModel &banks, int64_t maxBytes,
    const MoveCosts &costs, int64_t storeRow, const OperandOrder &loadOrder) {
  assert(src.shape() == dst.shape() && "a conversion keeps the shape");
  int64_t elementBytes =
      llvm::PowerOf2Ceil(std::max<int64_t>(1, (elementBits + 7) / 8));
  if (storeRow != 0)
    if (auto plan =
            searchSharedRows(src, storeRow, dst, /*loadRow=*/0, hardware,
                             elementBytes, banks, maxBytes, costs))
      return withMatrixTiles(std::move(*plan), src, dst, hardware, banks,
                             maxBytes, costs, storeRow, loadOrder);
  if (maxBytes == 0 || src.numElements() * elementBytes <= maxBytes)
    return withMatrixTiles(searchSharedMemory(src, dst, hardware, elementBytes,
                                              banks, maxBytes, costs,
                                              loadOrder),
                           src, dst, hardware, banks, maxBytes, costs,
                           /*storeRow=*/0, loadOrder);

  std::optional<SharedMemoryPlan> best;
  // The estimate ignores widths and conflicts.
  constexpr size_t tried = 3;
  for (const Slicing &slicing :
       Slicer(src, dst, maxBytes / elementBytes, costs).best(tried)) {
    Layout from = *sliceOf(src, slicing.slices);
    Layout to = *sliceOf(dst, slicing.slices);
    SmallVector<int64_t> order =
        orderOfSlice(loadOrder, dst, to, slicing.slices);
    SharedMemoryPlan plan =
        searchSharedMemory(from, to, hardware, elementBytes, banks, maxBytes,
                           costs, {order, loadOrder.perOperand});
    plan.slices = slicing.slices;
    countPieces(plan.store, slicing.pieces);
    countPieces(plan.load, slicing.pieces);
    expandRegisters(plan.store, src, from, slicing.slices);
    expandRegisters(plan.load, dst, to, slicing.slices);
    plan.movedWords = countMovedWords(plan.load, loadOrder, plan.elementBytes);
    auto rank = [&](const SharedMemoryPlan &plan) {
      return costOfPieces(plan.pieces(),
                          plan.store.wavefronts + plan.load.wavefronts, costs) +
             hardware.subgroups * plan.movedWords * costs.bytePermute;
    };
    if (!best || rank(plan) < rank(*best))
      best = std::move(plan);
  }
  assert((!best || (best->bytes <= maxBytes &&
                    best->pieces() <= SharedMemoryPlan::maxPieces)) &&
         "slices are as small as they have to be, and no more than allowed");
  // Nothing fits: the plan of the whole states how much it would take.
  return best ? *best
              : searchSharedMemory(src, dst, hardware, elementBytes, banks,
                                   /*maxBytes=*/0, costs, loadOrder);
}
