//===- ThisMachine.h - Instruction set levels of this CPU -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `host` is the best level of the instruction set that the machine has. The
// level follows from the features of its CPU alone, so that a test can query it
// for any CPU:
//
//   Cpu epyc = {CpuArchitecture::X86_64};
//   for (llvm::StringRef name : {"avx2", ..., "avx512vnni"})
//     epyc.features[name] = true;
//   bestLevelOf(epyc).name == "host:avx512vnni"
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TARGET_THISMACHINE_H
#define DISTAFF_TARGET_THISMACHINE_H

#include "distaff/Target/Target.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace distaff {

enum class CpuArchitecture : uint8_t { X86_64, AArch64 };

/// Describes the instruction set features that a CPU and its system offer.
struct Cpu {
  CpuArchitecture architecture;
  llvm::StringMap<bool> features = {}; // by LLVM's names, as in -mattr
  /// Whether the system lets a process use the registers that hold matrices.
  bool lendsMatrices = false;
};

/// Returns the levels of an architecture's CPUs, the best one first.
/// `lookupTarget` finds only those of the compiler's own architecture.
llvm::ArrayRef<Target> levelsOf(CpuArchitecture architecture);

/// Returns whether a CPU has all features that code for the target uses; for
/// `host` itself, a machine below every level has not.
bool runsOn(const Target &target, const Cpu &cpu);

/// Returns the first of its levels that a CPU has, or the last one if it has
/// none.
const Target &bestLevelOf(const Cpu &cpu);

/// Returns whether code for a CPU's target may use a feature, by LLVM's name:
/// what the level has, or for `host` itself what this machine has.
bool hasFeature(const Target &host, llvm::StringRef feature);

/// Returns the lowest of this architecture's levels that has a feature, or
/// null.
const Target *lowestLevelWith(llvm::StringRef feature);

/// Returns the CPU that the compiler runs on.
const Cpu &thisCpu();

/// Returns `runsOn(target, thisCpu())`.
bool runsOnThisMachine(const Target &target);

/// Restricts this machine to a level, `avx2`, and nothing besides: `host` is
/// that level, with this machine's cores and caches, and code for a better one
/// does not run. Returns the reason why it cannot, or an empty string.
/// \pre no target has been looked up
std::string narrowHost(llvm::StringRef level);

/// The system call by which a process on Linux requests permission for the
/// registers that hold matrices (Documentation/arch/x86/xstate.rst):
/// arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA), any number of times. It
/// does not return 0 if there are none, or if a thread's signal stack is too
/// small to save them.
struct MatrixPermission {
  static constexpr long archPrctl = 158, request = 0x1023, tileData = 18;
};

} // namespace distaff

#endif // DISTAFF_TARGET_THISMACHINE_H
