//===- Memory.cpp - Loads and stores: bounds, alignment and races ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Launch.h"
#include <array>
#include <mutex>

using namespace distaff;
using namespace distaff::simt;

Access Access::get(Operation *op, const Domain &domain, Kind kind,
                   int64_t elements, int64_t perRequest) {
  auto alignment = op->getAttrOfType<IntegerAttr>("alignment");
  return {op,
          kind,
          elements,
          perRequest,
          /*requestStride=*/1,
          alignment ? alignment.getInt() : 1,
          domain.load(kind),
          domain.store(kind)};
}

int64_t Access::widest(Kind kind, int64_t run) {
  assert(run > 0 && "a run has elements");
  int64_t widest = std::max<int64_t>(1, 16 / kind.bytes());
  while (run % widest != 0)
    widest /= 2;
  return widest;
}

static void printIndex(llvm::raw_ostream &out, ArrayRef<int64_t> index) {
  out << "[";
  llvm::interleaveComma(index, out);
  out << "]";
}

std::string Buffer::describe(int64_t element) const {
  SmallVector<int64_t> index(shape.size());
  int64_t rest = element;
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = shape[d] ? rest % shape[d] : 0;
    rest /= std::max<int64_t>(shape[d], 1);
  }
  if (shape.empty() && elements != 1)
    index.push_back(element);
  std::string text;
  llvm::raw_string_ostream out(text);
  printIndex(out, index);
  out << " of " << name;
  return text;
}

void Buffer::align(Operation *op) {
  if (auto asked = op->getAttrOfType<IntegerAttr>("alignment"))
    align(asked.getInt());
}

int64_t Buffer::address(int64_t byte, int64_t lanes) const {
  assert(lanes > 0 && alignment > 0 && "memory is of lanes, and aligned");
  int64_t part = elements / lanes * kind.bytes();
  if (space == Space::Private && part > 0)
    byte %= part;
  return alignment + byte;
}

static uint64_t allLanes(int64_t lanes) { return ~uint64_t(0) >> (64 - lanes); }

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

