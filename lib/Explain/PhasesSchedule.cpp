//===- PhasesSchedule.cpp - Schedule of phases for drawing ----------------===//
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

namespace distaff {

std::string sayBytes(std::optional<int64_t> bytes) {
  return bytes ? std::to_string(*bytes) + " B" : "size not known";
}

std::string sayMemory(const PhaseMemory &memory) {
  std::string text = memory.type;
  switch (memory.kind) {
  case PhaseMemory::Kind::Panel:
    text += ", shared, " + sayBytes(memory.bytes);
    if (memory.slots > 1)
      text +=
          ", " + std::to_string(memory.slots) + " slots of " +
          sayBytes(memory.bytes ? std::optional(*memory.bytes / memory.slots)
                                : std::nullopt);
    return text;
  case PhaseMemory::Kind::Readonly:
    return text + ", read only";
  case PhaseMemory::Kind::Result:
    return text + ", result";
  case PhaseMemory::Kind::Captured:
    return text;
  }
  llvm_unreachable("all kinds are listed");
}

std::string sayBarrier(const PhaseProgram &program,
                       const PhaseBarrier &barrier) {
  SmallVector<std::string> groups, orders;
  for (size_t group : barrier.among)
    groups.push_back(program.groups[group].name);
  for (size_t memory : barrier.orders)
    orders.push_back(program.memories[memory].name);
  std::string text =
      "barrier of " +
      (groups.empty() ? "all " + barrier.scope : llvm::join(groups, ", "));
  return orders.empty() ? text : text + ", orders " + llvm::join(orders, ", ");
}

std::string sayShape(StringRef type) {
  if (type.consume_front("tensor<") || type.consume_front("vector<"))
    type.consume_back(">");
  return type.str();
}

namespace {

/// The most places that a box lists as read, and as written.
constexpr size_t mostPlaces = 12;

/// Maps the groups of a program to columns.
class Roles {
public:
  explicit Roles(const PhaseProgram &program);

  std::vector<size_t> leaves; ///< groups, in the order of columns
  /// The first and the last column of each group.
  std::vector<std::pair<size_t, size_t>> spans;

private:
  void visit(size_t group);

  const PhaseProgram &program;
};

Roles::Roles(const PhaseProgram &program)
    : spans(program.groups.size()), program(program) {
  for (size_t group = 0; group < program.groups.size(); ++group)
    if (!program.groups[group].parent)
      visit(group);
  // Without clusters, the innermost named group is the only role.
  if (leaves.empty() && !program.groups.empty())
    leaves.push_back(program.groups.size() - 1);
  // An unsplit group of all workers of a scope spans every column.
  for (auto [group, span] : llvm::enumerate(spans))
    if (!program.groups[group].isCluster && span.first > span.second)
      span = {0, leaves.empty() ? 0 : leaves.size() - 1};
}

void Roles::visit(size_t group) {
  size_t first = leaves.size();
  for (size_t child = 0; child < program.groups.size(); ++child)
    if (program.groups[child].parent == group)
      visit(child);
  if (leaves.size() == first && program.groups[group].isCluster)
    leaves.push_back(group);
  // An empty span has its last column before its first one.
  spans[group] = {first, leaves.size() - 1};
  if (leaves.size() == first)
    spans[group] = {1, 0};
}

class Drawer {
public:
  Drawer(const PhaseProgram &program) : program(program), roles(program) {}

  draw::Schedule draw();

private:
  std::vector<draw::Step> stepsOf(const std::vector<PhaseStep> &steps) const;
  draw::Step stepOf(const PhaseRecord &phase) const;
  draw::Step stepOf(const PhaseBarrier &barrier) const;
  draw::Step stepOf(const PhaseBlock &block) const;

  const PhaseProgram &program;
  Roles roles;
};

/// Returns for example `1x128x128xf32, each f32`.
std::string sayPayloads(const std::vector<PhasePayload> &payloads) {
  SmallVector<std::string> texts;
  for (const PhasePayload &payload : payloads)
    texts.push_back((payload.isPrivate ? "each " : "") +
                    sayShape(payload.type));
  return llvm::join(texts, ", ");
}

draw::Step Drawer::stepOf(const PhaseRecord &phase) const {
  auto [first, last] = roles.spans[phase.group];
  draw::Phase box{.label = std::to_string(phase.number) + " " + phase.label,
                  .firstRole = first,
                  .lastRole = last,
                  .takes = sayPayloads(phase.takes),
                  .gives = sayPayloads(phase.gives)};
  size_t left[2] = {0, 0}; // of reads, of writes
  for (const PhaseAccess &access : phase.accesses) {
    auto &places = access.isWrite ? box.writes : box.reads;
    if (llvm::is_contained(places, access.place))
      continue;
    if (places.size() < mostPlaces)
      places.push_back(access.place);
    else
      ++left[access.isWrite];
  }
  for (bool isWrite : {false, true})
    if (left[isWrite] > 0)
      (isWrite ? box.writes : box.reads)
          .push_back(std::to_string(left[isWrite]) + " more");
  return {std::move(box)};
}

draw::Step Drawer::stepOf(const PhaseBarrier &barrier) const {
  draw::Barrier bar{.label = sayBarrier(program, barrier)};
  for (size_t group : barrier.among)
    for (size_t role = roles.spans[group].first;
         role <= roles.spans[group].second; ++role)
      if (!llvm::is_contained(bar.roles, role))
        bar.roles.push_back(role);
  return {std::move(bar)};
}

draw::Step Drawer::stepOf(const PhaseBlock &block) const {
  bool isLoop = block.kind == PhaseBlock::Kind::Loop;
  return {
      draw::Block{isLoop ? draw::Block::Kind::Loop : draw::Block::Kind::Branch,
                  block.title, stepsOf(block.steps)}};
}

std::vector<draw::Step>
Drawer::stepsOf(const std::vector<PhaseStep> &steps) const {
  std::vector<draw::Step> drawn;
  for (const PhaseStep &step : steps)
    drawn.push_back(
        std::visit([&](const auto &what) { return stepOf(what); }, step.what));
  return drawn;
}

draw::Schedule Drawer::draw() {
  draw::Schedule schedule{.title = program.title, .roles = {}};
  for (size_t group : roles.leaves)
    schedule.roles.push_back(
        {program.groups[group].name, program.groups[group].members});
  for (const PhaseMemory &memory : program.memories)
    schedule.buffers.push_back({memory.name, sayMemory(memory)});
  schedule.steps = stepsOf(program.steps);
  schedule.notes = program.notes;
  return schedule;
}

} // namespace

draw::Schedule scheduleOf(const PhaseProgram &program, StringRef function) {
  draw::Schedule schedule = Drawer(program).draw();
  schedule.title = ("@" + function + ": " + schedule.title).str();
  return schedule;
}

} // namespace distaff
