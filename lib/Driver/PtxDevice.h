//===- PtxDevice.h - Running the emitted PTX on the CPU ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_PTXDEVICE_H
#define DISTAFF_LIB_DRIVER_PTXDEVICE_H

#include "Arguments.h"
#include "distaff/Driver/Package.h"
#include "distaff/Ptx/Ptx.h"

namespace distaff {

struct Target;

struct PtxDeviceOptions {
  uint64_t schedule = 0;
  int64_t maxSteps = ptx::Launch().stepLimit;
};

/// Emits a lowered module's kernel as PTX and runs that text on the PTX
/// machine, launched as its package's manifest specifies. `values`, in the
/// order of the signature's arguments and results, receive the outputs. Faults
/// and constructs that the machine does not model are also diagnostics at the
/// kernel; failure is for a kernel that cannot be emitted or launched.
FailureOr<ptx::Outcome> runEmittedPtx(ModuleOp module, StringRef name,
                                      const Target &target,
                                      const PtxDeviceOptions &options,
                                      ParameterValues &values);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_PTXDEVICE_H
