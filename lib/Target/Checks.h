//===- Checks.h - Consistency checks of target tables -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The built-in tables are checked at compile time, and a target that a program
// registers when it is registered.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_CHECKS_H
#define DISTAFF_LIB_TARGET_CHECKS_H

#include "distaff/Target/Target.h"

namespace distaff {

/// Returns whether the digits of an operand place `rows` x `columns` elements
/// of each block on lanes of the subgroup and on the registers that its shape
/// has.
constexpr bool isWhole(const Fragment &fragment, int64_t rows, int64_t columns,
                       int64_t blocks, int64_t subgroupSize) {
  int64_t registers = fragment.blocks.outer, lanes = fragment.blocks.thread;
  for (int dim : {0, 1}) {
    registers *= fragment.outer[dim] * fragment.element[dim];
    lanes *= fragment.thread[dim];
    // The lane digits are within the subgroup.
    if (fragment.thread[dim] > 1 &&
        subgroupSize % (fragment.thread[dim] * fragment.threadStrides[dim]) !=
            0)
      return false;
  }
  int digits = 0;
  for (Fragment::Digit digit : fragment.registerOrder)
    digits |= 1 << digit;
  return fragment.extent(0) == rows && fragment.extent(1) == columns &&
         fragment.blocks.extent() == blocks && digits == 15 &&
         fragment.numRegisters() == registers && subgroupSize % lanes == 0;
}

/// Returns whether an instruction of a subgroup has an A of m x k, a B of k x n
/// and a C of m x n elements.
constexpr bool isWhole(const MmaRow &row) {
  return row.m > 0 && row.n > 0 && row.k > 0 && row.issueCost > 0 &&
         isWhole(row.fragmentA, row.m, row.k, row.blocks, row.subgroupSize) &&
         isWhole(row.fragmentB, row.k, row.n, row.blocks, row.subgroupSize) &&
         isWhole(row.fragmentC, row.m, row.n, row.blocks, row.subgroupSize);
}

/// Returns whether all rows are whole, with subgroups of so many lanes.
template <typename Rows>
constexpr bool areWhole(const Rows &rows, int64_t subgroupSize) {
  for (const MmaRow &row : rows)
    if (!isWhole(row) || row.subgroupSize != subgroupSize)
      return false;
  return true;
}

constexpr bool isPowerOfTwo(int64_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

/// Returns whether workgroups are whole subgroups and a compute unit holds the
/// largest one.
constexpr bool hasWholeSubgroups(const Target &target) {
  return target.subgroupSize > 0 &&
         target.maxWorkgroupSize % target.subgroupSize == 0 &&
         target.maxWorkgroupSize > 0 && target.residency.workgroups > 0 &&
         target.residency.lanes >= target.maxWorkgroupSize &&
         target.computeUnits > 0 && target.issue.issuers > 0;
}

/// Returns whether the instruction cache has at least 4 KiB.
constexpr bool hasInstructionCache(const Target &target) {
  return target.instructionCacheBytes >= 4096;
}

/// Returns whether a subgroup has registers besides the accumulation registers.
constexpr bool hasRegisters(const Target &target) {
  return target.registersPerLane > target.accumulationRegisters &&
         target.accumulationRegisters >= 0 && target.registerGranule > 0 &&
         target.registersPerUnit >=
             target.registersPerLane * target.subgroupSize &&
         target.spillableRegisters >= target.registersPerLane;
}

/// Returns whether a launch may request as much shared memory as may be
/// declared, a unit has as much, and global memory moves in sectors of lines.
constexpr bool hasWholeMemories(const Target &target) {
  const GlobalMemoryModel &global = target.globalMemory;
  return target.sharedMemoryBytes >= 0 &&
         target.dynamicSharedMemoryBytes >= target.sharedMemoryBytes &&
         target.residency.sharedBytes >= target.dynamicSharedMemoryBytes &&
         target.residency.sharedGranule > 0 &&
         isPowerOfTwo(target.banks.banks) &&
         isPowerOfTwo(target.banks.bankBytes) && global.sectorBytes > 0 &&
         global.lineBytes % global.sectorBytes == 0 &&
         global.maxAccessBits % 8 == 0 && global.baseAlignmentBytes > 0;
}

/// Returns whether the target has no vector unit: a GPU's lanes are its
/// vectors.
constexpr bool hasNoVectors(const Target &target) {
  return target.simd.vectorBits == 0 && target.simd.matrices.registers == 0;
}

/// Returns whether the target has one lane, whose registers are vectors.
constexpr bool hasVectors(const Target &target) {
  const SimdModel &simd = target.simd;
  return target.subgroupSize == 1 && target.maxWorkgroupSize == 1 &&
         simd.vectorBits % 32 == 0 && simd.registers > 0 &&
         simd.level1Bytes <= simd.level2Bytes &&
         target.registersPerLane * 32 == simd.registers * simd.vectorBits;
}

/// Returns whether the numbers of the table are consistent.
constexpr bool isWhole(const Target &target) {
  return hasWholeSubgroups(target) && hasRegisters(target) &&
         hasInstructionCache(target) && hasWholeMemories(target);
}

/// Returns whether a GPU's table is consistent, with these instructions.
template <typename Rows>
constexpr bool isWholeGpu(const Target &target, const Rows &rows) {
  return isWhole(target) && hasNoVectors(target) &&
         areWhole(rows, target.subgroupSize);
}

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_CHECKS_H
