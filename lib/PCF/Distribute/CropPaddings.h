//===- CropPaddings.h - Negative paddings as slices -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_CROPPADDINGS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_CROPPADDINGS_H

#include "TensorPlaces.h"

namespace distaff::pcf {

/// Replaces a negative padding by a slice that cuts the elements off, and pads
/// by zero there (PCF-203):
///
///   %b = tensor.pad %a low[-2] high[3]     %s = pcf.read_slice of %a[2]
///                                     =>   %b = tensor.pad %s low[0] high[3]
///
/// Amounts that are computed at run time are assumed not to be negative.
LogicalResult cropPadding(tensor::PadOp op, TensorPlaces &places,
                          RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_CROPPADDINGS_H