bool Agent::locate(Operation *op, Reg memref, ArrayRef<Reg> indices,
                   int64_t *positions, uint64_t among) {
  MemRefView view = memRef(memref);
  int64_t rank = memref.memRefRank(), count = lanes();
  for (int64_t l = 0; l < count; ++l)
    positions[l] = view.offset(l);
  for (int64_t d = 0; d < rank; ++d) {
    const uint8_t *index = cells(indices[d]);
    unsigned step = indices[d].cellBytes;
    bool inside = true;
    for (int64_t l = 0; l < count; ++l) {
      int64_t at;
      std::memcpy(&at, index + l * step, sizeof(at));
      positions[l] += at * view.stride(rank, d, l);
      bool isActive = among >> l & 1;
      inside &= !isActive || uint64_t(at) < uint64_t(view.size(rank, d, l));
    }
    // Values in inactive lanes are undefined.
    if (step != sizeof(int64_t))
      forEachLane(among, [&](int64_t l) {
        if (program->domain->anyUndecided(1, index + l * step))
          noteUndecided(op);
      });
    if (inside)
      continue;
    forEachLane(among, [&](int64_t l) {
      int64_t at = integer(indices[d], l);
      if (uint64_t(at) >= uint64_t(view.size(rank, d, l)))
        fault(op, FaultKind::OutOfBounds,
              describe(l) + " uses index " + Twine(at) + " in dimension " +
                  Twine(d) + " of " + group->buffer(view.buffer(l)).name +
                  ", whose extent is " + Twine(view.size(rank, d, l)),
              placeOf(l, group->buffer(view.buffer(l)).name));
    });
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

template <typename Visit>
bool Agent::forEachBuffer(const Access &access, Reg memref, int64_t *positions,
                          Visit visit) {
  if (state == Status::Faulted)
    return false;
  MemRefView view = memRef(memref);
  int64_t count = access.elements * lanes();
  if (active != allLanes(lanes()))
    for (int64_t i = 0; i < count; ++i)
      if (!(active >> (i % lanes()) & 1))
        positions[i] = -1;

  int64_t buffer = view.buffer(llvm::countr_zero(active));
  uint64_t elsewhere = 0;
  forEachLane(active, [&](int64_t l) {
    if (view.buffer(l) != buffer)
      elsewhere |= uint64_t(1) << l;
  });
  if (!elsewhere)
    return visit(buffer, static_cast<const int64_t *>(positions));

  // Lanes that access different buffers: one buffer after the other.
  for (uint64_t rest = active; rest;) {
    buffer = view.buffer(llvm::countr_zero(rest));
    laneRoom.assign(positions, positions + count);
    for (int64_t i = 0; i < count; ++i)
      if (view.buffer(i % lanes()) != buffer)
        laneRoom[i] = -1;
    if (!visit(buffer, static_cast<const int64_t *>(laneRoom.data())))
      return false;
    forEachLane(rest, [&](int64_t l) {
      if (view.buffer(l) == buffer)
        rest &= ~(uint64_t(1) << l);
    });
  }
  return true;
}

bool Agent::load(const Access &access, Reg memref, int64_t *positions,
                 void *cells) {
  return forEachBuffer(
      access, memref, positions, [&](int64_t buffer, const int64_t *at) {
        if (!check(access, buffer, at, /*isStore=*/false))
          return false;
        access.load(access.elements * lanes(),
                    group->buffer(buffer).cells.data(), at, cells);
        return true;
      });
}

bool Agent::store(const Access &access, Reg memref, int64_t *positions,
                  const void *cells) {
  return forEachBuffer(
      access, memref, positions, [&](int64_t buffer, const int64_t *at) {
        if (!check(access, buffer, at, /*isStore=*/true))
          return false;
        access.store(access.elements * lanes(),
                     group->buffer(buffer).cells.data(), at, cells);
        return true;
      });
}

/// Returns the lock of all memory: updates are rare, and workgroups run in
/// parallel.
static std::mutex &atomicAccesses() {
  static std::mutex mutex;
  return mutex;
}

bool Agent::loadAtomically(const Access &access, Reg memref, int64_t *positions,
                           void *cells) {
  return forEachBuffer(
      access, memref, positions, [&](int64_t buffer, const int64_t *at) {
        if (!check(access, buffer, at, /*isStore=*/false, /*isAtomic=*/true))
          return false;
        std::scoped_lock lock(atomicAccesses());
        access.load(lanes(), group->buffer(buffer).cells.data(), at, cells);
        return true;
      });
}

bool Agent::update(const Access &access, Reg memref, int64_t *positions,
                   const Binary &compute, const void *operands, void *old,
                   const void *expected) {
  int64_t bytes = program->domain->cellBytes(access.kind);
  return forEachBuffer(
      access, memref, positions, [&](int64_t buffer, const int64_t *at) {
        if (!check(access, buffer, at, /*isStore=*/true, /*isAtomic=*/true))
          return false;
        std::scoped_lock lock(atomicAccesses());
        uint8_t *memory = group->buffer(buffer).cells.data();
        for (int64_t l = 0; l < lanes(); ++l) {
          if (at[l] < 0)
            continue;
          alignas(8) std::array<uint8_t, 64> before, after;
          access.load(1, memory, at + l, before.data());
          bool isExpected =
              !expected ||
              std::memcmp(before.data(),
                          static_cast<const uint8_t *>(expected) + l * bytes,
                          bytes) == 0;
          if (isExpected) {
            compute(1, before.data(),
                    static_cast<const uint8_t *>(operands) + l * bytes,
                    after.data());
            access.store(1, memory, at + l, after.data());
          }
          std::memcpy(static_cast<uint8_t *>(old) + l * bytes, before.data(),
                      bytes);
        }
        return true;
      });
}

bool Agent::checkCopy(const Access &read, Reg source, int64_t *from,
                      const Access &write, Reg target, int64_t *to) {
  return forEachBuffer(read, source, from,
                       [&](int64_t buffer, const int64_t *at) {
                         return check(read, buffer, at, /*isStore=*/false);
                       }) &&
         forEachBuffer(write, target, to,
                       [&](int64_t buffer, const int64_t *at) {
                         return check(write, buffer, at, /*isStore=*/true);
                       });
}

bool Agent::check(const Access &access, int64_t number,
                  const int64_t *positions, bool isStore, bool isAtomic) {
  if (number < 0 || number >= group->numBuffers()) {
    fault(access.op, FaultKind::OutOfBounds,
          describe(llvm::countr_zero(active)) +
              " uses a memref that has no buffer",
          placeOf(llvm::countr_zero(active)));
    return false;
  }
  Buffer &buffer = group->buffer(number);
  if (!(access.kind == buffer.kind) &&
      !program->domain->mayReinterpretMemory()) {
    fault(access.op, FaultKind::NotModelled,
          "memory of one type accessed as another");
    return false;
  }
  if (isStore && buffer.isConstant) {
    fault(access.op, FaultKind::Undefined,
          describe(llvm::countr_zero(active)) + " writes to " + buffer.name +
              ", which is constant",
          placeOf(llvm::countr_zero(active), buffer.name));
    return false;
  }
  if (!checkBounds(access, buffer, positions) ||
      !checkAlignment(access, buffer, positions))
    return false;
  countAccess(group->counters, group->launch.options, access, buffer.space,
              lanes(), positions, isStore);
  return !group->launch.options.checks ||
         checkRaces(access, number, positions, isStore, isAtomic);
}

bool Agent::checkBounds(const Access &access, const Buffer &buffer,
                        const int64_t *positions) {
  int64_t count = access.elements * lanes();
  int64_t end = buffer.elements * buffer.kind.bytes() / access.kind.bytes();
  int64_t largest = -1;
  for (int64_t i = 0; i < count; ++i)
    largest = std::max(largest, positions[i]);
  if (largest < end)
    return true;
  const int64_t *bad = std::find(positions, positions + count, largest);
  fault(access.op, FaultKind::OutOfBounds,
        describe((bad - positions) % lanes()) + " accesses element " +
            Twine(largest) + " of " + buffer.name + ", which has " + Twine(end),
        placeOf((bad - positions) % lanes(), buffer.name, largest));
  return false;
}

/// Checks the alignment that an op claims for its first element, the whole
/// vector's.
bool Agent::checkAlignment(const Access &access, const Buffer &buffer,
                           const int64_t *positions) {
  if (access.alignment <= access.kind.bytes())
    return true;
  for (int64_t l = 0; l < lanes(); ++l)
    if (positions[l] >= 0 &&
        !checkAddress(access.op, buffer, l, positions[l] * access.kind.bytes(),
                      access.alignment))
      return false;
  return true;
}

bool Agent::checkAddress(Operation *op, const Buffer &buffer, int64_t lane,
                         int64_t byte, int64_t alignment) {
  if (buffer.address(byte, lanes()) % alignment == 0)
    return true;
  fault(
      op, FaultKind::Misaligned,
      describe(lane) + " is told that " +
          buffer.describe(byte / buffer.kind.bytes()) +
          " lies on a multiple of " + Twine(alignment) + " bytes; it is byte " +
          Twine(buffer.address(byte, lanes()) - buffer.alignment) +
          " of memory that begins on a multiple of " + Twine(buffer.alignment),
      placeOf(lane, buffer.name, byte / buffer.kind.bytes()));
  return false;
}

//===----------------------------------------------------------------------===//
// Races and unwritten values
//===----------------------------------------------------------------------===//

std::pair<int64_t, int64_t> Buffer::elementsOf(Kind accessed, int64_t first,
                                               int64_t count) const {
  int64_t size = accessed.bytes(), unit = kind.bytes();
  if (size == unit)
    return {first, first + count - 1};
  return {first * size / unit, ((first + count) * size - 1) / unit};
}

bool Agent::checkRaces(const Access &access, int64_t number,
                       const int64_t *positions, bool isStore, bool isAtomic) {
  Buffer &buffer = group->buffer(number);
  Shadow &shadow = group->shadow(number);
  uint32_t at = program->base + pc - 1;
  int64_t count = access.elements * lanes();
  for (int64_t i = 0; i < count; ++i) {
    if (positions[i] < 0)
      continue;
    int64_t lane = i % lanes();
    uint16_t thread = uint16_t(threadOf(lane));
    auto [first, last] = buffer.elementsOf(access.kind, positions[i], 1);
    for (int64_t element = first; element <= last; ++element) {
      Shadow::Cell &cell = shadow.at(element);
      if ((!isStore || isAtomic) && !buffer.written && !cell.writeEpoch &&
          !shadow.isUpdated(element))
        reportUnwritten(access, buffer, element, lane);
      if (const Shadow::InFlight *copy = shadow.inFlightAt(element, isStore)) {
        reportInFlight(access, buffer, element, lane, isStore, *copy);
        return false;
      }
      Shadow::Touch how{number, thread, at, isStore};
      Shadow::Conflict conflict =
          isAtomic ? shadow.touchAtomically(element, cell, group->clocks, how)
                   : shadow.touch(element, cell, group->clocks, how);
      if (conflict == Shadow::Conflict::None)
        continue;
      reportRace(access, buffer, element, lane, isStore, conflict, cell);
      return false;
    }
  }
  return true;
}

void Agent::reportUnwritten(const Access &access, const Buffer &buffer,
                            int64_t element, int64_t lane) {
  auto makeFault = [&] {
    return Fault{FaultKind::Unwritten,
                 describe(lane) + " reads " + buffer.describe(element) +
                     ", which nobody has written",
                 access.op,
                 placeOf(lane, buffer.name, element),
                 {}};
  };
  if (marksReads)
    unwrittenMarks.note(lane, makeFault);
  else if (!group->unwritten)
    group->unwritten = makeFault();
}

bool Agent::load(const Access &access, Reg memref, int64_t *positions,
                 Reg result) {
  marksReads = true;
  bool ok = load(access, memref, positions, cells(result));
  marksReads = false;
  unwrittenMarks.settle(result, active);
  return ok;
}

void Agent::checkWritten(ArrayRef<Reg> used) {
  if (const Fault *fault = unwrittenMarks.find(used, active);
      fault && !group->unwritten)
    group->unwritten = *fault;
}

void Agent::reportInFlight(const Access &access, const Buffer &buffer,
                           int64_t element, int64_t lane, bool isStore,
                           const Shadow::InFlight &copy) {
  fault(Fault{FaultKind::Race,
              describe(lane) + (isStore ? " writes " : " reads ") +
                  buffer.describe(element) +
                  ", which an asynchronous copy of " +
                  describeThread(copy.thread) +
                  (copy.writes ? " may still write" : " may still read"),
              access.op,
              placeOf(lane, buffer.name, element),
              {{group->launch.program.opAt(copy.at),
                "the copy has not been waited for"}}});
}

void Agent::reportRace(const Access &access, const Buffer &buffer,
                       int64_t element, int64_t lane, bool isStore,
                       Shadow::Conflict conflict, const Shadow::Cell &cell) {
  bool withWrite = conflict == Shadow::Conflict::WithWrite;
  uint16_t other = withWrite ? cell.writer : cell.reader;
  std::string who =
      other == Shadow::many ? "more than one lane" : describeThread(other);
  fault(Fault{
      FaultKind::Race,
      describe(lane) + (isStore ? " writes " : " reads ") +
          buffer.describe(element) + ", which " + who +
          (withWrite ? " writes" : " reads") + " with no barrier in between",
      access.op,
      placeOf(lane, buffer.name, element),
      {{group->launch.program.opAt(withWrite ? cell.writeAt : cell.readAt),
        withWrite ? "the write is here" : "the read is here"}}});
}
