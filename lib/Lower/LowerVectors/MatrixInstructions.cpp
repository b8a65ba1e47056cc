//===- MatrixInstructions.cpp - Vendors' MMA ops in lane code -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's program may multiply by nvgpu.mma.sync, amdgpu.mfma or amdgpu.wmma
// (VX-143). Each is one instruction of the target's table, and becomes the op
// that all later passes handle, with its registers unchanged:
//
//   %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : ...
//   =>
//   %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {
//          kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : ...
//
// An op's other attributes are either the instruction's fixed behaviour, or a
// modifier of MFMA, which stays with the op, or refused (VX-176).
//
//===----------------------------------------------------------------------===//
#include "ScalarRegisters.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/IREE/MfmaModifiers.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

namespace {

/// A factor of a product, in the registers of a lane.
struct LaneFactor {
  Value value;
  bool isUnsigned = false;

  bool is(ScalarKind kind, bool dropsBits) const {
    Type type = getElementTypeOrSelf(value.getType());
    return type == elementTypeOf(kind, type.getContext()) &&
           isUnsigned == distaff::isUnsigned(kind) &&
           dropsBits == isReducedF32(kind);
  }
};

/// Describes D = A * B + C of one subgroup, as an op of lane code has it.
struct LaneProduct {
  int64_t m, n, k, blocks;
  LaneFactor a, b;
  Value c;
  /// Whether the instruction reads only some bits of f32.
  bool dropsBits = false;
  iree::MfmaModifiers modifiers = {};
  /// Whether A, B and C are negated.
  bool negates[3] = {false, false, false};
};

} // namespace

static int64_t registersOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

/// Returns the registers of `c` per element of the row's C: for halves, the
/// other half of each word may keep its value.
static int64_t strideOf(const MmaRow &row, Value c) {
  return row.emitter == MmaEmitter::RocdlWmmaHalves ||
                 row.emitter == MmaEmitter::RocdlWmmaOpsel
             ? registersOf(c) / row.fragmentC.numRegisters()
             : 1;
}

static bool fits(const LaneProduct &product, const MmaRow &row) {
  int64_t stride = strideOf(row, product.c);
  return row.m == product.m && row.n == product.n && row.k == product.k &&
         row.blocks == product.blocks &&
         product.a.is(row.a, product.dropsBits) &&
         product.b.is(row.b, product.dropsBits) &&
         LaneFactor{product.c}.is(row.c, /*dropsBits=*/false) &&
         registersOf(product.a.value) == row.fragmentA.numRegisters() &&
         registersOf(product.b.value) == row.fragmentB.numRegisters() &&
         (stride == 1 || stride == 2) &&
         registersOf(product.c) == stride * row.fragmentC.numRegisters();
}

static FailureOr<const MmaRow *>
findRow(Operation *op, const LaneProduct &product, const Target &target) {
  for (const MmaRow &row : target.mma)
    if (fits(product, row))
      return &row;
  InFlightDiagnostic diagnostic = op->emitOpError("multiplies ");
  diagnostic << product.m << "x" << product.n << "x" << product.k;
  if (product.blocks != 1)
    diagnostic << " in " << product.blocks << " blocks";
  return diagnostic << " of " << product.a.value.getType() << ", "
                    << product.b.value.getType() << " and "
                    << product.c.getType() << " per lane, which is no "
                    << "instruction of " << target.name << "; `distaff targets "
                    << target.name << "` lists those that there are";
}

/// Returns the registers of a lane as the fragment of one instruction.
static Value fragmentOf(ArrayRef<Value> registers, const Fragment &fragment,
                        Location loc, OpBuilder &b) {
  auto type = VectorType::get({1, 1, fragment.shape[0], fragment.shape[1]},
                              registers.front().getType());
  return vector::FromElementsOp::create(b, loc, type, registers);
}

/// Clears the bits of f32 that TF32 lacks; emission rounds, which then changes
/// nothing, and the instruction itself does not round.
static SmallVector<Value> clearLowBits(ArrayRef<Value> registers, Location loc,
                                       Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  Value mask = lowering.constant(b.getI32IntegerAttr(~0x1FFF));
  return llvm::map_to_vector(registers, [&](Value value) -> Value {
    Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
    Value high = arith::AndIOp::create(b, loc, bits, mask);
    return arith::BitcastOp::create(b, loc, value.getType(), high);
  });
}

