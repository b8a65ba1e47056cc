//===- PadSharedMemory.h - Padding against bank conflicts -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type of a row-major buffer in workgroup memory that belongs to the
// kernel, an argument or an allocation, does not fix the addresses of its
// elements. Once all accesses have layouts, the buffer gets the row pitch with
// the fewest bank conflicts, with unused elements (padding) after each row:
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

/// Pads the rows of the buffers of `function` for the least traffic. Together
/// they take no more memory than the target has, less `reserved` bytes.
void padSharedMemory(FunctionOpInterface function, const LayoutMap &layouts,
                     HardwareShape hardware, const Target &target,
                     int64_t reserved);

} // namespace distaff

#endif // DISTAFF_LIB_LAYOUTS_PADSHAREDMEMORY_H
