//===- ForallPlan.h - Plan of an scf.forall's conversion to pcf -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has the common parts of the conversions of `scf.forall`: the order
// of its ids, its counts, and its body with writes in place of inserts. For
//
//   scf.forall (%i, %j) = (0, 4) to (%n, 32) step (1, 2)
//
// without a mapping, `order` is [1, 0] (%j varies fastest), the counts are [14,
// %n], and ids [a, b] stand for %i = b, %j = 4 + 2 * a.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FORM_FORALLPLAN_H
#define DISTAFF_LIB_PCF_FORM_FORALLPLAN_H

#include "distaff/Dialect/PCF/PCF.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

struct ForallPlan {
  struct Insert {
    tensor::ParallelInsertSliceOp op;
    /// Number of the shared output that the insert writes to.
    unsigned output;
  };

  scf::ForallOp forall;
  /// Dimensions of the loop, the fastest varying first.
  SmallVector<unsigned> order;
  SmallVector<Insert> inserts;
};

/// Plans the conversion of a loop. Fails, with a diagnostic if `emitError` is
/// given, if the loop cannot become worker code.
FailureOr<ForallPlan>
planForall(scf::ForallOp forall,
           function_ref<InFlightDiagnostic()> emitError = nullptr);

/// Returns one tied ref per shared output, synchronized when its owner returns.
RefOwnerParts getSharedOutputs(scf::ForallOp forall, ScopeAttrInterface scope);

/// Returns the numbers of iterations, the fastest varying dimension first.
SmallVector<OpFoldResult> getCounts(OpBuilder &builder, const ForallPlan &plan);

/// Returns the product of counts, each taken as 0 if it is negative.
OpFoldResult getProduct(OpBuilder &builder, Location loc,
                        ArrayRef<OpFoldResult> counts);

/// Returns the ids whose linearization, the first fastest, is `linear`.
SmallVector<Value> delinearize(OpBuilder &builder, Location loc, Value linear,
                               ArrayRef<OpFoldResult> counts);

/// Returns the induction variables of the loop, in its own order, for ids in
/// the plan's order.
SmallVector<Value> getInductionVars(OpBuilder &builder, const ForallPlan &plan,
                                    ValueRange ids);

/// Moves the body of the loop to the builder's insertion point, with these
/// induction variables, and replaces its inserts by writes into `refs`. Other
/// uses of its shared outputs read their initial values.
void moveBody(RewriterBase &rewriter, const ForallPlan &plan,
              ValueRange inductionVars, ValueRange refs);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FORM_FORALLPLAN_H
