//===- Provenance.h - Which op an instruction is emitted for ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a log of decisions is kept, every op that is distributed has a number
// in it, and the location of the op says which. What is emitted for the op has
// its location, through every later rewrite, so the code that remains in the
// end is known to be this op's:
//
//   to_layout              loc(fused<{distaff.source = 7}>["k.mlir":12:3])
//   ... memref.store       loc(fused<{distaff.source = 7}>["k.mlir":12:3])
//
// A branch that only holders of a canonical copy take says also how many those
// are. Nothing but the log reads any of it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LOG_PROVENANCE_H
#define DISTAFF_ANALYSIS_LOG_PROVENANCE_H

#include "distaff/LLVM.h"
#include "mlir/IR/Location.h"

namespace distaff {

/// Threads of one workgroup that run a branch.
struct Population {
  int64_t subgroups = 0; ///< that have such threads; 0: not known
  int64_t lanes = 0;     ///< all of them together
};

struct Provenance {
  int64_t source = -1; ///< number of the op in the log; -1: none
  Population taken;    ///< of a branch
};

/// `location`, with this instead of what it said before.
Location withProvenance(Location location, const Provenance &provenance);
Provenance provenanceOf(Location location);

/// The line of the source; 0 where that is not known.
int64_t lineOf(Location location);

/// `location`, of an op that computes where it reads them what the op of
/// another line made before.
Location withReadThrough(Location location, int64_t line);

/// The lines of those ops.
ArrayRef<int64_t> readThroughOf(Location location);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LOG_PROVENANCE_H
