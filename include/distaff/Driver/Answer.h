//===- Answer.h - Outcome of a request to the driver ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of the Driver that can fail returns a struct with an Answer. A
// program decides by it what to do next, tools/CommandLine/ExitCode.h chooses
// the exit code by it; diagnostics give the reason.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_ANSWER_H
#define DISTAFF_DRIVER_ANSWER_H

#include <cstdint>

namespace distaff {

enum class Answer : uint8_t {
  /// The request succeeded; all checks agree.
  Yes,
  /// A stage computes something else than the kernel specifies.
  Mismatch,
  /// The machine found a race, an access out of bounds or another fault.
  Fault,
  /// The request cannot be fulfilled: a kernel that is not compiled, no device,
  /// a launch that failed, a tool that is missing.
  Refused,
  /// The request does not fit the kernel: no kernel of that name, an array of
  /// another type or shape.
  BadRequest,
  /// The reference decides nothing: a bound is too wide, or too many choices
  /// are close.
  Undecided,
  /// The machine encountered an op that it does not model.
  NotModelled,
};

} // namespace distaff

#endif // DISTAFF_DRIVER_ANSWER_H
