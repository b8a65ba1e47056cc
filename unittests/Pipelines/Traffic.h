//===- Traffic.h - What a kernel asks of the memories -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ways to look at the same accesses. *Traffic* is what happens when a
// kernel runs: requests (one instruction of one subgroup), the bytes they move,
// and the bank conflicts and sectors they cost. *Access counts* are what stands
// in the code: how many loads and stores of which width.
//
// What a plan promises, a stage keeps and the emitted text says has to be the
// same, so all of them are brought into these two forms and compared.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_TRAFFIC_H
#define DISTAFF_UNITTESTS_PIPELINES_TRAFFIC_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace distaff {

struct Traffic {
  int64_t requests = 0, bytes = 0;
  /// In shared memory wavefronts beyond the first of a phase, in global memory
  /// 32-byte sectors.
  int64_t cost = 0;

  bool operator==(const Traffic &other) const = default;
};
std::string toString(const Traffic &traffic);

/// A kind of access in the code, and how often it is there.
struct Access {
  std::string space; ///< "shared" or "global"
  bool isLoad = true;
  int64_t bytes = 0;

  auto operator<=>(const Access &other) const = default;
};
using AccessCounts = std::map<Access, int64_t>;
std::string toString(const AccessCounts &counts);

/// The accesses in the text of a PTX or GCN kernel. An instruction that reads
/// or writes two places counts as two.
AccessCounts countPtxAccesses(llvm::StringRef text);
AccessCounts countGcnAccesses(llvm::StringRef text);

/// Nothing has become narrower. Of the loads from global memory some may be
/// gone, or done for all lanes at once.
bool keepsWidths(const AccessCounts &from, const AccessCounts &to);

/// One kernel from plan to text.
struct KernelTraffic {
  /// Of the conversions that go through shared memory, as logged; bytes are
  /// not.
  Traffic planned;
  /// One access for each transfer, as wide as layouts are chosen for.
  AccessCounts expected;
  /// As the SIMT machine counts them at the stages `distribute` and `lower`,
  /// and the PTX machine in the emitted text (empty for other targets).
  struct Run {
    Traffic shared, global;
    bool operator==(const Run &other) const = default;
  };
  Run distributed, lowered;
  std::optional<Run> ran;
  AccessCounts inLowered, inText;
};

/// Where what was planned got lost, or an empty string. `isAllPlanned`: nothing
/// but conversions uses shared memory.
///
/// The stages agree to the last request. LLVM may leave out loads for lanes
/// that do not need them and join accesses whose addresses it knows, so the
/// text may ask for less, but in no narrower pieces and at no more conflicts.
std::string findLosses(const KernelTraffic &traffic, bool isAllPlanned);

} // namespace distaff

#endif // DISTAFF_UNITTESTS_PIPELINES_TRAFFIC_H
