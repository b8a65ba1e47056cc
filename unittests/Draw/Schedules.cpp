//===- Schedules.cpp - Schedules that tests draw --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Schedules.h"

using namespace distaff::draw;

namespace distaff::test {

Schedule withRoles(size_t count) {
  Schedule schedule{.title = "@test", .roles = {}};
  for (size_t role = 0; role < count; ++role)
    schedule.roles.push_back({"r" + std::to_string(role), "some"});
  return schedule;
}

Schedule producerConsumer() {
  Schedule schedule{
      .title = "@k",
      .roles = {{"prod", "[0, p)"}, {"cons", "[p, n)"}},
      .buffers = {{"la", "2x256x32xf16"}},
      .steps = {{Phase{.label = "init", .firstRole = 1, .lastRole = 1}},
                {Phase{.label = "copy", .writes = {"la[0]"}}},
                {Barrier{"all wait"}}},
      .notes = {"a note"}};
  Block loop{.title = "k = 0 .. nk", .steps = {}};
  loop.steps = {{Phase{.label = "copy", .writes = {"la[(k+1) mod 2]"}}},
                {Phase{.label = "matmul",
                       .firstRole = 1,
                       .lastRole = 1,
                       .reads = {"la[k mod 2]"},
                       .gives = "tensor<4x4xf32>"}},
                {Barrier{"all wait"}}};
  schedule.steps.push_back({loop});
  schedule.steps.push_back(
      {Phase{.label = "store", .firstRole = 1, .lastRole = 1}});
  return schedule;
}

static std::string words(size_t count) {
  std::string text = "x";
  for (size_t i = 0; i < count; ++i)
    text += i % 3 == 2 ? std::string(i, 'w') : " word";
  return text;
}

Schedule mixed(size_t roles, size_t slots) {
  Schedule schedule = withRoles(roles);
  std::vector<Step> steps;
  for (size_t slot = 0; slot < slots; ++slot) {
    for (size_t role = 0; role < roles; ++role)
      if ((slot + role) % 3)
        steps.push_back({Phase{.label = words(slot + role),
                               .firstRole = role,
                               .lastRole = std::min(role + slot % 2, roles - 1),
                               .reads = {words(2 * slot), "b"}}});
    if (slot % 2)
      steps.push_back({Barrier{words(5 * slot)}});
    else
      steps.push_back({Barrier{"some", {0, roles - 1}}});
    if (slot % 4 == 3)
      steps = {{Block{slot % 8 == 3 ? Block::Kind::Loop : Block::Kind::Branch,
                      words(slot * 4), steps}},
               {Block{Block::Kind::Branch, "else", {}}}};
  }
  schedule.steps = steps;
  return schedule;
}

std::string textOf(const Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printText(schedule, stream);
  return text;
}

std::string svgOf(const Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printSvg(schedule, stream);
  return text;
}

std::string htmlOf(llvm::ArrayRef<Schedule> schedules) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printHtml("page", schedules, stream);
  return text;
}

} // namespace distaff::test
