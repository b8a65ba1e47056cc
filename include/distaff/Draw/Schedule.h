//===- Schedule.h - Drawings of workgroup schedules -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule lists what the roles of a workgroup do between barriers. Roles
// stand side by side, time runs downwards:
//
//   Schedule s{.title = "@k", .roles = {{"prod", "p"}, {"cons", "n - p"}}};
//   s.steps = {{Phase{.label = "copy", .writes = {"la[0]"}}},
//              {Barrier{.label = "all"}},
//              {Block{.title = "k = 0 .. nk", .steps = {...}}}};
//   draw::printText(s, stream);                   // for a terminal
//   draw::printSvg(s, stream);                    // one picture
//   draw::printHtml("@k", {s}, stream);           // a page with all in it
//
//          prod             cons
//   slot 1 ┌──────────────┐
//          │ copy         │
//          │ writes la[0] │
//          └──────────────┘
//          ══ barrier: all ════════════
//   ╭─ k = 0 .. nk ────────────────────╮
//
// A slot lies between two barriers, or between a barrier and the border of a
// loop; boxes in one slot have no order among roles. The caller fills in all
// texts: this library does not depend on programs.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRAW_SCHEDULE_H
#define DISTAFF_DRAW_SCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <variant>
#include <vector>

namespace distaff::draw {

/// A role is one column of the drawing: a cluster, or the whole group.
struct Role {
  std::string name;
  std::string members; ///< `[0, p): p subgroups`
};

/// A buffer is memory that phases share.
struct Buffer {
  std::string name;
  std::string what; ///< `2x256x32xf16, 2 slots of 16384 B`
};

/// A phase is work that neighbouring roles run together; mostly it has one
/// role.
struct Phase {
  std::string label;
  size_t firstRole = 0, lastRole = 0; ///< both included
  std::vector<std::string> reads = {}, writes = {};
  std::string takes = {}, gives = {}; ///< payload
};

/// A barrier is a point where roles wait for each other.
struct Barrier {
  std::string label;
  std::vector<size_t> roles = {}; ///< empty: all
};

struct Step;

/// A block is a loop or a branch: its steps run several times or conditionally.
struct Block {
  enum class Kind { Loop, Branch };
  Kind kind = Kind::Loop;
  std::string title; ///< `k = 0 .. nk`, `if k + 1 < nk`
  std::vector<Step> steps;
};

struct Step {
  std::variant<Phase, Barrier, Block> what;
};

struct Schedule {
  std::string title;
  std::vector<Role> roles;
  std::vector<Buffer> buffers = {};
  std::vector<Step> steps = {};
  std::vector<std::string> notes = {}; ///< what the drawing does not show
};

/// \pre of all of them: roles that steps name are there.
void printText(const Schedule &schedule, llvm::raw_ostream &os);

/// Prints one `svg` element with its own styles, for light and dark. `id` is a
/// prefix of the ids in the element, which must be unique in a page.
void printSvg(const Schedule &schedule, llvm::raw_ostream &os,
              llvm::StringRef id = "schedule");

/// Prints a self-contained page: general `lines`, then each schedule with its
/// roles, its buffers, its drawing and its notes.
void printHtml(llvm::StringRef title, llvm::ArrayRef<Schedule> schedules,
               llvm::raw_ostream &os,
               const std::vector<std::string> &lines = {});

} // namespace distaff::draw

#endif // DISTAFF_DRAW_SCHEDULE_H
