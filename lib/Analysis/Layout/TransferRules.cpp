//===- TransferRules.cpp - Constraints between slots of an op -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransferRules.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "mlir/Dialect/Vector/Interfaces/MaskableOpInterface.h"
#include "mlir/Dialect/Vector/Interfaces/MaskingOpInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace distaff;

std::string Inference::describe(Slot slot) {
  for (auto [i, layout] : llvm::enumerate(slots.operandLayouts))
    if (&layout == slot)
      return ("operand #" + Twine(slots.operands[i]->getOperandNumber())).str();
  for (auto [i, layout] : llvm::enumerate(slots.resultLayouts))
    if (&layout == slot)
      return slots.results.size() == 1
                 ? "result"
                 : ("result #" + Twine(slots.results[i].getResultNumber()))
                       .str();
  return "layout";
}

Slot Inference::outerMask() {
  Operation *op =
      slots.results.empty()
          ? (slots.operands.empty() ? nullptr
                                    : slots.operands.front()->getOwner())
          : slots.results.front().getOwner();
  if (!op || !isa_and_nonnull<vector::MaskingOpInterface>(op->getParentOp()))
    return nullptr;
  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts))
    if (operand->getOwner() != op)
      return &layout;
  return nullptr;
}

LogicalResult Inference::equal(Slot a, Slot b) {
  auto same = [](VectorLayoutInterface layout) { return layout; };
  return relate(a, b, same, same);
}

LogicalResult Inference::determines(Slot a, Slot b, LayoutFunction function) {
  if (!a || !b || !*a)
    return success();
  VectorLayoutInterface implied = function(*a);
  if (!implied) {
    // This is no contradiction while `b` is open; if it stays open, this is
    // why.
    LogicalResult contradicts =
        contradiction(describe(a) + " laid out as " + shortNotation(*a) +
                          " has no counterpart on " + describe(b),
                      "convert " + describe(a) +
                          " by an 'iree_vector_ext.to_layout' to one that has");
    return *b ? contradicts : success();
  }
  if (!*b)
    *b = implied;
  if (*b == implied)
    return success();
  return contradiction(
      describe(b) + " is laid out as " + shortNotation(*b) + ", " +
          describe(a) + " demands " + shortNotation(implied),
      "convert " + describe(b) + " by an 'iree_vector_ext.to_layout'");
}

LogicalResult Inference::relate(Slot a, Slot b, LayoutFunction forward,
                                LayoutFunction backward) {
  if (!a || !b)
    return success();
  if (!*a && *b)
    return determines(b, a, backward);
  if (*a && *b && backward(*b) == *a)
    return success(); // forward may use another notation for the same places
  return determines(a, b, forward);
}

LogicalResult Inference::projects(Slot source,
                                  const llvm::SmallBitVector &dropped,
                                  Slot target) {
  return determines(source, target, [&](VectorLayoutInterface layout) {
    return layout.project(dropped);
  });
}

//===----------------------------------------------------------------------===//
// Iteration spaces
//===----------------------------------------------------------------------===//

/// Returns the layout of the dims that iterate over `dims`, in that order.
static VectorLayoutInterface onDims(VectorLayoutInterface layout, AffineMap map,
                                    ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> positions;
  for (unsigned dim : dims)
    positions.push_back(getAffineDimExpr(
        *map.getResultPosition(getAffineDimExpr(dim, map.getContext())),
        map.getContext()));
  return layout.apply(
      AffineMap::get(map.getNumResults(), 0, positions, map.getContext()));
}

/// Returns whether both layouts have the same places, in any notation.
static bool placeAlike(VectorLayoutInterface a, VectorLayoutInterface b) {
  return a == b || (a && b && a.getLayout() == b.getLayout());
}

/// Returns whether both give every lane the same elements, in any registers.
static bool holdAlike(VectorLayoutInterface a, VectorLayoutInterface b) {
  if (!a || !b || placeAlike(a, b))
    return placeAlike(a, b);
  auto renumbered = [](const Layout &layout) {
    DimMap all = DimMap::identity(layout.rank());
    return Layout::recombine({layout}, {all}, all);
  };
  std::optional<Layout> one = renumbered(a.getLayout()),
                        other = renumbered(b.getLayout());
  return one && other && one->equivalent(*other);
}

