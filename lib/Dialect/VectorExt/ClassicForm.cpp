//===- ClassicForm.cpp - Classic form of transfer_gather ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies the classic form, and computes the equivalent maps of the unified
// form: a slice dim becomes the vector dim that the permutation gives it.
//
//===----------------------------------------------------------------------===//
#include "ClassicForm.h"

#include "IndexedAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace distaff;
using namespace distaff::vector_ext;

/// Returns the position of the vector dim that a slice dim becomes, if any.
static std::optional<unsigned> getVectorDim(AffineMap permutation,
                                            unsigned sliceDim) {
  return permutation.getResultPosition(
      getAffineDimExpr(sliceDim, permutation.getContext()));
}

SmallVector<int64_t>
ClassicForm::getSliceShape(ArrayRef<int64_t> vectorShape) const {
  SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim < permutation.getNumDims(); ++dim) {
    std::optional<unsigned> position = getVectorDim(permutation, dim);
    shape.push_back(position ? vectorShape[*position] : 1);
  }
  return shape;
}

static std::optional<std::string>
verifyPermutation(AffineMap permutation, ShapedType base, VectorType vector) {
  if (permutation.getNumSymbols() != 0)
    return llvm::formatv("permutation_map has {0} symbols, expected none",
                         permutation.getNumSymbols());
  if (permutation.getNumDims() != base.getRank() ||
      permutation.getNumResults() != vector.getRank())
    return llvm::formatv(
        "permutation_map has {0} dims and {1} results, expected {2} dims of "
        "the base and {3} of the vector",
        permutation.getNumDims(), permutation.getNumResults(), base.getRank(),
        vector.getRank());
  llvm::SmallBitVector used(permutation.getNumDims());
  auto isFresh = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || used.test(dim.getPosition()))
      return expr == 0;
    used.set(dim.getPosition());
    return true;
  };
  if (!llvm::all_of(permutation.getResults(), isFresh))
    return "permutation_map must send each vector dim to a distinct base dim "
           "or 0";
  return std::nullopt;
}

static std::string toString(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(
             llvm::map_range(
                 shape, [](int64_t extent) { return std::to_string(extent); }),
             ", ") +
         "]";
}

/// Verifies an index value; `type` is null if it is not inferred yet.
static std::optional<std::string>
verifyIndex(unsigned index, Type type, AffineMap map, ArrayRef<int64_t> slice) {
  if (map.getNumDims() != slice.size() || map.getNumSymbols() != 0)
    return llvm::formatv("indexed_maps #{0} has {1} dims and {2} symbols, "
                         "expected {3} dims of the base and no symbol",
                         index, map.getNumDims(), map.getNumSymbols(),
                         slice.size());
  if (!map.isProjectedPermutation())
    return llvm::formatv("indexed_maps #{0} must address distinct base dims",
                         index);
  if (!type)
    return std::nullopt;
  SmallVector<int64_t> expected = applyToShape(map, slice);
  auto vector = dyn_cast<VectorType>(type);
  SmallVector<int64_t> shape;
  if (vector)
    shape.assign(vector.getShape().begin(), vector.getShape().end());
  if (shape == expected)
    return std::nullopt;
  return llvm::formatv("index vector {0} has shape {1}, its map over the slice "
                       "{2} needs {3}",
                       index, toString(shape), toString(slice),
                       toString(expected));
}

std::optional<std::string> ClassicForm::verify(ShapedType base,
                                               VectorType vector,
                                               TypeRange indexTypes) const {
  if (auto why = verifyPermutation(permutation, base, vector))
    return why;
  if (indexTypes.size() != gatheredDims.size() ||
      indexedMaps.size() != gatheredDims.size())
    return llvm::formatv(
        "has {0} index vectors and {1} indexed_maps for {2} gathered dims",
        indexTypes.size(), indexedMaps.size(), gatheredDims.size());
  llvm::SmallBitVector seen(base.getRank());
  for (int64_t dim : gatheredDims) {
    if (dim < 0 || dim >= base.getRank() || seen.test(dim))
      return llvm::formatv("gathered dim {0} is not a further one of the {1} "
                           "dims of the base",
                           dim, base.getRank());
    seen.set(dim);
  }
  SmallVector<int64_t> slice = getSliceShape(vector.getShape());
  for (auto [index, type] : llvm::enumerate(indexTypes))
    if (auto why = verifyIndex(index, type, indexedMaps[index], slice))
      return why;
  return std::nullopt;
}

