//===- Run.h - distaff run --------------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_RUN_H
#define DISTAFF_DRIVER_RUN_H

#include "distaff/Driver/KernelInput.h"
#include "distaff/Simt/Simt.h"

#include <string>
#include <vector>

namespace distaff {

struct RunOptions {
  InputOptions input;
  /// "simt", or "cuda:N" for the compiled kernel on a GPU.
  std::string device = "simt";
  std::vector<std::string> inputs, outputs, shapes; ///< "arg0=x.npy"
  /// The stage whose IR is run; empty: the last one.
  std::string stopAfter;
  bool check = false;
  bool everyStage = false; ///< implies check
  bool counters = false;
  /// Look for races and reads of what nobody wrote.
  bool faultChecks = true;
  uint64_t schedule = 0;
  unsigned threads = 0;
  /// Instructions per workgroup after which a kernel counts as endless.
  int64_t maxSteps = simt::Options().maxSteps;
  bool strictFp = false;
};

/// Compiles a kernel, runs it, writes the outputs that were asked for.
/// With `check` it evaluates the kernel as its author wrote it in float64, with
/// an error bound per element, and compares: prints a line per stage that ran.
ExitCode run(const RunOptions &options);

} // namespace distaff

#endif // DISTAFF_DRIVER_RUN_H
