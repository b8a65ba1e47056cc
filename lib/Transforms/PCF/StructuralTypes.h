//===- StructuralTypes.h - Types that become several, in control flow *- C++
//-*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions here replace a value of one type by any number of values. Control
// flow follows: what upstream converts is upstream's, the rest is here.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_PCF_STRUCTURALTYPES_H
#define DISTAFF_LIB_TRANSFORMS_PCF_STRUCTURALTYPES_H

#include "distaff/LLVM.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff::pcf {

/// Patterns that convert scf and cf control flow, `arith.select`, and the
/// blocks of `pcf.generic`, and the legality of every op by the types of its
/// operands, results and block arguments.
void populateStructuralTypeConversions(const TypeConverter &converter,
                                       RewritePatternSet &patterns,
                                       ConversionTarget &target);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_TRANSFORMS_PCF_STRUCTURALTYPES_H
