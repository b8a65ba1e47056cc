//===- HostDevice.h - Running the emitted code on the CPU -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_HOSTDEVICE_H
#define DISTAFF_LIB_DRIVER_HOSTDEVICE_H

#include "Arguments.h"

namespace distaff {

struct Target;

/// Emits a lowered module's kernel as an object for a CPU and runs it in this
/// process, on `threads` threads (0: one for each core), launched as its
/// package specifies. Functions without a body are of shared libraries, by
/// their paths. `values`, in the order of the signature's arguments and
/// results, receive the outputs. Fails with a diagnostic if the kernel cannot
/// be emitted, linked or launched.
LogicalResult runOnHost(ModuleOp module, StringRef name, const Target &target,
                        unsigned threads, ArrayRef<std::string> libraries,
                        ParameterValues &values);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_HOSTDEVICE_H
