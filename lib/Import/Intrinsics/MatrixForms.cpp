//===- MatrixForms.cpp - LLVM's matrix intrinsics on n-D vectors ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix of LLVM is a vector with one column after the other. In row-major
// order that is its transpose:
//
//   r x c in vector<(c*r)xT>  =  shape_cast to vector<c x r x T>, [column][row]
//
//===----------------------------------------------------------------------===//
#include "IntrinsicForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns a vector as columns of so many rows.
static Value columnsOf(ImplicitLocOpBuilder &b, Value flat, int64_t rows,
                       int64_t columns) {
  auto type = cast<VectorType>(flat.getType());
  return vector::ShapeCastOp::create(
      b, VectorType::get({columns, rows}, type.getElementType()), flat);
}

/// Emits c[n][m] = sum over k of a[k][m] * b[n][k].
static Value emitProduct(ImplicitLocOpBuilder &b, LLVM::MatrixMultiplyOp op) {
  int64_t m = op.getLhsRows(), k = op.getLhsColumns(), n = op.getRhsColumns();
  auto flat = cast<VectorType>(op.getType());
  Value lhs = columnsOf(b, op.getLhs(), m, k);
  Value rhs = columnsOf(b, op.getRhs(), k, n);
  Value zero = arith::ConstantOp::create(
      b, cast<TypedAttr>(
             b.getZeroAttr(VectorType::get({n, m}, flat.getElementType()))));
  AffineExpr dims[3];
  bindDims(b.getContext(), dims[0], dims[1], dims[2]); // n, m, k
  using vector::IteratorType;
  auto map = [&](AffineExpr outer, AffineExpr inner) {
    return AffineMap::get(3, 0, {outer, inner}, b.getContext());
  };
  Value product = vector::ContractionOp::create(
      b, lhs, rhs, zero,
      b.getAffineMapArrayAttr({map(dims[2], dims[1]), map(dims[0], dims[2]),
                               map(dims[0], dims[1])}),
      b.getArrayAttr(llvm::map_to_vector(
          ArrayRef{IteratorType::parallel, IteratorType::parallel,
                   IteratorType::reduction},
          [&](IteratorType type) -> Attribute {
            return vector::IteratorTypeAttr::get(b.getContext(), type);
          })));
  return vector::ShapeCastOp::create(b, flat, product);
}

Value distaff::emitMatrixForm(ImplicitLocOpBuilder &b, Operation *op) {
  if (auto product = dyn_cast<LLVM::MatrixMultiplyOp>(op))
    return emitProduct(b, product);
  auto transpose = dyn_cast<LLVM::MatrixTransposeOp>(op);
  if (!transpose)
    return nullptr;
  Value columns = columnsOf(b, transpose.getMatrix(), transpose.getRows(),
                            transpose.getColumns());
  Value rows = vector::TransposeOp::create(b, columns, ArrayRef<int64_t>{1, 0});
  return vector::ShapeCastOp::create(b, transpose.getType(), rows);
}

//===----------------------------------------------------------------------===//
// Columns in memory
//===----------------------------------------------------------------------===//

Value distaff::memoryBehind(Value pointer) {
  auto made = pointer.getDefiningOp<LLVM::IntToPtrOp>();
  Operation *cast = made ? made.getArg().getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(cast))
    return nullptr;
  auto address = cast->getOperand(0)
                     .getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>();
  auto type = address ? dyn_cast<MemRefType>(address.getSource().getType())
                      : MemRefType();
  bool isRowMajor = type && type.getRank() > 0 && type.getLayout().isIdentity();
  return isRowMajor ? address.getSource() : Value();
}

Value distaff::flatMemory(ImplicitLocOpBuilder &b, Value memory) {
  int64_t rank = cast<MemRefType>(memory.getType()).getRank();
  if (rank == 1)
    return memory;
  SmallVector<ReassociationIndices> all(1);
  llvm::append_range(all.front(), llvm::seq<int64_t>(0, rank));
  return memref::CollapseShapeOp::create(b, memory, all);
}

static Value columnStart(ImplicitLocOpBuilder &b, Value stride,
                         int64_t column) {
  Value wide = arith::IndexCastUIOp::create(b, b.getIndexType(), stride);
  return arith::MulIOp::create(b, wide,
                               arith::ConstantIndexOp::create(b, column));
}

static bool replaceLoad(ImplicitLocOpBuilder &b,
                        LLVM::MatrixColumnMajorLoadOp op) {
  Value memory = memoryBehind(op.getData());
  auto type = cast<VectorType>(op.getRes().getType());
  if (!memory || op.getIsVolatile() ||
      cast<MemRefType>(memory.getType()).getElementType() !=
          type.getElementType())
    return false;
  memory = flatMemory(b, memory);
  int64_t rows = op.getRows(), columns = op.getColumns();
  auto column = VectorType::get({rows}, type.getElementType());
  Value matrix = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(
             VectorType::get({columns, rows}, type.getElementType()))));
  for (int64_t j = 0; j < columns; ++j) {
    Value at = columnStart(b, op.getStride(), j);
    Value loaded = vector::LoadOp::create(b, column, memory, at);
    matrix = vector::InsertOp::create(b, loaded, matrix, j);
  }
  op.getRes().replaceAllUsesWith(vector::ShapeCastOp::create(b, type, matrix));
  op.erase();
  return true;
}

static bool replaceStore(ImplicitLocOpBuilder &b,
                         LLVM::MatrixColumnMajorStoreOp op) {
  Value memory = memoryBehind(op.getData());
  auto type = cast<VectorType>(op.getMatrix().getType());
  if (!memory || op.getIsVolatile() ||
      cast<MemRefType>(memory.getType()).getElementType() !=
          type.getElementType())
    return false;
  memory = flatMemory(b, memory);
  Value matrix = columnsOf(b, op.getMatrix(), op.getRows(), op.getColumns());
  for (int64_t j = 0; j < op.getColumns(); ++j) {
    Value column = vector::ExtractOp::create(b, matrix, j);
    vector::StoreOp::create(b, column, memory,
                            columnStart(b, op.getStride(), j));
  }
  op.erase();
  return true;
}

bool distaff::replaceColumnAccess(ImplicitLocOpBuilder &b, Operation *op) {
  if (auto load = dyn_cast<LLVM::MatrixColumnMajorLoadOp>(op))
    return replaceLoad(b, load);
  auto store = dyn_cast<LLVM::MatrixColumnMajorStoreOp>(op);
  return store && replaceStore(b, store);
}
