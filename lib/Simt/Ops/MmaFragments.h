//===- MmaFragments.h - Matrix instructions on registers --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After conversion a fragment is a list of registers, or a vector, and several
// elements may share a register: the i32 that holds two bf16 or four i8.
// Elements of a lane's fragment are numbered through all its registers, from
// the lowest bits up (PTX ISA, "Matrix Fragments for mma"; AMD's ISA documents
// number them so, too).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_MMAFRAGMENTS_H
#define DISTAFF_LIB_SIMT_OPS_MMAFRAGMENTS_H

#include "../Translate/OpRegistry.h"
#include "FragmentMaps.h"

namespace distaff::simt {

/// Emits D = A * B + C by an instruction, on fragments in registers; fails if
/// the registers do not have the instruction's size, or if the domain has no
/// such product. Integers wrap, or are clamped if it `saturates`.
LogicalResult emitMma(Operation *op, const MmaInstruction &mma, ArrayRef<Reg> a,
                      ArrayRef<Reg> b, ArrayRef<Reg> c, ArrayRef<Reg> d,
                      Translator &t, bool saturates = false);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_MMAFRAGMENTS_H
