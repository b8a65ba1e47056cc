//===- DeviceLimits.h - Launch limits of devices ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch limits of an architecture, so that a package is refused by its
// manifest and not by a driver's error. Source: CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability"; AMD CDNA3 instruction set
// architecture manual (64 KiB of LDS) and CDNA4 (160 KiB), HSA kernel dispatch
// packet (grids in 32 bits).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_DEVICELIMITS_H
#define DISTAFF_RUNTIME_DEVICELIMITS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace distaff::runtime {

struct DeviceLimits {
  std::array<int64_t, 3> grid;          ///< workgroups per dimension
  std::array<int64_t, 3> workgroupSize; ///< lanes per dimension
  int64_t lanes;                        ///< lanes per workgroup
  int64_t sharedMemory;                 ///< bytes per workgroup
  int64_t parameterBytes;               ///< size of one kernel's parameters
};

/// Returns the limits of "sm_80", "gfx942" and the like; for an architecture of
/// a known family that is not in the table, the widest of that family. Empty
/// for a name of no family.
std::optional<DeviceLimits> limitsOf(const std::string &architecture);

} // namespace distaff::runtime

#endif // DISTAFF_RUNTIME_DEVICELIMITS_H
