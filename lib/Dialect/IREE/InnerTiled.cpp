//===- InnerTiled.cpp - Contractions of MMA fragments ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies iree_codegen.inner_tiled: every operand is a grid of fragments of
// the instruction, and the grids agree on the iteration space.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"

#include "distaff/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace distaff;
using namespace distaff::iree;

namespace {
/// An operand with the fragment and the type that the instruction requires.
struct Operand {
  StringRef name;
  ShapedType type;
  AffineMap map;
  const Fragment *fragment;
  ScalarKind element;
};
} // namespace

SmallVector<AffineMap> InnerTiledOp::getIndexingMapsArray() {
  return llvm::to_vector(getIndexingMaps().getAsValueRange<AffineMapAttr>());
}

SmallVector<int64_t> InnerTiledOp::getIterationShape() {
  SmallVector<AffineMap> maps = getIndexingMapsArray();
  SmallVector<int64_t> shape(maps.back().getNumDims(), ShapedType::kDynamic);
  for (auto [operand, map] : llvm::zip_equal(getOperands(), maps)) {
    auto type = cast<ShapedType>(operand.getType());
    for (auto [position, result] : llvm::enumerate(map.getResults()))
      shape[cast<AffineDimExpr>(result).getPosition()] =
          type.getDimSize(position);
  }
  return shape;
}

/// Returns the operands in the order of the op. `col_major` computes the
/// transposed product: the instruction's A is the op's rhs, and every fragment
/// is transposed, which keeps the order of its registers and thus its shape.
static SmallVector<Operand> getFragments(InnerTiledOp op, const MmaRow &row,
                                         bool colMajor) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto typeOf = [](Value value) { return cast<ShapedType>(value.getType()); };
  Operand lhs{"lhs", typeOf(op.getLhs()), maps[0], &row.fragmentA, row.a};
  Operand rhs{"rhs", typeOf(op.getRhs()), maps[1], &row.fragmentB, row.b};
  Operand acc{"acc", typeOf(op.getAcc()), maps[2], &row.fragmentC, row.c};
  if (colMajor) {
    std::swap(lhs.fragment, rhs.fragment);
    std::swap(lhs.element, rhs.element);
  }
  return {lhs, rhs, acc};
}

static LogicalResult verifyElement(InnerTiledOp op, const Operand &operand,
                                   StringRef kind) {
  Type element = operand.type.getElementType();
  std::string name;
  llvm::raw_string_ostream(name) << element;
  if (name != elementNameOf(operand.element))
    return op.emitOpError() << operand.name << " has elements of type "
                            << element << ", those of " << kind << " are "
                            << elementNameOf(operand.element);
  return success();
}

static LogicalResult verifyFragment(InnerTiledOp op, const Operand &operand,
                                    StringRef kind) {
  constexpr int64_t innerRank = 2;
  int64_t outerRank = operand.map.getNumResults();
  if (operand.type.getRank() != outerRank + innerRank)
    return op.emitOpError()
           << operand.name << " has rank " << operand.type.getRank()
           << ", expected " << outerRank << " outer dims of its map and "
           << innerRank << " of the fragment";
  ArrayRef<int64_t> shape = operand.type.getShape().take_back(innerRank);
  ArrayRef<int64_t> expected(operand.fragment->shape);
  if (shape != expected)
    return op.emitOpError()
           << operand.name << " has fragments of shape " << shape[0] << "x"
           << shape[1] << ", those of " << kind << " are " << expected[0] << "x"
           << expected[1];
  return verifyElement(op, operand, kind);
}

/// Checks that every operand gives each iteration dim the same extent.
static LogicalResult verifyOuterDims(InnerTiledOp op,
                                     ArrayRef<Operand> operands) {
  unsigned numDims = operands.back().map.getNumDims();
  SmallVector<std::pair<int64_t, StringRef>> seen(
      numDims, {ShapedType::kDynamic, StringRef()});
  for (const Operand &operand : operands) {
    for (auto [position, result] : llvm::enumerate(operand.map.getResults())) {
      unsigned dim = cast<AffineDimExpr>(result).getPosition();
      int64_t size = operand.type.getDimSize(position);
      if (ShapedType::isDynamic(size))
        continue;
      auto &[extent, name] = seen[dim];
      if (!name.empty() && extent != size)
        return op.emitOpError()
               << "iteration dim " << dim << " has extent " << extent << " in "
               << name << " but " << size << " in " << operand.name;
      seen[dim] = {size, operand.name};
    }
  }
  return success();
}

