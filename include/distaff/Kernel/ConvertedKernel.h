//===- ConvertedKernel.h - Kernels in the LLVM dialect ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `convert` leaves is an `llvm.func` that a GPU starts. It takes pointers
// and scalars in the order of the kernel ABI, and says of each what the author
// of the kernel passes:
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
// So it can be launched as it is: Kernel.h answers for it as for any other.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_CONVERTEDKERNEL_H
#define DISTAFF_KERNEL_CONVERTEDKERNEL_H

#include "distaff/Kernel/Kernel.h"

namespace distaff {

/// What the author passes for an argument of a converted kernel.
inline constexpr llvm::StringLiteral kPassedTypeAttrName = "iree.abi.type";
/// The number of the author's argument.
inline constexpr llvm::StringLiteral kInputAttrName = "iree.abi.input";
/// The workgroups along x, y and z, where they are the same in every launch.
inline constexpr llvm::StringLiteral kGridSizeAttrName = "iree.abi.grid_size";
/// Bytes of workgroup memory that the launch provides, beside that of globals.
inline constexpr llvm::StringLiteral kWorkgroupBytesAttrName =
    "iree.abi.workgroup_bytes";

/// Of an `llvm.intr.trap`: the message of the assertion that ends in it.
inline constexpr llvm::StringLiteral kAssertionAttrName = "assertion";

/// An `llvm.func` with a body that a GPU starts.
bool isConvertedKernel(Operation *op);

/// The lanes of its workgroups; null where it does not say.
DenseI32ArrayAttr convertedBlockSize(Operation *kernel);
/// Its workgroups, where it says so itself.
DenseI32ArrayAttr convertedGridSize(Operation *kernel);

/// The author's type of an argument, of any kernel.
Type passedType(FunctionOpInterface kernel, unsigned position);
/// Whether a converted kernel takes a dynamic extent there.
bool isPassedExtent(FunctionOpInterface kernel, unsigned position);

/// Writes the marks of a kernel that was converted by the kernel ABI.
void markConvertedKernel(FunctionOpInterface kernel,
                         const KernelSignature &signature);
/// Removes them: what is emitted knows of pointers and scalars only.
void eraseConvertedMarks(FunctionOpInterface kernel);

/// Checks sizes and marks.
LogicalResult verifyConvertedKernel(FunctionOpInterface kernel);

/// The width in which an integer of up to 64 bits is passed: itself where a
/// parameter may have it (1, 8, 16, 32, 64), else the next wider of those from
/// 8 on.
unsigned passedWidth(unsigned width);

/// Whether arrays of the ABI hold several elements of a type per byte, element
/// 0 in its lowest bits: i2 and i4.
bool isPackedElement(Type elementType);

/// Whether some element of a type would lie in two bytes if they were packed:
/// an array of such has no place in the ABI.
bool straddlesBytes(Type elementType);

/// What is said of an argument with such elements.
inline constexpr llvm::StringLiteral kStraddledBytes =
    "has elements of which several would share a byte and some lie in two; "
    "arrays of i2 and i4 are packed, of other integers below 8 bits pass an "
    "array of i8 that holds one each";

/// Marks an argument that holds one element per byte although the ABI would
/// pack them: what one launch of a sequence makes for another, of which lanes
/// write single elements.
inline constexpr llvm::StringLiteral kUnpackedAttrName = "iree.abi.unpacked";

/// Whether an argument is an array that is packed in memory.
bool isPackedArgument(FunctionOpInterface kernel, unsigned position);

} // namespace distaff

#endif // DISTAFF_KERNEL_CONVERTEDKERNEL_H
