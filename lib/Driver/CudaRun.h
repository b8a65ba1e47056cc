//===- CudaRun.h - Running a package on a GPU -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_CUDARUN_H
#define DISTAFF_LIB_DRIVER_CUDARUN_H

#include "Arguments.h"
#include "distaff/Driver/Answer.h"

namespace distaff {

/// Runs a package's bytes on a CUDA device. `values` holds every parameter in
/// order, inputs before and outputs after. Errors are diagnostics at
/// `location`.
Answer runPackage(Location location, StringRef package, int device,
                  ParameterValues &values);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_CUDARUN_H
