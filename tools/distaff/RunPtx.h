//===- RunPtx.h - distaff run k.ptx -----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has the flags and files around Driver/PtxRun.h. The flags of a
// parameter select its kind: with a .npy file or a --shape it is an array, with
// `null` a null pointer, and else a number.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_DISTAFF_RUNPTX_H
#define DISTAFF_TOOLS_DISTAFF_RUNPTX_H

#include "CommandLine/ExitCode.h"
#include "distaff/Driver/PtxRun.h"

namespace distaff {

struct Target;

/// The flags of `distaff run k.ptx`, as given.
struct RunPtxOptions {
  std::string path;
  const Target *target = nullptr;
  std::string entry;
  std::string grid, block, shared;
  std::vector<std::string> inputs, outputs, shapes; ///< "arg0=x.npy"
  std::string contract;                             ///< "on" or "off"
  bool counters = false;
  uint64_t schedule = 0;
  int64_t maxSteps = 0;
};

/// Runs an entry of a PTX file on the PTX machine; writes the arrays of
/// --output unless there is an error. docs/RunPtx.md describes the flags.
ExitCode runPtxFile(const RunPtxOptions &options);

/// Prints the counters of the machine.
void printPtxCounters(const ptx::Counters &counters);

} // namespace distaff

#endif // DISTAFF_TOOLS_DISTAFF_RUNPTX_H
