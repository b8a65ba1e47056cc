//===- PackageValues.h - Arrays of a package's launch -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_PACKAGEVALUES_H
#define DISTAFF_LIB_DRIVER_PACKAGEVALUES_H

#include "Arguments.h"
#include "distaff/Runtime/Package.h"

namespace distaff {

/// Returns the dynamic extents of arguments in the order in which a package
/// numbers them.
std::vector<int64_t> extentsOf(const runtime::Package &package,
                               const ParameterValues &values);

/// Allocates results as unwritten memory, of the shapes that follow from the
/// arguments'. \returns why there is none, or an empty string.
std::string allocateResults(const runtime::Package &package,
                            ParameterValues &values);

/// Converts arrays to the kernel ABI's layout: elements of packed arrays, of
/// which values have one per byte, share bytes there.
void packArrays(ArrayRef<ParameterShape> parameters, ParameterValues &values);
/// Does the inverse of packArrays.
void unpackArrays(ArrayRef<ParameterShape> parameters, ParameterValues &values);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_PACKAGEVALUES_H