static LogicalResult verifyMaps(InnerTiledOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps.size() != op->getNumOperands())
    return op.emitOpError()
           << "has " << op->getNumOperands() << " operands but " << maps.size()
           << " indexing maps";
  llvm::SmallBitVector used(maps.front().getNumDims());
  for (AffineMap map : maps) {
    if (map.getNumDims() != used.size())
      return op.emitOpError() << "indexing maps have " << used.size() << " and "
                              << map.getNumDims() << " dims";
    if (!map.isProjectedPermutation())
      return op.emitOpError() << "indexing map " << AffineMapAttr::get(map)
                              << " is not a projected permutation";
    for (AffineExpr result : map.getResults())
      used.set(cast<AffineDimExpr>(result).getPosition());
  }
  if (int dim = used.find_first_unset(); dim >= 0)
    return op.emitOpError()
           << "iteration dim " << dim << " is in no indexing map";
  if (std::optional<ArrayAttr> iterators = op.getIteratorTypes();
      iterators && iterators->size() != used.size())
    return op.emitOpError() << "has " << used.size() << " iteration dims but "
                            << iterators->size() << " iterator types";
  return success();
}

/// Returns whether each operand has the order of its inner dims, if one has.
static bool arePermutations(InnerTiledOp op) {
  std::optional<ArrayAttr> all = op.getPermutations();
  if (!all)
    return true;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (all->size() != op->getNumOperands())
    return false;
  for (auto [attribute, operand, map] :
       llvm::zip_equal(*all, op->getOperands(), maps)) {
    auto order = dyn_cast<DenseI64ArrayAttr>(attribute);
    int64_t rank = cast<ShapedType>(operand.getType()).getRank();
    if (!order || order.size() + map.getNumResults() != rank ||
        !isPermutationVector(order.asArrayRef()))
      return false;
  }
  return true;
}

/// Checks that every operand has the dims of its map before its tile.
static LogicalResult verifyRanks(InnerTiledOp op, ArrayRef<Operand> operands) {
  for (const Operand &operand : operands)
    if (operand.type.getRank() < operand.map.getNumResults())
      return op.emitOpError()
             << operand.name << " has rank " << operand.type.getRank()
             << " and a map of " << operand.map.getNumResults()
             << " results; it has the dims of its map, and then its tile";
  return success();
}

/// Returns whether an attribute means a reduction; nullopt for another one.
static std::optional<bool> isReduction(Attribute iterator) {
  utils::IteratorType type;
  if (auto attribute = dyn_cast<linalg::IteratorTypeAttr>(iterator))
    type = attribute.getValue();
  else if (auto text = dyn_cast<StringAttr>(iterator);
           text && utils::symbolizeIteratorType(text.getValue()))
    type = *utils::symbolizeIteratorType(text.getValue());
  else
    return std::nullopt;
  return type == utils::IteratorType::reduction;
}

/// Checks that exactly the dims that the accumulator lacks are reductions.
static LogicalResult verifyIterators(InnerTiledOp op) {
  std::optional<ArrayAttr> iterators = op.getIteratorTypes();
  if (!iterators)
    return success();
  AffineMap result = op.getIndexingMapsArray().back();
  for (auto [dim, iterator] : llvm::enumerate(*iterators)) {
    std::optional<bool> reduces = isReduction(iterator);
    if (!reduces)
      return op.emitOpError() << "iterator type " << iterator << " of dim "
                              << dim << " is neither parallel nor reduction";
    if (*reduces == result.isFunctionOfDim(dim))
      return op.emitOpError()
             << "iteration dim " << dim << " is said to be "
             << (*reduces ? "a reduction, and the map of acc has it"
                          : "parallel, and the map of acc does not have it")
             << "; mend the map, or the iterator type";
  }
  return success();
}

/// Checks an op in IREE's form, whose tiles the import separates.
static LogicalResult verifyInherited(InnerTiledOp op) {
  if (failed(verifyMaps(op)))
    return failure();
  if (!arePermutations(op))
    return op.emitOpError("permutations ")
           << *op.getPermutations()
           << " are not one array<i64> for each of its " << op->getNumOperands()
           << " operands, which says the order of the inner dims";
  if (failed(verifyIterators(op)))
    return failure();
  auto kind = dyn_cast<MmaLayoutAttr>(op.getKind());
  if (!kind || op.getInputs().size() != 2)
    return success();
  SmallVector<Operand> operands =
      getFragments(op, *kind.getRow(), kind.getColMajor());
  if (failed(verifyRanks(op, operands)) ||
      failed(verifyOuterDims(op, operands)))
    return failure();
  for (const Operand &operand : operands)
    if (failed(verifyElement(op, operand, kind.getName())))
      return failure();
  return success();
}

LogicalResult InnerTiledOp::verify() {
  if (getSemantics())
    return verifyInherited(*this);
  if (getPermutations())
    return emitOpError("has permutations, which belong to IREE's semantics");
  auto kind = dyn_cast<MmaLayoutAttr>(getKind());
  if (!kind)
    return emitOpError() << "kind " << getKind() << " is no MMA instruction";
  if (getInputs().size() != 2)
    return emitOpError() << "has " << getInputs().size() << " inputs, "
                         << kind.getName() << " takes 2";
  if (failed(verifyMaps(*this)))
    return failure();
  SmallVector<Operand> operands =
      getFragments(*this, *kind.getRow(), kind.getColMajor());
  for (const Operand &operand : operands)
    if (failed(verifyFragment(*this, operand, kind.getName())))
      return failure();
  return verifyOuterDims(*this, operands);
}
