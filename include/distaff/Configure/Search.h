//===- Search.h - Candidates of a kernel, with prices -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choices of configure, for callers that choose by other means, such as a
// tuner that measures. Every choice has the same form: enumerate candidates,
// price each one, keep the cheapest. Prices are issue slots of one compute unit
// for the whole kernel, on the scale of MoveCosts:
//
//   workgroups per unit * throughput of one
//     + rounds of them that fit at once * latency of one
//
// They rank candidates against each other and predict nothing else. The pass is
// these calls with the winner:
//
//   prepareKernel(kernel, target);     // Launches/PrepareKernel.h
//   UserChoices user = UserChoices::get(kernel);
//   FailureOr<Ranking> ranking = rankKernel(kernel, target, user);
//   applyCandidate(kernel, ranking->winner(), target);
//
// With strict-fp the target is the result of `keepingFloatOrder`.
//
// A tuner requests more losers, clones the kernel and applies each of
// `ranking->all()` to a clone, which then goes through the later stages:
//
//   ranking = rankKernel(kernel, target, user, /*kept=*/100);
//   ranking->all()[1].description   // "tile 64x64x32, m16n8k16 f16, ..."
//   ranking->whyLost(ranking->all()[1])   // "costs 1,204 slots more"
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_SEARCH_H
#define DISTAFF_CONFIGURE_SEARCH_H

#include "distaff/Analysis/Ranking/Ranking.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Ranks the candidates of a prepared kernel that agree with what `user` fixed,
/// and keeps the best `kept`. Fails, with the reason at an op, where there is
/// none, and warns where even the best leaves most lanes idle. The kernel stays
/// as it is.
/// \post succeeded implies !empty()
FailureOr<Ranking> rankKernel(func::FuncOp kernel, const Target &target,
                              const UserChoices &user,
                              size_t kept = Ranking::keptByDefault);

/// Writes a candidate as the attributes that the later stages read: the
/// kernel's launch shape, and on tensors the root's `lowering_config`. What the
/// user wrote stays. Fails where one of its tiles cannot be carried out.
LogicalResult applyCandidate(func::FuncOp kernel, const Candidate &candidate,
                             const Target &target, bool strictFp = false);

/// Returns a source of rankers that call the functions above. Rankers of one
/// target share their rankings for as long as the source or one of them lives,
/// so that configure reuses the rankings of form-launches.
RankerSource makeRankers();

} // namespace distaff

#endif // DISTAFF_CONFIGURE_SEARCH_H
