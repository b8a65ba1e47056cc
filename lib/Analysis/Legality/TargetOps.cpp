//===- TargetOps.cpp - Ops that target instructions implement -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/TargetOps.h"
#include "../Layout/TransferRules.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::vector_ext;

PlaceMap distaff::placeMapOf(const TargetOp &row, unsigned operand) {
  std::optional<PlaceMap> map = PlaceMap::get(
      row.operandPlaces[operand], row.resultPlaces, row.subgroupSize);
  assert(map && "a row places each element of its tile once");
  return *map;
}

int64_t distaff::issuesOf(const TargetOp &row, const Layout &layout) {
  return llvm::divideCeil(layout.numRegisters(),
                          placeMapOf(row, 0).registers());
}

//===----------------------------------------------------------------------===//
// Selection of instructions
//===----------------------------------------------------------------------===//

/// Returns whether an op computes each element by itself, wherever it is, as an
/// instruction requires.
static bool keepsElementsApart(Operation *op) {
  return ::mlir::OpTrait::hasElementwiseMappableTraits(op) ||
         isa<vector::TransposeOp, vector::ShapeCastOp, ToLayoutOp>(op);
}

static bool isOf(Type type, ScalarKind kind) {
  return getElementTypeOrSelf(type) == elementTypeOf(kind, type.getContext());
}

std::optional<std::string> distaff::whyNotTargetOp(Operation *op,
                                                   const TargetOp &row) {
  if (row.operation != op->getName().getStringRef() || !keepsElementsApart(op))
    return "which does " + row.operation.str();
  OpLayouts slots = OpLayouts::get(op);
  if (slots.operands.size() != row.operandPlaces.size() ||
      slots.operands.size() != op->getNumOperands() ||
      slots.results.size() != 1)
    return "which takes " + std::to_string(row.operandPlaces.size()) +
           " vectors";
  bool takes = isOf(slots.results.front().getType(), row.result) &&
               llvm::all_of(slots.operands, [&](OpOperand *operand) {
                 return isOf(operand->get().getType(), row.operand);
               });
  if (!takes)
    return "which makes " + elementNameOf(row.result).str() + " of " +
           elementNameOf(row.operand).str();
  return std::nullopt;
}

std::string TargetOpCandidate::describe() const {
  return row->name.str() + " " +
         llvm::join(
             llvm::map_range(row->shape,
                             [](int64_t n) { return std::to_string(n); }),
             "x") +
         ", " + std::to_string(issues) + (issues == 1 ? " issue" : " issues");
}

std::vector<TargetOpCandidate> distaff::getTargetOps(Operation *op,
                                                     const Target &target,
                                                     HardwareShape hardware) {
  std::vector<TargetOpCandidate> found;
  for (const TargetOp &row : target.ops) {
    if (row.issueCost == infiniteCost || row.subgroupSize != hardware.lanes ||
        whyNotTargetOp(op, row))
      continue;
    int64_t elements =
        cast<VectorType>(op->getResult(0).getType()).getNumElements();
    int64_t issues = llvm::divideCeil(
        elements, hardware.subgroups * llvm::product_of(row.shape));
    found.push_back({&row, issues, issues * row.issueCost});
  }
  llvm::stable_sort(
      found, [](const auto &a, const auto &b) { return a.cost < b.cost; });
  return found;
}

/// Returns the layout with bit `from` of its register numbers moved down to
/// `to`, if all sizes are powers of two; `takes` maps each register to its old
/// one.
static std::optional<Layout> moveBit(const Layout &layout, unsigned from,
                                     unsigned to, SmallVector<int64_t> &takes) {
  auto moved = [&](unsigned bit) {
    return bit == from ? to : bit >= to && bit < from ? bit + 1 : bit;
  };
  SmallVector<SmallVector<Digit>> dims;
  for (int64_t dim = 0; dim < layout.rank(); ++dim) {
    SmallVector<Digit> &digits = dims.emplace_back();
    for (const Digit &digit : layout.digits(dim)) {
      if (digit.axis != Axis::Register) {
        digits.push_back(digit);
        continue;
      }
      if (!llvm::isPowerOf2_64(digit.size) ||
          !llvm::isPowerOf2_64(digit.stride))
        return std::nullopt;
      unsigned first = llvm::Log2_64(digit.stride);
      for (unsigned bit = llvm::Log2_64(digit.size); bit-- > 0;)
        digits.push_back({Axis::Register, 2, int64_t(1) << moved(first + bit)});
    }
  }
  takes.assign(layout.numRegisters(), 0);
  for (unsigned bit = 0; (int64_t(1) << bit) < layout.numRegisters(); ++bit)
    for (auto [number, source] : llvm::enumerate(takes))
      source |= int64_t(number >> moved(bit) & 1) << bit;
  return Layout::get(dims);
}

/// Returns the number of elements of a word, which move together.
static int64_t elementsPerWord(const TargetOp &row) {
  return std::max<int64_t>(1,
                           32 / std::max<int64_t>(1, bitWidthOf(row.operand)));
}

/// Maps each register of `to` to one that the instruction writes, if whole
/// words match: merging parts of words is not supported.
static std::optional<SmallVector<int64_t>> wordsOf(const TargetOp &row,
                                                   const Layout &moved,
                                                   const Layout &to,
                                                   HardwareShape hardware) {
  std::optional<SmallVector<int64_t>> sourceOf =
      registerSource(moved, to, DimMap::identity(to.rank()), hardware);
  int64_t perWord = elementsPerWord(row);
  if (!sourceOf || perWord == 1)
    return sourceOf;
  for (auto [reg, source] : llvm::enumerate(*sourceOf))
    if (source % perWord != int64_t(reg) % perWord ||
        source / perWord != sourceOf->data()[reg / perWord * perWord] / perWord)
      return std::nullopt;
  return sourceOf;
}

