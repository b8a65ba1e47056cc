//===- Arguments.h - Arrays that a kernel runs on ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds a kernel's inputs and passes them to each form of the kernel along its
// pipeline; the arguments of a form show which of them are results.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_ARGUMENTS_H
#define DISTAFF_LIB_DRIVER_ARGUMENTS_H

#include "distaff/Driver/Answer.h"
#include "distaff/Driver/Parameters.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Kernel/LaunchSequence.h"
#include "distaff/Runtime/Npy.h"
#include "distaff/Simt/Simt.h"

namespace distaff {

/// Returns arguments, then results. Fails with a diagnostic for types that the
/// machine computes with but no array outside MLIR can hold.
FailureOr<SmallVector<ParameterShape>>
describeParameters(FunctionOpInterface kernel);

/// The values of one run: every parameter's array, in the order of
/// `KernelArguments::parameters()`.
using ParameterValues = SmallVector<simt::Array>;

class KernelArguments {
public:
  /// Takes an array per argument. A diagnostic reports a mismatch: arrays that
  /// do not fit the kernel, or results that do not fit into memory.
  Answer take(FunctionOpInterface kernel, ArrayRef<ParameterShape> parameters,
              std::vector<runtime::HostArray> inputs);

  /// Returns arguments, then results; all extents of arguments are static.
  ArrayRef<ParameterShape> parameters() const { return shapes; }
  size_t numArguments() const { return argumentCount; }

  /// Returns the index of a kernel's parameter among `parameters()`, which has
  /// no workspaces.
  size_t indexOf(const KernelParameter &parameter) const;

  /// Returns the extents that a launch of a kernel with this signature passes.
  SmallVector<int64_t> dynamicExtents(const KernelSignature &signature) const;

  /// Returns the inputs as given, with results unwritten; dynamic results have
  /// no elements.
  const ParameterValues &initialValues() const { return values; }

  /// Allocates the results that a kernel of this signature takes in memory and
  /// whose extents follow from those of the arguments. Returns why one cannot
  /// be allocated, or an empty string.
  std::string allocateResults(const KernelSignature &signature,
                              ParameterValues &values) const;

  /// Returns the arrays that a kernel of that signature takes: values, and its
  /// workspaces, which are allocated.
  SmallVector<simt::Array *>
  pass(const KernelSignature &signature, ParameterValues &values,
       SmallVectorImpl<simt::Array> &workspaces) const;

  /// Runs `kernel`, which may be at any stage, on a copy of the inputs.
  simt::Outcome run(FunctionOpInterface kernel, func::FuncOp grid,
                    const simt::Options &options,
                    ParameterValues &finals) const;

  /// Runs the launches of a sequence, one after the other; `optionsOf` returns
  /// the machine's options for each kernel.
  simt::Outcome run(ModuleOp module, const LaunchSequence &sequence,
                    function_ref<simt::Options(FunctionOpInterface)> optionsOf,
                    ParameterValues &finals) const;

private:
  /// Takes the results of a sequence from the values that launches have made;
  /// returns false if one has no shape.
  bool takeResults(const LaunchSequence &sequence, const ParameterValues &made,
                   ParameterValues &finals) const;

  SmallVector<ParameterShape> shapes;
  ParameterValues values;
  size_t argumentCount = 0;
};

/// Converts the values to arrays outside MLIR.
std::vector<runtime::HostArray> toHostArrays(ParameterValues values);

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_ARGUMENTS_H
