//===- Kernel.h - Runs small kernels in tests -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test gives the text of a function and its arguments as doubles, and gets
// the values back as doubles:
//
//   EXPECT_EQ(valuesOf("func.func @f(%a: vector<2xf16>) -> ...",
//                      {array("f16", {2}, {1, 2})}), (Values{2, 4}));
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SIMT_KERNEL_H
#define DISTAFF_UNITTESTS_SIMT_KERNEL_H

#include "distaff/Simt/Simt.h"
#include <string>
#include <vector>

namespace distaff::simt::kernel_test {

using Values = std::vector<double>;

/// An argument: its element type's spelling and its numbers.
struct Argument {
  std::string type;
  SmallVector<int64_t> shape;
  Values values;
  bool written = true;
};

inline Argument array(std::string type, ArrayRef<int64_t> shape,
                      Values values) {
  return {std::move(type), SmallVector<int64_t>(shape), std::move(values)};
}

/// `count` numbers uniform in [low, high], rounded to the type, always the
/// same.
Argument randomArray(std::string type, ArrayRef<int64_t> shape, unsigned seed,
                     double low = -1, double high = 1);

/// What a run leaves behind.
struct Ending {
  std::string error; // of the first diagnostic, empty when it succeeded
  std::optional<FaultKind> fault;
  Place place;                    // of the fault
  std::vector<std::string> notes; // beside it
  Verdict verdict = Verdict::Unfit;
  std::vector<Values> arguments, results;
  Counters counters;
};

Ending execute(StringRef source, ArrayRef<Argument> arguments,
               const Options &options = {});

/// The results of a run, one after the other; a failed one gives nothing and
/// fails the test.
Values valuesOf(StringRef source, ArrayRef<Argument> arguments,
                const Options &options = {});
/// The last argument after a run.
Values lastArgumentOf(StringRef source, ArrayRef<Argument> arguments,
                      const Options &options = {});
/// The name of the fault that ends a run.
std::string faultOf(StringRef source, ArrayRef<Argument> arguments,
                    const Options &options = {});

/// The reference evaluation: estimates of the results, else of the arguments.
struct Evaluation {
  std::string error;
  std::vector<EstimateArray> arguments, results;
};
Evaluation evaluateKernel(StringRef source, ArrayRef<Argument> arguments,
                          const Options &options = {});

} // namespace distaff::simt::kernel_test

#endif // DISTAFF_UNITTESTS_SIMT_KERNEL_H