std::optional<OpConversion> distaff::planConversionBy(const TargetOp &row,
                                                      const Layout &from,
                                                      const Layout &to,
                                                      HardwareShape hardware) {
  PlaceMap map = placeMapOf(row, 0);
  int64_t perWord = elementsPerWord(row);
  auto plan = [&](const Layout &taken) -> std::optional<OpConversion> {
    std::optional<Layout> moved = map.apply(taken);
    std::optional<SmallVector<int64_t>> sourceOf;
    if (!moved || !(sourceOf = wordsOf(row, *moved, to, hardware)))
      return std::nullopt;
    return OpConversion{{}, std::move(*sourceOf), std::move(*moved)};
  };
  std::optional<OpConversion> found = plan(from);
  if (found) {
    found->takes = llvm::to_vector(llvm::seq<int64_t>(from.numRegisters()));
    return found;
  }
  // Of two words, try each pair.
  if (map.registers() != 2 * perWord)
    return std::nullopt;
  unsigned lowest = llvm::Log2_64(perWord);
  for (unsigned bit = lowest + 1; (int64_t(1) << bit) < from.numRegisters();
       ++bit) {
    SmallVector<int64_t> takes;
    std::optional<Layout> taken = moveBit(from, bit, lowest, takes);
    if (!taken)
      return std::nullopt;
    if ((found = plan(*taken))) {
      found->takes = std::move(takes);
      return found;
    }
  }
  return std::nullopt;
}

std::optional<int64_t>
distaff::costOfConversion(const TargetOp &row, Type element, const Layout &from,
                          const Layout &to, HardwareShape hardware) {
  if (row.operation != ToLayoutOp::getOperationName() ||
      row.issueCost == infiniteCost || row.subgroupSize != hardware.lanes ||
      !isOf(element, row.operand) || !planConversionBy(row, from, to, hardware))
    return std::nullopt;
  return issuesOf(row, from) * row.issueCost;
}

const TargetOp *distaff::targetOpOf(Operation *op) {
  core::TargetOpAttr kind;
  for (Value operand : op->getOperands()) {
    auto anchor = operand.getDefiningOp<ToLayoutOp>();
    auto named =
        anchor
            ? dyn_cast_if_present<core::TargetOpAttr>(anchor.getMmaKindAttr())
            : core::TargetOpAttr();
    if (!named || (kind && kind != named))
      return nullptr;
    kind = named;
  }
  // Other ops may read the value to which an op's operand is laid out.
  if (!kind || whyNotTargetOp(op, *kind.getRow()))
    return nullptr;
  return kind.getRow();
}

//===----------------------------------------------------------------------===//
// Layouts of an instruction's operands and result
//===----------------------------------------------------------------------===//

/// Returns the canonical form of a layout.
static VectorLayoutInterface withMergedDigits(VectorLayoutInterface layout) {
  return getLayoutAttr(layout.getContext(), layout.getLayout().merged());
}

static VectorLayoutInterface movedBy(const PlaceMap &map,
                                     VectorLayoutInterface layout) {
  std::optional<Layout> moved = map.apply(layout.getLayout());
  return moved ? getLayoutAttr(layout.getContext(), *moved)
               : VectorLayoutInterface();
}

/// Infers the layouts between the instruction's map and the op's own row.
static LogicalResult inferMoved(const TargetOp &row, Operation *op,
                                OpLayouts &slots, std::string &why) {
  auto cannot = [&](unsigned operand, VectorLayoutInterface layout,
                    StringRef side) {
    why = (Twine(side) + " laid out as " + shortNotation(layout) +
           " is no whole tiles of " + row.name +
           ", which places elements by digits of " + Twine(row.subgroupSize) +
           " lanes")
              .str();
    return failure();
  };
  OpLayouts moved = slots;
  for (auto [i, layout] : llvm::enumerate(slots.operandLayouts))
    if (layout &&
        !(moved.operandLayouts[i] = movedBy(placeMapOf(row, i), layout)))
      return cannot(i, layout, "operand #" + std::to_string(i));
  for (VectorLayoutInterface &layout : moved.resultLayouts)
    if (layout)
      layout = withMergedDigits(layout);
  Inference inference(moved, why);
  if (failed(inferOrdinary(op, inference).value_or(success())))
    return failure();
  for (auto [i, layout] : llvm::enumerate(slots.operandLayouts)) {
    VectorLayoutInterface behind = moved.operandLayouts[i];
    if (layout || !behind)
      continue;
    layout = movedBy(placeMapOf(row, i).inverse(), behind);
    if (!layout)
      return cannot(i, behind, "result");
  }
  for (auto [layout, found] :
       llvm::zip_equal(slots.resultLayouts, moved.resultLayouts))
    if (!layout)
      layout = found;
  return success();
}

LogicalResult distaff::inferLayoutsBy(const TargetOp *row, Operation *op,
                                      OpLayouts &slots, std::string &why) {
  fixRankZero(slots);
  if (row)
    return inferMoved(*row, op, slots, why);
  Inference inference(slots, why);
  return inferOrdinary(op, inference).value_or(success());
}