static SmallVector<unsigned> sharedDims(AffineMap a, AffineMap b) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < a.getNumDims(); ++dim)
    if (a.isFunctionOfDim(dim) && b.isFunctionOfDim(dim))
      dims.push_back(dim);
  return dims;
}

static constexpr llvm::StringLiteral placeAlikeBy =
    "place these alike by an 'iree_vector_ext.to_layout' on one of them";

LogicalResult Inference::agreeOnReduced(Slot lhs, Slot rhs,
                                        ArrayRef<AffineMap> maps) {
  if (!lhs || !rhs || !*lhs || !*rhs)
    return success();
  SmallVector<unsigned> dims = sharedDims(maps[0], maps[1]);
  llvm::erase_if(dims,
                 [&](unsigned dim) { return maps[2].isFunctionOfDim(dim); });
  VectorLayoutInterface onLhs = onDims(*lhs, maps[0], dims);
  VectorLayoutInterface onRhs = onDims(*rhs, maps[1], dims);
  if (holdAlike(onLhs, onRhs))
    return success();
  return contradiction(
      "lhs laid out as " + shortNotation(*lhs) + " and rhs laid out as " +
          shortNotation(*rhs) + " disagree on the reduced dims: " +
          shortNotation(onLhs) + " and " + shortNotation(onRhs),
      placeAlikeBy);
}

LogicalResult Inference::splitAlike(Slot a, AffineMap mapA, Slot b,
                                    AffineMap mapB) {
  using vector_ext::NestedLayoutAttr;
  auto nestedA = a ? dyn_cast_or_null<NestedLayoutAttr>(*a) : nullptr;
  auto nestedB = b ? dyn_cast_or_null<NestedLayoutAttr>(*b) : nullptr;
  if (!nestedA || !nestedB)
    return success();
  for (unsigned dim : sharedDims(mapA, mapB)) {
    AffineExpr expr = getAffineDimExpr(dim, mapA.getContext());
    unsigned i = *mapA.getResultPosition(expr);
    unsigned j = *mapB.getResultPosition(expr);
    const NestedDim &dimA = nestedA.getDims()[i], &dimB = nestedB.getDims()[j];
    if (dimA.subgroupTile != dimB.subgroupTile ||
        dimA.subgroupStride != dimB.subgroupStride ||
        dimA.batchTile != dimB.batchTile)
      return contradiction(
          describe(a) + " laid out as " + shortNotation(*a) + " and " +
              describe(b) + " laid out as " + shortNotation(*b) +
              " split a dim over subgroups or batches differently",
          "give both the same subgroup_tile, subgroup_strides and batch_tile "
          "there");
  }
  return success();
}

LogicalResult Inference::shareIterationSpace(ArrayRef<Slot> spaceSlots,
                                             ArrayRef<AffineMap> maps) {
  // Fill: one slot may complete another, so repeat until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<VectorLayoutInterface> known;
    SmallVector<AffineMap> knownMaps;
    for (auto [slot, map] : llvm::zip_equal(spaceSlots, maps))
      if (slot && *slot) {
        known.push_back(*slot);
        knownMaps.push_back(map);
      }
    for (auto [slot, map] : llvm::zip_equal(spaceSlots, maps)) {
      if (!slot || *slot || known.empty())
        continue;
      *slot = VectorLayoutInterface::getRecombinedLayout(known, knownMaps, map);
      changed |= bool(*slot);
      if (changed)
        break;
    }
  }
  // Check every pair. The registers of a dim's indices matter only to their
  // owner: a lane processes them in the order of the indices.
  for (unsigned i = 0; i < spaceSlots.size(); ++i)
    for (unsigned j = i + 1; j < spaceSlots.size(); ++j) {
      Slot a = spaceSlots[i], b = spaceSlots[j];
      if (!a || !b || !*a || !*b)
        continue;
      SmallVector<unsigned> dims = sharedDims(maps[i], maps[j]);
      VectorLayoutInterface onA = onDims(*a, maps[i], dims);
      VectorLayoutInterface onB = onDims(*b, maps[j], dims);
      if (!holdAlike(onA, onB))
        return contradiction(
            describe(a) + " laid out as " + shortNotation(*a) + " and " +
                describe(b) + " laid out as " + shortNotation(*b) +
                " disagree on the dims that they share: " + shortNotation(onA) +
                " and " + shortNotation(onB),
            placeAlikeBy);
    }
  return success();
}
