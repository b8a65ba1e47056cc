//===- Contraction.h - Contraction of products and sums (fma) ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where neither `mul` nor `add` has a rounding, the PTX ISA lets an assembler
// compute both with one rounding:
//
//   mul.f32 %f5, %f2, %f3;
//   add.f32 %f1, %f5, %f4;     fma.rn.f32 %f1, %f2, %f3, %f4
//
// `findContractions` makes the choices of ptxas 13.5 in programs of a few
// instructions (its optimiser may first move or remove some of a larger one):
//
//   - `mul` with `add` or `sub`, both without a rounding, of one type, with or
//     without .ftz both; `add` may have .sat and a guard, `mul` neither;
//   - in one basic block, through `mov` and `neg`;
//   - all uses of the product are such sums, or none becomes one;
//   - of a sum of two products the first, but the second where the first has
//     several uses and the second has one; the other one is rounded.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_CONTRACTION_H
#define DISTAFF_LIB_PTX_CONTRACTION_H

#include "Program.h"

namespace distaff::ptx {

struct Contraction {
  size_t product = 0, sum = 0; ///< numbers of instructions
  unsigned operand = 1;        ///< the operand of the sum that is the product
  bool negated = false;        ///< whether a `neg` stands between them
};

/// Returns the contractions in the order of the sums.
std::vector<Contraction> findContractions(const Program &program,
                                          const Function &function);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_CONTRACTION_H
