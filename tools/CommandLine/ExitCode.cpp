//===- ExitCode.cpp - Exit codes of the command line tools ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CommandLine/ExitCode.h"
#include "llvm/Support/ErrorHandling.h"

namespace distaff {

ExitCode exitCodeOf(Answer answer) {
  switch (answer) {
  case Answer::Yes:
    return ExitCode::Fine;
  case Answer::Mismatch:
  case Answer::Fault:
  case Answer::Refused:
    return ExitCode::No;
  case Answer::BadRequest:
    return ExitCode::Usage;
  case Answer::Undecided:
  case Answer::NotModelled:
    return ExitCode::Undecided;
  }
  llvm_unreachable("an answer is one of those above");
}

} // namespace distaff
