//===- ClusterBounds.h - Affine ends of a range of workers ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound of a cluster is a number, a range operand `dN`, the number of workers
// `sI` along its own dimension I, or an affine expression of them:
//
//   (0 -> s0 floordiv 2)      the first half of the workers
//   (d0 -> d0 + 1)            the worker of id d0
//
// Types and the points of a `tile_group` share this text and its rules.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DIALECT_PCF_CLUSTERBOUNDS_H
#define DISTAFF_LIB_DIALECT_PCF_CLUSTERBOUNDS_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Parses a bound.
ParseResult parseClusterBound(AsmParser &parser, AffineExpr &bound);

/// Verifies that an expression bounds a range of dimension `dim` of a grid.
LogicalResult verifyClusterBound(function_ref<InFlightDiagnostic()> emitError,
                                 AffineExpr bound, int64_t dim);

/// Returns one more than the largest range operand that the bounds name.
unsigned countRangeOperands(ArrayRef<AffineExpr> bounds);

/// Returns the map of lo0, hi0, lo1, hi1, ...; equal bounds give equal maps.
AffineMap makeBoundsMap(ArrayRef<AffineExpr> bounds, MLIRContext *context);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_DIALECT_PCF_CLUSTERBOUNDS_H
