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

#include "distaff/Driver/ExitCode.h"
#include "distaff/Driver/Package.h"
#include "distaff/Simt/Simt.h"

#include <map>

namespace distaff {

/// A parameter of the kernel as its author wrote it.
struct ParameterShape {
  std::string name; ///< "arg0", "res1"
  Type type;
  Type elementType;
  SmallVector<int64_t> shape; ///< extents all known
  bool isResult = false;
  bool isMemRef = false; ///< an input, and after the run an output

  bool isTensor() const { return isa<TensorType>(type); }
};

/// The values of one run: every parameter's array, in the order of
/// `KernelArguments::parameters()`.
using ParameterValues = SmallVector<simt::Array>;

class KernelArguments {
public:
  /// Makes the inputs that the flags describe; says on stderr what is wrong.
  /// Random arrays that `kernel` uses as positions stay within what they index.
  ExitCode prepare(func::FuncOp kernel, const KernelSignature &signature,
                   const std::vector<std::string> &inputs,
                   const std::vector<std::string> &outputs,
                   const std::vector<std::string> &shapes);

  /// Arguments, then results.
  ArrayRef<ParameterShape> parameters() const { return shapes; }
  size_t numArguments() const { return argumentCount; }

  /// Inputs as given, results unwritten.
  const ParameterValues &initialValues() const { return values; }

  /// Runs `kernel`, which may be at any stage, on a copy of the inputs.
  simt::Outcome run(func::FuncOp kernel, func::FuncOp grid,
                    const simt::Options &options,
                    ParameterValues &finals) const;

  /// Writes the arrays that --output names.
  ExitCode write(const ParameterValues &outcome) const;

private:
  ExitCode findShapes(const KernelSignature &signature,
                      const std::map<std::string, std::string> &inputs,
                      const std::map<std::string, std::string> &shapes);
  /// Whether this machine has the memory for the arrays.
  ExitCode checkSizes(const std::map<std::string, std::string> &shapes) const;

  SmallVector<ParameterShape> shapes;
  ParameterValues values;
  size_t argumentCount = 0;
  std::map<std::string, std::string> outputFiles;
};

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_ARGUMENTS_H
