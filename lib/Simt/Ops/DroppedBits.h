//===- DroppedBits.h - Contractions with reduced precision ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction with `allow_tf32` may multiply its f32 operands with the digits
// of TF32 only, or with all digits. A domain that covers every right answer
// rounds the operands; the others compute as if the attribute were absent.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_DROPPEDBITS_H
#define DISTAFF_LIB_SIMT_OPS_DROPPEDBITS_H

#include "../Values/Domain.h"

namespace distaff::simt {

/// Returns the function that reduces an operand to what `op` may multiply; null
/// for the identity.
Unary droppingBits(Operation *op, const Domain &domain, Kind operand);

/// Returns the domain's contraction for `op`; null if it has none.
Contract contractionOf(Operation *op, const Domain &domain,
                       vector::CombiningKind combining, Kind lhs, Kind rhs,
                       Kind acc);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_DROPPEDBITS_H
