//===- ThisMachine.cpp - Detection of this CPU's instruction set level ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The levels are in Host.cpp. This file detects what the machine has, and only
// that depends on the machine: the rest are functions of a `Cpu`. Cache sizes
// are those that the system reports.
//
//===----------------------------------------------------------------------===//
#include "distaff/Target/ThisMachine.h"
#include "Tables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"
#include <cassert>
#include <thread>
#include <unistd.h>

using namespace distaff;

//===----------------------------------------------------------------------===//
// Levels and features
//===----------------------------------------------------------------------===//

/// Returns the features that a level's code uses, by LLVM's names: the psABI's
/// of its vectors, and those that its row adds.
static llvm::SmallVector<llvm::StringRef> featuresOf(const Target &level,
                                                     CpuArchitecture which) {
  llvm::SmallVector<llvm::StringRef> needed;
  level.features.split(needed, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef &name : needed) {
    assert(name.starts_with("+") && "a level adds features");
    name = name.drop_front();
  }
  if (which != CpuArchitecture::X86_64)
    return needed;
  needed.append({"avx2", "fma", "f16c", "bmi", "bmi2"});
  if (level.simd.vectorBits == 512)
    needed.append({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  return needed;
}

bool distaff::runsOn(const Target &target, const Cpu &cpu) {
  if (!target.isHost())
    return false;
  if (target.simd.matrices.registers > 0 && !cpu.lendsMatrices)
    return false;
  return llvm::all_of(
      featuresOf(target, cpu.architecture),
      [&](llvm::StringRef name) { return cpu.features.lookup(name); });
}

const Target &distaff::bestLevelOf(const Cpu &cpu) {
  llvm::ArrayRef<Target> levels = levelsOf(cpu.architecture);
  assert(!levels.empty() && "an architecture has a level");
  const Target *best = llvm::find_if(
      levels, [&](const Target &level) { return runsOn(level, cpu); });
  return best == levels.end() ? levels.back() : *best;
}

//===----------------------------------------------------------------------===//
// This machine
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
static constexpr CpuArchitecture ownArchitecture = CpuArchitecture::X86_64;
#elif defined(__aarch64__)
static constexpr CpuArchitecture ownArchitecture = CpuArchitecture::AArch64;
#else
#error "the host is of an architecture that Distaff has no vectors of"
#endif

/// Returns whether the system lets this process use the registers that hold
/// matrices.
static bool asksForMatrices() {
#if defined(__linux__) && defined(__x86_64__)
  using Ask = MatrixPermission;
  return syscall(Ask::archPrctl, Ask::request, Ask::tileData) == 0;
#else
  return true;
#endif
}

namespace {
struct ThisMachine {
  Cpu cpu = {.architecture = ownArchitecture,
             .features = llvm::sys::getHostCPUFeatures(),
             .lendsMatrices = asksForMatrices()};
  /// The level that the machine is restricted to, or null if it is not.
  const Target *narrowedTo = nullptr;
  /// Whether `host` has been made; it does not change afterwards.
  bool isTarget = false;
};
} // namespace

static ThisMachine &thisMachine() {
  static ThisMachine machine;
  return machine;
}

const Cpu &distaff::thisCpu() { return thisMachine().cpu; }

bool distaff::hasFeature(const Target &host, llvm::StringRef feature) {
  if (host.chip == nativeChip)
    return thisCpu().features.lookup(feature);
  return llvm::is_contained(featuresOf(host, ownArchitecture), feature);
}

const Target *distaff::lowestLevelWith(llvm::StringRef feature) {
  for (const Target &level : llvm::reverse(levelsOf(ownArchitecture)))
    if (hasFeature(level, feature))
      return &level;
  return nullptr;
}

bool distaff::runsOnThisMachine(const Target &target) {
  return runsOn(target, thisCpu());
}

std::string distaff::narrowHost(llvm::StringRef name) {
  ThisMachine &machine = thisMachine();
  assert(!machine.isTarget && "targets are looked up after host is narrowed");
  llvm::ArrayRef<Target> levels = levelsOf(ownArchitecture);
  auto nameOf = [](const Target &level) {
    return llvm::StringRef(level.name).split(':').second;
  };
  const Target *level = llvm::find_if(
      levels, [&](const Target &known) { return nameOf(known) == name; });
  if (level == levels.end())
    return "unknown level '" + name.str() + "', known are " +
           llvm::join(llvm::map_range(levels, nameOf), ", ");
  if (!runsOn(*level, machine.cpu))
    return "this machine does not have all instructions of " +
           level->name.str();
  machine.narrowedTo = level;
  machine.cpu.features.clear();
  for (llvm::StringRef feature : featuresOf(*level, ownArchitecture))
    machine.cpu.features[feature] = true;
  return "";
}

static int64_t systemSays(int name, int64_t otherwise) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

/// Returns the best level that this machine has, with its cores and caches.
static Target makeHost() {
  ThisMachine &machine = thisMachine();
  machine.isTarget = true;
  Target host = bestLevelOf(machine.cpu);
  host.name = "host";
  if (!machine.narrowedTo) {
    host.chip = nativeChip;
    host.features = "";
  }
  host.computeUnits = std::max(1u, std::thread::hardware_concurrency());
  SimdModel &simd = host.simd;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  simd.level1Bytes = systemSays(_SC_LEVEL1_DCACHE_SIZE, simd.level1Bytes);
  simd.level2Bytes = systemSays(_SC_LEVEL2_CACHE_SIZE, simd.level2Bytes);
#endif
  return host;
}

llvm::ArrayRef<const Target *> distaff::hostTargets() {
  static const Target host = makeHost();
  static const llvm::SmallVector<const Target *> all = [] {
    llvm::SmallVector<const Target *> list = {&host};
    for (const Target &level : levelsOf(ownArchitecture))
      list.push_back(&level);
    return list;
  }();
  return all;
}
