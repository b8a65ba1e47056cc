//===- DistributeStridedSlice.cpp - Slices of vectors ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice begins at a multiple of the elements that all lanes have in one
// batch, or its dim is in registers: propagation ensures that. So the part's
// element i is in the lane that has the whole's element `offset + i`, and
// registers are looked up (VX-71):
//
//   dim of 64 as B[4] T[8] E[2], elements [16, 48)   registers 2 .. 5 of 8
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include <map>

using namespace distaff;

namespace {
/// A part of a vector: dims of the whole that the part lacks have one index.
struct StridedWindow {
  const Placement *whole, *part;
  SmallVector<int64_t> offsets; // one per dim of the whole

  /// Returns the index in the whole of the part's `index`.
  SmallVector<int64_t> inWhole(ArrayRef<int64_t> index) const {
    SmallVector<int64_t> at(offsets);
    int64_t dropped = at.size() - index.size();
    for (auto [dim, i] : llvm::enumerate(index))
      at[dropped + dim] += i;
    return at;
  }
};
} // namespace

static SmallVector<int64_t> offsetsOf(ArrayAttr given, int64_t rank) {
  SmallVector<int64_t> offsets(rank, 0);
  for (auto [dim, offset] : llvm::enumerate(given.getAsRange<IntegerAttr>()))
    offsets[dim] = offset.getInt();
  return offsets;
}

/// Returns for each register of the part that of the whole; nothing where a
/// lane of the whole lacks an element that the same lane of the part has.
static std::optional<SmallVector<int64_t>> registersOf(const StridedWindow &cut,
                                                       HardwareShape hardware) {
  SmallVector<int64_t> none(cut.part->rank(), 0);
  int64_t dropped = cut.whole->rank() - cut.part->rank();
  for (int64_t subgroup = 0; subgroup < hardware.subgroups; ++subgroup)
    for (int64_t lane = 0; lane < hardware.lanes; ++lane) {
      SmallVector<int64_t> whole =
          cut.whole->layout.indexOf({subgroup, lane, 0});
      SmallVector<int64_t> part = cut.part->layout.indexOf({subgroup, lane, 0});
      part.insert(part.begin(), dropped, 0);
      if (whole != part)
        return std::nullopt;
    }
  std::map<SmallVector<int64_t>, int64_t> registerAt;
  for (int64_t reg = 0; reg < cut.whole->numRegisters(); ++reg)
    registerAt[cut.whole->offsetOf(reg)] = reg;
  SmallVector<int64_t> registers;
  for (int64_t reg = 0; reg < cut.part->numRegisters(); ++reg) {
    auto found = registerAt.find(cut.inWhole(cut.part->offsetOf(reg)));
    if (found == registerAt.end())
      return std::nullopt;
    registers.push_back(found->second);
  }
  return registers;
}

static FailureOr<SmallVector<int64_t>>
planSlice(Operation *op, const StridedWindow &cut, Distributor &out) {
  if (auto registers = registersOf(cut, out.hardware()))
    return *registers;
  return out.refuseOwnMistake(
      op,
      "cuts through the lanes of the vector, which is laid out "
      "as " +
          toString(cut.whole->layout) + ", and the slice as " +
          toString(cut.part->layout),
      cut.whole);
}

LogicalResult distaff::distribute(vector::ExtractStridedSliceOp op,
                                  Distributor &out) {
  StridedWindow cut{
      out.placementOf(op.getSourceMutable()), out.placementOf(op.getResult()),
      offsetsOf(op.getOffsets(), op.getSourceVectorType().getRank())};
  FailureOr<SmallVector<int64_t>> registers = planSlice(op, cut, out);
  if (failed(registers))
    return failure();
  OpBuilder b(op);
  out.replace(op,
              renameRegisters(b, op.getLoc(), out.get(b, op.getSourceMutable()),
                              *registers, cut.part->shape()));
  return success();
}

LogicalResult distaff::distribute(vector::InsertStridedSliceOp op,
                                  Distributor &out) {
  StridedWindow cut{
      out.placementOf(op.getResult()),
      out.placementOf(op.getValueToStoreMutable()),
      offsetsOf(op.getOffsets(), op.getDestVectorType().getRank())};
  FailureOr<SmallVector<int64_t>> registers = planSlice(op, cut, out);
  if (failed(registers))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> result =
      toScalars(b, loc, out.get(b, op.getDestMutable()));
  SmallVector<Value> inserted =
      toScalars(b, loc, out.get(b, op.getValueToStoreMutable()));
  for (auto [value, reg] : llvm::zip_equal(inserted, *registers))
    result[reg] = value;
  Type type = cut.whole->type(result.front().getType());
  out.replace(op, fromScalars(b, loc, result, type));
  return success();
}
