//===- MatrixTiles.h - Tiles of matrix loads and stores ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix load or store (ldmatrix, stmatrix) moves 1, 2 or 4 tiles between
// shared memory and the registers of 32 lanes. A tile is 8 rows of 16
// consecutive bytes. Lane 8 t + r gives the address of row r of tile t;
// register t of lane l then is one word of tile t:
//
//     plain        bytes 4 (l % 4) .. + 3 of row l / 4
//     transposed   the 16-bit units in column l / 4 of rows 2 (l % 4) and
//                  2 (l % 4) + 1
//
// So matrix instructions can move the registers of a layout if lanes 8x4,
// strides (4, 1), hold its elements as in the table. The addresses of the
// instruction are themselves a layout of the same value, `rows`: lane 8 t + r
// holds row r of tile t, as 16 bytes in its lowest registers. A plan through
// memory in which lanes access such rows with 16 bytes each is a plan for the
// instruction, with the same bank conflicts: 8 lanes are one tile.
//
// Example: the A operand of m16n8k16, f16 (m, k):
//
//     value ⟨O[2,2] T[8,4]:[4,1] E[1,2]⟩, registers (o_m, o_k, e)
//     rows  m = lane(2, 16) lane(8, 1), k = lane(2, 8) reg(8, 1)
//
// is one x4 load: tile 1 is 8 columns to the right of tile 0, tile 2 8 rows
// below.
//
// A load fills neighbouring registers of the machine, and an MMA instruction
// reads its operand from neighbouring ones in its own order. So tiles are taken
// in the order in which the instruction reads their words, first the words of
// one operand, then the next batch; loads in another order cost a move per
// word. m16n8k16 takes the words of A by (o_k, o_m), of B by o_k:
//     A   tile 1 is 8 rows below tile 0, tile 2 8 columns to the right:
//         m = lane(2, 8) lane(8, 1), k = lane(2, 16) reg(8, 1)
//     B   two operands of n8 per x4: tile 1 is the other half of k, tile 2 the
//         next batch of n
//
// A load that transposes among lanes (TransposingLoad.h) moves one tile per
// group of lanes, and each lane gives the address of a part of a row. Example:
// the A operand of v_mfma_f32_16x16x32_f16 (m, k), m consecutive in memory,
// ds_read_b64_tr_b16:
//
//     value m = lane(16, 1), k = lane(4, 16) reg(8, 1)
//     rows  m = lane(4, 1) reg(4, 1), k = lane(4, 16) reg(2, 4) lane(4, 4)
//
// are two loads, of 4 k each per 16 lanes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_MATRIXTILES_H
#define DISTAFF_LAYOUT_MATRIXTILES_H

#include "distaff/Layout/BankModel.h"
#include "distaff/Layout/Layout.h"

namespace distaff {

struct MatrixTiles {
  static constexpr int64_t rowBytes = 16;
  static constexpr int64_t lanes = 32;

  bool transposed = false;
  /// The load that transposes among lanes; empty for ldmatrix and stmatrix.
  TransposingLoad load;
  /// Tiles per instruction: 1, 2 or 4; of a load that transposes among lanes 1.
  int64_t tiles = 1;
  /// Elements of a word and of a row.
  int64_t perWord = 1, perRow = 4;
  /// The layout of the rows over the lanes that give their addresses. With
  /// fewer than 4 tiles, lanes beyond 8 per tile repeat the others; their
  /// addresses are not used.
  Layout rows;
  /// Instruction i moves registers [i * tiles * perWord, ...) of this list,
  /// tile by tile; its rows are registers [i * perRow, ...) of `rows`.
  llvm::SmallVector<int64_t> registers;
  /// The dim along which rows are consecutive in memory.
  int64_t rowDim = 0;

  int64_t instructions() const { return rows.numRegisters() / perRow; }
  /// Returns the number of lanes that give the address of a row, from lane 0
  /// on.
  int64_t speakers(HardwareShape hardware) const {
    return isExchanged() ? hardware.lanes : 8 * tiles;
  }
  /// Returns whether a load transposes among lanes.
  bool isExchanged() const { return load.columns != 0; }
  /// Returns the number of lanes that give the addresses of one row together:
  /// one, except where loads exchange parts.
  int64_t lanesPerRow() const {
    return isExchanged() ? load.columns / perRow : 1;
  }
  /// Returns the bytes that are read at each lane's address.
  int64_t spokenBytes() const { return isExchanged() ? load.bytes : rowBytes; }

  /// Returns the registers of `value` as tiles, or nothing where they are not
  /// tiles. Tiles follow each other as their words do in `order`, a list of all
  /// registers in the order in which an instruction takes them; if it is empty,
  /// in the order of register numbers.
  /// \post for every subgroup s, lane l, instruction i, tile t and element e
  ///       of a word, with g = l / 4, q = l % 4:
  ///       value.indexOf({s, l, registers[(i * tiles + t) * perWord + e]}) ==
  ///       transposed
  ///         ? rows.indexOf({s, 8 * t + 2 * q + e, i * perRow + g})
  ///         : rows.indexOf({s, 8 * t + g, i * perRow + q * perWord + e})
  static std::optional<MatrixTiles> get(const Layout &value,
                                        HardwareShape hardware,
                                        int64_t elementBits, bool transposed,
                                        llvm::ArrayRef<int64_t> order = {});

  /// Returns the same for a load that transposes among lanes.
  /// \post for every subgroup s, lane l, instruction i and element n of a lane,
  ///       with p = perWord, c = load.columns / p, g = l % load.columns:
  ///       value.indexOf({s, l, registers[i * p + n]}) ==
  ///       rows.indexOf({s, l - g + c * n + g / p, i * p + g % p})
  static std::optional<MatrixTiles>
  get(const Layout &value, HardwareShape hardware, int64_t elementBits,
      const TransposingLoad &load, llvm::ArrayRef<int64_t> order = {});
};

/// Returns the tilings by which instructions can load the registers of `value`
/// from shared memory, in `order` (MatrixTiles::get).
llvm::SmallVector<MatrixTiles>
sharedLoadsOf(const Layout &value, HardwareShape hardware, int64_t elementBits,
              const BankModel &banks, llvm::ArrayRef<int64_t> order = {});

/// Returns the common name of the load: "ldmatrix.x4.trans",
/// "ds_read_b64_tr_b16".
std::string describeMatrixLoad(const MatrixTiles &tiles);
std::string describeMatrixStore(const MatrixTiles &tiles);

} // namespace distaff

#endif // DISTAFF_LAYOUT_MATRIXTILES_H
