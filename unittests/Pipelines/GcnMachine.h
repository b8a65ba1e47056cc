//===- GcnMachine.h - Runs LLVM IR for AMD GPUs, lane by lane ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lib/Ptx is for PTX, for the optimised LLVM IR that becomes GCN: it
// shares nothing with the conversion to ROCDL. Every lane of a workgroup runs
// to its next collective instruction (mfma, ds.bpermute, DPP, barrier); when
// all are there, it is carried out. Arithmetic is LLVM's own constant folding,
// mfma and ds.bpermute are written from the CDNA3 ISA manual. Faults:
//
//   out of bounds, misaligned, unwritten    of one lane's access
//   divergent                               lanes wait at different places
//   wrong space                             private memory outside space 5
//   not modelled                            with the instruction
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_GCNMACHINE_H
#define DISTAFF_UNITTESTS_PIPELINES_GCNMACHINE_H

#include "GcnMemory.h"

#include <array>

namespace distaff::gcn {

/// A pointer to a buffer, or a scalar by its bytes.
struct Argument {
  bool isBuffer = true;
  llvm::MutableArrayRef<uint8_t> bytes;
};

struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<Argument> arguments;
};

/// Runs the kernel of a module on its arguments in place. Returns the first
/// fault.
Fault run(llvm::StringRef text, const Launch &launch);

} // namespace distaff::gcn

#endif // DISTAFF_UNITTESTS_PIPELINES_GCNMACHINE_H
