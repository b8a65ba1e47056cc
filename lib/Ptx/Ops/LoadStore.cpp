//===- LoadStore.cpp - Loads and stores -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MemoryWords.h"

#include <cstring>

namespace distaff::ptx {
namespace {

struct Transfer {
  MemoryWords words;
  Type type;
  Address address;
  unsigned bytes = 0; ///< size of one element
};

/// Takes the words up to the type: {.v2,.v4}.type.
std::optional<unsigned> takeVector(Decoding &d, Transfer &transfer) {
  unsigned count = d.take("v2") ? 2 : d.take("v4") ? 4 : 1;
  std::optional<Type> type = d.type();
  if (!type || type->bits < 8 || type->isPaired || type->format == tensor)
    return std::nullopt;
  transfer.type = *type;
  transfer.bytes = type->bits / 8;
  if (transfer.bytes * count > 16)
    return std::nullopt;
  return count;
}

void countRequest(Turn &turn, uint64_t size, bool isLoad,
                  const LaneAddresses &shared, const LaneAddresses &global) {
  countShared(shared, size, isLoad, turn.machine.counters);
  countGlobal(global, size, isLoad, turn.machine.counters);
}

/// Adds an access to the request that it is part of.
void note(const Place &place, unsigned lane, LaneAddresses &shared,
          LaneAddresses &global) {
  if (place.space == Space::Shared)
    shared.emplace_back(lane, place.offset);
  else if (place.space == Space::Global)
    global.emplace_back(lane, place.offset);
}

void checkAddress(Turn &turn, const Address &address) {
  if (address.reg != none)
    turn.checkWritten(turn.subgroup.registers[address.reg].unwritten,
                      "an address");
}

/// Calls visit(lane, address, place) for each lane's part of a request of
/// `count` elements and counts the request, unless a visit ends the run.
template <typename Visit>
void forEachAccess(Turn &turn, const Transfer &transfer, size_t count,
                   bool isLoad, Visit visit) {
  uint64_t size = transfer.bytes * count;
  LaneAddresses shared, global;
  checkAddress(turn, transfer.address);
  for (Mask left = turn.active; left && !turn.machine.stopped;
       left &= left - 1) {
    unsigned lane = __builtin_ctz(left);
    uint64_t address = turn.addressOf(transfer.address, lane);
    Place place;
    if (!turn.find(transfer.words.space, address, size, size, lane, place))
      return;
    note(place, lane, shared, global);
    if (!visit(lane, address, place))
      return;
  }
  countRequest(turn, size, isLoad, shared, global);
}

void runLoad(Turn &turn, const Transfer &transfer,
             const std::vector<Destination> &to) {
  std::array<Mask, 4> unwritten = {};
  auto load = [&](unsigned lane, uint64_t address, const Place &place) {
    if (transfer.words.acquires)
      acquire(turn, meetingPoint(transfer.words, address));
    else if (transfer.words.isStrong)
      turn.subgroup.strongReads.insert(meetingPoint(transfer.words, address));
    for (size_t i = 0; i < to.size(); ++i) {
      Place piece = place;
      piece.bytes += i * transfer.bytes;
      piece.offset += i * transfer.bytes;
      if (piece.written)
        piece.written += i * transfer.bytes;
      uint64_t bits = 0;
      bool isUnwritten = false;
      if (!turn.load(piece, address + i * transfer.bytes, transfer.bytes, lane,
                     transfer.words.isStrong,
                     reinterpret_cast<uint8_t *>(&bits), isUnwritten))
        return false;
      unwritten[i] |= Mask(isUnwritten) << lane;
      turn.write(to[i], lane, uint64_t(transfer.type.extend(bits)));
    }
    return true;
  };
  forEachAccess(turn, transfer, to.size(), /*isLoad=*/true, load);
  for (size_t i = 0; i < to.size(); ++i)
    turn.mark(to[i], unwritten[i]);
}

/// Decodes ld{...}.type d, [a].
Execute decodeLoad(Decoding &d) {
  Transfer transfer;
  transfer.words = takeMemoryWords(d);
  std::optional<unsigned> count = takeVector(d, transfer);
  if (!count || transfer.words.releases)
    return {};
  std::vector<Destination> to =
      d.destinations(0, transfer.type, Width::AtLeast);
  transfer.address = d.addressOrElement(1);
  if (to.size() != *count || !d.complete(2 + transfer.words.hasHint))
    return {};
  return [=](Turn &turn) { runLoad(turn, transfer, to); };
}

/// Runs a store. An unwritten value makes shared and local memory unwritten; it
/// must not be stored to global memory.
void runStore(Turn &turn, const Transfer &transfer,
              const std::vector<Source> &from) {
  auto store = [&](unsigned lane, uint64_t address, const Place &place) {
    if (transfer.words.releases ||
        (transfer.words.isStrong && turn.subgroup.fenced))
      release(turn, meetingPoint(transfer.words, address));
    uint8_t data[16] = {};
    std::array<bool, 4> isUnwritten = {};
    for (size_t i = 0; i < from.size(); ++i) {
      uint64_t bits = turn.readLane(from[i], lane);
      std::memcpy(data + i * transfer.bytes, &bits, transfer.bytes);
      isUnwritten[i] =
          from[i].kind == Source::Kind::Register &&
          (turn.subgroup.registers[from[i].reg].unwritten >> lane & 1);
      if (isUnwritten[i] && place.space == Space::Global)
        turn.checkWritten(Mask(1) << lane, "a stored value");
    }
    if (!turn.store(place, address, transfer.bytes * from.size(), lane,
                    transfer.words.isStrong, data))
      return false;
    for (size_t i = 0; i < from.size(); ++i) {
      if (isUnwritten[i] && place.shadow)
        place.shadow->forget(place.offset + i * transfer.bytes, transfer.bytes);
      else if (isUnwritten[i] && place.written)
        std::memset(place.written + i * transfer.bytes, 0, transfer.bytes);
    }
    return true;
  };
  forEachAccess(turn, transfer, from.size(), /*isLoad=*/false, store);
}

/// Decodes st{...}.type [a], b.
Execute decodeStore(Decoding &d) {
  Transfer transfer;
  transfer.words = takeMemoryWords(d);
  std::optional<unsigned> count = takeVector(d, transfer);
  if (!count || transfer.words.acquires)
    return {};
  std::vector<Source> from = d.sources(1, transfer.type, Width::AtLeast);
  transfer.address = d.addressOrElement(0);
  if (from.size() != *count || !d.complete(2 + transfer.words.hasHint))
    return {};
  return [=](Turn &turn) { runStore(turn, transfer, from); };
}

/// Decodes a prefetch between caches, which has no effect here.
Execute decodePrefetch(Decoding &d) {
  d.takeOne({"global", "local"});
  if (!d.takeOne({"L1", "L2", "L2::evict_last", "L2::evict_normal"}))
    return {};
  d.address(0);
  return d.complete(1) ? [](Turn &) {} : Execute();
}

/// Decodes createpolicy...b64 d, ...: any number will do.
Execute decodePolicy(Decoding &d) {
  while (!d.peek().empty() && d.peek() != "b64")
    if (!d.take(d.peek()))
      return {};
  if (!d.take("b64") || d.operandCount() < 1)
    return {};
  Destination to = d.destination(0, b64Type);
  if (!d.complete(d.operandCount()))
    return {};
  return [=](Turn &turn) {
    forEachLane(turn.active, [&](unsigned lane) { turn.write(to, lane, 0); });
    turn.mark(to, 0);
  };
}

constexpr Row memoryTable[] = {{"ld", decodeLoad},
                               {"ldu", decodeLoad},
                               {"st", decodeStore},
                               {"prefetch", decodePrefetch},
                               {"prefetchu", decodePrefetch},
                               {"createpolicy", decodePolicy}};

} // namespace

std::span<const Row> memoryRows() { return memoryTable; }

} // namespace distaff::ptx
