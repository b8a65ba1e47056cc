//===- Amx.cpp - Matrix (tile) registers of CPUs --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of MLIR's amx dialect, by Intel's Software Developer's Manual, volume 2,
// TDPBSSD and its variants, TDPBF16PS, TILELOADD, TILESTORED, TILEZERO. A
// register is rows of 32-bit words; a product adds to word j of row i, for each
// k, the products of the parts of word k of row i of the left operand and of
// word j of row k of the right one. The element types of memory and register
// may differ: a row is the bytes in memory. Floats are added to the accumulator
// last, and subnormal numbers are kept (the hardware flushes them to zero).
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "ElementPlan.h"
#include "PartProducts.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// The memory elements of a register's rows.
struct TileMemory {
  Target target;
  ElementPlan plan;
  Access access;
  Regroup regroup; // from memory's cells to the register's, or back
  Reg cells;       // in the kind of memory

  template <typename Op>
  static FailureOr<TileMemory> get(Op op, Reg tile, bool isRead, Translator &t);
};
} // namespace

template <typename Op>
FailureOr<TileMemory> TileMemory::get(Op op, Reg tile, bool isRead,
                                      Translator &t) {
  MemRefType type = op.getMemRefType();
  std::optional<Kind> kind = Kind::of(type);
  int64_t rank = type.getRank(), rows = op.getTileType().getDimSize(0),
          bits = tile.elements / rows * tile.kind.width;
  if (op.getStride() || rank < 2 || t.lanes() != 1 || !kind ||
      bits % kind->width != 0)
    return t.notModelled(op, "memory of this form");
  Regroup regroup = isRead ? t.domain().bitcast(*kind, tile.kind)
                           : t.domain().bitcast(tile.kind, *kind);
  // Numbers of the same type keep their bounds.
  if (*kind == tile.kind)
    regroup = [bytes = tile.cellBytes](int64_t, int64_t count, const void *from,
                                       int64_t, void *to) {
      std::memcpy(to, from, count * bytes);
    };
  if (!regroup)
    return t.notModelled(op, "these elements in this domain");
  Target target{op, t.reg(op.getBase()), {}, {}};
  for (Value index : op.getIndices())
    target.indices.push_back(t.reg(index));
  ElementPlan plan;
  int64_t perRow = bits / kind->width;
  plan.allocate(rows * perRow, rank);
  for (int64_t e = 0; e < plan.elements; ++e) {
    plan.at(e, rank - 2) = e / perRow;
    plan.at(e, rank - 1) = e % perRow;
  }
  plan.perRequest = Access::widest(*kind, perRow);
  Access access =
      Access::get(op, t.domain(), *kind, plan.elements, plan.perRequest);
  Reg cells = t.scratch(*kind, plan.elements);
  return TileMemory{target, std::move(plan), access, regroup, cells};
}

static LogicalResult translateLoad(amx::TileLoadOp op, Translator &t) {
  Reg r = t.reg(op.getRes());
  FailureOr<TileMemory> found = TileMemory::get(op, r, /*isRead=*/true, t);
  if (failed(found))
    return failure();
  t.emit(op, [r, memory = std::move(*found)](Agent &agent) {
    const auto &[target, plan, access, regroup, cells] = memory;
    int64_t *positions = agent.positions(plan.elements);
    if (locate(agent, target, plan, positions) &&
        loadElements(agent, access, plan, positions, target.base, cells))
      regroup(1, cells.elements, agent.cells(cells), r.elements,
              agent.cells(r));
  });
  return success();
}

static LogicalResult translateStore(amx::TileStoreOp op, Translator &t) {
  Reg value = t.reg(op.getVal());
  FailureOr<TileMemory> found = TileMemory::get(op, value, /*isRead=*/false, t);
  if (failed(found))
    return failure();
  t.emit(op, [value, memory = std::move(*found)](Agent &agent) {
    const auto &[target, plan, access, regroup, cells] = memory;
    int64_t *positions = agent.positions(plan.elements);
    if (!locate(agent, target, plan, positions))
      return;
    regroup(1, value.elements, agent.cells(value), cells.elements,
            agent.cells(cells));
    storeElements(agent, access, plan, positions, cells, target.base);
  });
  return success();
}