static LogicalResult lowerProduct(Operation *op, const LaneProduct &product,
                                  Lowering &lowering) {
  FailureOr<const MmaRow *> found = findRow(op, product, lowering.target);
  if (failed(found))
    return failure();
  const MmaRow &row = **found;
  OpBuilder &b = lowering.builder;
  Location loc = op->getLoc();
  auto registersFor = [&](Value value, bool negates) {
    SmallVector<Value> registers(lowering.elements(value));
    for (Value &number : registers)
      if (negates)
        number = arith::NegFOp::create(b, loc, number);
    return registers;
  };
  auto factorOf = [&](Value value, ScalarKind kind, const Fragment &fragment,
                      bool negates) {
    SmallVector<Value> registers = registersFor(value, negates);
    if (kind == ScalarKind::TF32)
      registers = clearLowBits(registers, loc, lowering);
    return fragmentOf(registers, fragment, loc, b);
  };
  Value lhs =
            factorOf(product.a.value, row.a, row.fragmentA, product.negates[0]),
        rhs =
            factorOf(product.b.value, row.b, row.fragmentB, product.negates[1]);
  SmallVector<Value> all = registersFor(product.c, product.negates[2]), used;
  int64_t stride = strideOf(row, product.c);
  for (size_t i = 0; i < all.size(); i += stride)
    used.push_back(all[i]);
  AffineExpr m, n, k;
  bindDims(op->getContext(), m, n, k);
  SmallVector<AffineMap> maps;
  for (auto [row, column] : {std::pair(m, k), {k, n}, {m, n}})
    maps.push_back(AffineMap::get(3, 0, {row, column}, op->getContext()));
  auto issued = iree::InnerTiledOp::create(
      b, loc, ValueRange{lhs, rhs}, fragmentOf(used, row.fragmentC, loc, b),
      maps,
      iree::MmaLayoutAttr::get(op->getContext(), row.name,
                               /*colMajor=*/false));
  product.modifiers.set(issued);
  auto parts = vector::ToElementsOp::create(b, loc, issued.getResult());
  for (auto [number, value] : llvm::enumerate(parts.getElements()))
    all[number * stride] = value;
  lowering.setElements(op->getResult(0), all);
  return success();
}

static LogicalResult lowerMmaSync(nvgpu::MmaSyncOp op, Lowering &lowering) {
  SmallVector<int64_t> shape;
  for (Attribute extent : op.getMmaShape())
    shape.push_back(cast<IntegerAttr>(extent).getInt());
  if (shape.size() != 3)
    return op.emitOpError("has an mmaShape of ")
           << shape.size() << " extents, an instruction has three";
  bool isF32 = getElementTypeOrSelf(op.getMatrixA().getType()).isF32();
  if (isF32 && !op.getTf32Enabled().value_or(false))
    return op.emitOpError("multiplies f32, of which instructions read the "
                          "upper 19 bits only; say so by tf32Enabled");
  return lowerProduct(op,
                      {shape[0],
                       shape[1],
                       shape[2],
                       /*blocks=*/1,
                       {op.getMatrixA()},
                       {op.getMatrixB()},
                       op.getMatrixC(),
                       isF32},
                      lowering);
}

/// Returns the reason why MFMA instructions on the op's types have no such
/// modifiers, besides the verifier's reasons: on 8-bit floats and xf32 they
/// have no meaning.
static std::optional<std::string> whyNotModified(amdgpu::MFMAOp op) {
  Type element = getElementTypeOrSelf(op.getSourceA().getType());
  bool isPlain = op.getCbsz() == 0 && op.getBlgp() == amdgpu::MFMAPermB::none;
  bool isSmallFloat =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
  if (!isPlain && (op.getReducePrecision() || isSmallFloat))
    return "rearranges blocks or lanes (cbsz, abid, blgp), which instructions "
           "on its types do not; do that to the operands themselves";
  if ((int64_t(1) << op.getCbsz()) > op.getBlocks())
    return "broadcasts one block of A to " +
           std::to_string(int64_t(1) << op.getCbsz()) +
           " (cbsz), and the instruction has " + std::to_string(op.getBlocks());
  return std::nullopt;
}

static LogicalResult lowerMfma(amdgpu::MFMAOp op, Lowering &lowering) {
  if (std::optional<std::string> why = whyNotModified(op))
    return op.emitOpError() << *why;
  return lowerProduct(op,
                      {op.getM(),
                       op.getN(),
                       op.getK(),
                       op.getBlocks(),
                       {op.getSourceA()},
                       {op.getSourceB()},
                       op.getDestC(),
                       op.getReducePrecision(),
                       {op.getCbsz(), op.getAbid(), int64_t(op.getBlgp())},
                       {op.getNegateA(), op.getNegateB(), op.getNegateC()}},
                      lowering);
}

static LogicalResult lowerWmma(amdgpu::WMMAOp op, Lowering &lowering) {
  if (op.getClamp() || op.getSubwordOffset() != 0)
    return op.emitOpError("clamps its result or has it in upper halves "
                          "(subwordOffset 1), which is not supported; leave "
                          "both away");
  return lowerProduct(op,
                      {op.getM(),
                       op.getN(),
                       op.getK(),
                       /*blocks=*/1,
                       {op.getSourceA(), op.getUnsignedA()},
                       {op.getSourceB(), op.getUnsignedB()},
                       op.getDestC()},
                      lowering);
}

bool registers::isMatrixInstruction(Operation *op) {
  return isa<nvgpu::MmaSyncOp, amdgpu::MFMAOp, amdgpu::WMMAOp>(op);
}

void registers::addMatrixInstructionRules(RuleSet &rules) {
  rules.add(lowerMmaSync);
  rules.add(lowerMfma);
  rules.add(lowerWmma);
}
