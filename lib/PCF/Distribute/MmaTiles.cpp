//===- MmaTiles.cpp - Distributing contractions to MMA fragments ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MmaTiles.h"
#include "../Form/MatmulPhases.h"

#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Describes an operand: its type, the loops that index it, and the loops that
/// are the two dims of the instruction's matrix.
struct MmaOperand {
  RankedTensorType type;
  SmallVector<unsigned> loops;
  unsigned tiled[2];
  const Fragment *fragment;
  /// True if the matrix is the transpose of the instruction's.
  bool isTransposed;
};
} // namespace

iree::MmaLayoutAttr pcf::getMmaKind(Operation *op, const WorkerGrid &grid) {
  if (!isa<iree::LaneScopeAttr>(grid.scope) || !isa<linalg::LinalgOp>(op))
    return {};
  auto config = op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  return config ? config.getMmaKind() : iree::MmaLayoutAttr();
}

static std::string nameType(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// Returns whether an operand's elements are only widened to the accumulator's
/// type.
static bool isWidened(ArrayRef<Operation *> chain, Type operand, Type acc) {
  return llvm::all_of(chain, isExactExtension) &&
         (chain.empty() ? operand : chain.back()->getResult(0).getType()) ==
             acc;
}

static LogicalResult checkTypes(linalg::LinalgOp op,
                                const ContractionBody &body, const MmaRow &row,
                                bool swaps, std::string &why) {
  auto typeOf = [&](unsigned operand) {
    return getElementTypeOrSelf(op->getOperand(operand).getType());
  };
  Type lhs = typeOf(0), rhs = typeOf(1), acc = typeOf(2);
  bool dropsBits = mayDropBits(op);
  if (row.blocks > 1) {
    why = row.name.str() +
          " multiplies several blocks, which only vector-distribute lays out";
    return failure();
  }
  bool fits = Multiplicand::get(lhs, body.lhsChain)
                  .is(swaps ? row.b : row.a, dropsBits) &&
              Multiplicand::get(rhs, body.rhsChain)
                  .is(swaps ? row.a : row.b, dropsBits) &&
              acc == elementTypeOf(row.c, op.getContext());
  if (fits && isWidened(body.lhsChain, lhs, acc) &&
      isWidened(body.rhsChain, rhs, acc))
    return success();
  why = row.name.str() + " multiplies " + nameOf(row.a).str() + " and " +
        nameOf(row.b).str() + " and adds to " + nameOf(row.c).str() + "; " +
        op->getName().getStringRef().str();
  if (fits)
    why += " does more to its operands";
  else
    why += " has " + nameType(lhs) + ", " + nameType(rhs) + " and " +
           nameType(acc);
  return failure();
}

static int64_t getExtent(const Fragment &fragment, Fragment::Digit digit) {
  return digit < Fragment::Element0
             ? fragment.outer[digit - Fragment::Outer0]
             : fragment.element[digit - Fragment::Element0];
}

/// Returns the register digits in the instruction's order: elements, and outer
/// ones with an extent above 1. A further digit is the first dim of the
/// registers if that has extent 1 and no other digit does.
static SmallVector<Fragment::Digit> getRegisters(const Fragment &fragment) {
  SmallVector<Fragment::Digit> digits;
  for (Fragment::Digit digit : fragment.registerOrder)
    if (digit >= Fragment::Element0 || getExtent(fragment, digit) > 1)
      digits.push_back(digit);
  if (fragment.shape[0] == 1 && getExtent(fragment, digits.front()) > 1)
    digits.insert(digits.begin(), fragment.registerOrder[0]);
  return digits;
}

/// Splits the digits into the two dims of the registers. Digits of one value
/// belong to the first if the second has others.
static std::pair<SmallVector<Fragment::Digit>, SmallVector<Fragment::Digit>>
groupRegisters(const Fragment &fragment) {
  SmallVector<Fragment::Digit> digits = getRegisters(fragment);
  int64_t size = 1;
  size_t count = 0;
  while (count + 1 < digits.size() && (count == 0 || size < fragment.shape[0] ||
                                       getExtent(fragment, digits[count]) == 1))
    size *= getExtent(fragment, digits[count++]);
  assert(size == fragment.shape[0] && "registers are digits in their order");
  return {SmallVector<Fragment::Digit>(ArrayRef(digits).take_front(count)),
          SmallVector<Fragment::Digit>(ArrayRef(digits).drop_front(count))};
}

/// Returns the dims of the operand, and its packing.
static TileMap makeMap(const MmaOperand &operand) {
  const Fragment &fragment = *operand.fragment;
  auto [first, second] = groupRegisters(fragment);
  TileMap map;
  /// The place of each digit of the fragment, by Fragment::Digit.
  TileMap::Own places[4] = {};
  for (auto [position, loop] : llvm::enumerate(operand.loops)) {
    int64_t extent = operand.type.getDimSize(position);
    unsigned dim = position;
    TileDim &digits = map.dims.emplace_back();
    map.packing.push_back({{dim, 0}});
    if (loop != operand.tiled[0] && loop != operand.tiled[1]) {
      digits.digits = {{extent, 0}, {1, 0}};
      map.packing.back().push_back({dim, 1});
      continue;
    }
    int side = (loop == operand.tiled[1]) != operand.isTransposed;
    auto outer = static_cast<Fragment::Digit>(Fragment::Outer0 + side);
    digits.digits.push_back({extent / fragment.extent(side), 0});
    if (llvm::is_contained(first, outer) || llvm::is_contained(second, outer)) {
      places[outer] = {dim, 1};
      digits.digits.push_back({fragment.outer[side], 0});
    }
    if (fragment.thread[side] > 1)
      digits.digits.push_back(
          {fragment.thread[side], fragment.threadStrides[side]});
    places[Fragment::Element0 + side] = {
        dim, static_cast<unsigned>(digits.digits.size())};
    digits.digits.push_back({fragment.element[side], 0});
  }
  for (ArrayRef<Fragment::Digit> registers :
       {ArrayRef(first), ArrayRef(second)})
    map.packing.push_back(llvm::map_to_vector(
        registers, [&](Fragment::Digit digit) { return places[digit]; }));
  return map;
}

FailureOr<MmaTiles> pcf::planMmaTiles(linalg::LinalgOp op,
                                      const WorkerGrid &grid,
                                      std::string &why) {
  MmaTiles tiles{getMmaKind(op, grid), {}, {}, {}};
  const MmaRow &row = *tiles.kind.getRow();
  std::string name = op->getName().getStringRef().str();
  std::optional<ContractionBody> body = matchContraction(op);
  if (!body) {
    why = name + " is no product that " + row.name.str() + " computes";
    return failure();
  }
  if (failed(checkTypes(op, *body, row, tiles.kind.getColMajor(), why)))
    return failure();
  std::optional<int64_t> lanes = grid.getNumMembers();
  if (lanes != row.subgroupSize) {
    why = row.name.str() + " needs subgroups of " +
          std::to_string(row.subgroupSize) + " lanes, and here " +
          (lanes ? std::to_string(*lanes) + " take part"
                 : std::string("it is not known how many take part"));
    return failure();
  }
  unsigned m = body->m.back(), n = body->n.back(), k = body->k.back();
  bool swaps = tiles.kind.getColMajor();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [loop, side, letter] : {std::tuple(m, swaps ? row.n : row.m, 'm'),
                                    {n, swaps ? row.m : row.n, 'n'},
                                    {k, row.k, 'k'}})
    if (ShapedType::isStatic(ranges[loop]) && ranges[loop] % side) {
      why = name + " has an extent of " + std::to_string(ranges[loop]) +
            " along " + letter + ", which is no multiple of the " +
            std::to_string(side) + " of " + row.name.str() +
            "; pad it by tensor.pad, or give the product no mma_kind";
      return failure();
    }
  if (!llvm::all_of(ranges, [](int64_t extent) { return extent > 0; })) {
    why = name + " has an extent that is dynamic or 0, and fragments are "
                 "registers";
    return failure();
  }
  auto plan = [&](unsigned operand, unsigned outer, unsigned inner,
                  const Fragment &fragment) {
    return makeMap({cast<RankedTensorType>(op->getOperand(operand).getType()),
                    getLoops(op.getIndexingMapsArray()[operand]),
                    {outer, inner},
                    &fragment,
                    swaps});
  };
  tiles.lhs = plan(0, m, k, swaps ? row.fragmentB : row.fragmentA);
  tiles.rhs = plan(1, k, n, swaps ? row.fragmentA : row.fragmentB);
  tiles.acc = plan(2, m, n, row.fragmentC);
  return tiles;
}
