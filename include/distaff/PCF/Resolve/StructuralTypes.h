//===- StructuralTypes.h - 1:N types through control flow -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These patterns complete upstream's 1:N patterns for scf, cf and func. They do
// not cover `scf.forall`: only tensors go through one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_RESOLVE_STRUCTURALTYPES_H
#define DISTAFF_PCF_RESOLVE_STRUCTURALTYPES_H

#include "distaff/LLVM.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff::pcf {

/// Adds patterns that convert values that pass through `scf`, `cf` and
/// `arith.select`, one value into any number, by value where the converter
/// does.
void populateStructuralTypeConversions(const TypeConverter &converter,
                                       RewritePatternSet &patterns);

} // namespace distaff::pcf

#endif // DISTAFF_PCF_RESOLVE_STRUCTURALTYPES_H
