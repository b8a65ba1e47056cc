//===- ArmNeon.cpp - Dot and matrix products of AArch64 -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arm_neon and LLVM's intrinsics of the same instructions, from the Arm
// Architecture Reference Manual for A-profile, C7.2 (SMULL, SDOT, UDOT, USDOT,
// SMMLA, UMMLA, USMMLA, BFMMLA): the products of elements are added to the
// accumulator's element,
//
//   sdot    word i       elements 4 i to 4 i + 3 of both
//   smmla   word 2 i + j elements 8 i to 8 i + 7 of the first, 8 j to 8 j + 7
//                        of the second
//
// Sums of integers wrap. Those of BFMMLA are rounded one by one here; the
// instruction rounds less often.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "PartProducts.h"
#include "mlir/Dialect/ArmNeon/ArmNeonDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The products whose sum is an element of the result.
struct NeonProduct {
  int64_t terms;
  /// Elements per row of matrices with two rows; 0 if element i of the result
  /// is the dot product of the i-th `terms` elements of both.
  int64_t perRow = 0;
  bool isUnsignedA = false, isUnsignedB = false;
  bool hasAccumulator = true; // the first operand

  std::pair<int64_t, int64_t> factors(int64_t element, int64_t term) const {
    if (perRow == 0)
      return {element * terms + term, element * terms + term};
    return {element / 2 * perRow + term, element % 2 * perRow + term};
  }
};
} // namespace

static LogicalResult translateProduct(Operation *op, const NeonProduct &product,
                                      Translator &t) {
  unsigned first = product.hasAccumulator ? 1 : 0;
  Reg a = t.reg(op->getOperand(first)), b = t.reg(op->getOperand(first + 1)),
      r = t.reg(op->getResult(0));
  Unary widenA = widening(t.domain(), a.kind, product.isUnsignedA, r.kind),
        widenB = widening(t.domain(), b.kind, product.isUnsignedB, r.kind);
  MultiplyAdd sums = MultiplyAdd::of(t.domain(), r.kind);
  if (!widenA || !widenB || !sums)
    return t.notModelled(op, "these products in this domain");
  Reg acc = product.hasAccumulator ? t.reg(op->getOperand(0)) : Reg();
  Reg wideA = t.scratch(r.kind, a.elements),
      wideB = t.scratch(r.kind, b.elements),
      sum = t.scratch(r.kind, r.elements), one = t.scratch(r.kind);
  t.emit(op, [=](Agent &agent) {
    widenA(agent.numCells(a), agent.cells(a), agent.cells(wideA));
    widenB(agent.numCells(b), agent.cells(b), agent.cells(wideB));
    int64_t lanes = agent.lanes(), bytes = lanes * r.cellBytes;
    for (int64_t element = 0; element < r.elements; ++element) {
      uint8_t *cells = agent.cells(sum) + element * bytes;
      for (int64_t term = 0; term < product.terms; ++term) {
        auto [atA, atB] = product.factors(element, term);
        bool isFirst = term == 0 && !product.hasAccumulator;
        sums.multiply(lanes, agent.cells(wideA) + atA * bytes,
                      agent.cells(wideB) + atB * bytes,
                      isFirst ? cells : agent.cells(one));
        if (term == 0 && product.hasAccumulator)
          std::memcpy(cells, agent.cells(acc) + element * bytes, bytes);
        if (!isFirst)
          sums.add(lanes, cells, agent.cells(one), cells);
      }
    }
    std::memcpy(agent.cells(r), agent.cells(sum), r.elements * bytes);
  });
  return success();
}

static OpRegistry::Translate neonProduct(const NeonProduct &product) {
  return [=](Operation *op, Translator &t) {
    return translateProduct(op, product, t);
  };
}

void distaff::simt::registerArmNeon(OpRegistry &registry) {
  NeonProduct elementwise = {.terms = 1, .hasAccumulator = false},
              dot = {.terms = 4}, matrix = {.terms = 8, .perRow = 8};
  NeonProduct unsignedDot = dot, mixedDot = dot, unsignedMatrix = matrix,
              mixedMatrix = matrix, floats = {.terms = 4, .perRow = 4};
  unsignedDot.isUnsignedA = unsignedDot.isUnsignedB = true;
  mixedDot.isUnsignedA = mixedMatrix.isUnsignedA = true;
  unsignedMatrix.isUnsignedA = unsignedMatrix.isUnsignedB = true;
  std::pair<StringLiteral, NeonProduct> rows[] = {
      {"smull", elementwise},  {"sdot", dot},     {"udot", unsignedDot},
      {"usdot", mixedDot},     {"smmla", matrix}, {"ummla", unsignedMatrix},
      {"usmmla", mixedMatrix}, {"bfmmla", floats}};
  for (const auto &[name, product] : rows) {
    registry.addByOperands(("arm_neon.intr." + name).str(),
                           neonProduct(product));
    registry.addByOperands(("llvm.intr.aarch64.neon." + name).str(),
                           neonProduct(product));
  }
  // The rows of a 4 x 4 matrix are groups of four in the flattened vector.
  registry.addByOperands("arm_neon.2d.sdot", neonProduct(dot));
}
