//===- LaneWavefronts.h - One access of the lanes of a subgroup -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How wide the lanes of a subgroup access workgroup memory for a vector in a
// layout, and in how many wavefronts. One access after the other is as far on
// for every lane, which only rotates the banks: the first stands for all. What
// is narrower than a bank may share a word with its neighbours or not; of such
// accesses a few are looked at.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_ACCESS_LANEWAVEFRONTS_H
#define DISTAFF_LIB_ANALYSIS_ACCESS_LANEWAVEFRONTS_H

#include "../Layout/LayoutGraph.h"

namespace distaff {

/// Elements that a lane takes at once.
int64_t accessWidthOf(const Layout &layout, const VectorAccess &access,
                      const BankModel &banks);

/// Wavefronts of all accesses of `width` elements by each of `lanes`; strides
/// in elements.
int64_t wavefrontsOf(const Layout &layout, int64_t lanes,
                     ArrayRef<int64_t> strides, int64_t elementBytes,
                     int64_t width, const BankModel &banks);

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_ACCESS_LANEWAVEFRONTS_H
