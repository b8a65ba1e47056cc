//===- Arguments.h - The arrays that a kernel runs on -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds a kernel's inputs and gives them to the forms that the kernel takes on
// its road. As written, a kernel has arguments a0, a1, ... and results r0, r1,
// ... . Stages turn results into trailing arguments: scalars and vectors at
// configure, tensors at assign-layouts, so that the kernel's arguments are then
// a0, a1, ..., the scalar and vector results, the tensor results.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_ARGUMENTS_H
#define DISTAFF_LIB_DRIVER_ARGUMENTS_H

#include "distaff/Driver/Answer.h"
#include "distaff/Driver/Parameters.h"
#include "distaff/Runtime/Npy.h"
#include "distaff/Simt/Simt.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Arguments, then results. Fails with a diagnostic for types that the machine
/// computes with but no array outside MLIR holds.
FailureOr<SmallVector<ParameterShape>> describeParameters(func::FuncOp kernel);

/// The values of one run: every parameter's array, in the order of
/// `KernelArguments::parameters()`.
using ParameterValues = SmallVector<simt::Array>;

class KernelArguments {
public:
  /// Takes an array per argument. Says in a diagnostic what does not fit: they
  /// the kernel, or the results into memory.
  Answer take(func::FuncOp kernel, ArrayRef<ParameterShape> parameters,
              std::vector<runtime::HostArray> inputs);

  /// Arguments, then results; extents of arguments are all known.
  ArrayRef<ParameterShape> parameters() const { return shapes; }
  size_t numArguments() const { return argumentCount; }

  /// Inputs as given, results unwritten.
  const ParameterValues &initialValues() const { return values; }

  /// Runs `kernel`, which may be at any stage, on a copy of the inputs.
  simt::Outcome run(func::FuncOp kernel, func::FuncOp grid,
                    const simt::Options &options,
                    ParameterValues &finals) const;

private:
  SmallVector<ParameterShape> shapes;
  ParameterValues values;
  size_t argumentCount = 0;
};

/// The same arrays outside MLIR.
std::vector<runtime::HostArray> toHostArrays(ParameterValues values);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_ARGUMENTS_H
