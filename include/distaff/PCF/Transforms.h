//===- Transforms.h - Steps that rewrite pcf --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewrites of the core dialect, one op at a time: what the passes apply
// wherever it matches, for a caller that chooses where.
//
//   into pcf        convertForallToPCFLoop, convertForallToGenericNest,
//                   foldForallIntoPCFLoop
//   across an op    fuseTilableConsumer, fuseTilableProducer,
//                   composeWriteSliceWithParallelInsert, fuseExtractSlice,
//                   fuseCollapseShape
//   behind them     populatePCFDropUnusedResultPatterns
//
// `matchX` touches no IR and says in what it returns what `fuseX` will do.
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

/// Whether no other level of the machine claims the loop: it has no mapping, or
/// only #iree_codegen.local_mapping.
bool isUnmappedOrLocal(scf::ForallOp forall);

/// Turns a loop into a `pcf.loop` with at most `numIds` ids, 0 for one per
/// dimension. Failure: it cannot be converted, and a diagnostic says why.
FailureOr<LoopOp> convertForallToPCFLoop(RewriterBase &rewriter,
                                         scf::ForallOp forall,
                                         ScopeAttrInterface scope,
                                         int64_t numIds = 0);

/// Whether `distaff-raise-workgroup-loop` takes a kernel.
bool isRaisable(func::FuncOp kernel);

/// Turns a loop into one `pcf.generic` per scope, outermost first, around a
/// loop over the contiguous share of one worker of the innermost. Failure: as
/// above. Returns the outermost.
FailureOr<GenericOp>
convertForallToGenericNest(RewriterBase &rewriter, scf::ForallOp forall,
                           ArrayRef<ScopeAttrInterface> scopes);

/// Turns a loop around a `pcf.loop` of one count into one `pcf.generic`, whose
/// workers are shared out over both. Failure: it is no such loop.
/// `assumeCovering`: iterations of the inner loop write all of its results, so
/// that their inits do not matter.
FailureOr<GenericOp> foldForallIntoPCFLoop(RewriterBase &rewriter,
                                           scf::ForallOp forall,
                                           bool assumeCovering = true);

/// An op that can be recomputed where the results it uses are written.
struct TilableConsumer {
  TilingInterface consumer;
  RefOwnerOpInterface owner;
  /// Results of the owner that the consumer uses.
  SmallVector<unsigned> results;
  /// Where it is recomputed: one write per result, the last of which is the
  /// place.
  SmallVector<SmallVector<WriteSliceOp>> places;
};

/// `assumeCovering`: the writes of each ref write all of it.
FailureOr<TilableConsumer> matchTilableConsumer(Operation *consumer,
                                                bool assumeCovering = true);

/// Gives the owner a result per result of the consumer, which is erased.
RefOwnerOpInterface fuseTilableConsumer(RewriterBase &rewriter,
                                        const TilableConsumer &match);

/// A result that a slice of it, or a shape with fewer dimensions, replaces.
FailureOr<RefOwnerOpInterface> fuseExtractSlice(RewriterBase &rewriter,
                                                tensor::ExtractSliceOp slice);
FailureOr<RefOwnerOpInterface>
fuseCollapseShape(RewriterBase &rewriter, tensor::CollapseShapeOp collapse);

/// An op that can be recomputed where its result, an init or the source of a
/// readonly ref, is read.
struct TilableProducer {
  TilingInterface producer;
  RefOwnerOpInterface owner;
  unsigned ref;
  SmallVector<ReadSliceOp> reads;
  /// Whether the producer's init can take its place as the owner's operand.
  bool replacesInit;
};

/// `ref` is the number of a ref of the owner that is tied or readonly; there is
/// no match for an untied one.
FailureOr<TilableProducer> matchTilableProducer(RefOwnerOpInterface owner,
                                                unsigned ref,
                                                bool assumeCovering = true);

/// Replaces the reads by tiles of the producer, which is erased if unused.
void fuseTilableProducer(RewriterBase &rewriter, const TilableProducer &match);

/// Sinks a write of a loop's result into the loop, in front of what ends its
/// body, and returns it. Failure: that is not possible, and nothing was
/// changed.
FailureOr<WriteSliceOp>
composeWriteSliceWithParallelInsert(RewriterBase &rewriter, WriteSliceOp write,
                                    bool assumeCovering = true);

/// Patterns that remove unused tensor results with their refs and dead writes,
/// and readonly refs without uses.
void populatePCFDropUnusedResultPatterns(RewritePatternSet &patterns);

} // namespace distaff::pcf

#endif // DISTAFF_PCF_TRANSFORMS_H
