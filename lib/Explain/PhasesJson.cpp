//===- PhasesJson.cpp - JSON output of phases -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Explain/Phases.h"

using namespace distaff;
using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

template <typename Number>
static Json numberOrNull(const std::optional<Number> &number) {
  return number ? Json(static_cast<int64_t>(*number)) : Json(nullptr);
}

static Array toJson(const std::vector<size_t> &positions) {
  Array array;
  for (size_t position : positions)
    array.push_back(static_cast<int64_t>(position));
  return array;
}

static Object toJson(const PhaseGroup &x) {
  return Object{{"name", x.name},
                {"members", x.members},
                {"count", numberOrNull(x.count)},
                {"parent", numberOrNull(x.parent)},
                {"cluster", x.isCluster},
                {"line", x.line}};
}

static StringRef nameOf(PhaseMemory::Kind kind) {
  switch (kind) {
  case PhaseMemory::Kind::Panel:
    return "panel";
  case PhaseMemory::Kind::Readonly:
    return "readonly";
  case PhaseMemory::Kind::Result:
    return "result";
  case PhaseMemory::Kind::Captured:
    return "captured";
  }
  llvm_unreachable("all kinds are listed");
}

static Json toJson(const PhaseMemory &x) {
  return Object{{"name", x.name},         {"type", x.type},
                {"kind", nameOf(x.kind)}, {"bytes", numberOrNull(x.bytes)},
                {"slots", x.slots},       {"line", x.line}};
}

static Json toJson(const PhaseAccess &x) {
  return Object{{"memory", static_cast<int64_t>(x.memory)},
                {"place", x.place},
                {"condition", x.condition}};
}

static Json toJson(const PhasePayload &x) {
  return Object{{"type", x.type},
                {"private", x.isPrivate},
                {"bytes", numberOrNull(x.bytes)}};
}

static Json toJson(const PhaseStep &step);

template <typename Record>
static Array toJson(const std::vector<Record> &records) {
  Array array;
  for (const Record &record : records)
    array.push_back(toJson(record));
  return array;
}

static Object toJson(const PhaseRecord &x) {
  Array reads, writes;
  for (const PhaseAccess &access : x.accesses)
    (access.isWrite ? writes : reads).push_back(toJson(access));
  return Object{{"kind", "phase"},
                {"number", static_cast<int64_t>(x.number)},
                {"group", static_cast<int64_t>(x.group)},
                {"operation", x.operation},
                {"label", x.label},
                {"reads", std::move(reads)},
                {"writes", std::move(writes)},
                {"takes", toJson(x.takes)},
                {"gives", toJson(x.gives)},
                {"line", x.line}};
}

static Object toJson(const PhaseBarrier &x) {
  return Object{{"kind", "barrier"},
                {"scope", x.scope},
                {"among", toJson(x.among)},
                {"orders", toJson(x.orders)},
                {"line", x.line}};
}

static StringRef nameOf(PhaseBlock::Kind kind) {
  switch (kind) {
  case PhaseBlock::Kind::Loop:
    return "loop";
  case PhaseBlock::Kind::Branch:
    return "branch";
  case PhaseBlock::Kind::Owner:
    return "owner";
  }
  llvm_unreachable("all kinds are listed");
}

static Object toJson(const PhaseBlock &x) {
  return Object{{"kind", nameOf(x.kind)},
                {"title", x.title},
                {"trips", x.trips},
                {"steps", toJson(x.steps)},
                {"line", x.line}};
}

static Json toJson(const PhaseStep &step) {
  return std::visit([](const auto &what) { return Json(toJson(what)); },
                    step.what);
}

Array distaff::phasesToJson(ArrayRef<PhaseProgram> programs) {
  Array array;
  for (const PhaseProgram &program : programs) {
    Array notes;
    for (const std::string &note : program.notes)
      notes.push_back(note);
    Array groups;
    for (size_t group = 0; group < program.groups.size(); ++group) {
      Object known = toJson(program.groups[group]);
      known["waits"] = waitsOf(program, group);
      groups.push_back(std::move(known));
    }
    array.push_back(Object{{"title", program.title},
                           {"line", program.line},
                           {"groups", std::move(groups)},
                           {"memories", toJson(program.memories)},
                           {"steps", toJson(program.steps)},
                           {"barriers", barriersIn(program.steps)},
                           {"notes", std::move(notes)}});
  }
  return array;
}