SmallVector<AffineMap> ClassicForm::getUnifiedMaps(bool hasMask) const {
  MLIRContext *context = permutation.getContext();
  unsigned numDims = permutation.getNumResults();
  unsigned numSymbols = gatheredDims.size();
  // The position of a slice dim in the vector; 0 for a unit dim.
  SmallVector<AffineExpr> sliceToVector, used;
  for (unsigned dim = 0; dim < permutation.getNumDims(); ++dim) {
    std::optional<unsigned> position = getVectorDim(permutation, dim);
    sliceToVector.push_back(position ? getAffineDimExpr(*position, context)
                                     : getAffineConstantExpr(0, context));
    if (position)
      used.push_back(sliceToVector.back());
  }
  SmallVector<AffineExpr> address = sliceToVector;
  for (auto [symbol, dim] : llvm::enumerate(gatheredDims))
    address[dim] = getAffineSymbolExpr(symbol, context);

  SmallVector<AffineMap> maps;
  maps.push_back(AffineMap::get(numDims, numSymbols, address, context));
  for (AffineMap map : indexedMaps)
    maps.push_back(
        map.replaceDimsAndSymbols(sliceToVector, {}, numDims, numSymbols));
  // A mask has the dims of the slice that reach the vector, in that order.
  if (hasMask)
    maps.push_back(AffineMap::get(numDims, numSymbols, used, context));
  return maps;
}

//===----------------------------------------------------------------------===//
// Conversion from the unified form
//===----------------------------------------------------------------------===//

/// Returns the form in which vector dim i becomes `sliceDims[i]`, -1 for a
/// broadcast; nullopt if an index map uses a dim that the slice lacks.
static std::optional<ClassicForm> makeForm(ArrayRef<AffineMap> indexMaps,
                                           ArrayRef<int64_t> gatheredDims,
                                           ArrayRef<int64_t> sliceDims,
                                           unsigned baseRank) {
  MLIRContext *context = indexMaps.front().getContext();
  SmallVector<AffineExpr> toSlice;
  for (int64_t dim : sliceDims)
    toSlice.push_back(dim < 0 ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(dim, context));
  ClassicForm form;
  form.gatheredDims.assign(gatheredDims.begin(), gatheredDims.end());
  form.permutation = AffineMap::get(baseRank, 0, toSlice, context);
  for (AffineMap map : indexMaps) {
    for (AffineExpr result : map.getResults())
      if (!isa<AffineDimExpr>(result))
        return std::nullopt;
    form.indexedMaps.push_back(
        AffineMap::get(baseRank, 0, map.getResults(), context)
            .replaceDimsAndSymbols(toSlice, {}, baseRank, 0));
  }
  return form;
}

/// Returns the vector dims that only index maps use: slice dims of gathered
/// base dims must represent them.
static SmallVector<unsigned> dimsOfIndices(AffineMap base,
                                           ArrayRef<AffineMap> indexMaps) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < base.getNumDims(); ++dim)
    if (!base.isFunctionOfDim(dim) &&
        llvm::any_of(indexMaps,
                     [&](AffineMap map) { return map.isFunctionOfDim(dim); }))
      dims.push_back(dim);
  return dims;
}

/// The limit of gathered dims whose orders are all tried.
static constexpr size_t mostGathered = 6;

std::optional<ClassicForm> ClassicForm::of(ArrayRef<AffineMap> maps,
                                           bool hasMask) {
  AffineMap base = maps.front();
  ArrayRef<AffineMap> indexMaps = maps.drop_front().drop_back(hasMask);
  SmallVector<int64_t> gathered, sliceDims(base.getNumDims(), -1);
  for (auto [dim, result] : llvm::enumerate(base.getResults())) {
    if (isa<AffineSymbolExpr>(result))
      gathered.push_back(dim);
    else if (auto vectorDim = dyn_cast<AffineDimExpr>(result))
      sliceDims[vectorDim.getPosition()] = dim;
  }
  SmallVector<unsigned> free = dimsOfIndices(base, indexMaps);
  if (gathered.size() != indexMaps.size() || free.size() > gathered.size() ||
      gathered.empty() || gathered.size() > mostGathered)
    return std::nullopt;
  SmallVector<int64_t> order = gathered;
  do {
    for (auto [dim, slice] : llvm::zip(free, order))
      sliceDims[dim] = slice;
    std::optional<ClassicForm> form =
        makeForm(indexMaps, gathered, sliceDims, base.getNumResults());
    if (form && ArrayRef(form->getUnifiedMaps(hasMask)) == maps)
      return form;
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}
