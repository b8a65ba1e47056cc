//===- Convert.h - Stage convert: to the LLVM dialect -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stage returns the input of LLVM's backend in a form that can be run: the
// functions in a gpu.module, marked with what a launch passes
// (ConvertedKernel.h), and the grid functions outside it. Emission converts
// kernels itself, and also accepts the output of this stage.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_CONVERT_H
#define DISTAFF_PIPELINES_CONVERT_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

extern const Stage convertStage;

/// Returns the bytes of workgroup memory that the launch of a lowered or of a
/// converted kernel allocates; 0 if the kernel declares what it needs.
int64_t launchedWorkgroupMemory(FunctionOpInterface kernel,
                                const Target &target);

} // namespace distaff

#endif // DISTAFF_PIPELINES_CONVERT_H
