//===- MatrixLoads.cpp - nvgpu.ldmatrix and its counterpart ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 8.5, 9.7.14.5.15, "Warp-level matrix load instruction: ldmatrix". A
// matrix is 8 rows of 8 16-bit elements. Lanes 0-7 hold the addresses of the
// rows of matrix 0, lanes 8-15 of matrix 1, and so on; addresses of more lanes
// than there are rows are ignored. A row begins on a multiple of 16 bytes. Each
// lane gets a fragment of one row of each matrix: lane l has elements 2 (l % 4)
// and 2 (l % 4) + 1 of row l / 4. With .trans matrices are loaded in column
// major format: the same places are those of the transposed matrix. Elements of
// other sizes are parts of these. 9.7.14.5.16, "Warp-level matrix store
// instruction: stmatrix", has the same addresses and fragments.
//
// All lanes of the subgroup must execute it. Eight lanes are one phase of a
// 16-byte access, so conflicts are counted like those of such a load.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

struct MatrixRows {
  Operation *op;
  Reg memref;
  SmallVector<Reg> indices;
  int64_t matrices;
  bool transposed;
  Access access; // of a row

  static constexpr int64_t rows = 8, lanes = 32;

  /// Which lane's row, and which element of it, lane `lane` has as element `e`
  /// of its word of matrix `m`.
  std::pair<int64_t, int64_t> sourceOf(int64_t lane, int64_t m,
                                       int64_t e) const {
    int64_t group = lane / 4, place = lane % 4;
    int64_t perWord = access.elements / 4;
    if (transposed)
      return {m * rows + 2 * place + e, group};
    return {m * rows + group, place * perWord + e};
  }

  bool locate(Agent &agent, int64_t *positions) const;
  void load(Agent &agent, Reg result) const;
  void store(Agent &agent, ArrayRef<Reg> words) const;
};

} // namespace

/// Of every element of every row, or a fault; -1 where no row is asked for.
bool MatrixRows::locate(Agent &agent, int64_t *positions) const {
  if (agent.lanes() != lanes || !agent.allActive()) {
    agent.fault(op, FaultKind::DivergentBarrier,
                "not all 32 lanes of the subgroup execute it");
    return false;
  }
  uint64_t asked = (uint64_t(1) << (matrices * rows)) - 1;
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

static LogicalResult translateLoad(nvgpu::LdMatrixOp op, Translator &t) {
  Reg memref = t.reg(op.getSrcMemref()), result = t.reg(op.getRes());
  int64_t size = result.kind.bytes();
  if (t.lanes() == 1)
    return t.notModelled(op, "a matrix load where every lane runs by itself");
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

static LogicalResult translateStore(core::StMatrixOp op, Translator &t) {
  auto regs = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return t.reg(v); });
  };
  SmallVector<Reg> words = regs(op.getWords());
  Kind kind = words[0].kind;
  int64_t size = kind.bytes();
  if (t.lanes() == 1)
    return t.notModelled(op, "a matrix store where every lane runs by itself");
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

void distaff::simt::registerMatrixLoads(OpRegistry &registry) {
  registry.add(translateLoad);
  registry.add(translateStore);
}
