//===- Special.cpp - Special registers ------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Decoding.h"
#include "distaff/CheckedSize.h"

namespace distaff::ptx {
namespace {

using Reader = uint64_t (*)(const Turn &, unsigned lane);

int64_t threadNumber(const Turn &turn, unsigned lane) {
  return turn.subgroup.number * int64_t(laneCount) + lane;
}
const std::array<int64_t, 3> &size(const Turn &turn) {
  return turn.machine.launch.workgroup;
}
const std::array<int64_t, 3> &grid(const Turn &turn) {
  return turn.machine.launch.grid;
}
Mask below(unsigned lane) { return (Mask(1) << lane) - 1; }

struct Special {
  std::string_view name;
  Reader read;
};

constexpr Special specials[] = {
    {"tid.x",
     [](const Turn &t, unsigned l) -> uint64_t {
       return threadNumber(t, l) % size(t)[0];
     }},
    {"tid.y",
     [](const Turn &t, unsigned l) -> uint64_t {
       return threadNumber(t, l) / size(t)[0] % size(t)[1];
     }},
    {"tid.z",
     [](const Turn &t, unsigned l) -> uint64_t {
       return threadNumber(t, l) / size(t)[0] / size(t)[1];
     }},
    {"ntid.x", [](const Turn &t, unsigned) -> uint64_t { return size(t)[0]; }},
    {"ntid.y", [](const Turn &t, unsigned) -> uint64_t { return size(t)[1]; }},
    {"ntid.z", [](const Turn &t, unsigned) -> uint64_t { return size(t)[2]; }},
    {"ctaid.x",
     [](const Turn &t, unsigned) -> uint64_t {
       return t.workgroup.position[0];
     }},
    {"ctaid.y",
     [](const Turn &t, unsigned) -> uint64_t {
       return t.workgroup.position[1];
     }},
    {"ctaid.z",
     [](const Turn &t, unsigned) -> uint64_t {
       return t.workgroup.position[2];
     }},
    {"nctaid.x",
     [](const Turn &t, unsigned) -> uint64_t { return grid(t)[0]; }},
    {"nctaid.y",
     [](const Turn &t, unsigned) -> uint64_t { return grid(t)[1]; }},
    {"nctaid.z",
     [](const Turn &t, unsigned) -> uint64_t { return grid(t)[2]; }},
    {"laneid", [](const Turn &, unsigned l) -> uint64_t { return l; }},
    {"warpid",
     [](const Turn &t, unsigned) -> uint64_t { return t.subgroup.number; }},
    {"nwarpid",
     [](const Turn &t, unsigned) -> uint64_t {
       return t.workgroup.subgroups.size();
     }},
    {"lanemask_eq",
     [](const Turn &, unsigned l) -> uint64_t { return Mask(1) << l; }},
    {"lanemask_lt",
     [](const Turn &, unsigned l) -> uint64_t { return below(l); }},
    {"lanemask_le",
     [](const Turn &, unsigned l) -> uint64_t {
       return below(l) | Mask(1) << l;
     }},
    {"lanemask_gt",
     [](const Turn &, unsigned l) -> uint64_t {
       return Mask(~(below(l) | Mask(1) << l));
     }},
    {"lanemask_ge",
     [](const Turn &, unsigned l) -> uint64_t { return Mask(~below(l)); }},
    // There is one processor, on which an instruction takes one unit of time.
    {"smid", [](const Turn &, unsigned) -> uint64_t { return 0; }},
    {"nsmid", [](const Turn &, unsigned) -> uint64_t { return 1; }},
    {"gridid", [](const Turn &, unsigned) -> uint64_t { return 0; }},
    {"clock",
     [](const Turn &t, unsigned) -> uint64_t {
       return uint32_t(t.machine.steps);
     }},
    {"clock_hi",
     [](const Turn &t, unsigned) -> uint64_t {
       return uint64_t(t.machine.steps) >> 32;
     }},
    {"clock64",
     [](const Turn &t, unsigned) -> uint64_t { return t.machine.steps; }},
    {"globaltimer",
     [](const Turn &t, unsigned) -> uint64_t { return t.machine.steps; }},
    {"globaltimer_lo",
     [](const Turn &t, unsigned) -> uint64_t {
       return uint32_t(t.machine.steps);
     }},
    {"globaltimer_hi",
     [](const Turn &t, unsigned) -> uint64_t {
       return uint64_t(t.machine.steps) >> 32;
     }},
    {"dynamic_smem_size",
     [](const Turn &t, unsigned) -> uint64_t {
       return t.machine.launch.dynamicSharedBytes;
     }},
    {"total_smem_size",
     [](const Turn &t, unsigned) -> uint64_t {
       uint64_t bytes = t.machine.launch.dynamicSharedBytes;
       return bytes +
              t.machine.program.entries[t.machine.function.number].sharedBytes;
     }},
};

} // namespace

std::optional<unsigned> specialNumber(std::string_view name) {
  for (unsigned i = 0; i < std::size(specials); ++i)
    if (specials[i].name == name)
      return i;
  return std::nullopt;
}

uint64_t specialValue(unsigned number, const Turn &turn, unsigned lane) {
  return specials[number].read(turn, lane);
}

} // namespace distaff::ptx
