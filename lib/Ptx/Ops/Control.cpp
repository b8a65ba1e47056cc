//===- Control.cpp - Branches and calls -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace distaff::ptx {
namespace {

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Returns the lanes that go to any of the targets; none if one goes to two.
[[maybe_unused]] Mask
lanesOf(const std::vector<std::pair<size_t, Mask>> &targets) {
  Mask all = 0;
  for (auto [target, lanes] : targets) {
    if (all & lanes)
      return 0;
    all |= lanes;
  }
  return all;
}

/// Sends each group of lanes to its target; if there are several, each runs up
/// to the reconvergence point.
void branch(Turn &turn, std::vector<std::pair<size_t, Mask>> targets) {
  Path &path = turn.path();
  Mask stay = path.lanes & ~turn.active;
  if (stay)
    targets.emplace_back(turn.pc + 1, stay);
  assert(lanesOf(targets) == path.lanes &&
         "each lane of a path goes to one target");
  if (targets.size() == 1) {
    path.pc = targets[0].first;
    return;
  }
  std::vector<std::pair<size_t, Mask>> ordered(targets.size());
  Order order = turn.machine.order(targets.size(), turn.machine.steps);
  for (size_t i = 0; i < targets.size(); ++i)
    ordered[i] = targets[order(i)];
  unsigned frame = path.frame;
  // A path that would only wait for another one to end is dropped.
  if (path.rejoin == turn.rejoin)
    turn.subgroup.paths.pop_back();
  else
    path.pc = turn.rejoin;
  for (auto [target, lanes] : ordered)
    if (target != turn.rejoin)
      turn.subgroup.paths.push_back({target, turn.rejoin, lanes, frame});
}

/// Decodes bra{.uni} L.
Execute decodeBranch(Decoding &d) {
  d.take("uni");
  if (d.operandCount() != 1 || d.operand(0).kind != Operand::Kind::Label ||
      !d.complete(1))
    return {};
  return [target = size_t(d.operand(0).value)](Turn &turn) {
    branch(turn, {{target, turn.active}});
  };
}

/// Decodes brx.idx{.uni} a, list.
Execute decodeTable(Decoding &d) {
  if (!d.take("idx"))
    return {};
  d.take("uni");
  Source index = d.source(0, u32Type);
  if (d.operandCount() != 2 || d.operand(1).kind != Operand::Kind::Label ||
      !d.complete(2))
    return {};
  size_t list = d.operand(1).value;
  return [=](Turn &turn) {
    const std::vector<size_t> &targets =
        turn.machine.program.branchTargets[list];
    std::vector<std::pair<size_t, Mask>> groups;
    for (Mask left = turn.active; left; left &= left - 1) {
      unsigned lane = __builtin_ctz(left);
      uint64_t number = turn.readLane(index, lane) & 0xFFFFFFFF;
      if (number >= targets.size())
        return turn.fail(FaultKind::OutOfBounds, lane,
                         "target " + std::to_string(number) + " of " +
                             std::to_string(targets.size()));
      auto group =
          std::find_if(groups.begin(), groups.end(), [&](const auto &one) {
            return one.first == targets[number];
          });
      if (group == groups.end())
        group = groups.insert(groups.end(), {targets[number], 0});
      group->second |= Mask(1) << lane;
    }
    branch(turn, groups);
  };
}

/// Makes the active lanes exit. Barriers for all threads no longer wait for
/// them.
void leave(Turn &turn) {
  turn.subgroup.running &= ~turn.active;
  if (turn.subgroup.running == 0)
    completeBarriers(turn.machine);
}

/// Decodes ret{.uni} and exit.
Execute decodeReturn(Decoding &d) {
  bool leavesAll = d.root() == "exit";
  d.take("uni");
  if (!d.complete(0))
    return {};
  return [=](Turn &turn) {
    if (leavesAll || turn.path().frame == 0)
      leave(turn);
    else
      turn.subgroup.frames.back().returned |= turn.active;
  };
}

Execute decodeTrap(Decoding &d) {
  if (!d.complete(0))
    return {};
  return [](Turn &turn) {
    turn.fail(FaultKind::Trap, __builtin_ctz(turn.active), "");
  };
}

Execute decodeNothing(Decoding &d) {
  d.take("u32");
  return d.complete(d.operandCount()) ? [](Turn &) {} : Execute();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

struct Call {
  unsigned function = 0;
  std::vector<Operand> parameters;
};

void enter(Turn &turn, const Call &call) {
  const Function &callee = turn.machine.program.functions[call.function];
  if (!callee.isDefined)
    return turn.notModelled("'" + callee.name + "' has no body here");
  for (const Frame &frame : turn.subgroup.frames)
    if (frame.function == call.function)
      return turn.notModelled("'" + callee.name + "' calls itself");
  passFormals(turn, callee.parameters, call.parameters, /*toFormals=*/true);
  turn.subgroup.frames.push_back({call.function, 0, turn.pc, turn.active});
  turn.subgroup.paths.push_back({callee.begin, callee.end, turn.active,
                                 unsigned(turn.subgroup.frames.size())});
}

bool matches(const Decoding &d, const std::vector<Function::Formal> &formals,
             const std::vector<Operand> &actuals) {
  if (formals.size() != actuals.size())
    return false;
  for (size_t i = 0; i < formals.size(); ++i) {
    const Operand &one = actuals[i];
    bool isMemory = formals[i].variable != none;
    bool isVariable = one.kind == Operand::Kind::Symbol &&
                      d.program.variables[one.symbol].space == Space::Param &&
                      !d.program.variables[one.symbol].isOfEntry;
    bool isValue = one.kind == Operand::Kind::Register ||
                   one.kind == Operand::Kind::Immediate;
    if (isMemory ? !isVariable : !isValue)
      return false;
  }
  return true;
}

/// Checks that actuals have the width of their formals.
void checkWidths(Decoding &d, const std::vector<Function::Formal> &formals,
                 const std::vector<Operand> &actuals, bool areResults) {
  for (size_t i = 0; i < formals.size(); ++i) {
    if (formals[i].variable != none) {
      d.parameter(actuals[i], formals[i].variable);
      continue;
    }
    unsigned bits = d.program.registerBits[formals[i].reg];
    Type type = bits == 1 ? predicateType : b32Type;
    type.bits = bits;
    if (areResults)
      d.destination(actuals[i], type);
    else
      d.source(actuals[i], type);
  }
}

/// Decodes call{.uni} (results), f, (parameters).
Execute decodeCall(Decoding &d) {
  d.take("uni");
  size_t at = 0;
  std::vector<Operand> results;
  Call call;
  if (d.operandCount() > 0 && d.operand(0).kind == Operand::Kind::List)
    results = d.operand(at++).elements;
  if (at >= d.operandCount() || d.operand(at).kind != Operand::Kind::Function)
    return {}; // an indirect call through a register
  call.function = d.operand(at++).symbol;
  if (at < d.operandCount() && d.operand(at).kind == Operand::Kind::List)
    call.parameters = d.operand(at++).elements;
  const Function &callee = d.program.functions[call.function];
  bool fits =
      !callee.isDefined || (matches(d, callee.results, results) &&
                            matches(d, callee.parameters, call.parameters));
  if (fits && callee.isDefined) {
    checkWidths(d, callee.results, results, /*areResults=*/true);
    checkWidths(d, callee.parameters, call.parameters, /*areResults=*/false);
  }
  if (!fits || !d.complete(at))
    return {};
  return [=](Turn &turn) { enter(turn, call); };
}

constexpr Row controlTable[] = {
    {"bra", decodeBranch},        {"brx", decodeTable},
    {"ret", decodeReturn},        {"exit", decodeReturn},
    {"call", decodeCall},         {"trap", decodeTrap},
    {"nanosleep", decodeNothing}, {"pmevent", decodeNothing},
};

/// Returns the place of a parameter of a call, in a lane.
Place placeOf(Turn &turn, unsigned variable, unsigned lane, uint64_t size) {
  Place place;
  turn.find(Space::Param,
            callParameters + turn.machine.program.variables[variable].offset,
            size, 1, lane, place);
  return place;
}

void passMemory(Turn &turn, unsigned from, unsigned to) {
  const std::vector<Variable> &all = turn.machine.program.variables;
  uint64_t size = std::min(all[from].size, all[to].size);
  forEachLane(turn.active, [&](unsigned lane) {
    Place source = placeOf(turn, from, lane, size),
          target = placeOf(turn, to, lane, size);
    std::memmove(target.bytes, source.bytes, size);
    std::memmove(target.written, source.written, size);
  });
}

void passRegister(Turn &turn, const Operand &from, unsigned to) {
  unsigned bits = turn.machine.program.registerBits[to];
  uint64_t mask = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  Mask unwritten = 0;
  forEachLane(turn.active, [&](unsigned lane) {
    turn.write({to, mask}, lane,
               from.kind == Operand::Kind::Immediate
                   ? from.value
                   : turn.subgroup.registers[from.reg].bits[lane]);
  });
  if (from.kind == Operand::Kind::Register)
    unwritten = turn.subgroup.registers[from.reg].unwritten;
  turn.mark({to, mask}, unwritten);
}

} // namespace

void passFormals(Turn &turn, const std::vector<Function::Formal> &formals,
                 const std::vector<Operand> &actuals, bool toFormals) {
  assert(formals.size() == actuals.size() && "an operand per formal");
  for (size_t i = 0; i < formals.size(); ++i) {
    const Function::Formal &formal = formals[i];
    const Operand &actual = actuals[i];
    if (formal.variable != none) {
      passMemory(turn, toFormals ? actual.symbol : formal.variable,
                 toFormals ? formal.variable : actual.symbol);
    } else if (toFormals) {
      passRegister(turn, actual, formal.reg);
    } else {
      Operand from;
      from.kind = Operand::Kind::Register;
      from.reg = formal.reg;
      if (actual.reg != none)
        passRegister(turn, from, actual.reg);
    }
  }
}

std::span<const Row> controlRows() { return controlTable; }

} // namespace distaff::ptx
