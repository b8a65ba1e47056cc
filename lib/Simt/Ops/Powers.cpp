//===- Powers.cpp - Powers with integer exponents, exp10 ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace distaff;
using namespace distaff::simt;

namespace {
/// Exponents as f64, one per element, also if there is one for all.
struct Exponents {
  Reg from, to;
  Unary toFloat;

  static Exponents get(Reg from, int64_t elements, Translator &t) {
    Kind wide = Kind::ofFloat(FloatFormat::F64);
    return {from, t.scratch(wide, elements),
            t.domain().convert(Conversion::SignedToFloat, from.kind, wide)};
  }

  void convert(Agent &agent) const {
    toFloat(agent.numCells(from), agent.cells(from), agent.cells(to));
    int64_t bytes = agent.lanes() * to.cellBytes;
    for (int64_t e = from.elements; e < to.elements; ++e)
      std::memcpy(agent.cells(to) + e * bytes, agent.cells(to), bytes);
  }
};
} // namespace

/// Converts exponents to f64, since f16 has few integers. A domain with the
/// same cells for all formats computes in the format of the base nevertheless.
LogicalResult distaff::simt::translateIntegerPower(Operation *op, Reg base,
                                                   Reg exponent, Reg r,
                                                   Translator &t) {
  Kind wide = Kind::ofFloat(FloatFormat::F64);
  const Domain &domain = t.domain();
  bool isAlike = domain.cellBytes(wide) == domain.cellBytes(base.kind);
  FloatFormat format = isAlike ? base.kind.format : wide.format;
  Unary widen = domain.convert(Conversion::FloatToFloat, base.kind, wide);
  Unary narrow = domain.convert(Conversion::FloatToFloat, wide, base.kind);
  Binary power = domain.binary(FloatBinary::Pow, format);
  if (base.isTensor())
    return t.notModelled(op, "an integer power in this domain");
  Exponents exponents = Exponents::get(exponent, r.elements, t);
  if (!exponents.toFloat || !widen || !narrow || !power)
    return t.notModelled(op, "an integer power in this domain");
  Reg number = t.scratch(wide, r.elements);
  t.emit(op, [=](Agent &agent) {
    int64_t n = agent.numCells(r);
    exponents.convert(agent);
    if (isAlike)
      return power(n, agent.cells(base), agent.cells(exponents.to),
                   agent.cells(r));
    widen(n, agent.cells(base), agent.cells(number));
    power(n, agent.cells(number), agent.cells(exponents.to),
          agent.cells(number));
    narrow(n, agent.cells(number), agent.cells(r));
  });
  return success();
}

static LogicalResult translateFPowI(math::FPowIOp op, Translator &t) {
  return translateIntegerPower(op, t.reg(op.getLhs()), t.reg(op.getRhs()),
                               t.reg(op.getResult()), t);
}

static LogicalResult translatePowI(Operation *op, Translator &t) {
  return translateIntegerPower(op, t.reg(op->getOperand(0)),
                               t.reg(op->getOperand(1)),
                               t.reg(op->getResult(0)), t);
}

/// Returns three powers of two in f64 whose product is 2^n, or whose product
/// also results in 0 or infinity. Of those below 1 only the last one loses
/// digits.
static std::array<double, 3> factorsOf(int64_t n) {
  std::array<double, 3> factors = {1, 1, 1};
  for (double &factor : factors) {
    bool isLast = &factor == &factors.back();
    int by = isLast      ? int(std::clamp<int64_t>(n, -1022, 1023))
             : n > 1023  ? 1023
             : n < -1022 ? -1022 + 53
                         : 0;
    factor = std::ldexp(1.0, by);
    n -= by;
  }
  return factors;
}

/// Translates a number times a power of two, in f64, which has room for smaller
/// formats.
static LogicalResult translateLoadExp(Operation *op, Translator &t) {
  Reg x = t.reg(op->getOperand(0)), exponent = t.reg(op->getOperand(1)),
      r = t.reg(op->getResult(0));
  Kind wide = Kind::ofFloat(FloatFormat::F64);
  const Domain &domain = t.domain();
  Unary widen = domain.convert(Conversion::FloatToFloat, x.kind, wide);
  Unary narrow = domain.convert(Conversion::FloatToFloat, wide, x.kind);
  Binary multiply = domain.binary(FloatBinary::Mul, wide.format);
  if (!widen || !narrow || !multiply || x.isTensor())
    return t.notModelled(op, "a power of two as a factor in this domain");
  Exponents exponents = Exponents::get(exponent, r.elements, t);
  Reg number = t.scratch(wide, r.elements);
  SmallVector<Reg, 3> powers;
  for (int i = 0; i < 3; ++i)
    powers.push_back(t.scratch(wide, r.elements));
  const Domain *values = &domain;
  t.emit(op, [=](Agent &agent) {
    int64_t n = agent.numCells(r);
    exponents.convert(agent);
    for (int64_t e = 0; e < r.elements; ++e)
      for (int64_t l = 0; l < agent.lanes(); ++l) {
        int64_t of = exponent.elements == 1 ? 0 : e;
        auto factors = factorsOf(agent.integer(exponent, l, of));
        for (auto [power, factor] : llvm::zip_equal(powers, factors))
          values->constant(wide, llvm::bit_cast<uint64_t>(factor),
                           agent.cellsAs<uint8_t>(power, l, e));
        // An undecided exponent makes the result undecided.
        if (agent.isUndecided(exponent, l, of))
          std::memcpy(agent.cellsAs<uint8_t>(powers[0], l, e),
                      agent.cellsAs<uint8_t>(exponents.to, l, e),
                      number.cellBytes);
      }
    widen(n, agent.cells(x), agent.cells(number));
    for (Reg power : powers)
      multiply(n, agent.cells(number), agent.cells(power), agent.cells(number));
    narrow(n, agent.cells(number), agent.cells(r));
  });
  return success();
}

/// Translates 10^x as a power.
static LogicalResult translateExp10(Operation *op, Translator &t) {
  Reg x = t.reg(op->getOperand(0)), r = t.reg(op->getResult(0));
  Binary power = t.domain().binary(FloatBinary::Pow, x.kind.format);
  Unary narrow = t.domain().convert(Conversion::FloatToFloat,
                                    Kind::ofFloat(FloatFormat::F64), x.kind);
  if (!power || !narrow || x.isTensor())
    return t.notModelled(op, "a power of ten in this domain");
  Reg ten = t.constant(Kind::ofFloat(FloatFormat::F64),
                       llvm::bit_cast<uint64_t>(10.0));
  Reg base = t.scratch(x.kind, 1);
  t.emit(op, [=](Agent &agent) {
    narrow(agent.lanes(), agent.cells(ten), agent.cells(base));
    int64_t bytes = agent.lanes() * r.cellBytes;
    for (int64_t e = 0; e < r.elements; ++e)
      power(agent.lanes(), agent.cells(base), agent.cells(x) + e * bytes,
            agent.cells(r) + e * bytes);
  });
  return success();
}

void distaff::simt::registerPowers(OpRegistry &registry) {
  registry.add<math::FPowIOp>(translateFPowI);
  registry.add<LLVM::PowIOp>(OpRegistry::Translate(translatePowI));
  registry.add<LLVM::LoadExpOp>(OpRegistry::Translate(translateLoadExp));
  registry.add<LLVM::Exp10Op>(OpRegistry::Translate(translateExp10));
}
