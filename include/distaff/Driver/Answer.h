//===- Answer.h - What became of a request ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of the Driver that can fail returns a struct with an Answer. A
// program decides by it what to do next, tools/CommandLine/ExitCode.h with what
// to end; why it is what it is was said in diagnostics.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_ANSWER_H
#define DISTAFF_DRIVER_ANSWER_H

#include <cstdint>

namespace distaff {

enum class Answer : uint8_t {
  /// It was done; what was checked agrees.
  Yes,
  /// A stage computes something else than the kernel says.
  Mismatch,
  /// The machine found a race, an access out of bounds, ...
  Fault,
  /// What was asked for cannot be had: a kernel that is not compiled, no
  /// device, a launch that failed, a tool that is missing.
  Refused,
  /// The request does not fit the kernel: no kernel of that name, an array of
  /// another type or shape.
  BadRequest,
  /// The reference decides nothing: a bound too wide, too many close choices.
  Undecided,
  /// The machine met an op that it does not know.
  NotModelled,
};

} // namespace distaff

#endif // DISTAFF_DRIVER_ANSWER_H
