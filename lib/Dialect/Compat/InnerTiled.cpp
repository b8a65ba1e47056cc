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
#include "distaff/Dialect/Compat/Compat.h"

#include "distaff/Target/Target.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace distaff;
using namespace distaff::compat;

namespace {
/// An operand and what the instruction wants of it.
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

/// The operands in the order of the op's. `col_major` computes the transposed
/// product: the instruction's A is the op's rhs, and every fragment is
/// transposed, which leaves the order of its registers, hence its shape, alone.
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
  Type element = operand.type.getElementType();
  std::string name;
  llvm::raw_string_ostream(name) << element;
  if (name != elementNameOf(operand.element))
    return op.emitOpError() << operand.name << " has elements of type "
                            << element << ", those of " << kind << " are "
                            << elementNameOf(operand.element);
  return success();
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

/// Whether each operand has the order of its inner dims, if one has.
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

LogicalResult InnerTiledOp::verify() {
  // Of IREE's form, which no stage sees, the import checks shapes.
  if (getSemantics() && failed(verifyMaps(*this)))
    return failure();
  if (getSemantics() && !arePermutations(*this))
    return emitOpError("permutations ")
           << *getPermutations() << " are not one array<i64> for each of its "
           << getNumOperands()
           << " operands, which says the order of the inner dims";
  if (getSemantics())
    return success();
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
