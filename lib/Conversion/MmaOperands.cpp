//===- MmaOperands.cpp - MMA fragments as registers -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between instructions an accumulator is passed as the list of its registers,
// never as an n-D vector, which LLVM would take apart again.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {

class FragmentRegisters {
public:
  /// Returns the registers of a fragment, in order.
  SmallVector<Value> of(Value fragment, OpBuilder &builder) {
    if (auto it = known.find(fragment); it != known.end())
      return it->second;
    if (auto made = fragment.getDefiningOp<vector::FromElementsOp>())
      return SmallVector<Value>(made.getElements());
    if (DenseElementsAttr constant;
        matchPattern(fragment, m_Constant(&constant)))
      return constants(constant, fragment.getLoc(), builder);
    auto parts =
        vector::ToElementsOp::create(builder, fragment.getLoc(), fragment);
    return SmallVector<Value>(parts.getElements());
  }

  void set(Value fragment, SmallVector<Value> registers) {
    known[fragment] = std::move(registers);
  }

private:
  /// Returns the registers of a fragment of constants, which folding merged.
  static SmallVector<Value> constants(DenseElementsAttr elements, Location loc,
                                      OpBuilder &builder) {
    return llvm::map_to_vector(
        elements.getValues<TypedAttr>(), [&](TypedAttr value) -> Value {
          return arith::ConstantOp::create(builder, loc, value);
        });
  }

  llvm::DenseMap<Value, SmallVector<Value>> known;
};

} // namespace

static LogicalResult checkInstruction(iree::InnerTiledOp op,
                                      const Target &target) {
  auto kind = cast<iree::MmaLayoutAttr>(op.getKind());
  const MmaRow &row = *kind.getRow();
  if (llvm::none_of(target.mma, [&](const MmaRow &other) {
        return other.name == row.name;
      }))
    return op.emitOpError("needs ")
           << row.name << ", which " << target.name << " does not have";
  if (ShapedType::getNumElements(op.getIterationShape()) != 1)
    return op.emitOpError("has more than one instruction's fragments; "
                          "lower-vectors unrolls it");
  return success();
}

LogicalResult distaff::lowerMma(func::FuncOp kernel, const Target &target,
                                MmaEmission emitMma) {
  SmallVector<iree::InnerTiledOp> ops;
  kernel.walk([&](iree::InnerTiledOp op) { ops.push_back(op); });
  FragmentRegisters registers;
  OpBuilder builder(kernel.getContext());
  for (iree::InnerTiledOp op : ops) {
    if (failed(checkInstruction(op, target)))
      return failure();
    auto kind = cast<iree::MmaLayoutAttr>(op.getKind());
    builder.setInsertionPoint(op);
    SmallVector<Value> a = registers.of(op.getLhs(), builder);
    SmallVector<Value> b = registers.of(op.getRhs(), builder);
    SmallVector<Value> c = registers.of(op.getAcc(), builder);
    // The transposed product of the transposed operands has the same value.
    if (kind.getColMajor())
      std::swap(a, b);
    [[maybe_unused]] const MmaRow &row = *kind.getRow();
    assert(int64_t(a.size()) == row.fragmentA.numRegisters() &&
           int64_t(b.size()) == row.fragmentB.numRegisters() &&
           int64_t(c.size()) == row.fragmentC.numRegisters() &&
           "operands are fragments of the instruction");
    registers.set(op.getResult(),
                  emitMma(builder, op, *kind.getRow(), a, b, c));
  }
  for (iree::InnerTiledOp op : llvm::reverse(ops)) {
    SmallVector<Value> result = registers.of(op.getResult(), builder);
    for (Operation *user :
         llvm::make_early_inc_range(op.getResult().getUsers()))
      if (auto parts = dyn_cast<vector::ToElementsOp>(user)) {
        parts->replaceAllUsesWith(result);
        parts.erase();
      }
    if (!op.getResult().use_empty()) {
      builder.setInsertionPoint(op);
      op.replaceAllUsesWith(
          vector::FromElementsOp::create(builder, op.getLoc(),
                                         op.getResult().getType(), result)
              .getResult());
    }
    op.erase();
  }
  kernel.walk([](Operation *op) {
    if (isa<vector::FromElementsOp, vector::ToElementsOp>(op) &&
        op->use_empty())
      op->erase();
  });
  return success();
}
