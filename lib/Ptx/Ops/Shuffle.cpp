//===- Shuffle.cpp - Shuffles, votes and matches --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane that executes one of these names the lanes that do so with it. A
// named lane that has not returned and is not there, or a lane that does not
// name itself, is a fault: hardware would wait, or behave arbitrarily.
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <algorithm>

namespace distaff::ptx {
namespace {

/// Reads the lanes that every active lane names, and checks them.
bool readMembers(Turn &turn, const Source &source, const char *what,
                 std::array<Mask, laneCount> &members) {
  for (Mask left = turn.active; left; left &= left - 1) {
    unsigned lane = __builtin_ctz(left);
    members[lane] = Mask(turn.readLane(source, lane)) & turn.present();
    bool isThere = members[lane] >> lane & 1;
    if (isThere && (members[lane] & ~turn.active) == 0)
      continue;
    turn.fail(FaultKind::DivergentBarrier, lane,
              std::string("divergent ") + what + ": the mask names lanes " +
                  hexadecimal(members[lane]) + ", here are " +
                  hexadecimal(turn.active));
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

enum class Mode { Up, Down, Butterfly, Index };

struct Shuffle {
  Mode mode = Mode::Index;
  Destination to, inside;
  Source a, b, c, members;
};

struct Choice {
  unsigned lane;
  bool isInside;
};

/// Returns the source of a lane. c holds the clamp in bits 0 to 4 and in bits 8
/// to 12 a mask of the bits that name a segment; a source outside of it leaves
/// a lane its own value.
Choice sourceOf(Mode mode, unsigned lane, uint64_t b, uint64_t c) {
  int value = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  int first = lane & segment, last = first | (clamp & ~segment);
  int source = mode == Mode::Up          ? int(lane) - value
               : mode == Mode::Down      ? int(lane) + value
               : mode == Mode::Butterfly ? int(lane) ^ value
                                         : first | (value & ~segment);
  bool isInside = mode == Mode::Up ? source >= last : source <= last;
  return {isInside ? unsigned(source) : lane, isInside};
}

void runShuffle(Turn &turn, const Shuffle &shuffle) {
  std::array<Mask, laneCount> members = {};
  if (!readMembers(turn, shuffle.members, "shuffle", members))
    return;
  ++turn.machine.counters.shuffles;
  Mask unwritten = 0, marked = 0, ofControl = 0;
  Lanes scratch, scratchB, scratchC;
  const Lanes values = turn.read(shuffle.a, scratch, unwritten);
  const Lanes b = turn.read(shuffle.b, scratchB, ofControl),
              c = turn.read(shuffle.c, scratchC, ofControl);
  for (Mask left = turn.active; left; left &= left - 1) {
    unsigned lane = __builtin_ctz(left);
    auto [source, isInside] = sourceOf(shuffle.mode, lane, b[lane], c[lane]);
    if (!(members[lane] >> source & 1))
      return turn.fail(FaultKind::DivergentBarrier, lane,
                       "divergent shuffle: reads lane " +
                           std::to_string(source) + ", which is not there");
    turn.write(shuffle.to, lane, values[source]);
    turn.write(shuffle.inside, lane, isInside);
    marked |= Mask(unwritten >> source & 1) << lane;
  }
  turn.mark(shuffle.to, marked | ofControl);
  turn.mark(shuffle.inside, ofControl);
}

/// Decodes shfl.sync.{up,down,bfly,idx}.b32 d{|p}, a, b, c, members.
Execute decodeShuffle(Decoding &d) {
  Shuffle shuffle;
  if (!d.take("sync"))
    return {};
  std::optional<unsigned> mode = d.takeOne({"up", "down", "bfly", "idx"});
  if (!mode || !d.take("b32") || d.operandCount() != 5)
    return {};
  shuffle.mode = Mode(*mode);
  shuffle.to = d.destination(0, b32Type);
  shuffle.inside = d.second(d.operand(0));
  shuffle.a = d.source(1, b32Type);
  shuffle.b = d.source(2, b32Type);
  shuffle.c = d.source(3, b32Type);
  shuffle.members = d.source(4, b32Type);
  if (!d.complete(5))
    return {};
  return [=](Turn &turn) { runShuffle(turn, shuffle); };
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

/// Decodes vote.sync.{all,any,uni}.pred p, {!}a, members and .ballot.b32.
Execute decodeVote(Decoding &d) {
  if (!d.take("sync"))
    return {};
  std::optional<unsigned> mode = d.takeOne({"all", "any", "uni", "ballot"});
  if (!mode || !d.take(*mode == 3 ? "b32" : "pred"))
    return {};
  Destination to = d.destination(0, *mode == 3 ? b32Type : predicateType);
  Source from = d.source(1, predicateType), named = d.source(2, b32Type);
  if (!d.complete(3))
    return {};
  return [=, mode = *mode](Turn &turn) {
    std::array<Mask, laneCount> members = {};
    if (!readMembers(turn, named, "vote", members))
      return;
    ++turn.machine.counters.shuffles;
    Mask unwritten = 0, votes = 0;
    Lanes scratch;
    const Lanes &values = turn.read(from, scratch, unwritten);
    for (unsigned lane = 0; lane < laneCount; ++lane)
      votes |= Mask(values[lane] & 1) << lane;
    Mask marked = 0;
    forEachLane(turn.active, [&](unsigned lane) {
      Mask all = members[lane], yes = votes & all;
      const uint64_t results[] = {yes == all, yes != 0, yes == all || yes == 0,
                                  yes};
      turn.write(to, lane, results[mode]);
      marked |= Mask((unwritten & all) != 0) << lane;
    });
    turn.mark(to, marked);
  };
}

Execute decodeActiveMask(Decoding &d) {
  if (!d.take("b32"))
    return {};
  Destination to = d.destination(0, b32Type);
  if (!d.complete(1))
    return {};
  return [=](Turn &turn) {
    forEachLane(turn.active,
                [&](unsigned lane) { turn.write(to, lane, turn.active); });
    turn.mark(to, 0);
  };
}

/// Decodes match.any.sync.type d, a, members: the lanes that have this lane's
/// value; and match.all.sync.type d{|p}, a, members: all lanes or none.
Execute decodeMatch(Decoding &d) {
  std::optional<unsigned> all = d.takeOne({"any", "all"});
  if (!all || !d.take("sync"))
    return {};
  std::optional<Type> type = d.type();
  if (!type || type->kind != Type::Kind::Bits || type->bits < 32 ||
      d.operandCount() != 3)
    return {};
  Destination to = d.destination(0, b32Type), same = d.second(d.operand(0));
  Source from = d.source(1, *type), named = d.source(2, b32Type);
  if (!d.complete(3) || (!*all && same.reg != none))
    return {};
  return [=, m = type->mask()](Turn &turn) {
    std::array<Mask, laneCount> members = {};
    if (!readMembers(turn, named, "match", members))
      return;
    ++turn.machine.counters.shuffles;
    Mask unwritten = 0;
    Lanes scratch;
    const Lanes values = turn.read(from, scratch, unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      Mask equal = 0;
      forEachLane(members[lane], [&](unsigned other) {
        equal |= Mask(((values[other] ^ values[lane]) & m) == 0) << other;
      });
      bool isWhole = equal == members[lane];
      turn.write(to, lane, *all && !isWhole ? 0 : equal);
      turn.write(same, lane, isWhole);
    });
    Mask marked = unwritten & turn.active ? turn.active : 0;
    turn.mark(to, marked);
    turn.mark(same, marked);
  };
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Decodes redux.sync.op.type d, a, members.
Execute decodeRedux(Decoding &d) {
  if (!d.take("sync"))
    return {};
  std::optional<unsigned> op =
      d.takeOne({"add", "min", "max", "and", "or", "xor"});
  std::optional<Type> type = d.type();
  if (!op || !type || type->bits != 32 ||
      !(*op < 3 ? type->isInteger() : type->kind == Type::Kind::Bits))
    return {};
  Destination to = d.destination(0, *type);
  Source from = d.source(1, *type), named = d.source(2, b32Type);
  if (!d.complete(3))
    return {};
  return [=, op = *op, t = *type](Turn &turn) {
    std::array<Mask, laneCount> members = {};
    if (!readMembers(turn, named, "redux", members))
      return;
    ++turn.machine.counters.shuffles;
    Mask unwritten = 0;
    Lanes scratch;
    const Lanes values = turn.read(from, scratch, unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      uint64_t result = values[__builtin_ctz(members[lane])];
      forEachLane(members[lane] & (members[lane] - 1), [&](unsigned other) {
        uint64_t value = values[other];
        bool isLess = t.extend(value) < t.extend(result);
        const uint64_t results[] = {
            result + value, isLess ? value : result, isLess ? result : value,
            result & value, result | value,          result ^ value};
        result = results[op];
      });
      turn.write(to, lane, result);
    });
    turn.mark(to, unwritten & turn.active ? turn.active : 0);
  };
}

constexpr Row shuffleTable[] = {
    {"shfl", decodeShuffle},          {"vote", decodeVote},
    {"activemask", decodeActiveMask}, {"match", decodeMatch},
    {"redux", decodeRedux},
};

} // namespace

std::span<const Row> shuffleRows() { return shuffleTable; }

} // namespace distaff::ptx
