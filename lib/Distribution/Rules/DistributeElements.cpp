//===- DistributeElements.cpp - Ops that name or split elements -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bitcast, interleave and deinterleave work on neighbours along the last dim: a
// lane has whole groups of them, and runs the op on its registers in the order
// of the index (VX-69).
//
// from_elements and to_elements name elements one by one. Every lane has all of
// them, in registers that are looked up by index; shuffle names rows, and a
// lane has the same part of every row (VX-72).
//
//===----------------------------------------------------------------------===//
#include "../Exchange/RegisterMoves.h"
#include "Rules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <map>
#include <numeric>

using namespace distaff;

//===----------------------------------------------------------------------===//
// Neighbours along the last dim
//===----------------------------------------------------------------------===//

namespace {
/// A ratio: `source` neighbours along the last dim become `result` neighbours.
struct Ratio {
  int64_t source, result;

  /// Returns the ratio for elements of these widths.
  static Ratio ofWidths(int64_t source, int64_t result) {
    int64_t common = std::gcd(source, result);
    return {result / common, source / common};
  }
};
} // namespace

/// Returns a lane's registers in the row-major order of their elements.
static SmallVector<int64_t> inIndexOrder(const Placement &placement) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, placement.numRegisters()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return placement.offsetOf(a) < placement.offsetOf(b);
  });
  return order;
}

/// Returns whether in both orders neighbours come in groups, and groups of the
/// same number hold the same elements, in every lane.
static bool correspond(const Placement &source, ArrayRef<int64_t> sourceOrder,
                       const Placement &result, ArrayRef<int64_t> resultOrder,
                       Ratio ratio, HardwareShape hardware) {
  int64_t groups = source.numRegisters() / ratio.source;
  if (groups * ratio.source != source.numRegisters() ||
      groups * ratio.result != result.numRegisters())
    return false;
  auto isGroup = [&](SmallVector<int64_t> first, const Placement &placement,
                     ArrayRef<int64_t> registers) {
    return llvm::all_of(registers, [&](int64_t reg) {
      bool is = placement.offsetOf(reg) == first;
      ++first.back();
      return is;
    });
  };
  auto scaled = [&](SmallVector<int64_t> index) {
    index.back() = index.back() / ratio.source * ratio.result;
    return index;
  };
  for (int64_t group = 0; group < groups; ++group) {
    ArrayRef<int64_t> from =
        sourceOrder.slice(group * ratio.source, ratio.source);
    SmallVector<int64_t> first = source.offsetOf(from.front());
    if (first.back() % ratio.source != 0 || !isGroup(first, source, from) ||
        !isGroup(scaled(first), result,
                 resultOrder.slice(group * ratio.result, ratio.result)))
      return false;
  }
  for (int64_t subgroup = 0; subgroup < hardware.subgroups; ++subgroup)
    for (int64_t lane = 0; lane < hardware.lanes; ++lane) {
      SmallVector<int64_t> base = source.layout.indexOf({subgroup, lane, 0});
      if (base.back() % ratio.source != 0 ||
          scaled(base) != result.layout.indexOf({subgroup, lane, 0}))
        return false;
    }
  return true;
}

/// Runs `op` on a lane's registers as a 1-D vector, in the order of the index.
static LogicalResult distributeNeighbours(Operation *op, Ratio ratio,
                                          Distributor &out) {
  const Placement *from = out.placementOf(op->getOpOperand(0));
  const Placement *to = out.placementOf(op->getResult(0));
  SmallVector<int64_t> fromOrder = inIndexOrder(*from),
                       toOrder = inIndexOrder(*to);
  if (from->rank() != 0 &&
      !correspond(*from, fromOrder, *to, toOrder, ratio, out.hardware()))
    return out.refuseOwnMistake(
        op,
        "would have to move data between lanes: the source is "
        "laid out as " +
            toString(from->layout) + ", the result as " + toString(to->layout),
        from);
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(renameRegisters(b, loc, out.get(b, operand), fromOrder,
                                       from->numRegisters()));
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
        return VectorType::get(to->numRegisters(),
                               cast<VectorType>(type).getElementType());
      });
  Operation *local = b.create(loc, op->getName().getIdentifier(), operands,
                              types, op->getAttrs());
  SmallVector<int64_t> placeOf = invertPermutationVector(toOrder);
  out.replace(op, llvm::map_to_vector(local->getResults(), [&](Value result) {
                return renameRegisters(b, loc, result, placeOf, to->shape());
              }));
  return success();
}

LogicalResult distaff::distribute(vector::BitCastOp op, Distributor &out) {
  return distributeNeighbours(
      op,
      Ratio::ofWidths(op.getSourceVectorType().getElementTypeBitWidth(),
                      op.getResultVectorType().getElementTypeBitWidth()),
      out);
}

