//===- Cdna.h - Common table of AMD CDNA GPUs -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD Instinct MI100, MI200, MI300 and CDNA4 Instruction Set Architecture:
// wave64; a vector instruction of 64 lanes takes 4 cycles; a lane shuffle is a
// trip through the LDS crossbar. A compute unit has four SIMDs. Lines of the
// vector cache have 128 bytes ("Memory hierarchy" of the CDNA3 white paper), of
// which it delivers 64 in a cycle, half of what the LDS does, and to which it
// takes the addresses of 16 lanes in a cycle ("Vector L1 cache"
// and "Local data share" of the ROCm Compute Profiler's performance model). Of
// CDNA2 and later, 512 vector registers per lane ("Kernel State"), half of them
// accumulation registers, in one file, allocated in eights; packed
// multiply-adds of f32, two for the same points; a SIMD has 8 subgroups at a
// time, and a workgroup of at least two is one of 16, which 32 subgroups are
// anyway; LDS is allocated in 512 bytes (LLVM's AMDGPUBaseInfo, IsaInfo). DPP
// mirrors half rows, but cannot reach the lane 4 away ("CDNA3 ISA", data
// parallel processing). 32 KiB of instructions (CDNA white paper). No manual
// has latencies or launch times: these rank candidates.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_CDNA_H
#define DISTAFF_LIB_TARGET_CDNA_H

#include "Tables.h"

namespace distaff {

/// The global memory of all CDNA chips.
constexpr GlobalMemoryModel cdnaGlobalMemory = {.sectorBytes = 64,
                                                .lineBytes = 128,
                                                .maxAccessBits = 128,
                                                .baseAlignmentBytes = 16,
                                                .issueCost = 4,
                                                .sectorCost = 4,
                                                .latency = 400,
                                                .lineCost = 2,
                                                .addressedLanes = 16,
                                                .takesUnaligned = true};

/// Returns the table that all CDNA chips share; each chip's table overrides
/// fields.
constexpr Target cdna() {
  return {
      .name = "",
      .family = Family::AMDGPU,
      .triple = "amdgcn-amd-amdhsa",
      .chip = "",
      .features = "",
      .capability = {0, 0, /*exact=*/true},
      .subgroupSize = 64,
      .maxWorkgroupSize = 1024,
      .registersPerLane = 512,
      .accumulationRegisters = 256,
      .registersPerUnit = 131072,
      .registerGranule = 8,
      .overheadRegisters = 24,
      .scalarRegisters = 102,
      .spillableRegisters = 65536,
      .instructionCacheBytes = 32 * 1024,
      .computeUnits = 0,
      .residency = {.workgroups = 32,
                    .lanes = 2048,
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
                .bytePermute = 4,
                .select = 4,
                .shuffle = 8,
                .sharedWavefront = 4,
                .barrier = 40,
                .addressOp = 4},
      .banks = {},
      .barriers = {.named = 0, .isSplit = false, .holdsLoads = true},
      .globalMemory = cdnaGlobalMemory,
      .issue = {.issuers = 4,
                .multiplyAdd = 2,
                .division = 8,
                .function = 4,
                .shuffleLatency = 24,
                .meetingLatency = 320,
                .handOut = 4,
                .start = 64},
      .laneReductionCost = 0,
      .indexesRegisters = true,
      .laneMasks = 43,
      .mirrorsHalfRows = true,
  };
}

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_CDNA_H
