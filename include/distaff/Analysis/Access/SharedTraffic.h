//===- SharedTraffic.h - What an access asks of the banks -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector in a layout, read from workgroup memory or written there, as that
// memory lies: the requests of one subgroup and the wavefronts that they take.
// Counted for the types that the memrefs have now, so who looks for the best
// strides gives them one type after the other.
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

  /// A request is an address, too.
  int64_t cost(const MoveCosts &costs) const {
    return wavefronts * costs.sharedWavefront + requests * costs.addressOp;
  }
};

/// Of one subgroup, for all registers of the vector that `op` moves; nothing
/// for ops whose addresses no layout tells (gathers, dynamic strides).
std::optional<SharedTraffic> trafficOf(Operation *op, const Layout &layout,
                                       HardwareShape hardware,
                                       const Target &target);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_ACCESS_SHAREDTRAFFIC_H
