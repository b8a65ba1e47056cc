//===- LlvmMatrix.cpp - llvm intrinsics of matrices, and calls by name ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's language reference, "Matrix Intrinsics": a vector is a matrix in
// column-major order, so row i of column j of a matrix of r rows is element j *
// r + i.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
struct Ring {
  Binary times, plus;
};
} // namespace

static Ring ringOf(Kind kind, const Domain &domain) {
  if (kind.isFloat)
    return {domain.binary(FloatBinary::Mul, kind.format),
            domain.binary(FloatBinary::Add, kind.format)};
  return {domain.binary(IntegerBinary::Mul, kind.width),
          domain.binary(IntegerBinary::Add, kind.width)};
}

static LogicalResult translateProduct(LLVM::MatrixMultiplyOp op,
                                      Translator &t) {
  Reg a = t.reg(op.getLhs()), b = t.reg(op.getRhs()), r = t.reg(op.getRes());
  Ring ring = ringOf(r.kind, t.domain());
  if (!ring.times || !ring.plus)
    return t.notModelled(op, "products of this type");
  int64_t rows = op.getLhsRows(), inner = op.getLhsColumns(),
          columns = op.getRhsColumns();
  Reg term = t.scratch(r.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes(), step = lanes * r.cellBytes;
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < inner; ++k) {
          uint8_t *sum = agent.cells(r) + (j * rows + i) * step;
          ring.times(lanes, agent.cells(a) + (k * rows + i) * step,
                     agent.cells(b) + (j * inner + k) * step,
                     k == 0 ? sum : agent.cells(term));
          if (k != 0)
            ring.plus(lanes, sum, agent.cells(term), sum);
        }
  });
  return success();
}

static LogicalResult translateTranspose(LLVM::MatrixTransposeOp op,
                                        Translator &t) {
  Reg from = t.reg(op.getMatrix()), r = t.reg(op.getRes());
  int64_t rows = op.getRows(), columns = op.getColumns();
  t.emit(op, [=](Agent &agent) {
    int64_t step = agent.lanes() * r.cellBytes;
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i)
        std::memcpy(agent.cells(r) + (i * columns + j) * step,
                    agent.cells(from) + (j * rows + i) * step, step);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Columns in memory
//===----------------------------------------------------------------------===//

namespace {
/// Columns at a pointer, a stride apart.
struct ColumnAccess {
  Access access;
  Addresses pointer;
  Reg memory, column, stride;
  int64_t rows, columns;

  template <typename Op>
  static ColumnAccess get(Op op, Reg matrix, Translator &t) {
    ColumnAccess columns = {
        Access::get(op, t.domain(), matrix.kind, matrix.elements, 1),
        Addresses::get(op.getData(), t),
        pointedMemory(t, matrix.kind),
        t.scratch(Kind::index()),
        t.reg(op.getStride()),
        op.getRows(),
        op.getColumns()};
    columns.access.alignment = matrix.kind.bytes();
    return columns;
  }

  bool follow(Agent &agent, int64_t *positions) const {
    for (int64_t j = 0; j < columns; ++j) {
      forEachLane(agent.mask(), [&](int64_t l) {
        int64_t address = agent.integer(pointer.reg, l);
        Pointer to = Pointer::decode(address);
        int64_t by = j * agent.integer(stride, l) * access.kind.bytes();
        if (to.buffer >= 0 && !to.hasLeft)
          address = Pointer::encode(to.buffer, to.byte + by);
        agent.setInteger(column, address, l);
      });
      if (!simt::follow(agent, access.op, {column, pointer.space}, memory,
                        access.kind, rows, positions + j * rows * agent.lanes(),
                        agent.mask()))
        return false;
    }
    return true;
  }
};
} // namespace

static LogicalResult translateColumnLoad(LLVM::MatrixColumnMajorLoadOp op,
                                         Translator &t) {
  Reg r = t.reg(op.getRes());
  ColumnAccess columns = ColumnAccess::get(op, r, t);
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions(r.elements * agent.lanes());
    if (columns.follow(agent, positions.data()))
      agent.load(columns.access, columns.memory, positions.data(), r);
  });
  return success();
}

static LogicalResult translateColumnStore(LLVM::MatrixColumnMajorStoreOp op,
                                          Translator &t) {
  Reg matrix = t.reg(op.getMatrix());
  ColumnAccess columns = ColumnAccess::get(op, matrix, t);
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions(matrix.elements * agent.lanes());
    if (columns.follow(agent, positions.data()))
      agent.store(columns.access, columns.memory, positions.data(),
                  agent.cells(matrix));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Calls by name
//===----------------------------------------------------------------------===//

/// Translates "llvm.smax.v8i32" like llvm.intr.smax: the longest prefix of the
/// name that is an op's name selects the translator.
static LogicalResult translateCallIntrinsic(LLVM::CallIntrinsicOp op,
                                            Translator &t) {
  StringRef name = op.getIntrin();
  if (name.consume_front("llvm.") && op->getNumResults() <= 1)
    for (; !name.empty(); name = name.rsplit('.').first) {
      if (const OpRegistry::Translate *translate =
              OpRegistry::get().lookupByOperands(("llvm.intr." + name).str()))
        return (*translate)(op, t);
      if (!name.contains('.'))
        break;
    }
  return t.notModelled(op, "\"" + op.getIntrin() +
                               "\" has no meaning here; if it is a CPU's, "
                               "--device host runs it, without --check");
}

void distaff::simt::registerLlvmMatrix(OpRegistry &registry) {
  registry.add(translateProduct);
  registry.add(translateTranspose);
  registry.add(translateColumnLoad);
  registry.add(translateColumnStore);
  registry.add(translateCallIntrinsic);
}
