//===- TileMap.cpp - Map from members to the elements they hold -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

TileDim TileDim::cyclic(int64_t repeats, TileDigit members, int64_t tile) {
  TileDim dim;
  if (repeats > 1)
    dim.digits.push_back({repeats, 0});
  if (members.extent > 1)
    dim.digits.push_back(members);
  // Without a members' digit, repeats and tile are one contiguous digit.
  if (members.extent == 1 && repeats > 1) {
    dim.digits.back().extent *= tile;
    return dim;
  }
  dim.digits.push_back({tile, 0});
  return dim;
}

int64_t TileDim::getExtent() const {
  // A dynamic extent is whole.
  return digits.size() == 1 ? getTile() : getScale(0) * digits.front().extent;
}

int64_t TileDim::countMembers() const {
  int64_t members = 1;
  for (const TileDigit &digit : digits)
    if (!digit.isOwn())
      members *= digit.extent;
  return members;
}

int64_t TileDim::getScale(unsigned digit) const {
  int64_t scale = 1;
  for (const TileDigit &inner : ArrayRef(digits).drop_front(digit + 1))
    scale *= inner.extent;
  return scale;
}

SmallVector<unsigned> TileDim::getRepeats() const {
  SmallVector<unsigned> repeats;
  for (unsigned digit = 0; digit + 1 < digits.size(); ++digit)
    if (digits[digit].isOwn())
      repeats.push_back(digit);
  return repeats;
}

//===----------------------------------------------------------------------===//
// All dimensions
//===----------------------------------------------------------------------===//

TileMap TileMap::replicated(ArrayRef<int64_t> shape) {
  TileMap map;
  for (int64_t extent : shape)
    map.dims.push_back(TileDim::whole(extent));
  return map;
}

std::optional<TileMap> TileMap::rowMajor(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> workers,
                                         ArrayRef<int64_t> tiles) {
  assert(shape.size() == workers.size() &&
         (tiles.empty() || tiles.size() == shape.size()) &&
         "a count per dimension");
  TileMap map = replicated(shape);
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    int64_t tile = tiles.empty() ? 0 : tiles[dim];
    if (ShapedType::isDynamic(shape[dim]) || shape[dim] % workers[dim] ||
        (tile && shape[dim] % (workers[dim] * tile)))
      return std::nullopt;
    int64_t share = shape[dim] / workers[dim];
    if (tile == 0)
      tile = share;
    map.dims[dim] =
        TileDim::cyclic(tile ? share / tile : 1, {workers[dim], stride}, tile);
    stride *= workers[dim];
  }
  return map;
}

Attribute TileMap::encode(MLIRContext *context) const {
  SmallVector<int64_t> numbers{static_cast<int64_t>(dims.size())};
  for (const TileDim &dim : dims) {
    numbers.push_back(dim.digits.size());
    for (TileDigit digit : dim.digits)
      numbers.append({digit.extent, digit.stride});
  }
  for (ArrayRef<Own> group : packing) {
    numbers.push_back(group.size());
    for (Own own : group)
      numbers.append({own.dim, own.digit});
  }
  return DenseI64ArrayAttr::get(context, numbers);
}

TileMap TileMap::decode(Attribute attribute) {
  TileMap map;
  ArrayRef<int64_t> numbers = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
  auto take = [&] {
    int64_t number = numbers.front();
    numbers = numbers.drop_front();
    return number;
  };
  map.dims.resize(take());
  for (TileDim &dim : map.dims) {
    dim.digits.resize(take());
    for (TileDigit &digit : dim.digits) {
      digit.extent = take();
      digit.stride = take();
    }
  }
  while (!numbers.empty()) {
    map.packing.emplace_back().resize(take());
    for (Own &own : map.packing.back()) {
      own.dim = take();
      own.digit = take();
    }
  }
  return map;
}

bool TileMap::isPacked() const {
  return llvm::any_of(
      dims, [](const TileDim &dim) { return !dim.getRepeats().empty(); });
}

TileMap::Packing TileMap::getPacking() const {
  if (!packing.empty())
    return packing;
  Packing groups;
  for (auto [dim, digits] : llvm::enumerate(dims))
    for (unsigned digit : digits.getRepeats())
      groups.push_back({{static_cast<unsigned>(dim), digit}});
  for (auto [dim, digits] : llvm::enumerate(dims))
    groups.push_back({{static_cast<unsigned>(dim),
                       static_cast<unsigned>(digits.digits.size() - 1)}});
  return groups;
}

TileMap::Packing TileMap::restrictPacking(ArrayRef<unsigned> kept) const {
  assert(llvm::all_of(kept,
                      [&](unsigned dim) {
                        return dim < dims.size() && llvm::count(kept, dim) == 1;
                      }) &&
         "a dimension is kept once");
  Packing restricted;
  for (ArrayRef<Own> group : getPacking()) {
    SmallVector<Own> rest;
    for (Own own : group)
      if (auto it = llvm::find(kept, own.dim); it != kept.end())
        rest.push_back({static_cast<unsigned>(it - kept.begin()), own.digit});
    if (!rest.empty())
      restricted.push_back(std::move(rest));
  }
  return restricted;
}

SmallVector<int64_t> TileMap::getTileShape() const {
  return llvm::map_to_vector(dims,
                             [](const TileDim &dim) { return dim.getTile(); });
}

SmallVector<int64_t> TileMap::getMemberShape() const {
  if (!isPacked())
    return getTileShape();
  SmallVector<int64_t> shape;
  for (ArrayRef<Own> group : getPacking()) {
    shape.push_back(1);
    for (Own own : group)
      shape.back() *= getExtent(own);
  }
  return shape;
}

SmallVector<int64_t> TileMap::getShape() const {
  return llvm::map_to_vector(
      dims, [](const TileDim &dim) { return dim.getExtent(); });
}

int64_t TileMap::countBoxes() const {
  int64_t boxes = 1;
  for (const TileDim &dim : dims)
    boxes *= dim.countMembers();
  return boxes;
}

std::string TileMap::describe() const {
  auto join = [&](auto get) {
    return llvm::join(
        llvm::map_range(
            dims, [&](const TileDim &dim) { return std::to_string(get(dim)); }),
        "x");
  };
  if (dims.empty())
    return "a replica per member";
  std::string text =
      join([](const TileDim &dim) { return dim.countMembers(); }) +
      " members, boxes of " +
      join([](const TileDim &dim) { return dim.getTile(); });
  if (!isPacked())
    return text;
  return join([](const TileDim &dim) {
           int64_t repeats = 1;
           for (unsigned digit : dim.getRepeats())
             repeats *= dim.digits[digit].extent;
           return repeats;
         }) +
         " repeats of " + text;
}
