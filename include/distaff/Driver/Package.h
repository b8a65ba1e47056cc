//===- Package.h - From a lowered kernel to a package -----------*- C++ -*-===//
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

/// What a kernel takes and gives as its author wrote it: tensors, memrefs,
/// vectors and scalars, before the stages turn results into out-arguments.
struct KernelSignature {
  std::string name;
  SmallVector<Type> arguments;
  SmallVector<Type> results;

  static KernelSignature get(func::FuncOp kernel);
};

/// What a package says of a lowered kernel: arguments, results and how it is
/// launched; no code yet.
FailureOr<runtime::Package> describePackage(ModuleOp module,
                                            const KernelSignature &signature,
                                            const Target &target);

/// Compiles a lowered module to the code objects of its target (PTX and, as
/// `form` says, a cubin; hsaco) and puts them into a package with its manifest.
/// Returns the bytes of the file.
FailureOr<std::string> buildPackage(ModuleOp module,
                                    const KernelSignature &signature,
                                    const Target &target, AsPackage form = {});

} // namespace distaff

#endif // DISTAFF_DRIVER_PACKAGE_H
