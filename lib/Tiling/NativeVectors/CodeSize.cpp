//===- CodeSize.cpp - Cost of fully unrolled vectors ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeSize.h"
#include "ContractionView.h"
#include "InMemory.h"
#include "SliceIntrinsics.h"
#include "Slicer.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;
using namespace distaff::vectortiles;

bool vectortiles::isTranscendental(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::FloorOp,
              math::CeilOp, math::SqrtOp>(op);
}

/// Returns the number of instructions of an op that is fully unrolled.
static int64_t unrolledPieces(Operation *op, const Machine &machine) {
  if (isa<arith::ConstantOp, vector::BroadcastOp>(op))
    return 0;
  if (std::optional<Machine::MatrixCode> code = machine.matrixCode(op))
    return code->instructions;
  if (auto contraction = ContractionView::get(op))
    return ShapedType::getNumElements(contraction->extents) /
           machine.pieceElements;
  // A scattered access takes one instruction per element.
  bool isScattered =
      isa<vector::GatherOp, vector::ScatterOp, vector_ext::TransferGatherOp>(
          op);
  int64_t most = 0;
  for (Type type :
       llvm::concat<Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto vector = dyn_cast<VectorType>(type))
      most =
          std::max(most, isScattered && machine.isHost ? vector.getNumElements()
                                                       : machine.pieces(type));
  constexpr int64_t perFunction = 16; // of a polynomial
  if (isa<vector::ScanOp>(op))
    return most * perFunction; // exchanges
  return isTranscendental(op) || elementwiseIntrinsicOf(op) ? most * perFunction
                                                            : most;
}

/// Collects all vector ops in the backward slice of a root.
static void visitCone(Operation *op, llvm::SetVector<Operation *> &ops) {
  if (!op || !ops.insert(op))
    return;
  if (isa<LLVM::ExtractValueOp>(op)) // of an intrinsic's struct, if of any
    visitCone(elementwiseIntrinsicOf(op), ops);
  for (Value operand : op->getOperands())
    if (isa<VectorType>(operand.getType()) ||
        (operand.getDefiningOp() && isSliceable(operand.getDefiningOp()) &&
         !llvm::none_of(operand.getDefiningOp()->getOperandTypes(),
                        llvm::IsaPred<VectorType>)))
      visitCone(operand.getDefiningOp(), ops);
}

int64_t vectortiles::straightPieces(Operation *root, const Machine &machine) {
  llvm::SetVector<Operation *> ops;
  visitCone(root, ops);
  int64_t pieces = 0;
  for (Operation *op : ops)
    pieces += unrolledPieces(op, machine);
  return pieces;
}

/// Returns the registers of a lane that computes a square of a contraction's
/// result, and holds all rows and columns for it.
static int64_t registersOf(const ContractionView &contraction,
                           const Machine &machine) {
  int64_t points = 1, steps = 1;
  for (auto [extent, isReduced] :
       llvm::zip_equal(contraction.extents, contraction.reduced))
    (isReduced ? steps : points) *= extent;
  int64_t tile = llvm::divideCeil(points, machine.pieceElements);
  int64_t rows = int64_t(1) << llvm::Log2_64(tile) / 2;
  auto wordsOf = [&](Value value) {
    return machine.registersOfElement(getElementTypeOrSelf(value));
  };
  return tile * wordsOf(contraction.accumulator) +
         steps * (rows * wordsOf(contraction.lhs) +
                  llvm::divideCeil(tile, rows) * wordsOf(contraction.rhs));
}

/// Returns the registers of a lane that hold an op's operands and results.
static int64_t registersOf(Operation *op, const Machine &machine) {
  if (std::optional<Machine::MatrixCode> code = machine.matrixCode(op))
    return code->registers;
  if (auto contraction = ContractionView::get(op))
    return registersOf(*contraction, machine);
  if (auto part = dyn_cast<vector::ExtractStridedSliceOp>(op);
      part && isPartOnEachLane(part.getSourceVectorType(), part.getType(),
                               part.getOffsets(), machine))
    return part.getSourceVectorType().getNumElements() *
           machine.registersOfElement(
               part.getSourceVectorType().getElementType());
  auto isComputed = [](Value value) {
    Operation *op = value.getDefiningOp();
    return !isa_and_nonnull<arith::ConstantOp, vector::BroadcastOp,
                            vector::CreateMaskOp, vector::ConstantMaskOp>(op);
  };
  int64_t most = 0, operands = 0;
  for (Value result : op->getResults())
    if (isComputed(result))
      most += machine.registersOf(result.getType());
  for (Value operand : op->getOperands())
    if (isComputed(operand))
      operands = std::max(operands, machine.registersOf(operand.getType()));
  return std::max(most, operands);
}

/// Returns whether the registers of lanes hold the operands and results of
/// every op in the cone of a root.
static bool isHeldByLanes(Operation *root, const Machine &machine) {
  llvm::SetVector<Operation *> ops;
  visitCone(root, ops);
  int64_t most = machine.registers;
  // The layouts of contractions are chosen together; other ops only need enough
  // registers to hide the latency of memory.
  if (llvm::none_of(ops, isContraction))
    most = std::min(most, 8 * Machine::piecesInFlight());
  return llvm::all_of(
      ops, [&](Operation *op) { return registersOf(op, machine) <= most; });
}

/// Returns whether a root is computed element by element from memory.
static bool isElementwise(Operation *root) {
  llvm::SetVector<Operation *> ops;
  visitCone(root, ops);
  return llvm::all_of(ops, [&](Operation *op) {
    return op == root || OpTrait::hasElementwiseMappableTraits(op) ||
           isa<arith::ConstantOp, vector::TransferReadOp, vector::LoadOp,
               vector::BroadcastOp, vector::CreateMaskOp>(op);
  });
}

bool vectortiles::isTooLarge(Operation *root, int64_t pieces, int64_t total,
                             const Machine &machine) {
  // A vector that registers hold is always fully unrolled.
  int64_t held = 2 * machine.registers;
  if (machine.isHost)
    return total > machine.codePieces && pieces > held;
  // Lanes hold whole vectors as long as possible, since their layouts are
  // chosen together.
  return pieces > machine.codePieces || !isHeldByLanes(root, machine) ||
         (isElementwise(root) && pieces > held);
}

bool vectortiles::hasNativeShape(Operation *root) {
  if (!core::nativeVectorOf(root->getParentOfType<FunctionOpInterface>())
           .empty())
    return true;
  llvm::SetVector<Operation *> ops;
  visitCone(root, ops);
  return llvm::any_of(
      ops, [](Operation *op) { return !core::nativeVectorOf(op).empty(); });
}
