//===- Placement.cpp - Registers as the dims of a lane's vector -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the register digits from a layout attribute. A nested layout keeps its
// digits of size 1 as unit dims, so that its vectors have rank 3n as in the
// specification; a digit layout has none.
//
//===----------------------------------------------------------------------===//
#include "Placement.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace distaff;
using vector_ext::NestedLayoutAttr;

static SmallVector<RegisterDim> registerDims(const NestedLayout &nested) {
  int64_t rank = nested.rank();
  SmallVector<RegisterDim> batch, outer, element;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t perOuter = nested[d].threadTile * nested[d].elementTile;
    int64_t perBatch = nested[d].outerTile * perOuter;
    batch.push_back({d, nested[d].batchTile, perBatch, false});
    outer.push_back({d, nested[d].outerTile, perOuter, false});
    element.push_back({d, nested[d].elementTile, 1, true});
  }
  llvm::append_range(batch, outer);
  llvm::append_range(batch, element);
  return batch;
}

static SmallVector<RegisterDim> registerDims(const Layout &layout) {
  struct Found {
    int64_t stride;
    RegisterDim dim;
  };
  SmallVector<Found> found;
  for (int64_t d = 0; d < layout.rank(); ++d) {
    int64_t weight = 1;
    for (const Digit &digit : llvm::reverse(layout.digits(d))) {
      if (digit.axis == Axis::Register)
        found.push_back({digit.stride, {d, digit.size, weight, weight == 1}});
      weight *= digit.size;
    }
  }
  llvm::sort(found, [](const Found &a, const Found &b) {
    return a.stride > b.stride;
  });
  return llvm::map_to_vector(found, [](const Found &f) { return f.dim; });
}

Placement::Placement(vector_ext::VectorLayoutInterface attr)
    : attr(attr), layout(attr.getLayout()) {
  if (auto nested = dyn_cast<NestedLayoutAttr>(attr))
    registers = registerDims(nested.getNested());
  else
    registers = registerDims(layout);
}

Placement::Placement(vector_ext::VectorLayoutInterface attr, Layout whole,
                     SmallVector<RegisterDim> dims)
    : attr(attr), layout(std::move(whole)), registers(std::move(dims)) {
  assert((registers.empty() || llvm::product_of(shape()) == numRegisters()) &&
         llvm::all_of(registers,
                      [&](const RegisterDim &r) { return r.dim < rank(); }) &&
         "the dims of a lane's vector are its registers");
}

SmallVector<int64_t> Placement::shape() const {
  return llvm::map_to_vector(registers,
                             [](const RegisterDim &r) { return r.size; });
}

SmallVector<int64_t> Placement::elementShape() const {
  SmallVector<int64_t> shape(rank(), 1);
  for (const RegisterDim &r : registers)
    if (r.element)
      shape[r.dim] = r.size;
  return shape;
}

SmallVector<int64_t> Placement::tiledShape() const {
  SmallVector<int64_t> tiled;
  for (const RegisterDim &r : registers)
    if (!r.element)
      tiled.push_back(r.size);
  llvm::append_range(tiled, elementShape());
  return tiled;
}

SmallVector<Tile> Placement::tiles() const {
  SmallVector<RegisterDim> outer;
  SmallVector<int64_t> sizes;
  for (const RegisterDim &r : registers) {
    if (r.element)
      continue;
    outer.push_back(r);
    sizes.push_back(r.size);
  }
  SmallVector<int64_t> strides = computeStrides(sizes);
  SmallVector<Tile> tiles;
  for (int64_t i = 0, e = computeProduct(sizes); i < e; ++i) {
    Tile tile{delinearize(i, strides), SmallVector<int64_t>(rank(), 0)};
    for (auto [r, at] : llvm::zip_equal(outer, tile.position))
      tile.offset[r.dim] += at * r.weight;
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

SmallVector<int64_t> Placement::tiledRegisters() const {
  SmallVector<int64_t> strides = computeStrides(shape());
  // The stride in the register number of every dim of the tiled form.
  SmallVector<int64_t> outer, element(rank(), 0);
  for (auto [r, stride] : llvm::zip_equal(registers, strides)) {
    if (r.element)
      element[r.dim] = stride;
    else
      outer.push_back(stride);
  }
  llvm::append_range(outer, element);
  SmallVector<int64_t> tiledStrides = computeStrides(tiledShape());
  SmallVector<int64_t> registerOf(numRegisters());
  for (auto [at, reg] : llvm::enumerate(registerOf))
    reg = linearize(delinearize(at, tiledStrides), outer);
  return registerOf;
}

SmallVector<Digit> Placement::digitsOn(Axis axis, ArrayRef<bool> dims) const {
  assert((dims.empty() || int64_t(dims.size()) == rank()) &&
         "each dim is marked or not");
  SmallVector<Digit> found;
  for (int64_t d = 0; d < rank(); ++d)
    if (dims.empty() || dims[d])
      for (const Digit &digit : layout.digits(d))
        if (digit.axis == axis)
          found.push_back(digit);
  return found;
}
