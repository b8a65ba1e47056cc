//===- Resources.h - What a kernel takes of a compute unit ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers of a lane and workgroup memory, as forecast from the code of a lane
// and as the assembler says, where there is one:
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

/// What an assembler says of a kernel's code.
struct AssembledResources {
  std::string by; ///< `ptxas`, `LLVM`
  int64_t registers = 0;
  int64_t spilledBytes = 0; ///< per lane
  int64_t sharedBytes = 0;  ///< of workgroup memory that the code declares
  /// Registers of a subgroup that were put into lanes of vector registers.
  int64_t spilledScalars = 0;
};

/// An argument in workgroup memory: memory of the kernel's own, which no launch
/// passes or fills.
struct WorkgroupArgument {
  unsigned number;    ///< among the kernel's arguments as written
  std::string symbol; ///< of the array that it lies in
  int64_t offset = 0; ///< in that array, in bytes
  int64_t bytes = 0;
  int64_t alignment = 1;
  /// Where its elements lie: by dim, in elements.
  int64_t elementBytes = 1;
  std::vector<int64_t> strides = {};

  /// "element (i, j) at byte 144 i + 2 j"; nothing for one element.
  std::string describeRows() const;
};

struct KernelResources {
  std::string function;
  int64_t registers = 0;    ///< 32-bit registers of a lane, forecast
  int64_t available = 0;    ///< that a lane of its workgroup can have
  int64_t spilledBytes = 0; ///< per lane, forecast
  /// Whether a few may be spilled besides, where loads issued early take all
  /// registers.
  bool mayBeFull = false;
  int64_t launchBytes = 0; ///< of workgroup memory that a launch allocates
  std::vector<WorkgroupArgument> workgroupArguments;
  /// None where no assembler was found, or it failed, and why.
  std::optional<AssembledResources> assembled;
  std::string whyNotAssembled = {};
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_REGISTERS_RESOURCES_H
