//===- RocdlMma.cpp - rocdl.mfma and rocdl.wmma ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name of an op specifies its product:
//
//   rocdl.mfma.f32.16x16x16bf16.1k     MFMA_F32_16x16x16_BF16
//   rocdl.mfma.i32.16x16x32.i8         MFMA_I32_16x16x32_I8
//   rocdl.wmma.f32.16x16x16.f16        WMMAR3_ or WMMAR4_F32_16x16x16_F16
//
// WMMA's fragments on gfx12 differ from those on gfx11.
//
//===----------------------------------------------------------------------===//
#include "AmdTargets.h"
#include "MfmaLanes.h"
#include "MmaFragments.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
/// The attributes of an op besides its matrices.
struct Modifiers {
  /// Signedness, for wmma on 8-bit integers.
  bool isSignedA = false, isSignedB = false;
  /// Numbers of the formats, for mfma on any 8-bit floats.
  int64_t formatA = 0, formatB = 0;
  /// Broadcasts of blocks or lanes, for mfma.
  MfmaLanes lanes = {};
};
} // namespace

/// Returns "F8E4M3FNUZ" for "fp8" on gfx942.
static std::string formatName(StringRef format, StringRef target,
                              bool isSigned) {
  if (format == "fp8")
    return hasOwnFloatFormats(target) ? "F8E4M3FNUZ" : "F8E4M3FN";
  if (format == "bf8")
    return hasOwnFloatFormats(target) ? "F8E5M2FNUZ" : "F8E5M2";
  if (format == "iu8")
    return isSigned ? "I8" : "U8";
  return format.upper();
}

/// Returns the formats after an op's shape: "fp8.bf8", "f8f6f4", "iu8".
static std::string formatNames(StringRef formats, StringRef target,
                               const Modifiers &modifiers) {
  SmallVector<StringRef, 2> each;
  formats.split(each, formats.contains('.') ? '.' : '_');
  StringRef a = each.front(), b = each.back();
  if (formats == "f8f6f4") {
    a = modifiers.formatA == 0 ? "fp8" : "bf8";
    b = modifiers.formatB == 0 ? "fp8" : "bf8";
  }
  std::string first = formatName(a, target, modifiers.isSignedA),
              second = formatName(b, target, modifiers.isSignedB);
  return first == second ? first : first + "_" + second;
}

/// Returns whether a target has the instruction "mfma.f32.16x16x32.f16": each
/// generation added some (CDNA1 to CDNA4 ISA, "Matrix Core"). Unknown targets
/// have all.
static bool isOnTarget(StringRef op, StringRef target) {
  if (op.starts_with("wmma."))
    return !target.starts_with("gfx9");
  if (target.starts_with("gfx1"))
    return false;
  bool isOldest = target == "gfx908", isSecond = target == "gfx90a",
       isNewest = target == "gfx950";
  auto mentions = [&](std::initializer_list<StringRef> words) {
    return llvm::any_of(words,
                        [&](StringRef word) { return op.contains(word); });
  };
  if (mentions({"xf32"}))
    return !isOldest && !isSecond && !isNewest;
  bool isHalf = mentions({".f16", ".bf16"});
  if (mentions({"f8f6f4", "i32.16x16x64", "i32.32x32x32"}) ||
      (isHalf && mentions({"16x16x32", "32x32x16"})))
    return !isOldest && !isSecond && !hasOwnFloatFormats(target);
  if (mentions({"fp8", "bf8", "i32.16x16x32", "i32.32x32x16"}))
    return !isOldest && !isSecond;
  return !isOldest || !mentions({".1k", "mfma.f64"});
}

/// Returns the instruction of "mfma.f32.16x16x16bf16.1k"; null for an unknown
/// one.
static const MmaInstruction *lookupOp(StringRef op, StringRef target,
                                      const Modifiers &modifiers) {
  if (!isOnTarget(op, target))
    return nullptr;
  auto [family, rest] = op.split('.');
  std::string name = family == "mfma"              ? "MFMA_"
                     : target.starts_with("gfx11") ? "WMMAR3_"
                                                   : "WMMAR4_";
  rest.consume_front("scale.");
  auto [accumulator, multiplied] = rest.split('.');
  size_t end = multiplied.find_first_not_of("0123456789x");
  StringRef shape = multiplied.take_front(end).rtrim('x'),
            formats = multiplied.drop_front(shape.size()).ltrim('.');
  bool isBFloatOfFour = formats.consume_back(".1k") && shape.ends_with("x4");
  name += accumulator.upper() + "_" + shape.str();
  std::string types = "_" + formatNames(formats, target, modifiers);
  // Small shapes have several blocks. On bf16 two generations differ.
  for (StringRef blocks : {"", "_2B", "_4B", "_16B"})
    if (!(blocks.empty() && isBFloatOfFour))
      if (auto *mma = lookupMmaInstruction(name + blocks.str() + types))
        return mma;
  return nullptr;
}

/// Returns the modifiers of an op besides A, B and C; nothing if one negates,
/// clamps or scales.
static std::optional<Modifiers> modifiersOf(Operation *op) {
  Modifiers modifiers;
  StringRef name = op->getName().getStringRef();
  bool isScaled = name.contains(".scale.");
  bool rearranges = name.starts_with("rocdl.mfma.") && !isScaled &&
                    !name.starts_with("rocdl.mfma.f64.");
  int64_t *fields[] = {&modifiers.lanes.cbsz, &modifiers.lanes.abid,
                       &modifiers.lanes.blgp};
  for (auto [number, operand] :
       llvm::enumerate(op->getOperands().drop_front(3))) {
    int64_t value = Translator::constantInteger(operand).value_or(-1);
    if (isScaled && number < 2 && (value == 0 || value == 1))
      (number == 0 ? modifiers.formatA : modifiers.formatB) = value;
    else if (rearranges && number < 3 && value >= 0)
      *fields[number] = value;
    else if (value != 0)
      return std::nullopt;
  }
  for (NamedAttribute attribute : op->getAttrs()) {
    auto value = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!value || value.getValue().isZero())
      continue;
    if (attribute.getName() == "signA")
      modifiers.isSignedA = true;
    else if (attribute.getName() == "signB")
      modifiers.isSignedB = true;
    else
      return std::nullopt;
  }
  return modifiers;
}

static LogicalResult translateMfmaOrWmma(Operation *op, Translator &t) {
  std::optional<Modifiers> modifiers;
  if (op->getNumOperands() >= 3)
    modifiers = modifiersOf(op);
  if (!modifiers)
    return t.notModelled(op, "a matrix instruction with these modifiers");
  const MmaInstruction *mma = lookupOp(op->getName().stripDialect(),
                                       t.options().launch.target, *modifiers);
  if (!mma)
    return t.notModelled(op, "a matrix instruction that is not known");
  const MfmaLanes &lanes = modifiers->lanes;
  if ((lanes.cbsz != 0 || lanes.blgp != 0) && !lanes.isOf(*mma))
    return t.notModelled(op, "a matrix instruction with these modifiers");
  Reg a = lanes.takeA(op, *mma, t.reg(op->getOperand(0)), t),
      b = lanes.takeB(op, t.reg(op->getOperand(1)), t);
  return emitMma(op, *mma, {a}, {b}, {t.reg(op->getOperand(2))},
                 {t.reg(op->getResult(0))}, t);
}

void distaff::simt::registerRocdlMma(OpRegistry &registry) {
  registry.addFamily("rocdl.mfma.", translateMfmaOrWmma);
  registry.addFamily("rocdl.wmma.", translateMfmaOrWmma);
}
