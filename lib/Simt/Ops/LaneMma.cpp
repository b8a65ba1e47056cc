//===- LaneMma.cpp - Vendors' MMA ops in lane code ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvgpu.mma.sync, amdgpu.mfma and amdgpu.wmma are one instruction each,
// selected by shape and types; the closed forms of FragmentMaps, from the
// manuals, define the fragments of the lanes.
//
//===----------------------------------------------------------------------===//
#include "MfmaLanes.h"
#include "MmaFragments.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

/// Returns the type in the name of an instruction: "F16", "F8E4M3FN", "I8".
static std::string typeName(Value value, bool isUnsigned = false) {
  Type type = getElementTypeOrSelf(value.getType());
  if (isUnsigned)
    return "U" + std::to_string(type.getIntOrFloatBitWidth());
  std::string name;
  llvm::raw_string_ostream stream(name);
  type.print(stream);
  return StringRef(name).upper();
}

static std::string typeNames(const std::string &a, const std::string &b) {
  return a == b ? a : a + "_" + b;
}

static std::string shapeName(int64_t m, int64_t n, int64_t k) {
  return (Twine(m) + "x" + Twine(n) + "x" + Twine(k)).str();
}

static LogicalResult emitNamed(Operation *op, const std::string &name, Value a,
                               Value b, Value c, Translator &t) {
  const MmaInstruction *mma = lookupMmaInstruction(name);
  if (!mma)
    return t.notModelled(op, name + ", which is no known matrix instruction");
  auto one = [&](Value value) { return SmallVector<Reg>{t.reg(value)}; };
  return emitMma(op, *mma, one(a), one(b), one(c), one(op->getResult(0)), t);
}

static LogicalResult translateMmaSync(nvgpu::MmaSyncOp op, Translator &t) {
  SmallVector<int64_t> shape;
  for (Attribute extent : op.getMmaShape())
    shape.push_back(cast<IntegerAttr>(extent).getInt());
  if (shape.size() != 3)
    return t.notModelled(op, "a shape that has not three extents");
  auto nameOf = [&](Value value) {
    std::string name = typeName(value);
    return name == "F32" && op.getTf32Enabled().value_or(false) ? "TF32" : name;
  };
  return emitNamed(
      op,
      "NV_MMA_SYNC_" + typeName(op.getMatrixC()) + "_" +
          shapeName(shape[0], shape[1], shape[2]) + "_" +
          typeNames(nameOf(op.getMatrixA()), nameOf(op.getMatrixB())),
      op.getMatrixA(), op.getMatrixB(), op.getMatrixC(), t);
}

/// Emits the negation of an f64 operand, if a modifier of the instruction
/// requires it.
static Reg negateIf(bool negates, Operation *op, Reg value, Translator &t) {
  if (!negates)
    return value;
  Reg to = t.scratch(value.kind, value.elements);
  Unary negate = t.domain().unary(FloatUnary::Negate, value.kind.format);
  assert(negate && "each domain has negation");
  t.emit(op, [=](Agent &agent) {
    negate(agent.numCells(value), agent.cells(value), agent.cells(to));
  });
  return to;
}

static LogicalResult translateMfma(amdgpu::MFMAOp op, Translator &t) {
  std::string types =
      op.getReducePrecision()
          ? "X" + typeName(op.getSourceA())
          : typeNames(typeName(op.getSourceA()), typeName(op.getSourceB()));
  std::string blocks =
      op.getBlocks() == 1 ? "" : std::to_string(op.getBlocks()) + "B_";
  std::string name = "MFMA_" + typeName(op.getDestC()) + "_" +
                     shapeName(op.getM(), op.getN(), op.getK()) + "_" + blocks +
                     types;
  const MmaInstruction *mma = lookupMmaInstruction(name);
  if (!mma)
    return t.notModelled(op, name + ", which is no known matrix instruction");
  MfmaLanes lanes = {op.getCbsz(), op.getAbid(), int64_t(op.getBlgp())};
  bool isDouble = typeName(op.getSourceA()) == "F64";
  bool rearranges = lanes.cbsz != 0 || lanes.blgp != 0;
  bool negates = op.getNegateA() || op.getNegateB() || op.getNegateC();
  if (!lanes.isOf(*mma) || (rearranges && isDouble) || (negates && !isDouble))
    return t.notModelled(op, "a matrix instruction with these modifiers");
  Reg a = lanes.takeA(op, *mma, t.reg(op.getSourceA()), t),
      b = lanes.takeB(op, t.reg(op.getSourceB()), t), c = t.reg(op.getDestC());
  return emitMma(op, *mma, {negateIf(op.getNegateA(), op, a, t)},
                 {negateIf(op.getNegateB(), op, b, t)},
                 {negateIf(op.getNegateC(), op, c, t)},
                 {t.reg(op->getResult(0))}, t);
}

static LogicalResult translateWmma(amdgpu::WMMAOp op, Translator &t) {
  if (op.getClamp() || op.getSubwordOffset() != 0)
    return t.notModelled(op, "a matrix instruction with these modifiers");
  bool isThird = t.options().launch.target.starts_with("gfx11");
  return emitNamed(op,
                   (isThird ? "WMMAR3_" : "WMMAR4_") + typeName(op.getDestC()) +
                       "_" + shapeName(op.getM(), op.getN(), op.getK()) + "_" +
                       typeNames(typeName(op.getSourceA(), op.getUnsignedA()),
                                 typeName(op.getSourceB(), op.getUnsignedB())),
                   op.getSourceA(), op.getSourceB(), op.getDestC(), t);
}

void distaff::simt::registerLaneMma(OpRegistry &registry) {
  registry.add<nvgpu::MmaSyncOp>(translateMmaSync);
  registry.add<amdgpu::MFMAOp>(translateMfma);
  registry.add<amdgpu::WMMAOp>(translateWmma);
}
