//===- NarrowFloats.cpp - Vendors' 8-bit float conversions ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs of f32, f16 or bf16 and pairs of 8-bit floats, which are bytes.
// NVIDIA's conversions saturate to the largest finite number (PTX ISA,
// cvt.rn.satfinite), and every NaN becomes the one with all bits set except the
// sign, in both formats (cuda_fp8.hpp does the same for a float). AMD's formats
// are FNUZ on gfx942, and OCP's on other targets.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "AmdTargets.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace distaff;
using namespace distaff::simt;

/// Returns the largest finite number of a format with a saturating conversion.
static std::optional<double> largestOf(FloatFormat format) {
  switch (format) {
  case FloatFormat::F8E4M3FN:
    return 448;
  case FloatFormat::F8E5M2:
    return 57344;
  default:
    return std::nullopt;
  }
}

namespace {
/// Converts wide floats to bytes.
struct Narrowing {
  Unary convert;
  Binary least, most;
  std::optional<Reg> largest, smallest; // for saturation
  Unary isNaN;
  Ternary select;
  Reg nan, bit;
  Regroup toBytes;
  Reg wide, narrow; // scratch

  static std::optional<Narrowing> get(Kind wide, FloatFormat format,
                                      Kind result, bool saturates,
                                      Translator &t) {
    const Domain &domain = t.domain();
    Kind narrow = Kind::ofFloat(format);
    Narrowing plan;
    plan.convert = domain.convert(Conversion::FloatToFloat, wide, narrow);
    plan.least = domain.binary(FloatBinary::Minimum, wide.format);
    plan.most = domain.binary(FloatBinary::Maximum, wide.format);
    plan.toBytes = domain.bitcast(narrow, result);
    std::optional<double> largest = largestOf(format);
    if (!plan.convert || !plan.least || !plan.most || !plan.toBytes ||
        (saturates && !largest))
      return std::nullopt;
    plan.wide = t.scratch(wide);
    plan.narrow = t.scratch(narrow, 2);
    if (saturates) {
      plan.largest = constantOf(*largest, wide, t);
      plan.smallest = constantOf(-*largest, wide, t);
      plan.isNaN = domain.test(FloatTest::IsNaN, wide.format);
      plan.select = domain.select(narrow);
      plan.nan = t.constant(narrow, 0x7F);
      plan.bit = t.scratch(Kind::integer(1));
      if (!plan.isNaN || !plan.select)
        return std::nullopt;
    }
    return plan;
  }

  static Reg constantOf(double value, Kind kind, Translator &t) {
    APFloat number(value);
    bool loses;
    number.convert(kind.format == FloatFormat::F16    ? APFloat::IEEEhalf()
                   : kind.format == FloatFormat::BF16 ? APFloat::BFloat()
                                                      : APFloat::IEEEsingle(),
                   APFloat::rmNearestTiesToEven, &loses);
    return t.constant(kind, number.bitcastToAPInt().getZExtValue());
  }

  /// Converts element `from` of a register to element `to` of the pair.
  void narrowOne(Agent &agent, Reg source, int64_t from, int64_t to) const {
    int64_t lanes = agent.lanes();
    const uint8_t *cells =
        agent.cells(source) + from * lanes * source.cellBytes;
    uint8_t *clamped = agent.cells(wide);
    std::memcpy(clamped, cells, lanes * wide.cellBytes);
    if (largest) {
      least(lanes, clamped, agent.cells(*largest), clamped);
      most(lanes, clamped, agent.cells(*smallest), clamped);
    }
    uint8_t *result = agent.cells(narrow) + to * lanes * narrow.cellBytes;
    convert(lanes, clamped, result);
    if (!largest)
      return;
    isNaN(lanes, cells, agent.cells(bit));
    select(lanes, agent.cells(bit), agent.cells(nan), result, result);
  }
};
} // namespace

