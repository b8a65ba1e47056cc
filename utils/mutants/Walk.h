//===- Walk.h - Finds the mutants of a translation unit ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UTILS_MUTANTS_WALK_H
#define DISTAFF_UTILS_MUTANTS_WALK_H

#include "Collector.h"

namespace distaff::mutants {

/// Adds the mutants of a declaration and all that is in it. What the compiler
/// computes has none: a mutant is selected when the program runs.
void collectMutants(Collector &out, clang::Decl *declaration);

} // namespace distaff::mutants

#endif // DISTAFF_UTILS_MUTANTS_WALK_H
