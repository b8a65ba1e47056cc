//===- ExitCode.h - Exit codes of the command line tools --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exit codes of every command line tool of Distaff, and the only mapping of
// the Driver's answers to them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_COMMANDLINE_EXITCODE_H
#define DISTAFF_TOOLS_COMMANDLINE_EXITCODE_H

#include "distaff/Driver/Answer.h"

namespace distaff {

enum class ExitCode : int {
  Fine = 0,
  /// A check failed: mismatch, refused kernel, IR that does not parse or
  /// verify, no device, a failed launch, an external tool that is missing.
  No = 1,
  /// Bad flags, unknown target, a file that cannot be read or written, a
  /// damaged .npy or package.
  Usage = 2,
  /// Undecided: a bound too wide, too many choices within it, an op that the
  /// machine does not model.
  Undecided = 3,
};

ExitCode exitCodeOf(Answer answer);

} // namespace distaff

#endif // DISTAFF_TOOLS_COMMANDLINE_EXITCODE_H
