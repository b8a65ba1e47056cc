//===- IntrinsicSignatures.h - What LLVM's intrinsics take ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call by name is compared with LLVM's own table of intrinsics where it
// stands, so that a name that LLVM lacks, or other types than it has, are not
// found by what would come of them (VX-170).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_IMPORT_INTRINSICS_INTRINSICSIGNATURES_H
#define DISTAFF_LIB_IMPORT_INTRINSICS_INTRINSICSIGNATURES_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace distaff {

/// Fails with an error at `call` if LLVM has no intrinsic of its name, or none
/// that takes its operands and returns its results.
LogicalResult checkSignature(LLVM::CallIntrinsicOp call);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_INTRINSICS_INTRINSICSIGNATURES_H
