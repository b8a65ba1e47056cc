//===- Transforms.h - Rewrites of single pcf ops ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file declares the rewrites of the core dialect, one op at a time: the
// passes apply them wherever they match; other callers may choose where.
//
//   into pcf        convertForallToPCFLoop, convertForallToGenericNest,
//                   foldForallIntoPCFLoop
//   across an op    fuseTilableConsumer, fuseTilableProducer,
//                   composeWriteSliceWithParallelInsert, fuseExtractSlice,
//                   fuseCollapseShape
//   cleanup         populatePCFDropUnusedResultPatterns
//
// `matchX` changes no IR and returns the plan of `fuseX`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_TRANSFORMS_H
#define DISTAFF_PCF_TRANSFORMS_H

#include "distaff/Dialect/PCF/PCF.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace distaff::pcf {

/// Returns whether no other level of the machine claims the loop: it has no
/// mapping, or only #iree_codegen.local_mapping.
bool isUnmappedOrLocal(scf::ForallOp forall);

/// Converts a loop to a `pcf.loop` with at most `numIds` ids, 0 for one per
/// dimension. Failure: it cannot be converted; a diagnostic has the reason.
FailureOr<LoopOp> convertForallToPCFLoop(RewriterBase &rewriter,
                                         scf::ForallOp forall,
                                         ScopeAttrInterface scope,
                                         int64_t numIds = 0);

/// Returns whether `distaff-raise-workgroup-loop` converts a kernel.
bool isRaisable(func::FuncOp kernel);

/// Converts a loop to one `pcf.generic` per scope, outermost first, around a
/// loop over the contiguous share of one worker of the innermost. Returns the
/// outermost one. Failure: as above.
FailureOr<GenericOp>
convertForallToGenericNest(RewriterBase &rewriter, scf::ForallOp forall,
                           ArrayRef<ScopeAttrInterface> scopes);

/// Converts a loop around a `pcf.loop` of one count to one `pcf.generic`, whose
/// workers are distributed over both. Failure: it is no such loop.
/// `assumeCovering`: iterations of the inner loop write all of its results, so
/// that their inits are dead.
FailureOr<GenericOp> foldForallIntoPCFLoop(RewriterBase &rewriter,
                                           scf::ForallOp forall,
                                           bool assumeCovering = true);

/// Describes an op that can be recomputed where the results it uses are
/// written.
struct TilableConsumer {
  TilingInterface consumer;
  RefOwnerOpInterface owner;
  /// Results of the owner that the consumer uses.
  SmallVector<unsigned> results;
  /// The writes where the op is recomputed, one per result; the last one is the
  /// insertion point.
  SmallVector<SmallVector<WriteSliceOp>> places;
};

/// Matches an op whose operands are results of one owner. `assumeCovering`: the
/// writes of each ref write all of it.
FailureOr<TilableConsumer> matchTilableConsumer(Operation *consumer,
                                                bool assumeCovering = true);

/// Adds to the owner a result per result of the consumer, which is erased.
RefOwnerOpInterface fuseTilableConsumer(RewriterBase &rewriter,
                                        const TilableConsumer &match);

/// Replaces a result by a slice of it, or by a shape with fewer dimensions.
FailureOr<RefOwnerOpInterface> fuseExtractSlice(RewriterBase &rewriter,
                                                tensor::ExtractSliceOp slice);
FailureOr<RefOwnerOpInterface>
fuseCollapseShape(RewriterBase &rewriter, tensor::CollapseShapeOp collapse);

/// Describes an op that can be recomputed where its result, an init or the
/// source of a readonly ref, is read.
struct TilableProducer {
  TilingInterface producer;
  RefOwnerOpInterface owner;
  unsigned ref;
  SmallVector<ReadSliceOp> reads;
  /// True if the producer's init can replace it as the owner's operand.
  bool replacesInit;
};

/// Matches the producer of a ref. `ref` is the number of a ref of the owner
/// that is tied or readonly; an untied one never matches.
FailureOr<TilableProducer> matchTilableProducer(RefOwnerOpInterface owner,
                                                unsigned ref,
                                                bool assumeCovering = true);

/// Replaces the reads by tiles of the producer, which is erased if unused.
void fuseTilableProducer(RewriterBase &rewriter, const TilableProducer &match);

/// Sinks a write of a loop's result into the loop, before the terminator of its
/// body, and returns it. Failure: that is not possible, and nothing was
/// changed.
FailureOr<WriteSliceOp>
composeWriteSliceWithParallelInsert(RewriterBase &rewriter, WriteSliceOp write,
                                    bool assumeCovering = true);

/// Adds patterns that remove unused tensor results with their refs and dead
/// writes, and readonly refs without uses.
void populatePCFDropUnusedResultPatterns(RewritePatternSet &patterns);

} // namespace distaff::pcf

#endif // DISTAFF_PCF_TRANSFORMS_H
