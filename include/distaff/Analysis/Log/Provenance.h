//===- Provenance.h - Source op of an emitted instruction -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a log of decisions, every op that is distributed has a number in the
// log, and the location of the op holds this number. The ops that are emitted
// for it get its location, through every later rewrite, so the remaining code
// can be attributed to the op:
//
//   to_layout              loc(fused<{distaff.source = 7}>["k.mlir":12:3])
//   ... memref.store       loc(fused<{distaff.source = 7}>["k.mlir":12:3])
//
// For a branch that only holders of a canonical copy take, the location also
// holds the number of these threads. Only the log reads these attributes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LOG_PROVENANCE_H
#define DISTAFF_ANALYSIS_LOG_PROVENANCE_H

#include "distaff/LLVM.h"
#include "mlir/IR/Location.h"

namespace distaff {

/// The threads of one workgroup that take a branch.
struct Population {
  int64_t subgroups = 0; ///< subgroups that have such threads; 0: unknown
  int64_t lanes = 0;     ///< such threads in all subgroups
};

struct Provenance {
  int64_t source = -1; ///< number of the op in the log; -1: none
  Population taken;    ///< of a branch
};

/// Returns `location` with this provenance in place of its previous one.
Location withProvenance(Location location, const Provenance &provenance);
Provenance provenanceOf(Location location);

/// Returns the source line, or 0 if it is unknown.
int64_t lineOf(Location location);

/// Returns `location` for an op that computes, where it reads them, values that
/// the op of another line computed before.
Location withReadThrough(Location location, int64_t line);

/// Returns the lines of those ops.
ArrayRef<int64_t> readThroughOf(Location location);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LOG_PROVENANCE_H
