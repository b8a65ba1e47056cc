//===- Package.h - Packaging a lowered kernel -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_PACKAGE_H
#define DISTAFF_DRIVER_PACKAGE_H

#include "distaff/Driver/Compile.h"
#include "distaff/Runtime/Package.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Returns the manifest of a lowered kernel of that name, or of the only one:
/// arguments, results and launch, without code.
FailureOr<runtime::Package> describePackage(ModuleOp module, StringRef name,
                                            const Target &target);

/// Compiles a lowered module to the code objects of its target (PTX and, as
/// `form` specifies, a cubin; hsaco) and puts them into a package with the
/// manifest of the kernel of that name, or the only one. Returns the bytes of
/// the file.
FailureOr<std::string> buildPackage(ModuleOp module, StringRef name,
                                    const Target &target, AsPackage form = {});

} // namespace distaff

#endif // DISTAFF_DRIVER_PACKAGE_H
