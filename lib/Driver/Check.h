//===- Check.h - Comparing a run with the reference -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a kernel as its author wrote it, and compares the outputs of stages
// with that evaluation, as Driver/Comparison.h defines.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRIVER_CHECK_H
#define DISTAFF_LIB_DRIVER_CHECK_H

#include "Arguments.h"
#include "distaff/Driver/Comparison.h"

namespace distaff {

Comparison compare(const ParameterShape &parameter, const simt::Array &array,
                   const simt::EstimateArray &estimates);

/// A Reference holds the expected value of every output of a kernel as written.
class Reference {
public:
  simt::Outcome evaluate(FunctionOpInterface kernel,
                         const KernelArguments &arguments,
                         const simt::Options &options);

  /// Compares all outputs of a run.
  StageCheck check(StringRef stage, const KernelArguments &arguments,
                   const ParameterValues &outcome) const;

private:
  SmallVector<simt::EstimateArray> estimates; ///< per parameter; may be empty
  bool addsFloats = false; ///< so that inputs with exact sums may decide
};

} // namespace distaff

#endif // DISTAFF_LIB_DRIVER_CHECK_H
