//===- MatrixLoads.cpp - ldmatrix and stmatrix ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvgpu.ldmatrix and distaff.stmatrix access memrefs, nvvm.ldmatrix and
// nvvm.stmatrix pointers. PTX ISA 8.5, 9.7.14.5.15, "Warp-level matrix load
// instruction: ldmatrix". A matrix is 8 rows of 8 16-bit elements. Lanes 0-7
// hold the addresses of the rows of matrix 0, lanes 8-15 of matrix 1, and so
// on; further lanes' addresses are ignored. A row begins on a multiple of 16
// bytes. Each lane gets a fragment of one row of each matrix: lane l has
// elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4. With .trans matrices are
// loaded in column major format: the same places are those of the transposed
// matrix. Elements of other sizes are parts of these. 9.7.14.5.16, "Warp-level
// matrix store instruction: stmatrix", has the same addresses and fragments.
//
// All lanes of the subgroup must execute it. Eight lanes are one phase of a
// 16-byte access, so bank conflicts are counted as for such a load.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {
constexpr int64_t rowsOfMatrix = 8, lanesOfAll = 32;

/// An element of a row of matrix i, whose addresses are in lanes 8 i to 8 i +
/// 7.
struct MatrixPlace {
  int64_t row, element;

  /// Returns the place of element `e` of a lane, of `perWord` elements in a
  /// word.
  static MatrixPlace of(int64_t lane, int64_t perWord, int64_t e,
                        bool transposed) {
    MatrixPlace place = {lane / 4, lane % 4 * perWord + e};
    return transposed ? MatrixPlace{place.element, place.row} : place;
  }
};

struct MatrixRows {
  Operation *op;
  Reg memref;
  SmallVector<Reg> indices;
  int64_t matrices;
  bool transposed;
  Access access; // of a row

  static constexpr int64_t lanes = lanesOfAll;

  /// Returns the lane of the row, and the element of it, that lane `lane` has
  /// as element `e` of its word of matrix `m`.
  std::pair<int64_t, int64_t> sourceOf(int64_t lane, int64_t m,
                                       int64_t e) const {
    auto [row, element] =
        MatrixPlace::of(lane, access.elements / 4, e, transposed);
    return {m * rowsOfMatrix + row, element};
  }

  bool locate(Agent &agent, int64_t *positions) const;
  void load(Agent &agent, Reg result) const;
  void store(Agent &agent, ArrayRef<Reg> words) const;
};

} // namespace

/// Computes the positions of all elements of all rows, -1 for unused rows, or
/// faults.
bool MatrixRows::locate(Agent &agent, int64_t *positions) const {
  if (!agent.checkWhole(op))
    return false;
  uint64_t asked = (uint64_t(1) << (matrices * rowsOfMatrix)) - 1;
  if (!agent.locate(op, memref, indices, positions, asked))
    return false;
  for (int64_t e = access.elements; e-- > 0;)
    for (int64_t lane = 0; lane < lanes; ++lane)
      positions[e * lanes + lane] =
          asked >> lane & 1 ? positions[lane] + e : -1;
  return true;
}

void MatrixRows::load(Agent &agent, Reg result) const {
  int64_t *positions = agent.positions(access.elements * lanes);
  if (!locate(agent, positions))
    return;
  unsigned bytes = result.cellBytes;
  std::vector<uint64_t> room(access.elements * lanes * bytes / 8 + 1);
  auto *loaded = reinterpret_cast<uint8_t *>(room.data());
  if (!agent.load(access, memref, positions, loaded))
    return;
  uint8_t *out = agent.cells(result);
  int64_t perWord = access.elements / 4;
  for (int64_t m = 0; m < matrices; ++m)
    for (int64_t e = 0; e < perWord; ++e)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        auto [from, element] = sourceOf(lane, m, e);
        std::memcpy(out + ((m * perWord + e) * lanes + lane) * bytes,
                    loaded + (element * lanes + from) * bytes, bytes);
      }
}

void MatrixRows::store(Agent &agent, ArrayRef<Reg> words) const {
  int64_t *positions = agent.positions(access.elements * lanes);
  if (!locate(agent, positions))
    return;
  unsigned bytes = words[0].cellBytes;
  std::vector<uint64_t> room(access.elements * lanes * bytes / 8 + 1);
  auto *stored = reinterpret_cast<uint8_t *>(room.data());
  int64_t perWord = access.elements / 4;
  for (int64_t m = 0; m < matrices; ++m)
    for (int64_t e = 0; e < perWord; ++e)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        auto [to, element] = sourceOf(lane, m, e);
        std::memcpy(stored + (element * lanes + to) * bytes,
                    agent.cells(words[m]) + (e * lanes + lane) * bytes, bytes);
      }
  agent.store(access, memref, positions, stored);
}

