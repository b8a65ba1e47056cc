//===- SharedTraffic.h - Wavefronts of shared accesses ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the requests of one subgroup, and the wavefronts that they take, to
// read or write a vector in a layout in workgroup memory. The memrefs' current
// types determine the strides, so a search for the best strides changes the
// types and counts again.
//
//     memref<128x64xf16>                     32 ldmatrix.x4, 1024 wavefronts
//     memref<128x64xf16, strided<[72, 1]>>   32 ldmatrix.x4, 128 wavefronts
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_ACCESS_SHAREDTRAFFIC_H
#define DISTAFF_ANALYSIS_ACCESS_SHAREDTRAFFIC_H

#include "distaff/LLVM.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Target/Target.h"

namespace distaff {

struct SharedTraffic {
  int64_t wavefronts = 0, requests = 0;

  /// Returns the cost; a request also costs an address computation.
  int64_t cost(const MoveCosts &costs) const {
    return wavefronts * costs.sharedWavefront + requests * costs.addressOp;
  }
};

/// Returns the traffic of one subgroup for all registers of the vector that
/// `op` moves; nullopt for ops whose addresses do not follow from a layout
/// (gathers, dynamic strides).
std::optional<SharedTraffic> trafficOf(Operation *op, const Layout &layout,
                                       HardwareShape hardware,
                                       const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_SHAREDTRAFFIC_H
