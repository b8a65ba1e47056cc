//===- OwnerRefs.h - Rebuilding an op with other refs -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that owns refs is rebuilt when it gets, loses or changes one. Its body
// stays the same block.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FUSION_OWNERREFS_H
#define DISTAFF_LIB_PCF_FUSION_OWNERREFS_H

#include "distaff/Dialect/PCF/PCF.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

namespace distaff::pcf {

/// Rebuilds `op` with other refs: those whose bit in `kept` is set, with their
/// types, sources and dims in `parts`, then new ones. Results that keep their
/// type replace the old ones. The caller erases `op` when none of its results
/// is used any more.
RefOwnerOpInterface rebuildWithRefs(RewriterBase &rewriter,
                                    RefOwnerOpInterface op,
                                    const RefOwnerParts &parts,
                                    const llvm::BitVector &kept);

/// Rebuilds `op` as above, keeping all refs.
RefOwnerOpInterface rebuildWithRefs(RewriterBase &rewriter,
                                    RefOwnerOpInterface op,
                                    const RefOwnerParts &parts);

/// Returns the ref of which result `result` is a snapshot, as an entry of
/// `parts`.
RefOwnerParts::Ref &getRefOfResult(RefOwnerParts &parts, unsigned result);

/// Returns the extents of a ref's memory, as values that precede its owner.
SmallVector<OpFoldResult> getExtents(OpBuilder &builder, Location loc,
                                     const RefOwnerParts::Ref &ref);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_OWNERREFS_H
