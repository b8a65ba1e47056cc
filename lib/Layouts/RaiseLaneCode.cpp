//===- RaiseLaneCode.cpp - Raising of per-lane code -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops on a lane's part of a value equal the elementwise op on the
// whole vector, if all parts have the same layout:
//
//   %x = to_layout %a to layout(L) : vector<64xf32>
//   %l = to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
//   %m = arith.mulf %l, %l : vector<1x1x2xf32>
//   %y = to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
// becomes
//   %m = arith.mulf %x, %x : vector<64xf32>
//   %y = to_layout %m to layout(L) : vector<64xf32>
//
// so that layout choice and distribution see no per-lane code. A part has the
// layout's distributed shape, [B..., O..., E...], or, collapsed, one dimension
// per dimension of the whole vector. The two shapes may number the registers
// differently, so that the code of a lane uses only one of them.
//
//===----------------------------------------------------------------------===//
#include "RaiseLaneCode.h"
#include "CarriedParts.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Layouts/Passes.h"
#include "distaff/Rewrite/DeadOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace distaff {
#define GEN_PASS_DEF_RAISELANECODE
#include "distaff/Layouts/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::vector_ext;

/// Returns the elements that a lane holds along each dimension of the vector.
static SmallVector<int64_t> collapsedShape(const Layout &layout) {
  SmallVector<int64_t> shape(layout.rank(), 1);
  for (auto [dim, held] : llvm::enumerate(shape))
    for (const Digit &digit : layout.digits(dim))
      if (digit.axis == Axis::Register)
        held *= digit.size;
  return shape;
}

/// Returns whether registers are numbered in the order of their elements, so
/// that both shapes of a part have one order.
static bool holdsInOrder(const Layout &layout) {
  for (int64_t reg = 1; reg < layout.numRegisters(); ++reg)
    if (layout.indexOf({0, 0, reg}) < layout.indexOf({0, 0, reg - 1}))
      return false;
  return true;
}

namespace {
/// Raises the per-lane code that ends at one to_simd.
class LaneCode {
public:
  /// Creates the raising; with `mayBeUniform` the code need not contain a
  /// to_simt.
  LaneCode(ToSimdOp end, bool mayBeUniform)
      : end(end), b(end), shape(end.getOutput().getType().getShape()),
        isTakenApart(mayBeUniform) {}

  LogicalResult raise();

private:
  LogicalResult visit(Value value);
  LogicalResult visit(ToSimtOp op);
  LogicalResult visitConstant(Value value, DenseElementsAttr bits);
  LogicalResult visitOp(Operation *op);
  /// Fails where a part of `type` numbers registers differently from earlier
  /// parts.
  LogicalResult checkOrder(Operation *op, VectorType type);

  ToSimdOp end;
  OpBuilder b;
  ArrayRef<int64_t> shape; // of the whole vector
  IRMapping whole;         // keyed by a lane's part
  ToLayoutOp anchor;       // the layout of all lane parts
  VectorType part;         // the type of the lane parts
  bool isTakenApart;
};
} // namespace

/// Returns whether a lane has all elements, as the one worker of a CPU does:
/// the cast is one of shape (VX-201).
static bool holdsWhole(ToSimtOp op) {
  return op.getInput().getType().getNumElements() ==
         op.getOutput().getType().getNumElements();
}

LogicalResult LaneCode::visit(ToSimtOp op) {
  auto toLayout = op.getInput().getDefiningOp<ToLayoutOp>();
  if (!toLayout && holdsWhole(op) &&
      op.getInput().getType().getShape() == shape) {
    whole.map(op.getOutput(), op.getInput());
    isTakenApart = true;
    return success();
  }
  if (!toLayout)
    return op.emitOpError(
        "operand has no layout; add an iree_vector_ext.to_layout");
  SmallVector<int64_t> held = toLayout.getLayout().getDistributedShape(),
                       collapsed =
                           collapsedShape(toLayout.getLayout().getLayout());
  VectorType type = op.getOutput().getType();
  if (type.getShape() != ArrayRef(held) &&
      type.getShape() != ArrayRef(collapsed))
    return op.emitOpError("gives a lane ")
           << type << ", of " << shortNotation(toLayout.getLayout())
           << " it has " << VectorType::get(held, type.getElementType())
           << ", or collapsed "
           << VectorType::get(collapsed, type.getElementType());
  if (op.getInput().getType().getShape() != shape)
    return op.emitOpError("takes ")
           << op.getInput().getType() << " apart, of which "
           << end.getOutput().getType() << " is put together";
  if (!anchor)
    anchor = toLayout;
  if (anchor.getLayout() != toLayout.getLayout()) {
    InFlightDiagnostic diagnostic =
        op.emitOpError("is laid out as ")
        << shortNotation(toLayout.getLayout())
        << ", and a lane combines it with what is laid out as "
        << shortNotation(anchor.getLayout())
        << ": its registers are not of the same elements; lay both out alike";
    diagnostic.attachNote(anchor.getLoc()) << "the other layout";
    return diagnostic;
  }
  if (failed(checkOrder(op, type)))
    return failure();
  whole.map(op.getOutput(), op.getInput());
  isTakenApart = true;
  return success();
}

