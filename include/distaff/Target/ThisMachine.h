//===- ThisMachine.h - What the CPU that we run on has ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TARGET_THISMACHINE_H
#define DISTAFF_TARGET_THISMACHINE_H

namespace distaff {

struct Target;

/// Whether this machine's CPU has all that code for the target uses; for `host`
/// itself, a machine below every level has not.
bool runsOnThisMachine(const Target &target);

} // namespace distaff

#endif // DISTAFF_TARGET_THISMACHINE_H
