//===- PlaceMap.cpp - Maps between places of a subgroup -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Layout/PlaceMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns the number of ids of `axis` that the digits distinguish if they
/// leave no gap, else nothing.
static std::optional<int64_t> extentOn(Axis axis, ArrayRef<Digit> digits) {
  SmallVector<Digit> own(llvm::make_filter_range(
      digits, [&](const Digit &digit) { return digit.axis == axis; }));
  llvm::sort(
      own, [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
  int64_t extent = 1;
  for (const Digit &digit : own) {
    if (digit.stride != extent)
      return std::nullopt;
    extent *= digit.size;
  }
  return extent;
}

std::optional<PlaceMap> PlaceMap::get(ArrayRef<Digit> from, ArrayRef<Digit> to,
                                      int64_t lanes) {
  PlaceMap result;
  result.lanes = lanes;
  std::optional<int64_t> registers = extentOn(Axis::Register, from);
  if (!registers || extentOn(Axis::Register, to) != registers ||
      extentOn(Axis::Lane, from) != lanes || extentOn(Axis::Lane, to) != lanes)
    return std::nullopt;
  result.groupSize = *registers;

  // Matches the digits, innermost first, by the rest of both.
  SmallVector<Digit> left(from), right(to);
  while (!left.empty() && !right.empty()) {
    Digit &a = left.back(), &b = right.back();
    int64_t size = std::min(a.size, b.size);
    if (a.size % size != 0 || b.size % size != 0)
      return std::nullopt;
    if (size > 1)
      result.pieces.push_back(
          {{a.axis, size, a.stride}, {b.axis, size, b.stride}});
    for (auto *digits : {&left, &right}) {
      Digit &digit = digits->back();
      digit = {digit.axis, digit.size / size, digit.stride * size};
      if (digit.size == 1)
        digits->pop_back();
    }
  }
  if (!left.empty() || !right.empty())
    return std::nullopt;
  return result;
}

PlaceMap PlaceMap::inverse() const {
  PlaceMap result = *this;
  for (Piece &piece : result.pieces)
    std::swap(piece.from, piece.to);
  return result;
}

bool PlaceMap::keeps(Axis axis) const {
  return llvm::all_of(pieces, [&](const Piece &piece) {
    return piece.from == piece.to ||
           (piece.from.axis != axis && piece.to.axis != axis);
  });
}

Place PlaceMap::to(Place place) const {
  assert(place.lane >= 0 && place.reg >= 0 && "ids are not negative");
  Place result = place;
  result.lane -= place.lane % lanes;
  result.reg -= place.reg % groupSize;
  for (const Piece &piece : pieces) {
    int64_t id = piece.from.axis == Axis::Lane ? place.lane : place.reg;
    int64_t value = id / piece.from.stride % piece.from.size;
    (piece.to.axis == Axis::Lane ? result.lane : result.reg) +=
        value * piece.to.stride;
  }
  return result;
}

std::optional<SmallVector<Digit>> PlaceMap::moved(Digit digit) const {
  SmallVector<Digit> result; // innermost first
  if (digit.axis == Axis::Subgroup || keeps(digit.axis))
    return SmallVector<Digit>{digit};
  while (digit.size > 1 && digit.stride < extent(digit.axis)) {
    auto *piece = llvm::find_if(pieces, [&](const Piece &candidate) {
      return candidate.from.axis == digit.axis &&
             candidate.from.stride <= digit.stride &&
             digit.stride < candidate.from.stride * candidate.from.size;
    });
    if (piece == pieces.end())
      return std::nullopt;
    // The part begins somewhere in this entry and ends at its end or before.
    int64_t skipped = digit.stride / piece->from.stride;
    if (digit.stride % piece->from.stride != 0 ||
        piece->from.size % skipped != 0)
      return std::nullopt;
    int64_t room = piece->from.size / skipped;
    int64_t size = std::min(room, digit.size);
    if (room % size != 0 || digit.size % size != 0)
      return std::nullopt;
    result.push_back({piece->to.axis, size, piece->to.stride * skipped});
    digit = {digit.axis, digit.size / size, digit.stride * size};
  }
  if (digit.size > 1)
    result.push_back(digit);
  std::reverse(result.begin(), result.end());
  return result;
}

std::optional<Layout> PlaceMap::apply(const Layout &layout) const {
  if (!keepsRegisters() && layout.numRegisters() % groupSize != 0)
    return std::nullopt;
  SmallVector<SmallVector<Digit>> dims(layout.rank());
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    for (const Digit &digit : layout.digits(dim)) {
      std::optional<SmallVector<Digit>> pieces = moved(digit);
      if (!pieces)
        return std::nullopt;
      dims[dim].append(*pieces);
    }
  // Lanes that held copies would become registers with copies.
  std::optional<Layout> result = Layout::get(dims);
  if (!result || result->numRegisters() != layout.numRegisters())
    return std::nullopt;
  assert(result->linearIndexOf(to({0, lanes - 1, groupSize - 1})) ==
             layout.linearIndexOf({0, lanes - 1, groupSize - 1}) &&
         "what moves is the same element afterwards");
  return result->merged();
}
