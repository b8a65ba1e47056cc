//===- DroppedBits.h - Products whose low bits may go -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction that carries `allow_tf32` may multiply its f32 operands with
// the digits of TF32 alone, or with all of them. A domain that speaks of every
// right answer rounds them; the others compute as if nothing had been allowed.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_DROPPEDBITS_H
#define DISTAFF_LIB_SIMT_OPS_DROPPEDBITS_H

#include "../Values/Domain.h"

namespace distaff::simt {

/// What leaves of an operand what `op` may multiply; null where that is all.
Unary droppingBits(Operation *op, const Domain &domain, Kind operand);

/// The domain's contraction for `op`; null where it has none.
Contract contractionOf(Operation *op, const Domain &domain,
                       vector::CombiningKind combining, Kind lhs, Kind rhs,
                       Kind acc);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_DROPPEDBITS_H
