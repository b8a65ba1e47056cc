//===- MatrixProducts.h - Products in matrix registers (AMX) ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some CPUs have registers of 16 rows of 16 words, and multiply and add two of
// them at once (AMX). The loop over the words of a block keeps the sums of a
// tile in such registers, and takes 16 words at a time from the panel and from
// the left side's rows; between blocks, and before their use after the last
// one, the sums are in memory:
//
//   acc = first block ? start : waiting[i]
//   for w { acc += packed_dot(rows[m, w], panel[w, n]) }
//   last block ? end(acc) : waiting[i] = acc
//
//   =>  if first block { waiting[i] = start }
//       t = tile_load waiting[i]
//       for w by 16 {
//         t = tile_mul(tile_load rows[.., w], tile_load panel[w], t)
//       }
//       tile_store t, waiting[i]
//       if last block { end(waiting[i]) }
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_PACK_MATRIXPRODUCTS_H
#define DISTAFF_LIB_CPU_PACK_MATRIXPRODUCTS_H

#include "CacheBlocking.h"
#include "PackedDotOperands.h"

namespace distaff {

/// Makes loops of blocks, whose products already read words of both panels,
/// multiply matrices.
/// \pre  matchMatrixWords found the words; what they read is padded with zeros
///       after the last word, up to a multiple of what a register has
void formMatrixProducts(const PackedDotOperands &words,
                        ArrayRef<LoopOfBlock> loops);

} // namespace distaff

#endif // DISTAFF_LIB_CPU_PACK_MATRIXPRODUCTS_H
