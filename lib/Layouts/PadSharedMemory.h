//===- PadSharedMemory.h - Padding against bank conflicts -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer in workgroup memory that is the kernel's own, an argument or an
// allocation, of row-major type, says what its elements are and not on which
// bytes they lie. Once it is known who accesses it in which layout, its rows
// get the distance at which lanes meet the fewest banks twice, with unused
// elements behind each:
//
//   %k: memref<128x64xf16, #wg>
//   =>
//   %k: memref<128x64xf16, strided<[72, 1]>, #wg>
//
// A type that names its strides keeps them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAYOUTS_PADSHAREDMEMORY_H
#define DISTAFF_LIB_LAYOUTS_PADSHAREDMEMORY_H

#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Target/Target.h"

namespace distaff {

/// Gives the buffers of `function` the rows of least traffic. Together they
/// take no more than the target has, less `reserved` bytes.
void padSharedMemory(FunctionOpInterface function, const LayoutMap &layouts,
                     HardwareShape hardware, const Target &target,
                     int64_t reserved);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUTS_PADSHAREDMEMORY_H
