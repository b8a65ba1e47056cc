//===- InMemoryShuffle.cpp - Shuffles of large vectors --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shuffle may take any row from anywhere, so that a slice of its result needs
// more than a slice of its operands. Both operands are concatenated in a
// buffer, and the result reads that buffer (VX-217): run by run where the mask
// is a few contiguous runs, else element by element, at positions from a
// formula or a table.
//
//===----------------------------------------------------------------------===//
#include "BufferAccess.h"
#include "InMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace distaff;
using namespace distaff::vectortiles;

namespace {
/// A run is a range of rows of the result that are contiguous in the operands.
struct Run {
  int64_t from, to, size;
};
} // namespace

/// Returns the rows that a mask takes; a poison row takes the next one.
static SmallVector<int64_t> rowsOf(vector::ShuffleOp op, int64_t rows) {
  SmallVector<int64_t> taken(op.getMask());
  int64_t last = -1;
  for (int64_t &row : taken)
    last = row = row < 0 ? std::min(last + 1, rows - 1) : row;
  return taken;
}

static SmallVector<Run> runsOf(ArrayRef<int64_t> taken) {
  SmallVector<Run> runs;
  for (auto [at, row] : llvm::enumerate(taken)) {
    if (!runs.empty() && runs.back().from + runs.back().size == row)
      ++runs.back().size;
    else
      runs.push_back({row, int64_t(at), 1});
  }
  return runs;
}

/// Returns the step between positions if it is constant.
static std::optional<int64_t> stepOf(ArrayRef<int64_t> positions) {
  int64_t step = positions.size() > 1 ? positions[1] - positions[0] : 1;
  for (size_t at = 1; at < positions.size(); ++at)
    if (positions[at] - positions[at - 1] != step)
      return std::nullopt;
  return step;
}

/// Returns the position in flat memory of each element of the result.
static Value positionsOf(OpBuilder &b, Location loc, VectorType type,
                         ArrayRef<int64_t> taken,
                         llvm::function_ref<Value(DenseElementsAttr)> tableOf) {
  int64_t perRow = type.getNumElements() / type.getDimSize(0);
  SmallVector<int32_t> positions;
  for (int64_t row : taken)
    for (int64_t at = 0; at < perRow; ++at)
      positions.push_back(row * perRow + at);
  std::optional<int64_t> step = stepOf(taken);
  if (!step || type.getRank() != 1)
    return tableOf(DenseElementsAttr::get(type.clone(b.getI32Type()),
                                          ArrayRef(positions)));
  VectorType indices = type.clone(b.getIndexType());
  auto splat = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(indices, b.getIndexAttr(value)));
  };
  Value at = vector::StepOp::create(b, loc, indices);
  at = arith::MulIOp::create(b, loc, at, splat(*step));
  return arith::AddIOp::create(b, loc, at, splat(taken.front()));
}

/// Returns a view of the buffer with one dim.
static Value flat(OpBuilder &b, Location loc, Value buffer) {
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  if (rank == 1)
    return buffer;
  SmallVector<ReassociationIndices> all(1);
  llvm::append_range(all.front(), llvm::seq<int64_t>(0, rank));
  return memref::CollapseShapeOp::create(b, loc, buffer, all);
}

/// Copies the runs to a buffer for the result.
static void copyRuns(OpBuilder &b, Location loc, VectorType type,
                     ArrayRef<Run> runs, Value from, Value to) {
  auto at = [&](Value buffer, int64_t row) {
    SmallVector<Value> indices = originOf(b, loc, buffer);
    indices.front() = arith::ConstantIndexOp::create(b, loc, row);
    return indices;
  };
  for (const Run &run : runs) {
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = run.size;
    Value rows =
        readBuffer(b, loc, VectorType::get(shape, type.getElementType()), from,
                   at(from, run.from));
    writeBuffer(b, loc, rows, to, at(to, run.to));
  }
}

static Value gatherRows(OpBuilder &b, Location loc, VectorType type,
                        Value buffer, Value positions) {
  Value base = flat(b, loc, buffer);
  Type stored = cast<MemRefType>(base.getType()).getElementType();
  VectorType inMemory = type.clone(stored);
  Value all = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type.clone(b.getI1Type()), true));
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(inMemory));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value gathered = vector::GatherOp::create(b, loc, inMemory, base, zero,
                                            positions, all, none);
  return stored == type.getElementType()
             ? gathered
             : arith::TruncIOp::create(b, loc, type, gathered).getResult();
}

/// Returns a buffer with both operands concatenated; null where there is no
/// room.
Value MemoryForm::joinOperands(vector::ShuffleOp op) {
  Value &buffer = joined[{op.getV1(), op.getV2(), op->getBlock()}];
  if (buffer)
    return buffer;
  VectorType source = op.getV1VectorType();
  SmallVector<int64_t> shape(source.getShape());
  shape.front() += op.getV2VectorType().getDimSize(0);
  buffer = allocate(VectorType::get(shape, source.getElementType()), op);
  if (!buffer)
    return {};
  OpBuilder b(op);
  write(b, op.getV1(), buffer);
  SmallVector<Value> behind = originOf(b, op.getLoc(), buffer);
  behind.front() =
      arith::ConstantIndexOp::create(b, op.getLoc(), source.getDimSize(0));
  writeBuffer(b, op.getLoc(), op.getV2(), buffer, behind);
  return buffer;
}

/// Returns the registers of a lane that holds its part of all rows of a vector
/// (VX-72).
static int64_t registersOfRows(const Machine &machine, VectorType type) {
  return type.getDimSize(0) * machine.pieces(type.getShape().drop_front()) *
         machine.registersOfElement(type.getElementType());
}

void MemoryForm::moveShuffle(vector::ShuffleOp op) {
  constexpr size_t fewRuns = 8;
  VectorType type = op.getResultVectorType(), source = op.getV1VectorType();
  if (source.getRank() == 0 || source.isScalable() ||
      !source.getElementType().isIntOrIndexOrFloat())
    return;
  bool isWanted =
      isLarge(type) || isLarge(source) ||
      (!machine.isHost &&
       std::max(registersOfRows(machine, type),
                registersOfRows(machine, source)) > machine.registers);
  if (!isWanted)
    return;
  Value buffer = joinOperands(op);
  if (!buffer)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> taken =
      rowsOf(op, cast<MemRefType>(buffer.getType()).getDimSize(0));
  SmallVector<Run> runs = runsOf(taken);
  Value result;
  if (runs.size() == 1) {
    SmallVector<Value> first = originOf(b, loc, buffer);
    first.front() = arith::ConstantIndexOp::create(b, loc, runs.front().from);
    result = readBuffer(b, loc, type, buffer, first);
  } else if (Value own =
                 runs.size() <= fewRuns ? allocate(type, op) : Value()) {
    copyRuns(b, loc, type, runs, buffer, own);
    result = read(b, op.getResult(), own);
  } else {
    Value positions =
        positionsOf(b, loc, type, taken, [&](DenseElementsAttr numbers) {
          return readTable(b, loc, numbers);
        });
    result = gatherRows(b, loc, type, buffer, positions);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}
