//===- Switch.h - Which mutant is selected ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every source with planted mutants includes this file. It includes nothing, so
// that a source keeps meaning what it meant.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UTILS_MUTANTS_SWITCH_H
#define DISTAFF_UTILS_MUTANTS_SWITCH_H

extern "C" {
/// 0 selects none.
__attribute__((visibility("hidden"))) extern unsigned distaffMutantSelected;
/// A byte per mutant; null unless what is reached is recorded.
__attribute__((
    visibility("hidden"))) extern unsigned char *distaffMutantsReached;
}

/// Whether a mutant is selected. Records that it was reached.
inline bool distaff_mutant(unsigned number) {
  if (__builtin_expect(distaffMutantsReached != nullptr, 0))
    distaffMutantsReached[number] = 1;
  return __builtin_expect(distaffMutantSelected == number, 0);
}

#endif // DISTAFF_UTILS_MUTANTS_SWITCH_H
