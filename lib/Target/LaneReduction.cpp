//===- LaneReduction.cpp - One instruction for all lanes ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has redux.sync from capability 8.0 on. CUDA's programming guide, table of
// arithmetic throughput, gives 16 lanes per cycle and multiprocessor for it and
// 32 for shuffles.
//
// AMD's gfx9 mirrors the 8 lanes of half a row on the way into an operation
// (DPP row_half_mirror), but has no such way to the lane 4 away ("CDNA3 ISA",
// data parallel processing).
//
//===----------------------------------------------------------------------===//
#include "distaff/Target/LaneReduction.h"

using namespace distaff;

namespace {
struct Row {
  Family family;
  int64_t sinceMajor; // of the capability
  int64_t shuffles;   // that cost as much
};
} // namespace

static constexpr Row rows[] = {{Family::NVPTX, 8, 2}};

std::optional<int64_t> distaff::costOfLaneReduction(const Target &target) {
  for (const Row &row : rows)
    if (row.family == target.family &&
        target.capability.major >= row.sinceMajor)
      return row.shuffles * target.costs.shuffle;
  return std::nullopt;
}

int64_t distaff::partnerAmongAlike(const Target &target, int64_t offset) {
  bool mirrors = target.family == Family::AMDGPU &&
                 llvm::StringRef(target.chip).starts_with("gfx9");
  return mirrors && offset == 4 ? 7 : offset;
}
