//===- Phases.h - Who runs what, in words -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_EXPLAIN_PHASES_H
#define DISTAFF_LIB_EXPLAIN_PHASES_H

#include "distaff/Explain/Explain.h"

namespace distaff {

/// The groups of a workgroup's subgroups, their panels, and what they do in
/// order; nothing of a kernel that has no phases.
void printPhases(const Explanation &explanation, raw_ostream &stream);

} // namespace distaff

#endif // DISTAFF_LIB_EXPLAIN_PHASES_H
