//===- Launch.h - Execution of a grid on the host's threads -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch owns global memory and runs the workgroups on the host's threads.
// Workgroups are independent, so the order in which threads run them has no
// effect: communication between them is a race, counters are sums, and of
// several faults the fault of the first workgroup is reported.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_LAUNCH_H
#define DISTAFF_LIB_SIMT_MACHINE_LAUNCH_H

#include "Workgroup.h"
#include "distaff/Simt/Simt.h"

namespace distaff::simt {

/// A run of a program over a grid of workgroups.
class Launch {
public:
  Launch(const Program &program, const Options &options,
         std::array<int64_t, 3> grid);

  const Program &program;
  const Options &options;
  std::array<int64_t, 3> grid;
  std::vector<Buffer> globals; // arguments first, then the module's constants
  /// Initial contents of the registers of every agent.
  std::vector<uint64_t> image;
  std::vector<Tensor> tensors;
  int64_t numAgents = 1;
  int64_t numThreads = 1; // per workgroup; 1 before distribution
  Operation *kernel = nullptr;

  /// Returns the subgroups of a workgroup, also before distribution.
  int64_t numSubgroups() const;
  /// The grid of workgroups of pcf code, whose program runs in one workgroup.
  std::array<int64_t, 3> scopeGrid = {1, 1, 1};

  int64_t addGlobal(Buffer buffer);
  /// Arguments in workgroup memory: each workgroup has a copy, numbered after
  /// the global buffers.
  std::vector<Buffer> preloaded;
  /// Runs all workgroups. Returns the fault of the first one that has one.
  std::optional<Fault> run(Counters &counters);
  /// The first workgroup after the run, which holds what a function returned.
  std::unique_ptr<Workgroup> first;
  Operation *undecided = nullptr;

private:
  std::optional<Fault>
  checkBetweenWorkgroups(const std::vector<LaunchShadow> &shadows);
  std::optional<Fault> checkOutputs(const std::vector<LaunchShadow> &shadows);
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_LAUNCH_H
