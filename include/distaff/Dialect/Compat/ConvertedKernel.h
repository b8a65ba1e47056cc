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
#ifndef DISTAFF_DIALECT_COMPAT_CONVERTEDKERNEL_H
#define DISTAFF_DIALECT_COMPAT_CONVERTEDKERNEL_H

#include "distaff/Dialect/Compat/Kernel.h"

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

/// Whether several elements of a type would share a byte: an array of such has
/// no place in the ABI.
bool sharesBytes(Type elementType);

/// What is said of an argument with such elements.
inline constexpr llvm::StringLiteral kSharedBytes =
    "has elements of which several would share a byte, and lanes write whole "
    "bytes; pass an array of i8 that holds them, and take its numbers apart by "
    "shifts";

} // namespace distaff

#endif // DISTAFF_DIALECT_COMPAT_CONVERTEDKERNEL_H
