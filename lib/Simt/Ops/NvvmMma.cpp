//===- NvvmMma.cpp - nvvm.mma.sync, ldmatrix and stmatrix -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "MmaFragments.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

static SmallVector<Reg> registersOf(ValueRange values, Translator &t) {
  return llvm::map_to_vector(values, [&](Value v) { return t.reg(v); });
}

static StringRef nameOf(NVVM::MMATypes type) {
  return type == NVVM::MMATypes::tf32 ? "TF32" : NVVM::stringifyMMATypes(type);
}

/// The type of multiplicands: written where the registers do not say it.
static std::string inputName(NVVM::MmaOp op) {
  if (auto type = op.getMultiplicandAPtxType())
    return nameOf(*type).upper();
  Type held = getElementTypeOrSelf(op.getOperandA().front().getType());
  return held.isF16() ? "F16" : held.isF64() ? "F64" : "";
}

static std::string accumulatorName(Value c) {
  Type held = getElementTypeOrSelf(c.getType());
  return held.isF16()   ? "F16"
         : held.isF32() ? "F32"
         : held.isF64() ? "F64"
                        : "I32";
}

static LogicalResult translateMma(NVVM::MmaOp op, Translator &t) {
  NVVM::MMAShapeAttr shape = op.getShapeAttr();
  if (op.getB1Op() || op.getLayoutA() != NVVM::MMALayout::row ||
      op.getLayoutB() != NVVM::MMALayout::col)
    return t.notModelled(op, "operands of this form");
  std::string name =
      ("NV_MMA_SYNC_" + accumulatorName(op.getOperandC().front()) + "_" +
       Twine(shape.getM()) + "x" + Twine(shape.getN()) + "x" +
       Twine(shape.getK()) + "_" + inputName(op))
          .str();
  const MmaInstruction *mma = lookupMmaInstruction(name);
  if (!mma)
    return t.notModelled(op, name + ", which is no known matrix instruction");
  return emitMma(op, *mma, registersOf(op.getOperandA(), t),
                 registersOf(op.getOperandB(), t),
                 registersOf(op.getOperandC(), t),
                 t.parts(t.reg(op.getResult())), t);
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix (PTX ISA, "Warp-level matrix load instruction")
//===----------------------------------------------------------------------===//

namespace {
/// Matrices of 8 x 8 elements of 16 bits. Lane 8 * i + r names the place of row
/// r of matrix i, and lane l holds the elements 2 * (l % 4) and the next one of
/// row l / 4 of each: of column l / 4 where it is transposed.
struct MatrixRows {
  static constexpr int64_t extent = 8;
  static constexpr Kind half = {false, FloatFormat::F32, 16};

  Access access;
  Reg pointer, memory;
  SmallVector<Reg> registers; // one per matrix, of 32 bits
  bool transposed;

  int64_t count() const { return registers.size(); }

  static MatrixRows get(Operation *op, Value pointer, ArrayRef<Reg> registers,
                        bool transposed, Translator &t) {
    MatrixRows rows = {Access::get(op, t.domain(), half, extent, extent),
                       t.reg(pointer), pointedMemory(t, half),
                       SmallVector<Reg>(registers), transposed};
    rows.access.alignment = extent * half.bytes();
    return rows;
  }

  /// The positions of the rows, or a fault. Lanes whose places are not asked
  /// for may name any.
  bool follow(Agent &agent, std::vector<int64_t> &positions) const {
    if (!agent.allActive() || agent.lanes() != 32 ||
        agent.lanesThatExist() != 0xFFFFFFFF)
      return agent.fault(access.op, FaultKind::DivergentBarrier,
                         "not all lanes of the subgroup execute it"),
             false;
    positions.resize(extent * agent.lanes());
    return simt::follow(agent, access.op, pointer, memory, half, extent,
                        positions.data(),
                        ~uint64_t(0) >> (64 - extent * count()));
  }

  /// Calls visit(lane of the row, its element, register, lane, half of it).
  template <typename Visit> void forEachElement(Visit visit) const {
    for (int64_t matrix = 0; matrix < count(); ++matrix)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t part = 0; part < 2; ++part) {
          int64_t row = lane / 4, column = 2 * (lane % 4) + part;
          if (transposed)
            std::swap(row, column);
          visit(extent * matrix + row, column, registers[matrix], lane, part);
        }
  }
};
} // namespace

static bool isMatrixOfHalves(NVVM::LdStMatrixShapeAttr shape) {
  return shape.getM() == 8 && shape.getN() == 8;
}

static LogicalResult translateLdMatrix(NVVM::LdMatrixOp op, Translator &t) {
  SmallVector<Reg> registers = t.parts(t.reg(op.getRes()));
  if (!isMatrixOfHalves(op.getShapeAttr()) ||
      op.getEltType() != NVVM::LdStMatrixEltType::B16 ||
      registers.size() != op.getNum() || t.lanes() != 32)
    return t.notModelled(op, "matrices of this shape");
  MatrixRows rows = MatrixRows::get(op, op.getPtr(), registers,
                                    op.getLayout() == NVVM::MMALayout::col, t);
  Reg row = t.scratch(MatrixRows::half, MatrixRows::extent);
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions;
    if (!rows.follow(agent, positions) ||
        !agent.load(rows.access, rows.memory, positions.data(),
                    agent.cells(row)))
      return;
    rows.forEachElement(
        [&](int64_t from, int64_t element, Reg to, int64_t lane, int64_t part) {
          uint64_t held = part ? agent.integer(to, lane) & 0xFFFF : 0;
          uint64_t bits = agent.integer(row, from, element) & 0xFFFF;
          agent.setInteger(to, int32_t(held | bits << (16 * part)), lane);
        });
  });
  return success();
}

static LogicalResult translateStMatrix(NVVM::StMatrixOp op, Translator &t) {
  SmallVector<Reg> registers = registersOf(op.getSources(), t);
  if (!isMatrixOfHalves(op.getShapeAttr()) ||
      op.getEltType() != NVVM::LdStMatrixEltType::B16 || t.lanes() != 32)
    return t.notModelled(op, "matrices of this shape");
  MatrixRows rows = MatrixRows::get(op, op.getPtr(), registers,
                                    op.getLayout() == NVVM::MMALayout::col, t);
  Reg row = t.scratch(MatrixRows::half, MatrixRows::extent);
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions;
    if (!rows.follow(agent, positions))
      return;
    rows.forEachElement(
        [&](int64_t to, int64_t element, Reg from, int64_t lane, int64_t part) {
          uint64_t bits = uint64_t(agent.integer(from, lane)) >> (16 * part);
          agent.setInteger(row, int16_t(bits & 0xFFFF), to, element);
        });
    agent.store(rows.access, rows.memory, positions.data(), agent.cells(row));
  });
  return success();
}

void distaff::simt::registerNvvmMma(OpRegistry &registry) {
  registry.add(translateMma);
  registry.add(translateLdMatrix);
  registry.add(translateStMatrix);
}
