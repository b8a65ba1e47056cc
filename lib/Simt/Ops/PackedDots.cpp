//===- PackedDots.cpp - Dot products of packed operands -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// distaff.packed_dot by its definition: parts are widened, multiplied, and
// added to the accumulator from the lowest on, each sum rounded.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "PartProducts.h"
#include "distaff/Dialect/Distaff/Distaff.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The parts of one operand's words, in cells of the result's kind.
struct Parts {
  Regroup split;
  Unary widen;
  Reg words, narrow, wide;

  static std::optional<Parts> get(Value words, Type part, Kind wide,
                                  Translator &t) {
    auto integer = dyn_cast<IntegerType>(part);
    std::optional<Kind> narrow =
        integer ? Kind::integer(integer.getWidth()) : Kind::of(part);
    Reg from = t.reg(words);
    if (!narrow)
      return std::nullopt;
    int64_t count = from.elements * (32 / part.getIntOrFloatBitWidth());
    Parts parts{
        t.domain().bitcast(from.kind, *narrow),
        widening(t.domain(), *narrow, integer && integer.isUnsigned(), wide),
        from, t.scratch(*narrow, count), t.scratch(wide, count)};
    if (!parts.split || !parts.widen)
      return std::nullopt;
    return parts;
  }

  void run(Agent &agent) const {
    split(agent.lanes(), words.elements, agent.cells(words), narrow.elements,
          agent.cells(narrow));
    widen(agent.numCells(narrow), agent.cells(narrow), agent.cells(wide));
  }
};
} // namespace

static LogicalResult translatePackedDot(core::PackedDotOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  std::optional<Parts> lhs =
                           Parts::get(op.getLhs(), op.getLhsPart(), r.kind, t),
                       rhs =
                           Parts::get(op.getRhs(), op.getRhsPart(), r.kind, t);
  MultiplyAdd sums = MultiplyAdd::of(t.domain(), r.kind);
  if (!lhs || !rhs || !sums)
    return t.notModelled(op, "these parts in this domain");
  Reg acc = op.getAcc() ? t.reg(op.getAcc()) : t.constant(r.kind, 0);
  Reg sum = t.scratch(r.kind, r.elements);
  t.emit(op, [=, lhs = *lhs, rhs = *rhs](Agent &agent) {
    lhs.run(agent);
    rhs.run(agent);
    Reg products = lhs.wide;
    sums.multiply(agent.numCells(products), agent.cells(lhs.wide),
                  agent.cells(rhs.wide), agent.cells(products));
    int64_t bytes = agent.lanes() * r.cellBytes,
            perWord = products.elements / r.elements;
    for (int64_t word = 0; word < r.elements; ++word) {
      uint8_t *cells = agent.cells(sum) + word * bytes;
      std::memcpy(cells,
                  agent.cells(acc) + (acc.elements == 1 ? 0 : word * bytes),
                  bytes);
      for (int64_t part = 0; part < perWord; ++part)
        sums.add(agent.lanes(), cells,
                 agent.cells(products) + (word * perWord + part) * bytes,
                 cells);
    }
    std::memcpy(agent.cells(r), agent.cells(sum), r.elements * bytes);
  });
  return success();
}

void distaff::simt::registerPackedDots(OpRegistry &registry) {
  registry.add<core::PackedDotOp>(translatePackedDot);
}
