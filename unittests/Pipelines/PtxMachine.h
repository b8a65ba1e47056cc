//===- PtxMachine.h - Runs PTX on the CPU -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine for the PTX that the compiler prints, written from the PTX ISA
// manual. It judges emission, so it shares no code with the compiler.
//
// One workgroup runs after the other, its subgroups of 32 lanes each up to the
// next barrier. Lanes of a subgroup that part at a branch run one side after
// the other and meet again at its immediate post-dominator, the first
// instruction that all of them must reach. Registers begin with garbage.
//
// What a GPU leaves undefined is a fault, named and located:
//
//   out of bounds, misaligned, unwritten, race     see PtxMemory.h
//   divergent barrier      bar.sync by part of a subgroup
//   deadlock               subgroups that wait for one that has returned
//   divergent shuffle      shfl.sync whose members are not those that run it
//   divergent mma          mma.sync by part of a subgroup
//   unknown instruction    the machine does not model it
//
// It counts what the loads and stores ask of memory. A request to shared memory
// runs in phases of 128 bytes; a phase takes as many passes as the bank (32, of
// 4 bytes) with the most distinct words in it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXMACHINE_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXMACHINE_H

#include "PtxMemory.h"
#include "Traffic.h"

namespace distaff::ptx {

/// A pointer to a buffer, or a scalar by its bytes.
struct Argument {
  bool isBuffer = true;
  llvm::MutableArrayRef<uint8_t> bytes;
};

struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<Argument> arguments;
  /// Odd: the subgroups of a workgroup, and the sides of a branch, run in the
  /// other order. Also the seed of the garbage in registers.
  uint64_t schedule = 0;
};

/// Runs a kernel on its arguments in place. Returns the first fault.
Fault run(const Kernel &kernel, const Launch &launch,
          KernelTraffic::Run *traffic = nullptr);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXMACHINE_H
