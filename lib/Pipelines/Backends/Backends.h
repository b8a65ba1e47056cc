//===- Backends.h - The built-in backends -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_BACKENDS_BACKENDS_H
#define DISTAFF_LIB_PIPELINES_BACKENDS_BACKENDS_H

#include "distaff/Pipelines/Backend.h"

namespace distaff {

extern const Backend nvptxBackend, amdgpuBackend, hostBackend;

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_BACKENDS_BACKENDS_H