LogicalResult LaneCode::checkOrder(Operation *op, VectorType type) {
  if (!anchor)
    return success();
  if (!part)
    part = type;
  // Shapes of other ranks list the registers in the order of the parts.
  SmallVector<int64_t> held = anchor.getLayout().getDistributedShape(),
                       collapsed =
                           collapsedShape(anchor.getLayout().getLayout());
  auto isOf = [](VectorType vector, ArrayRef<int64_t> shape) {
    return vector.getShape() == shape;
  };
  bool isOther = (isOf(part, held) && isOf(type, collapsed)) ||
                 (isOf(part, collapsed) && isOf(type, held));
  if (!isOther || isOf(type, part.getShape()) ||
      holdsInOrder(anchor.getLayout().getLayout()))
    return success();
  return op->emitOpError("has a lane's part as ")
         << type << ", and code of this lane another as " << part
         << ", in which registers are in another order; give both one shape";
}

LogicalResult LaneCode::visitConstant(Value value, DenseElementsAttr bits) {
  if (!bits.isSplat())
    return value.getDefiningOp()->emitOpError(
        "is different in a lane's registers, and the same in all lanes, "
        "between a to_simt and a to_simd; of constants splats are taken there");
  auto type = VectorType::get(shape, bits.getElementType());
  whole.map(value,
            arith::ConstantOp::create(b, value.getLoc(), bits.resizeSplat(type))
                .getResult());
  return success();
}

LogicalResult LaneCode::visitOp(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<VectorType>(operand.getType()) && failed(visit(operand)))
      return failure();
  Operation *copy = b.clone(*op, whole);
  for (OpResult result : copy->getResults())
    result.setType(
        VectorType::get(shape, getElementTypeOrSelf(result.getType())));
  return success();
}

LogicalResult LaneCode::visit(Value value) {
  if (whole.contains(value))
    return success();
  Operation *op = value.getDefiningOp();
  if (auto start = dyn_cast_or_null<ToSimtOp>(op))
    return visit(start);
  DenseElementsAttr bits;
  if (op && matchPattern(value, m_Constant(&bits)))
    return visitConstant(value, bits);
  // Registers keep their order.
  if (auto cast = dyn_cast_or_null<vector::ShapeCastOp>(op)) {
    if (failed(visit(cast.getSource())))
      return failure();
    whole.map(value, whole.lookup(cast.getSource()));
    return success();
  }
  auto broadcast = dyn_cast_or_null<vector::BroadcastOp>(op);
  bool isScalar = broadcast && !isa<VectorType>(broadcast.getSourceType());
  if (op && (OpTrait::hasElementwiseMappableTraits(op) || isScalar))
    return visitOp(op);
  if (!op)
    return end.emitOpError("puts together what no scf.for, scf.if or "
                           "scf.index_switch hands on; put it together before, "
                           "and hand on the whole");
  return op->emitOpError("stands between a to_simt and a to_simd, where "
                         "elementwise ops are taken: what it does depends on "
                         "which elements a lane holds; write it of the whole "
                         "vector");
}

LogicalResult LaneCode::raise() {
  Value input = end.getInput();
  if (failed(visit(input)))
    return failure();
  if (!isTakenApart)
    return end.emitOpError("puts together what no to_simt has taken apart");
  if (failed(checkOrder(end, end.getInput().getType())))
    return failure();
  Value result = whole.lookup(input);
  if (anchor)
    result = ToLayoutOp::create(b, end.getLoc(), result, anchor.getLayout());
  end.getOutput().replaceAllUsesWith(result);
  end.erase();
  return success();
}

LogicalResult distaff::verifyNoLaneCode(FunctionOpInterface function) {
  WalkResult walked = function->walk([](ToSimtOp op) {
    InFlightDiagnostic diagnostic =
        (*op->user_begin())
            ->emitOpError("takes registers of a lane that no to_simd puts "
                          "together again, by elementwise ops alone: what "
                          "comes of them differs from lane to lane; write it "
                          "of the whole vector");
    diagnostic.attachNote(op.getLoc()) << "the registers are taken here";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Folds a to_simd of a to_simt, for any layout.
static bool foldPair(ToSimdOp op) {
  auto start = op.getInput().getDefiningOp<ToSimtOp>();
  if (!start || start.getInput().getType() != op.getOutput().getType())
    return false;
  op.getOutput().replaceAllUsesWith(start.getInput());
  op.erase();
  return true;
}

LogicalResult distaff::raiseLaneCode(FunctionOpInterface function) {
  llvm::DenseSet<Operation *> carried = carryWholes(function);
  SmallVector<ToSimdOp> ends;
  function->walk([&](ToSimdOp op) { ends.push_back(op); });
  for (ToSimdOp op : ends)
    if (!foldPair(op) && failed(LaneCode(op, carried.contains(op)).raise()))
      return failure();
  return success();
}

namespace {
struct RaiseLaneCodePass final
    : distaff::impl::RaiseLaneCodeBase<RaiseLaneCodePass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      if (failed(raiseLaneCode(function)))
        return signalPassFailure();
      eraseDeadOps(function);
      if (failed(verifyNoLaneCode(function)))
        return signalPassFailure();
    }
  }
};
} // namespace
