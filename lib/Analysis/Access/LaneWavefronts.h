//===- LaneWavefronts.h - Wavefronts of a subgroup's accesses ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes how wide the lanes of a subgroup access workgroup memory for a
// vector in a layout, and in how many wavefronts. From one access to the next,
// every lane advances by the same distance, which only rotates the banks: the
// first access represents all. Accesses narrower than a bank may share a word
// with their neighbours or not; a few of these are evaluated.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_ACCESS_LANEWAVEFRONTS_H
#define DISTAFF_LIB_ANALYSIS_ACCESS_LANEWAVEFRONTS_H

#include "../Layout/LayoutGraph.h"

namespace distaff {

/// Returns the number of elements per access of a lane.
int64_t accessWidthOf(const Layout &layout, const VectorAccess &access,
                      const BankModel &banks);

/// Returns the wavefronts of all accesses of `width` elements by each of
/// `lanes`; strides are in elements.
int64_t wavefrontsOf(const Layout &layout, int64_t lanes,
                     ArrayRef<int64_t> strides, int64_t elementBytes,
                     int64_t width, const BankModel &banks);

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_ACCESS_LANEWAVEFRONTS_H
