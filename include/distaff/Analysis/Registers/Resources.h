//===- Resources.h - Registers and memory of a kernel -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers of a lane and workgroup memory, as forecast from the code of a lane
// and as reported by the assembler, if there is one:
//
//   forecast   205 registers of 255, nothing spilled
//   ptxas      216 registers, nothing spilled, 12288 bytes of workgroup memory
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_REGISTERS_RESOURCES_H
#define DISTAFF_ANALYSIS_REGISTERS_RESOURCES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distaff {

/// Resources of a kernel's code that an assembler reports.
struct AssembledResources {
  std::string by; ///< `ptxas`, `LLVM`
  int64_t registers = 0;
  int64_t spilledBytes = 0; ///< per lane
  int64_t sharedBytes = 0;  ///< workgroup memory that the code declares
  /// Registers of a subgroup that were spilled into lanes of vector registers.
  int64_t spilledScalars = 0;
};

/// An argument in workgroup memory is memory of the kernel's own, which no
/// launch passes or fills.
struct WorkgroupArgument {
  unsigned number;    ///< number among the kernel's arguments as written
  std::string symbol; ///< symbol of the array that contains it
  int64_t offset = 0; ///< offset in that array, in bytes
  int64_t bytes = 0;
  int64_t alignment = 1;
  /// Strides of its elements: by dim, in elements.
  int64_t elementBytes = 1;
  std::vector<int64_t> strides = {};

  /// Returns "element (i, j) at byte 144 i + 2 j"; an empty string for one
  /// element.
  std::string describeRows() const;
};

struct KernelResources {
  std::string function;
  int64_t registers = 0;    ///< 32-bit registers of a lane, forecast
  int64_t available = 0;    ///< registers that a lane of its workgroup can have
  int64_t spilledBytes = 0; ///< per lane, forecast
  /// Whether a few more registers may be spilled, because loads issued early
  /// take all registers.
  bool mayBeFull = false;
  int64_t launchBytes = 0; ///< workgroup memory that a launch allocates
  std::vector<WorkgroupArgument> workgroupArguments;
  /// nullopt if no assembler was found or it failed; the next member has the
  /// reason.
  std::optional<AssembledResources> assembled;
  std::string whyNotAssembled = {};
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_REGISTERS_RESOURCES_H
