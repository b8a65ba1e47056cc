//===- OwnerRefs.h - Other refs for an op that has some ---------*- C++ -*-===//
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

/// Makes an op with other refs out of `op`: those whose bit in `kept` is set,
/// with the types, sources and dims that `parts` has for them, then new ones.
/// Results that keep their type replace the old ones. What is left of `op` is
/// for the caller to erase, when no result of it is used any more.
RefOwnerOpInterface rebuildWithRefs(RewriterBase &rewriter,
                                    RefOwnerOpInterface op,
                                    const RefOwnerParts &parts,
                                    const llvm::BitVector &kept);

/// As above, keeping all refs.
RefOwnerOpInterface rebuildWithRefs(RewriterBase &rewriter,
                                    RefOwnerOpInterface op,
                                    const RefOwnerParts &parts);

/// The ref that result `result` is a snapshot of, as `parts` of its op has it.
RefOwnerParts::Ref &getRefOfResult(RefOwnerParts &parts, unsigned result);

/// Extents of a ref's memory, as values in front of its owner.
SmallVector<OpFoldResult> getExtents(OpBuilder &builder, Location loc,
                                     const RefOwnerParts::Ref &ref);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FUSION_OWNERREFS_H