static std::optional<FloatFormat> formatOf(Type type) {
  std::optional<Kind> kind = Kind::of(type);
  return kind && kind->isFloat ? std::optional(kind->format) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// NVIDIA
//===----------------------------------------------------------------------===//

/// Emits the conversion: a vector's first element, or the second operand, is
/// the lower byte.
static LogicalResult emitNarrowing(Operation *op, ArrayRef<Reg> from, Type type,
                                   bool saturates, Translator &t) {
  Reg r = t.reg(op->getResult(0));
  std::optional<FloatFormat> format = formatOf(type);
  std::optional<Narrowing> plan;
  if (format)
    plan = Narrowing::get(from.front().kind, *format, r.kind, saturates, t);
  if (!plan)
    return t.notModelled(op, "a conversion to this format");
  t.emit(op, [=, from = SmallVector<Reg>(from), plan = *plan](Agent &agent) {
    if (from.size() == 2) {
      plan.narrowOne(agent, from[1], 0, 0);
      plan.narrowOne(agent, from[0], 0, 1);
    } else {
      plan.narrowOne(agent, from[0], 0, 0);
      plan.narrowOne(agent, from[0], 1, 1);
    }
    plan.toBytes(agent.lanes(), 2, agent.cells(plan.narrow), r.elements,
                 agent.cells(r));
  });
  return success();
}

static bool isSaturating(NVVM::SaturationMode mode) {
  return mode == NVVM::SaturationMode::SATFINITE;
}

static LogicalResult translateF32x2(NVVM::ConvertF32x2ToF8x2Op op,
                                    Translator &t) {
  if (op.getRelu() || op.getRnd() != NVVM::FPRoundingMode::RN)
    return t.notModelled(op, "a conversion of this kind");
  return emitNarrowing(op, {t.reg(op.getA()), t.reg(op.getB())}, op.getDstTy(),
                       isSaturating(op.getSat()), t);
}

/// Translates the conversion, which always saturates.
static LogicalResult translateF16x2(NVVM::ConvertF16x2ToF8x2Op op,
                                    Translator &t) {
  if (op.getRelu())
    return t.notModelled(op, "a conversion of this kind");
  return emitNarrowing(op, t.reg(op.getA()), op.getDstTy(), true, t);
}

/// Emits the conversion of a pair of bytes to wide floats.
static LogicalResult emitWidening(Operation *op, Reg bytes, FloatFormat format,
                                  int64_t firstByte, Translator &t) {
  Reg r = t.reg(op->getResult(0));
  Kind narrow = Kind::ofFloat(format);
  int64_t held = bytes.elements * bytes.kind.width / 8;
  Regroup regroup = t.domain().bitcast(bytes.kind, narrow);
  Unary convert = t.domain().convert(Conversion::FloatToFloat, narrow, r.kind);
  if (!regroup || !convert || firstByte < 0 || firstByte + r.elements > held)
    return t.notModelled(op, "a conversion from this format");
  Reg all = t.scratch(narrow, held);
  t.emit(op, [=](Agent &agent) {
    regroup(agent.lanes(), bytes.elements, agent.cells(bytes), held,
            agent.cells(all));
    convert(agent.numCells(r),
            agent.cells(all) + firstByte * agent.lanes() * all.cellBytes,
            agent.cells(r));
  });
  return success();
}

static LogicalResult translateToHalves(NVVM::ConvertF8x2ToF16x2Op op,
                                       Translator &t) {
  std::optional<FloatFormat> format = formatOf(op.getSrcType());
  if (!format || op.getRelu())
    return t.notModelled(op, "a conversion of this kind");
  return emitWidening(op, t.reg(op.getSrc()), *format, 0, t);
}

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

static FloatFormat formatOn(StringRef target, bool isE5M2) {
  bool isOwn = hasOwnFloatFormats(target);
  if (isE5M2)
    return isOwn ? FloatFormat::F8E5M2FNUZ : FloatFormat::F8E5M2;
  return isOwn ? FloatFormat::F8E4M3FNUZ : FloatFormat::F8E4M3FN;
}

/// Translates two floats to the lower or the upper half of a word, whose other
/// half stays. Nothing saturates, unless the mode requires it.
static LogicalResult translatePack(Operation *op, bool isE5M2, Translator &t) {
  Reg a = t.reg(op->getOperand(0)), b = t.reg(op->getOperand(1)),
      old = t.reg(op->getOperand(2)), r = t.reg(op->getResult(0));
  Reg half = t.scratch(Kind::integer(16));
  bool isUpper = op->getAttrOfType<IntegerAttr>("wordSel").getValue().isOne();
  std::optional<Narrowing> plan = Narrowing::get(
      a.kind, formatOn(t.options().launch.target, isE5M2), half.kind,
      /*saturates=*/false, t);
  if (!plan)
    return t.notModelled(op, "a conversion in this domain");
  t.emit(op, [=, plan = *plan](Agent &agent) {
    plan.narrowOne(agent, a, 0, 0);
    plan.narrowOne(agent, b, 0, 1);
    plan.toBytes(agent.lanes(), 2, agent.cells(plan.narrow), 1,
                 agent.cells(half));
    int by = isUpper ? 16 : 0;
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      uint32_t kept = uint32_t(agent.integer(old, l)) & ~(0xFFFFu << by);
      uint32_t bits = uint32_t(agent.integer(half, l)) & 0xFFFF;
      agent.setInteger(r, int32_t(kept | bits << by), l);
    }
  });
  return success();
}

/// Translates the conversion of a half or a byte of a word to f32.
static LogicalResult translateUnpack(Operation *op, bool isE5M2,
                                     Translator &t) {
  int64_t first = 0;
  if (auto word = op->getAttrOfType<IntegerAttr>("wordSel"))
    first = word.getValue().isOne() ? 2 : 0;
  if (auto byte = op->getAttrOfType<IntegerAttr>("byteSel"))
    first = byte.getInt();
  return emitWidening(op, t.reg(op->getOperand(0)),
                      formatOn(t.options().launch.target, isE5M2), first, t);
}

void distaff::simt::registerNarrowFloats(OpRegistry &registry) {
  registry.add<NVVM::ConvertF32x2ToF8x2Op>(translateF32x2);
  registry.add<NVVM::ConvertF16x2ToF8x2Op>(translateF16x2);
  registry.add<NVVM::ConvertF8x2ToF16x2Op>(translateToHalves);
  auto add = [&](StringRef name, auto translate, bool isE5M2) {
    registry.add(name, [=](Operation *op, Translator &t) {
      return translate(op, isE5M2, t);
    });
  };
  add("rocdl.cvt.pk.fp8.f32", translatePack, false);
  add("rocdl.cvt.pk.bf8.f32", translatePack, true);
  add("rocdl.cvt.pk.f32.fp8", translateUnpack, false);
  add("rocdl.cvt.pk.f32.bf8", translateUnpack, true);
  add("rocdl.cvt.f32.fp8", translateUnpack, false);
  add("rocdl.cvt.f32.bf8", translateUnpack, true);
}
