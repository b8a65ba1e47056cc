//===- CopyAsync.cpp - cp.async and its groups ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy is in flight from its instruction until the lane that issued it waits
// for it. In between its bytes may arrive at any time, so other accesses to
// them race with it; the seed decides whether they arrive at once or at the
// end, which matters when the source changes in between.
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <algorithm>
#include <cstring>

namespace distaff::ptx {
namespace {

/// Writes the bytes of a copy. Bytes beyond the source size are zeros.
void arrive(Turn &turn, unsigned lane, AsyncCopy &copy, const Place &to) {
  uint8_t data[16] = {};
  if (copy.sourceSize > 0) {
    Place from;
    bool isUnwritten = false;
    if (!turn.find(Space::Global, copy.from, copy.sourceSize, 1, lane, from))
      return;
    turn.load(from, copy.from, copy.sourceSize, lane, false, data, isUnwritten);
  }
  std::memcpy(to.bytes, data, copy.size);
  copy.landed = true;
}

void land(Turn &turn, unsigned lane, AsyncCopy &copy) {
  Place to;
  if (!turn.find(Space::Shared, copy.to, copy.size, 1, lane, to))
    return;
  if (!copy.landed)
    arrive(turn, lane, copy, to);
  to.shadow->land(to.offset, copy.size, turn.access(lane));
}

struct Copy {
  Address to, from;
  unsigned size = 0;
  bool hasSourceSize = false, hasIgnore = false;
  Source sourceSize, ignore;
};

unsigned sourceBytes(const Copy &copy, const Turn &turn, unsigned lane) {
  if (copy.hasIgnore && (turn.readLane(copy.ignore, lane) & 1))
    return 0;
  if (!copy.hasSourceSize)
    return copy.size;
  return std::min<uint64_t>(turn.readLane(copy.sourceSize, lane) & 0xFFFFFFFF,
                            copy.size);
}

bool issueLane(Turn &turn, const Copy &copy, unsigned lane,
               LaneAddresses &shared, LaneAddresses &global) {
  AsyncCopies &mine = turn.subgroup.copies[lane];
  AsyncCopy one;
  one.to = turn.addressOf(copy.to, lane);
  one.from = turn.addressOf(copy.from, lane);
  one.size = copy.size;
  one.sourceSize = sourceBytes(copy, turn, lane);
  one.number = mine.issued++;
  Place to, from;
  if (!turn.find(Space::Shared, one.to, one.size, one.size, lane, to))
    return false;
  shared.emplace_back(lane, to.offset);
  if (one.sourceSize > 0) {
    if (!turn.find(Space::Global, one.from, one.sourceSize, 1, lane, from))
      return false;
    if (std::optional<AccessError> error =
            checkAlignment(one.from, one.size, one.size)) {
      turn.fail(error->kind, lane, error->text, one.from);
      return false;
    }
    global.emplace_back(lane, from.offset);
  }
  turn.judge(to.shadow->launch(to.offset, one.size, turn.access(lane)), one.to,
             lane, "copies over");
  if (!turn.machine.isLate(turn.machine.steps * laneCount + lane))
    arrive(turn, lane, one, to);
  mine.groups.back().push_back(one);
  return !turn.machine.stopped;
}

void issue(Turn &turn, const Copy &copy) {
  LaneAddresses shared, global;
  for (const Address *address : {&copy.to, &copy.from})
    if (address->reg != none)
      turn.checkWritten(turn.subgroup.registers[address->reg].unwritten,
                        "an address");
  ++turn.machine.counters.asyncCopies;
  for (Mask left = turn.active; left; left &= left - 1)
    if (!issueLane(turn, copy, __builtin_ctz(left), shared, global))
      return;
  countGlobal(global, copy.size, /*isLoad=*/true, turn.machine.counters);
  countShared(shared, copy.size, /*isLoad=*/false, turn.machine.counters);
}

/// Decodes cp.async.{ca,cg}.shared.global{...} [d], [s], size{, ignore |
/// size}{, hint}.
Execute decodeCopy(Decoding &d) {
  if (!d.take("async"))
    return {};
  std::optional<unsigned> isGlobalCache = d.takeOne({"ca", "cg"});
  if (!isGlobalCache || !d.takeOne({"shared", "shared::cta"}) ||
      !d.take("global"))
    return {};
  bool hasHint = d.take("L2::cache_hint");
  d.takeOne({"L2::64B", "L2::128B", "L2::256B"});
  Copy copy;
  copy.to = d.address(0);
  copy.from = d.address(1);
  std::optional<uint64_t> size = d.constant(2);
  if (!size || (*size != 16 && (*isGlobalCache || (*size != 4 && *size != 8))))
    return {};
  copy.size = *size;
  size_t operands = d.operandCount() - hasHint;
  if (operands == 4) {
    const Operand &last = d.operand(3);
    copy.hasIgnore = last.kind == Operand::Kind::Register &&
                     d.program.registerBits[last.reg] == 1;
    copy.hasSourceSize = !copy.hasIgnore;
    (copy.hasIgnore ? copy.ignore : copy.sourceSize) =
        d.source(3, copy.hasIgnore ? predicateType : u32Type);
  }
  if (operands < 3 || operands > 4 || !d.complete(d.operandCount()))
    return {};
  return [=](Turn &turn) { issue(turn, copy); };
}

/// Decodes cp.async.commit_group, which closes the group of the copies issued
/// since the last one.
Execute decodeCommit(Decoding &d) {
  if (!d.take("async") || !d.take("commit_group") || !d.complete(0))
    return {};
  return [](Turn &turn) {
    forEachLane(turn.active, [&](unsigned lane) {
      turn.subgroup.copies[lane].groups.emplace_back();
    });
  };
}

/// Completes the oldest groups until so many committed ones are left.
void waitForGroups(Turn &turn, unsigned lane, size_t left) {
  std::vector<std::vector<AsyncCopy>> &groups =
      turn.subgroup.copies[lane].groups;
  size_t done = groups.size() - 1 > left ? groups.size() - 1 - left : 0;
  for (size_t i = 0; i < done; ++i)
    for (AsyncCopy &copy : groups[i])
      land(turn, lane, copy);
  groups.erase(groups.begin(), groups.begin() + done);
}

/// Decodes cp.async.wait_group N and cp.async.wait_all.
Execute decodeWait(Decoding &d) {
  if (!d.take("async"))
    return {};
  bool all = d.take("wait_all");
  if (!all && !d.take("wait_group"))
    return {};
  uint64_t left = 0;
  if (!all)
    left = d.constant(0).value_or(0);
  if (!d.complete(all ? 0 : 1))
    return {};
  return [=](Turn &turn) {
    forEachLane(turn.active, [&](unsigned lane) {
      if (all)
        turn.subgroup.copies[lane].groups.emplace_back();
      waitForGroups(turn, lane, left);
    });
  };
}

constexpr Row copyTable[] = {
    {"cp", decodeCopy}, {"cp", decodeCommit}, {"cp", decodeWait}};

} // namespace

void landCopies(Turn &turn, unsigned lane, uint64_t before) {
  for (std::vector<AsyncCopy> &group : turn.subgroup.copies[lane].groups) {
    auto isOver = [&](AsyncCopy &copy) {
      if (copy.number < before)
        land(turn, lane, copy);
      return copy.number < before;
    };
    group.erase(std::remove_if(group.begin(), group.end(), isOver),
                group.end());
  }
}

std::span<const Row> copyRows() { return copyTable; }

} // namespace distaff::ptx
