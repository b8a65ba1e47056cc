//===- ContractionBody.h - Linalg ops that multiply and add -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is a linalg op, named or generic, with the body
//
//   acc + f(a) * g(b)
//
// where f and g are chains of ops of one operand (often an extension, or
// nothing), whose loops are of the kinds
//
//   batch  in a, b and the result        m  in a and the result
//   k      in a and b, reduced           n  in b and the result
//
// with at least one m, n and k each. A matrix-vector product is not a
// contraction here: no matrix instruction computes it, and a row reduction
// distributes it over lanes better.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LINALG_CONTRACTIONBODY_H
#define DISTAFF_ANALYSIS_LINALG_CONTRACTIONBODY_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

struct ContractionBody {
  /// The ops of f and g inside the op's region, in the order of application.
  SmallVector<Operation *> lhsChain, rhsChain;
  /// Loops by kind, in loop order.
  SmallVector<unsigned> batch, m, n, k;
};

/// Matches `op` against the form above.
std::optional<ContractionBody> matchContraction(Operation *op);

/// Describes a matrix product over another semiring: the result's element
/// combined with a function of the inputs' elements.
struct SemiringBody {
  Operation *combiner; // null for log(exp x + exp y), which has several ops
  Value product;
  SmallVector<Operation *> ops; // ops that compute the product, in order

  /// Returns the neutral element of the combiner, or nullopt if none is known.
  std::optional<TypedAttr> neutral() const;
};

/// Returns the neutral element of a combiner, bit for bit: -0 for a sum of
/// floats (VX-246). Types without infinities have their largest number instead.
std::optional<TypedAttr> neutralOfCombiner(Operation *combiner);

/// Matches a reduction of two inputs, each of which lacks loops that the other
/// has.
std::optional<SemiringBody> matchSemiring(linalg::LinalgOp op);

/// Returns the loops of a contraction, or of a product over another semiring
/// that has loops of each kind; without chains. Both are tiled and distributed
/// alike; only contractions have instructions.
std::optional<ContractionBody> matchProduct(Operation *op);

/// Returns two values that may pad the inputs past the end of a reduced loop
/// without changing the result; nullopt if no such pair is known.
std::optional<std::pair<TypedAttr, TypedAttr>>
neutralFactors(linalg::LinalgOp op, const SemiringBody &body,
               TypedAttr neutral);

/// Returns whether an op on elements is a conversion of numbers that maps 0 to
/// 0.
bool keepsZero(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LINALG_CONTRACTIONBODY_H
