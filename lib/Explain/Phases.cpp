//===- Phases.cpp - Who runs what, in words -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {
namespace {

void printGroup(const GroupDecision &group, raw_ostream &os) {
  os << "   " << group.name << ": ";
  if (group.subgroups < 0)
    os << "as many as the launch says\n";
  else if (group.subgroups == 0)
    os << "none\n";
  else
    os << llvm::formatv("{0}, {1} to {2}\n",
                        counted(group.subgroups, "subgroup"), group.first,
                        group.first + group.subgroups - 1);
}

/// "panels 0, 1"
std::string panels(ArrayRef<int64_t> numbers) {
  return (numbers.size() == 1 ? "panel " : "panels ") + joined(numbers, ", ");
}

/// "global memory and panels 0, 1"
std::string places(bool isGlobal, ArrayRef<int64_t> numbers) {
  std::string text = isGlobal ? "global memory" : "";
  if (!numbers.empty())
    text += (text.empty() ? "" : " and ") + panels(numbers);
  return text;
}

void printPhase(const StepDecision &step, raw_ostream &os) {
  SmallVector<std::string> parts;
  auto add = [&](const Twine &what, const Twine &object) {
    if (std::string text = object.str(); !text.empty())
      parts.push_back((what + text).str());
  };
  add("reads ", places(step.readsGlobal, step.panelsRead));
  add("computes ", llvm::join(step.operations, ", "));
  add("writes ", places(step.writesGlobal, step.panelsWritten));
  add("takes ", llvm::join(step.takes, ", "));
  add("leaves ", llvm::join(step.leaves, ", "));
  os << llvm::join(step.groups, ", ") << ": "
     << (parts.empty() ? "nothing on arrays" : llvm::join(parts, "; "));
}

void printBarrier(const StepDecision &step, raw_ostream &os) {
  os << "barrier of " << llvm::join(step.groups, ", ");
  if (!step.panelsWritten.empty())
    os << ", which orders " << panels(step.panelsWritten);
}

} // namespace

void printPhases(const Explanation &x, raw_ostream &os) {
  auto isMine = [&](const auto &record) {
    return record.function == x.function;
  };
  if (llvm::none_of(x.log.groups, isMine))
    return;
  os << "phases\n";
  for (const GroupDecision &group :
       llvm::make_filter_range(x.log.groups, isMine))
    printGroup(group, os);
  for (auto [number, panel] : llvm::enumerate(x.log.panels))
    if (isMine(panel))
      os << llvm::formatv("   panel {0}: {1}, {2} B\n", number, panel.type,
                          panel.bytes);
  int64_t number = 0;
  for (const StepDecision &step :
       llvm::make_filter_range(x.log.steps, isMine)) {
    os << llvm::formatv("   {0}. ", ++number);
    (step.kind == StepDecision::Kind::Phase ? printPhase : printBarrier)(step,
                                                                         os);
    os << loopsOf(step.trips);
    if (step.line)
      os << " (line " << step.line << ")";
    os << "\n";
  }
}

} // namespace distaff
