//===- Tables.h - The target tables, one file each --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the tables that Target.cpp collects. Each is a constant in the file
// of its name.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_TABLES_H
#define DISTAFF_LIB_TARGET_TABLES_H

#include "distaff/Target/Target.h"

namespace distaff {

extern const Target sm75Target;
extern const Target sm80Target;
extern const Target sm86Target;
extern const Target sm89Target;
extern const Target sm90aTarget;
extern const Target gfx908Target;
extern const Target gfx90aTarget;
extern const Target gfx942Target;
extern const Target gfx950Target;
extern const Target gfx1100Target;
extern const Target gfx1201Target;

/// Makes the name of a known target refer to another one.
/// \pre both have that name
void replaceTarget(const Target &known, const Target &by);

/// Returns this machine and the levels of its instruction set, best first.
llvm::ArrayRef<const Target *> hostTargets();

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_TABLES_H
