//===- ThisMachine.h - What the CPU that we run on has ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `host` is the best level of the instruction set that the machine has. Which
// one that is follows from the features of its CPU alone, so that a test asks
// for any CPU's:
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

/// What a CPU, and the system that it runs, has of an instruction set.
struct Cpu {
  CpuArchitecture architecture;
  llvm::StringMap<bool> features = {}; // by LLVM's names, as in -mattr
  /// The system lends a process the registers that hold matrices.
  bool lendsMatrices = false;
};

/// The levels that CPUs of an architecture have, the best one first. Only those
/// of the compiler's own are targets that `lookupTarget` finds.
llvm::ArrayRef<Target> levelsOf(CpuArchitecture architecture);

/// Whether a CPU has all that code for the target uses; for `host` itself, a
/// machine below every level has not.
bool runsOn(const Target &target, const Cpu &cpu);

/// The first of its levels that a CPU has, and the last where it has none.
const Target &bestLevelOf(const Cpu &cpu);

/// Whether code for a CPU's target may use a feature, by LLVM's name: what the
/// level says, or of `host` itself what this machine has.
bool hasFeature(const Target &host, llvm::StringRef feature);

/// The least of this architecture's levels that has a feature, or null.
const Target *lowestLevelWith(llvm::StringRef feature);

/// The one that the compiler runs on.
const Cpu &thisCpu();

/// The same as `runsOn(target, thisCpu())`.
bool runsOnThisMachine(const Target &target);

/// Takes this machine for one that has a level, `avx2`, and nothing besides:
/// `host` is that level, with this machine's cores and caches, and code for a
/// better one does not run. Returns why it cannot be, or nothing.
/// \pre no target has been looked up
std::string narrowHost(llvm::StringRef level);

/// How a process on Linux asks to be lent the registers that hold matrices
/// (Documentation/arch/x86/xstate.rst): arch_prctl(ARCH_REQ_XCOMP_PERM,
/// XFEATURE_XTILEDATA), as often as it likes. The answer is not 0 where there
/// are none, or where a thread's stack for signals is too small to save them.
struct MatrixPermission {
  static constexpr long archPrctl = 158, request = 0x1023, tileData = 18;
};

} // namespace distaff

#endif // DISTAFF_TARGET_THISMACHINE_H
