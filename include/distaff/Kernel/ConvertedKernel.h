//===- ConvertedKernel.h - Kernels in the LLVM dialect ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of `convert` is an `llvm.func` that a GPU runs. It takes pointers
// and scalars in the order of the kernel ABI; their attributes give the types
// that the author of the kernel passes:
//
//   func.func @k__grid(%n: index) -> (index, index, index) attributes {host}
//   gpu.module @kernels {
//     llvm.func @k(
//       %0: !llvm.ptr<1> {iree.abi.type = memref<?xf32>,
//                         iree.abi.input = 0 : index},
//       %1: !llvm.ptr<1> {iree.abi.type = memref<4xf32>,
//                         iree.abi.output = 0 : index},
//       %2: f32 {iree.abi.type = f32, iree.abi.input = 1 : index},
//       %3: i64)                                    the extent of argument 0
//       attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>}
//   }
//
// So it can be launched without its source: Kernel.h handles it like any other.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_CONVERTEDKERNEL_H
#define DISTAFF_KERNEL_CONVERTEDKERNEL_H

#include "distaff/Kernel/Kernel.h"

namespace distaff {

/// The attribute with the author's type for an argument of a converted kernel.
inline constexpr llvm::StringLiteral kPassedTypeAttrName = "iree.abi.type";
/// The number of the author's argument.
inline constexpr llvm::StringLiteral kInputAttrName = "iree.abi.input";
/// The workgroups along x, y and z, if they are the same in every launch.
inline constexpr llvm::StringLiteral kGridSizeAttrName = "iree.abi.grid_size";
/// Bytes of workgroup memory that the launch provides, besides that of globals.
inline constexpr llvm::StringLiteral kWorkgroupBytesAttrName =
    "iree.abi.workgroup_bytes";

/// The message of the assertion that an `llvm.intr.trap` implements.
inline constexpr llvm::StringLiteral kAssertionAttrName = "assertion";

/// Returns whether an op is an `llvm.func` with a body that a GPU runs.
bool isConvertedKernel(Operation *op);

/// Returns the lanes of its workgroups; null if it does not specify them.
DenseI32ArrayAttr convertedBlockSize(Operation *kernel);
/// Returns its workgroups, if it specifies them itself.
DenseI32ArrayAttr convertedGridSize(Operation *kernel);

/// Returns the author's type of an argument, for any kernel.
Type passedType(FunctionOpInterface kernel, unsigned position);
/// Returns whether a converted kernel takes a dynamic extent there.
bool isPassedExtent(FunctionOpInterface kernel, unsigned position);

/// Adds the ABI attributes to a kernel that was converted by the kernel ABI.
void markConvertedKernel(FunctionOpInterface kernel,
                         const KernelSignature &signature);
/// Removes them: emitted code has only pointers and scalars.
void eraseConvertedMarks(FunctionOpInterface kernel);

/// Checks sizes and ABI attributes.
LogicalResult verifyConvertedKernel(FunctionOpInterface kernel);

/// Returns the width in which an integer of up to 64 bits is passed: its own
/// width if a parameter may have it (1, 8, 16, 32, 64), else the next wider of
/// those from 8 on.
unsigned passedWidth(unsigned width);

/// Returns whether arrays of the ABI hold several elements of a type per byte,
/// element 0 in its lowest bits: i2 and i4.
bool isPackedElement(Type elementType);

/// Returns whether some element of a type would lie in two bytes if they were
/// packed: the ABI does not support an array of such elements.
bool straddlesBytes(Type elementType);

/// The diagnostic for an argument with such elements.
inline constexpr llvm::StringLiteral kStraddledBytes =
    "has elements of which several would share a byte and some lie in two; "
    "arrays of i2 and i4 are packed, of other integers below 8 bits pass an "
    "array of i8 that holds one each";

/// Marks an argument that holds one element per byte although the ABI would
/// pack them: a value between two launches of a sequence, of which lanes write
/// single elements.
inline constexpr llvm::StringLiteral kUnpackedAttrName = "iree.abi.unpacked";

/// Returns whether an argument is an array that is packed in memory.
bool isPackedArgument(FunctionOpInterface kernel, unsigned position);

} // namespace distaff

#endif // DISTAFF_KERNEL_CONVERTEDKERNEL_H
