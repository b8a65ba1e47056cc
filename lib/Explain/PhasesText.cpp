//===- PhasesText.cpp - Text output of phases -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseWords.h"
#include "distaff/Explain/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {
namespace {

using Steps = std::vector<PhaseStep>;

/// Calls one of the functions for every record, with the block around it.
template <typename OnPhase, typename OnBarrier>
void forEachStep(const Steps &steps, OnPhase onPhase, OnBarrier onBarrier,
                 const PhaseBlock *around = nullptr) {
  for (const PhaseStep &step : steps)
    if (auto *phase = std::get_if<PhaseRecord>(&step.what))
      onPhase(*phase);
    else if (auto *barrier = std::get_if<PhaseBarrier>(&step.what))
      onBarrier(*barrier, around);
    else {
      auto &block = std::get<PhaseBlock>(step.what);
      forEachStep(block.steps, onPhase, onBarrier, &block);
    }
}

std::string atLine(int64_t line) {
  return line ? " (line " + std::to_string(line) + ")" : "";
}

std::string sayTypes(const std::vector<PhasePayload> &payloads) {
  SmallVector<std::string> types;
  for (const PhasePayload &payload : payloads)
    types.push_back((payload.isPrivate ? "private " : "") + payload.type);
  return llvm::join(types, ", ");
}

class Printer {
public:
  Printer(const PhaseProgram &program, raw_ostream &os)
      : program(program), os(os) {}

  void print() {
    printGroups();
    printMemories();
    os << "phases\n";
    forEachStep(
        program.steps, [&](const PhaseRecord &phase) { printPhase(phase); },
        [](const PhaseBarrier &, const PhaseBlock *) {});
    if (program.phases == 0)
      os << "   none\n";
    printPayloads();
    printBarriers();
  }

private:
  void printGroups();
  void printMemories();
  void printPhase(const PhaseRecord &phase);
  void printPayloads();
  void printBarriers();
  void printPlaces(StringRef verb, const PhaseRecord &phase, bool isWrite);
  std::string perMember(const PhasePayload &payload, size_t group) const;

  const PhaseProgram &program;
  raw_ostream &os;
};

void Printer::printGroups() {
  os << "groups\n";
  for (const PhaseGroup &group : program.groups) {
    os << "   " << group.name;
    if (!group.members.empty())
      os << (group.isCluster ? " " : ": ") << group.members;
    if (group.parent && program.groups[*group.parent].isCluster)
      os << ", part of " << program.groups[*group.parent].name;
    os << atLine(group.line) << "\n";
  }
}

void Printer::printMemories() {
  if (program.memories.empty())
    return;
  os << "memory\n";
  int64_t shared = 0, panels = 0;
  bool isKnown = true;
  for (const PhaseMemory &memory : program.memories) {
    os << "   " << memory.name << ": " << sayMemory(memory)
       << atLine(memory.line) << "\n";
    if (memory.kind != PhaseMemory::Kind::Panel)
      continue;
    ++panels;
    shared += memory.bytes.value_or(0);
    isKnown &= memory.bytes.has_value();
  }
  if (panels > 0)
    os << "   shared in all: " << (isKnown ? "" : "at least ") << shared
       << " B\n";
}

void Printer::printPlaces(StringRef verb, const PhaseRecord &phase,
                          bool isWrite) {
  SmallVector<std::string> places;
  for (const PhaseAccess &access : phase.accesses)
    if (access.isWrite == isWrite)
      places.push_back(access.condition.empty()
                           ? access.place
                           : access.place + " if " + access.condition);
  if (!places.empty())
    os << "      " << verb << " " << llvm::join(places, ", ") << "\n";
}

void Printer::printPhase(const PhaseRecord &phase) {
  os << llvm::formatv("   {0} {1}: {2}{3}\n", phase.number,
                      program.groups[phase.group].name, phase.label,
                      atLine(phase.line));
  if (!phase.takes.empty())
    os << "      takes " << sayTypes(phase.takes) << "\n";
  printPlaces("reads", phase, false);
  printPlaces("writes", phase, true);
  if (!phase.gives.empty())
    os << "      gives " << sayTypes(phase.gives) << "\n";
}

/// Returns the share of one member in a shared payload if it is split evenly.
std::string Printer::perMember(const PhasePayload &payload,
                               size_t group) const {
  std::optional<int64_t> count = program.groups[group].count;
  if (payload.isPrivate)
    return sayBytes(payload.bytes) + " in each member";
  std::string text = sayBytes(payload.bytes) + " in all";
  if (payload.bytes && count && *count > 0 && *payload.bytes % *count == 0)
    text += ", " + sayBytes(*payload.bytes / *count) + " per member";
  return text;
}

void Printer::printPayloads() {
  SmallVector<std::string> lines;
  auto add = [&](const PhaseRecord &phase, const PhasePayload &payload) {
    std::string line = llvm::formatv(
        "   {0}: {1} {2}, {3}\n", program.groups[phase.group].name,
        payload.isPrivate ? "private" : "shared", payload.type,
        perMember(payload, phase.group));
    if (!llvm::is_contained(lines, line))
      lines.push_back(std::move(line));
  };
  forEachStep(
      program.steps,
      [&](const PhaseRecord &phase) {
        for (const PhasePayload &payload : phase.gives)
          add(phase, payload);
      },
      [](const PhaseBarrier &, const PhaseBlock *) {});
  if (lines.empty())
    return;
  os << "payloads\n";
  for (const std::string &line : lines)
    os << line;
}

void Printer::printBarriers() {
  std::string all = barriersIn(program.steps);
  os << "barriers: " << all << "\n";
  for (auto [group, known] : llvm::enumerate(program.groups))
    if (std::string waits = waitsOf(program, group);
        known.isCluster && waits != all)
      os << "   " << known.name << " waits " << waits << "\n";
  forEachStep(
      program.steps, [](const PhaseRecord &) {},
      [&](const PhaseBarrier &barrier, const PhaseBlock *around) {
        os << "   " << sayBarrier(program, barrier);
        if (around && around->kind == PhaseBlock::Kind::Loop)
          os << ", for each of " << around->title;
        else if (around)
          os << ", in " << around->title;
        os << atLine(barrier.line) << "\n";
      });
}

} // namespace

void printPhasesText(ArrayRef<PhaseProgram> programs, StringRef function,
                     raw_ostream &stream) {
  for (const PhaseProgram &program : programs) {
    stream << "program " << program.title << atLine(program.line) << "\n";
    Printer(program, stream).print();
    stream << "schedule of ";
    draw::printText(scheduleOf(program, function), stream);
  }
}

} // namespace distaff
