//===- MmaFragments.cpp - Matrix instructions on registers ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction's map assembles fragments to dense matrices, which are
// multiplied like any others: products are exact, and added to the accumulator
// in the order of k.
//
//===----------------------------------------------------------------------===//
#include "MmaFragments.h"
#include "../Values/IndexSpace.h"
#include "MmaReading.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The matrix of an operand, and the registers of its fragments.
struct Fragments {
  Kind kind; // of the elements in registers
  unsigned cellBytes = 0;
  int64_t registers = 0, lanes = 0;
  /// Elements of the registers per element of the fragment: an f16 accumulator
  /// may use only the lower half of each word.
  int64_t stride = 1;
  std::vector<int32_t> slots; // of the matrix's elements, row-major
  Copies copies;
  struct Part {
    Reg reg;
    int64_t first, count; // elements
    Regroup regroup;      // from the register, or to it
  };
  SmallVector<Part, 4> parts;

  using Cells = std::vector<uint8_t>;

  /// Returns nothing if the registers do not fit the instruction's operand.
  static std::optional<Fragments> get(const MmaInstruction &mma,
                                      MmaOperand operand, ArrayRef<Reg> regs,
                                      bool isResult, const Domain &domain) {
    const MmaElement &element = mma.element(operand);
    Fragments fragments;
    // TF32 is held in 32-bit words.
    fragments.kind = !element.isFloat      ? Kind::integer(element.width)
                     : element.isRounded() ? Kind::ofFloat(FloatFormat::F32)
                                           : Kind::ofFloat(element.format);
    fragments.cellBytes = domain.cellBytes(fragments.kind);
    fragments.registers = mma.numRegisters(operand);
    fragments.lanes = mma.subgroupSize;
    fragments.slots = fragmentSlots(mma, operand);
    if (operand != MmaOperand::C)
      fragments.copies = copiesOf(mma, operand);
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
    fragments.stride = first / fragments.registers;
    bool inHalves = operand == MmaOperand::C && fragments.stride == 2 &&
                    fragments.kind.width == 16;
    if (first != fragments.registers * fragments.stride ||
        (fragments.stride != 1 && !inHalves))
      return std::nullopt;
    return fragments;
  }

  size_t bytes() const { return slots.size() * cellBytes; }

  /// Returns the byte offset of a slot's cell in the cells of the lanes.
  size_t placeOf(int64_t slot) const {
    int64_t reg = slot / lanes * stride, lane = slot % lanes;
    return (reg * lanes + lane) * cellBytes;
  }

  Cells held(Agent &agent) const {
    Cells cells(registers * stride * lanes * cellBytes);
    for (const Part &part : parts)
      part.regroup(lanes, part.reg.elements, agent.cells(part.reg), part.count,
                   cells.data() + part.first * lanes * cellBytes);
    return cells;
  }

  /// Returns the lane of a replica that differs.
  std::optional<int64_t> findDifference(const Cells &cells) const {
    for (auto [cell, first] : copies)
      if (std::memcmp(&cells[cell * cellBytes], &cells[first * cellBytes],
                      cellBytes) != 0)
        return cell % lanes;
    return std::nullopt;
  }

  /// Returns the matrix, row-major; faults if replicas differ.
  Cells gather(Agent &agent, Operation *op) const {
    Cells cells = held(agent), matrix(bytes());
    if (std::optional<int64_t> lane = findDifference(cells))
      agent.fault(op, FaultKind::Misuse,
                  "lane " + Twine(*lane) +
                      " holds no copy of what another lane holds, as the "
                      "instruction wants it");
    for (auto [element, slot] : llvm::enumerate(slots))
      std::memcpy(&matrix[element * cellBytes], &cells[placeOf(slot)],
                  cellBytes);
    return matrix;
  }

  /// Writes the fragment into `cells`; all other cells stay.
  void scatter(Agent &agent, const Cells &matrix, Cells cells) const {
    for (auto [element, slot] : llvm::enumerate(slots))
      std::memcpy(&cells[placeOf(slot)], &matrix[element * cellBytes],
                  cellBytes);
    for (const Part &part : parts)
      part.regroup(lanes, part.count,
                   cells.data() + part.first * lanes * cellBytes,
                   part.reg.elements, agent.cells(part.reg));
  }
};

/// Sums in a wider kind, clamped to the range of the accumulator.
struct Saturation {
  Kind wide;
  unsigned wideBytes = 0;
  Unary widen, narrow;
  Binary least, most;
  std::array<uint8_t, 32> largest = {}, smallest = {}; // cells

  static std::optional<Saturation> get(Kind acc, const Domain &domain) {
    Saturation plan;
    plan.wide = Kind::integer(2 * acc.width);
    plan.wideBytes = domain.cellBytes(plan.wide);
    plan.widen = domain.convert(Conversion::SignExtend, acc, plan.wide);
    plan.narrow = domain.convert(Conversion::Truncate, plan.wide, acc);
    plan.least = domain.binary(IntegerBinary::MinS, plan.wide.width);
    plan.most = domain.binary(IntegerBinary::MaxS, plan.wide.width);
    int64_t largest = (int64_t(1) << (acc.width - 1)) - 1;
    domain.constant(plan.wide, uint64_t(largest), plan.largest.data());
    domain.constant(plan.wide, uint64_t(-largest - 1), plan.smallest.data());
    if (acc.isFloat || !plan.widen || !plan.narrow || !plan.least || !plan.most)
      return std::nullopt;
    return plan;
  }

