//===- IntrinsicSignatures.h - Signatures of LLVM intrinsics ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call by name is checked against LLVM's own table of intrinsics at the call,
// so that an unknown name or wrong types are reported there and not by a later
// failure (VX-170).
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