static LogicalResult translateZero(amx::TileZeroOp op, Translator &t) {
  Reg r = t.reg(op.getRes()), zero = t.constant(r.kind, 0);
  t.emit(op, [=](Agent &agent) { fill(agent, zero, r); });
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
struct TileProduct {
  /// An operand, in its own cells and in the result's.
  struct Operand {
    Reg own, wide;
    Unary widen;

    static std::optional<Operand> get(Value value, bool isUnsigned, Kind wide,
                                      Translator &t);
    const uint8_t *read(Agent &agent) const {
      widen(agent.numCells(own), agent.cells(own), agent.cells(wide));
      return agent.cells(wide);
    }
  };

  Operand lhs, rhs;
  Reg acc, r;
  MultiplyAdd sums;
  int64_t rows, columns, words, perWord; // words: per row of the left operand
  Reg left, right, product, sum;         // of one step, with as many cells as r

  void run(Agent &agent) const;
};
} // namespace

std::optional<TileProduct::Operand> TileProduct::Operand::get(Value value,
                                                              bool isUnsigned,
                                                              Kind wide,
                                                              Translator &t) {
  Reg own = t.reg(value);
  Operand operand{own, t.scratch(wide, own.elements),
                  widening(t.domain(), own.kind, isUnsigned, wide)};
  return operand.widen ? std::optional(operand) : std::nullopt;
}

void TileProduct::run(Agent &agent) const {
  const uint8_t *ofLeft = lhs.read(agent), *ofRight = rhs.read(agent);
  const int64_t bytes = r.cellBytes, count = rows * columns;
  auto copy = [&](Reg into, int64_t cell, const uint8_t *from, int64_t at) {
    std::memcpy(agent.cells(into) + cell * bytes, from + at * bytes, bytes);
  };
  for (int64_t word = 0; word < words; ++word)
    for (int64_t part = 0; part < perWord; ++part) {
      for (int64_t cell = 0; cell < count; ++cell) {
        int64_t i = cell / columns, j = cell % columns;
        copy(left, cell, ofLeft, (i * words + word) * perWord + part);
        copy(right, cell, ofRight, (word * columns + j) * perWord + part);
      }
      bool isFirst = word == 0 && part == 0;
      sums.multiply(count, agent.cells(left), agent.cells(right),
                    agent.cells(isFirst ? sum : product));
      if (!isFirst)
        sums.add(count, agent.cells(sum), agent.cells(product),
                 agent.cells(sum));
    }
  sums.add(count, agent.cells(acc), agent.cells(sum), agent.cells(r));
}

static LogicalResult translateProduct(Operation *op, Value lhs, Value rhs,
                                      Value acc, bool isUnsignedLhs,
                                      bool isUnsignedRhs, Translator &t) {
  Reg r = t.reg(op->getResult(0));
  auto shape = cast<amx::TileType>(op->getResult(0).getType()).getShape();
  std::optional<TileProduct::Operand> left = TileProduct::Operand::get(
                                          lhs, isUnsignedLhs, r.kind, t),
                                      right = TileProduct::Operand::get(
                                          rhs, isUnsignedRhs, r.kind, t);
  MultiplyAdd sums = MultiplyAdd::of(t.domain(), r.kind);
  if (!left || !right || !sums || t.lanes() != 1)
    return t.notModelled(op, "these elements in this domain");
  auto perRow = cast<amx::TileType>(lhs.getType()).getDimSize(1);
  int64_t perWord = 32 / left->own.kind.width;
  auto ofStep = [&] { return t.scratch(r.kind, r.elements); };
  TileProduct product{*left,    *right,   t.reg(acc),       r,       sums,
                      shape[0], shape[1], perRow / perWord, perWord, ofStep(),
                      ofStep(), ofStep(), ofStep()};
  t.emit(op, [=](Agent &agent) { product.run(agent); });
  return success();
}

static LogicalResult translateIntegers(amx::TileMulIOp op, Translator &t) {
  return translateProduct(op, op.getLhs(), op.getRhs(), op.getAcc(),
                          op.getIsZextLhs(), op.getIsZextRhs(), t);
}

static LogicalResult translateFloats(amx::TileMulFOp op, Translator &t) {
  return translateProduct(op, op.getLhs(), op.getRhs(), op.getAcc(),
                          /*isUnsignedLhs=*/false, /*isUnsignedRhs=*/false, t);
}

void distaff::simt::registerAmx(OpRegistry &registry) {
  registry.add<amx::TileLoadOp>(translateLoad);
  registry.add<amx::TileStoreOp>(translateStore);
  registry.add<amx::TileZeroOp>(translateZero);
  registry.add<amx::TileMulIOp>(translateIntegers);
  registry.add<amx::TileMulFOp>(translateFloats);
}
