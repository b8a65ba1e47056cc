//===- Nvidia.h - Common table of NVIDIA GPUs -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, table "Technical specifications per compute
// capability": 255 registers per lane of 64 Ki, 256 allocated per subgroup at
// once; 48 KiB of shared memory may be declared statically. Section
// "Architecture" of 7.x to 9.x: four schedulers per multiprocessor. "Device
// Memory Accesses": 16 bytes per lane at most, from lines of 128; cudaMalloc
// aligns to 256 bytes, of which the kernel ABI requires 16, so that it accepts
// slices of arrays. A lane has 512 KiB of local memory; code with more than
// half of it does not finish compiling. PTX ISA, "bar": 16 barriers, 0 for the
// whole workgroup; ldmatrix from 7.5 on. Costs are the default issue-slot
// weights of the specification (4.5). The manuals give no latencies nor launch
// times: these rank candidates. The size of the instruction cache after the
// schedulers' own is the one measured on Volta, 128 KiB (Jia et al.,
// arXiv:1804.06826, section 3.8): for later GPUs NVIDIA publishes none.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_NVIDIA_H
#define DISTAFF_LIB_TARGET_NVIDIA_H

#include "Tables.h"

namespace distaff {

/// Returns the table that all NVIDIA GPUs share; each chip's table overrides
/// fields.
constexpr Target nvidia() {
  return {
      .name = "",
      .family = Family::NVPTX,
      .triple = "nvptx64-nvidia-cuda",
      .chip = "",
      .features = "",
      .capability = {0, 0, /*exact=*/false},
      .subgroupSize = 32,
      .maxWorkgroupSize = 1024,
      .registersPerLane = 255,
      .accumulationRegisters = 0,
      .registersPerUnit = 65536,
      .registerGranule = 8,
      .overheadRegisters = 24,
      .overfillsRegisters = true,
      .spillableRegisters = 65536,
      .instructionCacheBytes = 128 * 1024,
      .computeUnits = 0,
      .residency = {},
      .sharedMemoryBytes = 48 * 1024,
      .dynamicSharedMemoryBytes = 0,
      .asyncCopyBytes = {},
      .maxGrid = {2147483647, 65535, 65535},
      .mma = {},
      .narrowConversions = {},
      .costs = {}, // MoveCosts' defaults are of NVIDIA GPUs
      .banks = {.loadsMatrices = true},
      .barriers = {.named = 15, .isSplit = false},
      .globalMemory = {.sectorBytes = 32,
                       .lineBytes = 128,
                       .maxAccessBits = 128,
                       .baseAlignmentBytes = 16,
                       .issueCost = 4,
                       .sectorCost = 4,
                       .latency = 400},
      .issue = {.issuers = 4,
                .multiplyAdd = 2,
                .division = 8,
                .function = 4,
                .shuffleLatency = 24,
                .meetingLatency = 320,
                .handOut = 4,
                .start = 64},
      .laneReductionCost = 0,
      .mirrorsHalfRows = false,
  };
}

/// Cost of redux.sync, from capability 8.0 on: CUDA's programming guide, table
/// of arithmetic throughput, has 16 lanes per cycle and multiprocessor, and 32
/// of shuffles.
inline constexpr int64_t reduxCost = 2 * MoveCosts().shuffle;

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_NVIDIA_H