  void clamp(Fragments::Cells &sums) const {
    for (size_t at = 0; at < sums.size(); at += wideBytes) {
      least(1, &sums[at], largest.data(), &sums[at]);
      most(1, &sums[at], smallest.data(), &sums[at]);
    }
  }
};

/// The product of dense matrices that an instruction computes.
struct DenseProduct {
  ContractionSpace space;
  Reading lhs, rhs;
  Contract contract;
  const Domain *domain;
  std::optional<Saturation> saturation;

  void compute(const MmaInstruction &mma, const Fragments::Cells &left,
               const Fragments::Cells &right, Fragments::Cells &sum) const {
    Fragments::Cells leftScratch, rightScratch, wide;
    int64_t sums = mma.blocks * mma.m * mma.n;
    if (saturation) {
      wide.resize(sums * saturation->wideBytes);
      saturation->widen(sums, sum.data(), wide.data());
    }
    contract(
        space, 1,
        lhs.read(*domain, left.data(), mma.blocks * mma.m * mma.k, leftScratch),
        rhs.read(*domain, right.data(), mma.blocks * mma.k * mma.n,
                 rightScratch),
        saturation ? wide.data() : sum.data());
    if (saturation) {
      saturation->clamp(wide);
      saturation->narrow(sums, wide.data(), sum.data());
    }
  }
};
} // namespace

static std::vector<int64_t> multiples(int64_t count, int64_t stride) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < count; ++i)
    offsets.push_back(i * stride);
  return offsets;
}

/// Returns the space of blocks of A of m x k, B of k x n, C of m x n, all
/// row-major.
static ContractionSpace denseSpace(const MmaInstruction &mma) {
  ContractionSpace space;
  space.lhsBatch = multiples(mma.blocks, mma.m * mma.k);
  space.rhsBatch = multiples(mma.blocks, mma.k * mma.n);
  space.accBatch = multiples(mma.blocks, mma.m * mma.n);
  space.lhsM = multiples(mma.m, mma.k);
  space.accM = multiples(mma.m, mma.n);
  space.rhsN = space.accN = multiples(mma.n, 1);
  space.lhsK = multiples(mma.k, 1);
  space.rhsK = multiples(mma.k, mma.n);
  return space;
}

static std::optional<DenseProduct> productOf(const MmaInstruction &mma,
                                             Kind lhs, Kind rhs, Kind acc,
                                             bool saturates,
                                             const Domain &domain) {
  LowBits lowBits =
      mma.name.starts_with("NV_") ? LowBits::Ignored : LowBits::Rounded;
  auto left = readingOf(mma.element(MmaOperand::A), lhs, domain, lowBits),
       right = readingOf(mma.element(MmaOperand::B), rhs, domain, lowBits);
  if (!left || !right)
    return std::nullopt;
  std::optional<Saturation> saturation;
  if (saturates && !(saturation = Saturation::get(acc, domain)))
    return std::nullopt;
  Contract contract =
      domain.contract(vector::CombiningKind::ADD, left->kind, right->kind,
                      saturation ? saturation->wide : acc, /*exact=*/true);
  if (!contract)
    return std::nullopt;
  return DenseProduct{denseSpace(mma),     *left,   *right,
                      std::move(contract), &domain, std::move(saturation)};
}

LogicalResult simt::emitMma(Operation *op, const MmaInstruction &mma,
                            ArrayRef<Reg> a, ArrayRef<Reg> b, ArrayRef<Reg> c,
                            ArrayRef<Reg> d, Translator &t, bool saturates) {
  if (t.lanes() != mma.subgroupSize)
    return t.notModelled(op, mma.name + " needs subgroups of " +
                                 Twine(mma.subgroupSize) + " lanes, found " +
                                 Twine(t.lanes()));
  auto get = [&](MmaOperand operand, ArrayRef<Reg> regs, bool isResult) {
    return Fragments::get(mma, operand, regs, isResult, t.domain());
  };
  auto lhs = get(MmaOperand::A, a, false), rhs = get(MmaOperand::B, b, false),
       acc = get(MmaOperand::C, c, false), result = get(MmaOperand::C, d, true);
  if (!lhs || !rhs || !acc || !result || acc->stride != result->stride)
    return t.notModelled(op, "registers that are no fragments of " + mma.name);
  std::optional<DenseProduct> product =
      productOf(mma, lhs->kind, rhs->kind, acc->kind, saturates, t.domain());
  if (!product)
    return t.notModelled(op, "a product of these types");
  t.emit(op, [=, &mma, product = std::move(*product), lhs = std::move(*lhs),
              rhs = std::move(*rhs), acc = std::move(*acc),
              result = std::move(*result)](Agent &agent) {
    if (!agent.checkWhole(op))
      return;
    Fragments::Cells left = lhs.gather(agent, op),
                     right = rhs.gather(agent, op), sum = acc.gather(agent, op);
    product.compute(mma, left, right, sum);
    result.scatter(agent, sum, acc.held(agent));
    ++agent.workgroup().counters.mma;
  });
  return success();
}
