//===- TileMap.cpp - Which box of a tensor a member has -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileMap.h"

#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::pcf;

TileMap TileMap::replicated(ArrayRef<int64_t> shape) {
  TileMap map;
  for (int64_t extent : shape)
    map.dims.push_back({1, 0, extent});
  return map;
}

std::optional<TileMap> TileMap::rowMajor(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> workers) {
  assert(shape.size() == workers.size() && "a count per dimension");
  TileMap map = replicated(shape);
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    if (ShapedType::isDynamic(shape[dim]) || shape[dim] % workers[dim])
      return std::nullopt;
    if (workers[dim] > 1)
      map.dims[dim] = {workers[dim], stride, shape[dim] / workers[dim]};
    stride *= workers[dim];
  }
  return map;
}

Attribute TileMap::encode(MLIRContext *context) const {
  SmallVector<int64_t> numbers;
  for (const TileDim &dim : dims)
    numbers.append({dim.workers, dim.stride, dim.tile});
  return DenseI64ArrayAttr::get(context, numbers);
}

TileMap TileMap::decode(Attribute attribute) {
  TileMap map;
  ArrayRef<int64_t> numbers = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
  for (; !numbers.empty(); numbers = numbers.drop_front(3))
    map.dims.push_back({numbers[0], numbers[1], numbers[2]});
  return map;
}

SmallVector<int64_t> TileMap::getTileShape() const {
  return llvm::map_to_vector(dims, [](const TileDim &dim) { return dim.tile; });
}

SmallVector<int64_t> TileMap::getShape() const {
  return llvm::map_to_vector(
      dims, [](const TileDim &dim) { return dim.workers * dim.tile; });
}

int64_t TileMap::countBoxes() const {
  int64_t boxes = 1;
  for (const TileDim &dim : dims)
    boxes *= dim.workers;
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
  return join([](const TileDim &dim) { return dim.workers; }) +
         " members, boxes of " +
         join([](const TileDim &dim) { return dim.tile; });
}
