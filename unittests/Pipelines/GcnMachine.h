//===- GcnMachine.h - Runs LLVM IR for AMD GPUs, lane by lane ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PtxMachine.h is for PTX, for the optimised LLVM IR that becomes GCN: it
// shares nothing with the conversion to ROCDL. Every lane of a workgroup runs
// to its next collective instruction (mfma, ds.bpermute, barrier); when all are
// there, it is carried out. Arithmetic is LLVM's own constant folding, mfma and
// ds.bpermute are written from the CDNA3 ISA manual. Faults:
//
//   out of bounds, misaligned, unwritten    of one lane's access
//   divergent                               lanes wait at different places
//   wrong space                             private memory outside space 5
//   not modelled                            with the instruction
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_GCNMACHINE_H
#define DISTAFF_UNITTESTS_PIPELINES_GCNMACHINE_H

#include "PtxMachine.h"

namespace distaff::gcn {

/// Runs the kernel of a module on its arguments in place. Returns the first
/// fault.
ptx::Fault run(llvm::StringRef text, const ptx::Launch &launch);

} // namespace distaff::gcn

#endif // DISTAFF_UNITTESTS_PIPELINES_GCNMACHINE_H
