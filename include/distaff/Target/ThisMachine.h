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

/// How a process on Linux asks to be lent the registers that hold matrices
/// (Documentation/arch/x86/xstate.rst): arch_prctl(ARCH_REQ_XCOMP_PERM,
/// XFEATURE_XTILEDATA), as often as it likes. The answer is not 0 where there
/// are none, or where a thread's stack for signals is too small to save them.
struct MatrixPermission {
  static constexpr long archPrctl = 158, request = 0x1023, tileData = 18;
};

} // namespace distaff

#endif // DISTAFF_TARGET_THISMACHINE_H