static LogicalResult translateLoadMatrix(nvgpu::LdMatrixOp op, Translator &t) {
  Reg memref = t.reg(op.getSrcMemref()), result = t.reg(op.getRes());
  int64_t size = result.kind.bytes();
  if (t.lanes() != lanesOfAll)
    return t.notModelled(op, "a matrix load of a subgroup without 32 lanes");
  if (result.kind.width != 8 * size || size > 4 ||
      (op.getTranspose() && size != 2))
    return t.notModelled(op, "a matrix of such elements");
  Access row = Access::get(op, t.domain(), result.kind, 16 / size, 16 / size);
  row.alignment = 16;
  MatrixRows rows{
      op,
      memref,
      llvm::map_to_vector(op.getIndices(), [&](Value v) { return t.reg(v); }),
      int64_t(op.getNumTiles()),
      op.getTranspose(),
      row};
  t.emit(op, [=](Agent &agent) { rows.load(agent, result); });
  return success();
}

static LogicalResult translateStoreMatrix(core::StMatrixOp op, Translator &t) {
  auto regs = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return t.reg(v); });
  };
  SmallVector<Reg> words = regs(op.getWords());
  Kind kind = words[0].kind;
  int64_t size = kind.bytes();
  if (t.lanes() != lanesOfAll)
    return t.notModelled(op, "a matrix store of a subgroup without 32 lanes");
  if (kind.width != 8 * size || size > 4)
    return t.notModelled(op, "a matrix of such elements");
  Access row = Access::get(op, t.domain(), kind, 16 / size, 16 / size);
  row.alignment = 16;
  MatrixRows rows{op,
                  t.reg(op.getMemref()),
                  regs(op.getIndices()),
                  int64_t(words.size()),
                  op.getTranspose(),
                  row};
  t.emit(op, [=](Agent &agent) { rows.store(agent, words); });
  return success();
}

//===----------------------------------------------------------------------===//
// By pointers
//===----------------------------------------------------------------------===//

namespace {
/// Rows of matrices with 16-bit elements; lanes have two elements in a word.
struct PointedRows {
  static constexpr int64_t extent = 8;
  static constexpr Kind half = {false, FloatFormat::F32, 16};

  Access access;
  Addresses pointer;
  Reg memory;
  SmallVector<Reg> registers; // one per matrix, of 32 bits
  bool transposed;

  int64_t count() const { return registers.size(); }

  static PointedRows get(Operation *op, Value pointer, ArrayRef<Reg> registers,
                         bool transposed, Translator &t) {
    PointedRows rows = {Access::get(op, t.domain(), half, extent, extent),
                        Addresses::get(pointer, t), pointedMemory(t, half),
                        SmallVector<Reg>(registers), transposed};
    rows.access.alignment = extent * half.bytes();
    return rows;
  }

  /// Computes the positions of the rows, or faults. Lanes whose addresses are
  /// unused may have any.
  bool follow(Agent &agent, std::vector<int64_t> &positions) const {
    if (!agent.checkWhole(access.op))
      return false;
    positions.resize(extent * agent.lanes());
    return simt::follow(agent, access.op, pointer, memory, half, extent,
                        positions.data(),
                        ~uint64_t(0) >> (64 - rowsOfMatrix * count()));
  }

  /// Calls visit(lane of the row, its element, register, lane, half of it).
  template <typename Visit> void forEachElement(Visit visit) const {
    for (int64_t matrix = 0; matrix < count(); ++matrix)
      for (int64_t lane = 0; lane < lanesOfAll; ++lane)
        for (int64_t part = 0; part < 2; ++part) {
          auto [row, element] = MatrixPlace::of(lane, 2, part, transposed);
          visit(rowsOfMatrix * matrix + row, element, registers[matrix], lane,
                part);
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
      registers.size() != op.getNum() || t.lanes() != lanesOfAll)
    return t.notModelled(op, "matrices of this shape");
  PointedRows rows = PointedRows::get(
      op, op.getPtr(), registers, op.getLayout() == NVVM::MMALayout::col, t);
  Reg row = t.scratch(PointedRows::half, PointedRows::extent);
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
  SmallVector<Reg> registers;
  for (Value source : op.getSources())
    registers.push_back(t.reg(source));
  if (!isMatrixOfHalves(op.getShapeAttr()) ||
      op.getEltType() != NVVM::LdStMatrixEltType::B16 ||
      t.lanes() != lanesOfAll)
    return t.notModelled(op, "matrices of this shape");
  PointedRows rows = PointedRows::get(
      op, op.getPtr(), registers, op.getLayout() == NVVM::MMALayout::col, t);
  Reg row = t.scratch(PointedRows::half, PointedRows::extent);
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

void distaff::simt::registerMatrixLoads(OpRegistry &registry) {
  registry.add<nvgpu::LdMatrixOp>(translateLoadMatrix);
  registry.add<core::StMatrixOp>(translateStoreMatrix);
  registry.add<NVVM::LdMatrixOp>(translateLdMatrix);
  registry.add<NVVM::StMatrixOp>(translateStMatrix);
}
