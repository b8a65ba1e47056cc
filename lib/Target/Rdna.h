//===- Rdna.h - Common table of AMD RDNA GPUs -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RDNA3 and RDNA4 Instruction Set Architecture: wave32, 256 vector registers
// per lane. A SIMD has 1536 registers per lane, allocated in 24s (LLVM's
// AMDGPU guide, "Feature1_5x VGPRs"), and a compute unit two of them. A SIMD
// has 16 subgroups at a time, two compute units share 128 KiB of LDS, allocated
// in 512 bytes (LLVM's AMDGPUBaseInfo, IsaInfo): a workgroup may span both,
// and counts as of one; they share 32 KiB of instructions (RDNA white paper).
// No manual has latencies or launch times: these rank candidates.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_RDNA_H
#define DISTAFF_LIB_TARGET_RDNA_H

#include "Tables.h"

namespace distaff {

/// The global memory of all RDNA chips.
constexpr GlobalMemoryModel rdnaGlobalMemory = {.sectorBytes = 64,
                                                .lineBytes = 128,
                                                .maxAccessBits = 128,
                                                .baseAlignmentBytes = 16,
                                                .issueCost = 2,
                                                .sectorCost = 4,
                                                .latency = 400,
                                                .takesUnaligned = true};

/// Returns the table that all RDNA chips share; each chip's table overrides
/// fields.
constexpr Target rdna() {
  return {
      .name = "",
      .family = Family::AMDGPU,
      .triple = "amdgcn-amd-amdhsa",
      .chip = "",
      .features = "",
      .capability = {0, 0, /*exact=*/true},
      .subgroupSize = 32,
      .maxWorkgroupSize = 1024,
      .registersPerLane = 256,
      .accumulationRegisters = 0,
      .registersPerUnit = 98304,
      .registerGranule = 24,
      .overheadRegisters = 24,
      .scalarRegisters = 106,
      .spillableRegisters = 65536,
      .instructionCacheBytes = 32 * 1024,
      .computeUnits = 0,
      .residency = {.workgroups = 32,
                    .lanes = 1024,
                    .sharedBytes = 64 * 1024,
                    .sharedGranule = 512,
                    .sharedReserved = 0},
      .sharedMemoryBytes = 64 * 1024,
      .dynamicSharedMemoryBytes = 64 * 1024,
      .asyncCopyBytes = {},
      .maxGrid = {2147483647, 65535, 65535},
      .mma = {},
      .narrowConversions = {},
      .costs = {.move = 0,
                .bytePermute = 1,
                .select = 1,
                .shuffle = 4,
                .sharedWavefront = 2,
                .barrier = 20,
                .addressOp = 1},
      .banks = {},
      .barriers = {.named = 0, .isSplit = false, .holdsLoads = true},
      .globalMemory = rdnaGlobalMemory,
      .issue = {.issuers = 2,
                .multiplyAdd = 1,
                .division = 8,
                .function = 4,
                .shuffleLatency = 24,
                .meetingLatency = 160,
                .handOut = 4,
                .start = 64},
      .laneReductionCost = 0,
      .indexesRegisters = true,
      .laneMasks = 88,
      .mirrorsHalfRows = false,
  };
}

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_RDNA_H
