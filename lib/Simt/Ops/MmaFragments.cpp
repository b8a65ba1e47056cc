//===- MmaFragments.cpp - Matrix instructions on registers ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are put together as dense matrices by the instruction's map, which
// are multiplied as any others: products are exact, and added to the
// accumulator in the order of k.
//
//===----------------------------------------------------------------------===//
#include "MmaFragments.h"
#include "../Values/IndexSpace.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// One operand's matrix, and the registers of its fragments.
struct Fragments {
  Kind kind;
  unsigned cellBytes = 0;
  int64_t registers = 0, lanes = 0;
  std::vector<int32_t> slots; // of the matrix's elements, row-major
  struct Part {
    Reg reg;
    int64_t first, count; // elements of the fragment
    Regroup regroup;      // from the fragment's elements, or to them
  };
  SmallVector<Part, 4> parts;

  /// Nothing where the registers do not hold what the instruction takes.
  static std::optional<Fragments> get(const MmaInstruction &mma,
                                      MmaOperand operand, ArrayRef<Reg> regs,
                                      bool isResult, const Domain &domain) {
    Fragments fragments;
    fragments.kind =
        Kind::ofFloat(operand == MmaOperand::C ? mma.accumulator : mma.input);
    fragments.cellBytes = domain.cellBytes(fragments.kind);
    fragments.registers = mma.numRegisters(operand);
    fragments.lanes = mma.subgroupSize;
    fragments.slots = fragmentSlots(mma, operand);
    int64_t first = 0;
    for (Reg reg : regs) {
      int64_t bits = reg.elements * reg.kind.width;
      if (bits % fragments.kind.width != 0)
        return std::nullopt;
      Regroup regroup = isResult ? domain.bitcast(fragments.kind, reg.kind)
                                 : domain.bitcast(reg.kind, fragments.kind);
      if (!regroup)
        return std::nullopt;
      int64_t count = bits / fragments.kind.width;
      fragments.parts.push_back({reg, first, count, std::move(regroup)});
      first += count;
    }
    if (first != fragments.registers)
      return std::nullopt;
    return fragments;
  }

  size_t bytes() const { return slots.size() * cellBytes; }

  /// The matrix, row-major.
  std::vector<uint8_t> gather(Agent &agent) const {
    std::vector<uint8_t> held(registers * lanes * cellBytes), matrix(bytes());
    for (const Part &part : parts)
      part.regroup(lanes, part.reg.elements, agent.cells(part.reg), part.count,
                   held.data() + part.first * lanes * cellBytes);
    for (auto [element, slot] : llvm::enumerate(slots))
      std::memcpy(&matrix[element * cellBytes], &held[slot * cellBytes],
                  cellBytes);
    return matrix;
  }

  void scatter(Agent &agent, const std::vector<uint8_t> &matrix) const {
    std::vector<uint8_t> held(registers * lanes * cellBytes);
    for (auto [element, slot] : llvm::enumerate(slots))
      std::memcpy(&held[slot * cellBytes], &matrix[element * cellBytes],
                  cellBytes);
    for (const Part &part : parts)
      part.regroup(lanes, part.count,
                   held.data() + part.first * lanes * cellBytes,
                   part.reg.elements, agent.cells(part.reg));
  }
};
} // namespace

static std::vector<int64_t> multiples(int64_t count, int64_t stride) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < count; ++i)
    offsets.push_back(i * stride);
  return offsets;
}

/// A of m x k, B of k x n and C of m x n, all row-major.
static ContractionSpace denseSpace(const MmaInstruction &mma) {
  ContractionSpace space;
  space.lhsBatch = space.rhsBatch = space.accBatch = {0};
  space.lhsM = multiples(mma.m, mma.k);
  space.accM = multiples(mma.m, mma.n);
  space.rhsN = space.accN = multiples(mma.n, 1);
  space.lhsK = multiples(mma.k, 1);
  space.rhsK = multiples(mma.k, mma.n);
  return space;
}

LogicalResult simt::emitMma(Operation *op, const MmaInstruction &mma,
                            ArrayRef<Reg> a, ArrayRef<Reg> b, ArrayRef<Reg> c,
                            ArrayRef<Reg> d, Translator &t) {
  if (t.lanes() != mma.subgroupSize)
    return t.notModelled(op, mma.name + " needs subgroups of " +
                                 Twine(mma.subgroupSize) + " lanes, found " +
                                 Twine(t.lanes()));
  auto get = [&](MmaOperand operand, ArrayRef<Reg> regs, bool isResult) {
    return Fragments::get(mma, operand, regs, isResult, t.domain());
  };
  auto lhs = get(MmaOperand::A, a, false), rhs = get(MmaOperand::B, b, false),
       acc = get(MmaOperand::C, c, false), result = get(MmaOperand::C, d, true);
  if (!lhs || !rhs || !acc || !result)
    return t.notModelled(op, "registers that are no fragments of " + mma.name);
  Contract contract = t.domain().contract(vector::CombiningKind::ADD, lhs->kind,
                                          rhs->kind, acc->kind, /*exact=*/true);
  if (!contract)
    return t.notModelled(op, "a product of these types");
  t.emit(op, [=, space = denseSpace(mma), lhs = std::move(*lhs),
              rhs = std::move(*rhs), acc = std::move(*acc),
              result = std::move(*result)](Agent &agent) {
    if (!agent.allActive())
      return agent.fault(op, FaultKind::DivergentBarrier,
                         "not all lanes of the subgroup execute it");
    std::vector<uint8_t> left = lhs.gather(agent), right = rhs.gather(agent),
                         sum = acc.gather(agent);
    contract(space, 1, left.data(), right.data(), sum.data());
    result.scatter(agent, sum);
    ++agent.workgroup().counters.mma;
  });
  return success();
}