LogicalResult distaff::distribute(vector::InterleaveOp op, Distributor &out) {
  return distributeNeighbours(op, {1, 2}, out);
}

LogicalResult distaff::distribute(vector::DeinterleaveOp op, Distributor &out) {
  return distributeNeighbours(op, {2, 1}, out);
}

//===----------------------------------------------------------------------===//
// Elements by name
//===----------------------------------------------------------------------===//

/// Returns the register of each element of a vector that every lane has all of,
/// in the order of the index; nothing where lanes have parts.
static std::optional<SmallVector<int64_t>>
registersByElement(const Placement &placement) {
  SmallVector<int64_t> shape = placement.layout.shape();
  if (placement.numRegisters() != computeProduct(shape))
    return std::nullopt;
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<int64_t> registers(placement.numRegisters());
  for (int64_t reg = 0; reg < placement.numRegisters(); ++reg)
    registers[linearize(placement.offsetOf(reg), strides)] = reg;
  return registers;
}

static LogicalResult refuseParts(Operation *op, const Placement &placement,
                                 Distributor &out) {
  return out.refuseOwnMistake(
      op,
      "names elements one by one, so every lane must hold all of the vector, "
      "which is laid out as " +
          toString(placement.layout),
      &placement);
}

/// Returns the elements of an operand in the order of the index.
static FailureOr<SmallVector<Value>>
elementsOf(OpBuilder &b, OpOperand &operand, Distributor &out) {
  const Placement *placement = out.placementOf(operand);
  auto registers = registersByElement(*placement);
  if (!registers)
    return refuseParts(operand.getOwner(), *placement, out);
  SmallVector<Value> held =
      toScalars(b, operand.getOwner()->getLoc(), out.get(b, operand));
  return llvm::map_to_vector(*registers,
                             [&](int64_t reg) { return held[reg]; });
}

/// Replaces the op by the vector of these elements.
static LogicalResult replaceByElements(OpBuilder &b, Operation *op,
                                       ValueRange elements, Distributor &out) {
  const Placement *placement = out.placementOf(op->getResult(0));
  auto registers = registersByElement(*placement);
  if (!registers)
    return refuseParts(op, *placement, out);
  SmallVector<Value> held(elements.size());
  for (auto [element, reg] : llvm::zip_equal(elements, *registers))
    held[reg] = element;
  Type type = placement->type(elements.front().getType());
  out.replace(op, fromScalars(b, op->getLoc(), held, type));
  return success();
}

LogicalResult distaff::distribute(vector::FromElementsOp op, Distributor &out) {
  OpBuilder b(op);
  return replaceByElements(b, op, op.getElements(), out);
}

LogicalResult distaff::distribute(vector::ToElementsOp op, Distributor &out) {
  OpBuilder b(op);
  FailureOr<SmallVector<Value>> elements =
      elementsOf(b, op.getSourceMutable(), out);
  if (failed(elements))
    return failure();
  out.replace(op, *elements);
  return success();
}

/// Returns a lane's elements of an operand, by their part of the index.
static std::map<SmallVector<int64_t>, Value>
heldBy(OpBuilder &b, OpOperand &operand, Distributor &out) {
  const Placement *placement = out.placementOf(operand);
  SmallVector<Value> scalars =
      toScalars(b, operand.getOwner()->getLoc(), out.get(b, operand));
  std::map<SmallVector<int64_t>, Value> held;
  for (auto [reg, scalar] : llvm::enumerate(scalars)) {
    SmallVector<int64_t> index = placement->offsetOf(reg);
    if (index.empty()) // rank 0: the one row
      index.push_back(0);
    held[index] = scalar;
  }
  return held;
}

// Implements VX-72.
LogicalResult distaff::distribute(vector::ShuffleOp op, Distributor &out) {
  OpBuilder b(op);
  std::map<SmallVector<int64_t>, Value> first =
      heldBy(b, op.getV1Mutable(), out);
  std::map<SmallVector<int64_t>, Value> second =
      heldBy(b, op.getV2Mutable(), out);
  VectorType type = op.getV1VectorType();
  int64_t rows = type.getRank() == 0 ? 1 : type.getDimSize(0);
  const Placement *result = out.placementOf(op.getResult());
  SmallVector<Value> picked;
  for (int64_t reg = 0; reg < result->numRegisters(); ++reg) {
    SmallVector<int64_t> index = result->offsetOf(reg);
    // A poison element may have any value.
    int64_t from = std::max<int64_t>(0, op.getMask()[index[0]]);
    const auto &source = from < rows ? first : second;
    index[0] = from < rows ? from : from - rows;
    auto found = source.find(index);
    if (found == source.end())
      return refuseParts(op, *result, out);
    picked.push_back(found->second);
  }
  out.replace(op, fromScalars(b, op.getLoc(), picked,
                              result->type(type.getElementType())));
  return success();
}
