//===- RocdlMma.cpp - rocdl.mfma and rocdl.wmma ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name of an op says what it multiplies:
//
//   rocdl.mfma.f32.16x16x16bf16.1k     MFMA_F32_16x16x16_BF16
//   rocdl.mfma.i32.16x16x32.i8         MFMA_I32_16x16x32_I8
//   rocdl.wmma.f32.16x16x16.f16        WMMAR3_ or WMMAR4_F32_16x16x16_F16
//
// WMMA's fragments are others on gfx12 than on gfx11.
//
//===----------------------------------------------------------------------===//
#include "MmaFragments.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace distaff;
using namespace distaff::simt;

/// "F8E4M3FNUZ" of "fp8" on gfx942.
static std::string formatName(StringRef format, StringRef target,
                              bool isSigned) {
  bool isOwnFormat = target == "gfx940" || target == "gfx942";
  if (format == "fp8")
    return isOwnFormat ? "F8E4M3FNUZ" : "F8E4M3FN";
  if (format == "bf8")
    return isOwnFormat ? "F8E5M2FNUZ" : "F8E5M2";
  if (format == "iu8")
    return isSigned ? "I8" : "U8";
  return format.upper();
}

/// The name of the instruction: of "mfma.f32.16x16x16bf16.1k" the above.
static std::string instructionName(StringRef op, StringRef target,
                                   bool isSigned) {
  auto [family, rest] = op.split('.');
  std::string name = family == "mfma"              ? "MFMA"
                     : target.starts_with("gfx11") ? "WMMAR3"
                                                   : "WMMAR4";
  auto [accumulator, multiplied] = rest.split('.');
  size_t end = multiplied.find_first_not_of("0123456789x");
  StringRef shape = multiplied.take_front(end).rtrim('x'),
            formats = multiplied.drop_front(shape.size()).ltrim('.');
  name += "_" + accumulator.upper() + "_" + shape.str();
  formats.consume_back(".1k");
  SmallVector<StringRef, 2> each;
  formats.split(each, formats.contains('.') ? '.' : '_');
  std::string first = formatName(each.front(), target, isSigned);
  name += "_" + first;
  for (StringRef other : ArrayRef(each).drop_front())
    if (std::string second = formatName(other, target, isSigned);
        second != first)
      name += "_" + second;
  return name;
}

/// Whether what else an op says changes nothing: operands behind A, B and C,
/// and attributes, rearrange blocks, negate or clamp. Of wmma on 8-bit integers
/// `signA` and `signB` say what they are.
static bool isPlain(Operation *op) {
  for (Value modifier : op->getOperands().drop_front(3))
    if (Translator::constantInteger(modifier).value_or(1) != 0)
      return false;
  return llvm::all_of(op->getAttrs(), [](NamedAttribute attribute) {
    auto modifier = dyn_cast<IntegerAttr>(attribute.getValue());
    return !modifier || modifier.getValue().isZero() ||
           attribute.getName() == "signA" || attribute.getName() == "signB";
  });
}

static bool isSet(Operation *op, StringRef flag) {
  auto value = op->getAttrOfType<IntegerAttr>(flag);
  return value && !value.getValue().isZero();
}

static LogicalResult translateMma(Operation *op, Translator &t) {
  StringRef mnemonic = op->getName().stripDialect();
  if (op->getNumOperands() < 3 || !isPlain(op))
    return t.notModelled(op, "a matrix instruction with these modifiers");
  bool isSigned = isSet(op, "signA");
  if (isSigned != isSet(op, "signB") || (isSigned && !mnemonic.contains("iu")))
    return t.notModelled(op, "these signs of a matrix instruction");
  std::string name =
      instructionName(mnemonic, t.options().launch.target, isSigned);
  const MmaInstruction *mma = lookupMmaInstruction(name);
  if (!mma)
    return t.notModelled(op, name + ", which is no known matrix instruction");
  auto one = [&](Value value) { return SmallVector<Reg>{t.reg(value)}; };
  return emitMma(op, *mma, one(op->getOperand(0)), one(op->getOperand(1)),
                 one(op->getOperand(2)), one(op->getResult(0)), t);
}

void distaff::simt::registerRocdlMma(OpRegistry &registry) {
  MLIRContext context;
  context.loadDialect<ROCDL::ROCDLDialect>();
  for (RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("rocdl")) {
    StringRef mnemonic = name.getStringRef().drop_front(6);
    bool isPlain = !mnemonic.contains("scale");
    if (isPlain &&
        (mnemonic.starts_with("mfma.") || mnemonic.starts_with("wmma.")))
      registry.add(name.getStringRef(), translateMma);
  }
}
