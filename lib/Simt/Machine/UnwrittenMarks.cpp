//===- UnwrittenMarks.cpp - Values that were read before a write ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "UnwrittenMarks.h"

using namespace distaff;
using namespace distaff::simt;

void UnwrittenMarks::note(int64_t lane, function_ref<Fault()> makeFault) {
  if (!read.lanes)
    read.fault = std::make_shared<Fault>(makeFault());
  read.lanes |= uint64_t(1) << lane;
}

void UnwrittenMarks::set(Reg reg, const Mark &mark, uint64_t active) {
  auto it = marks.find(placeOf(reg));
  uint64_t older = it == marks.end() ? 0 : it->second.lanes & ~active;
  uint64_t newer = mark.lanes & active;
  if (!(older | newer)) {
    if (it != marks.end())
      marks.erase(it);
    return;
  }
  std::shared_ptr<const Fault> fault = newer ? mark.fault : it->second.fault;
  marks[placeOf(reg)] = {older | newer, std::move(fault)};
}

void UnwrittenMarks::settle(Reg result, uint64_t active) {
  if (isEmpty())
    return;
  set(result, std::exchange(read, {}), active);
}

void UnwrittenMarks::move(ArrayRef<Reg> from, ArrayRef<Reg> to,
                          uint64_t active) {
  if (marks.empty())
    return;
  Mark all;
  for (Reg reg : from)
    if (auto it = marks.find(placeOf(reg));
        it != marks.end() && (it->second.lanes & active)) {
      all.lanes |= it->second.lanes & active;
      all.fault = it->second.fault;
    }
  for (Reg reg : to)
    set(reg, all, active);
}

const Fault *UnwrittenMarks::find(ArrayRef<Reg> used, uint64_t active) const {
  for (Reg reg : used)
    if (auto it = marks.find(placeOf(reg));
        it != marks.end() && (it->second.lanes & active))
      return it->second.fault.get();
  return nullptr;
}
