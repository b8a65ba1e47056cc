//===- Shadow.cpp - Shadow memory of the race detector --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Shadow.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace distaff::ptx {

void Knowledge::join(const Knowledge &other) {
  for (unsigned i = 0; i < mostSubgroups; ++i)
    subgroups[i] = std::max(subgroups[i], other.subgroups[i]);
  if (!other.others || other.others == others)
    return;
  auto merged = std::make_shared<Others>(others ? *others : Others());
  for (const auto &[workgroup, times] : *other.others)
    for (unsigned i = 0; i < mostSubgroups; ++i) {
      Time &time = (*merged)[workgroup][i];
      time = std::max(time, times[i]);
    }
  others = std::move(merged);
}

Shadow::Shadow(uint64_t size, bool startsWritten)
    : startsWritten(startsWritten), pages((size + pageBytes - 1) / pageBytes) {}

void Shadow::reset() {
  for (Page &page : pages)
    std::fill(page.cells.begin(), page.cells.end(), Cell());
  pool.clear();
  freeReaders.clear();
  strong.clear();
}

/// Returns the page of an access within it, with cells that are small enough.
Shadow::Page &Shadow::pageFor(uint64_t offset, uint64_t size) {
  assert(offset / pageBytes < pages.size() &&
         offset % pageBytes + size <= pageBytes &&
         "an access is within the memory, and a piece of it within a page");
  Page &page = pages[offset / pageBytes];
  if (page.cells.empty())
    page.cells.resize(pageBytes / page.bytesPerCell);
  if (page.bytesPerCell == 1 || (offset | size) % wordBytes == 0)
    return page;
  std::vector<Cell> bytes(pageBytes);
  uint64_t begin = offset / pageBytes * pageBytes;
  for (uint64_t i = 0; i < pageBytes; ++i) {
    bytes[i] = page.cells[i / wordBytes];
    if (i % wordBytes != 0 && (bytes[i].flags & strongAccess)) {
      Strong ofWord = strong.at(begin + i / wordBytes * wordBytes);
      strong[begin + i] = std::move(ofWord);
    }
    bool sharesReaders =
        i % wordBytes != 0 && (bytes[i].flags & severalReaders);
    if (sharesReaders) { // every cell has its own readers
      pool.push_back(pool[bytes[i].reader]);
      bytes[i].reader = pool.size() - 1;
    }
  }
  page.cells = std::move(bytes);
  page.bytesPerCell = 1;
  return page;
}

template <typename Visit>
void Shadow::visit(uint64_t offset, uint64_t size, Visit visit) {
  while (size > 0) {
    uint64_t within = offset % pageBytes;
    uint64_t piece = std::min(size, pageBytes - within);
    Page &page = pageFor(offset, piece);
    for (uint64_t i = 0; i < piece; i += page.bytesPerCell)
      visit(page.cells[(within + i) / page.bytesPerCell], offset + i,
            page.bytesPerCell);
    offset += piece;
    size -= piece;
  }
}

bool Shadow::isOrdered(const Access &access, Thread other, Time time) {
  assert(access.knows && "who accesses memory knows what came before");
  assert(other.subgroup() < mostSubgroups && "a workgroup has 32 subgroups");
  const Knowledge &knows = *access.knows;
  if (other.workgroup != access.thread.workgroup) {
    if (!knows.others)
      return false;
    auto found = knows.others->find(other.workgroup);
    return found != knows.others->end() &&
           time < found->second[other.subgroup()];
  }
  if (other.subgroup() != access.thread.subgroup())
    return time < knows.subgroups[other.subgroup()];
  return other.number == access.thread.number ||
         time < (*access.knowsLanes)[other.lane()];
}

void Shadow::noteReader(Cell &cell, const Access &access) {
  Thread me = access.thread;
  if (cell.flags & severalWorkgroups)
    return;
  bool isFirst = cell.read == 0;
  bool isSame = cell.reader == me.workgroup && cell.readerThread == me.number;
  if (!(cell.flags & severalReaders) && (isFirst || isSame)) {
    cell.read = access.time;
    cell.reader = me.workgroup;
    cell.readerThread = me.number;
    return;
  }
  if (!(cell.flags & severalReaders)) {
    if (cell.reader != me.workgroup) {
      cell.flags |= severalWorkgroups;
      return;
    }
    uint32_t slot = pool.size();
    if (freeReaders.empty()) {
      pool.emplace_back();
    } else {
      slot = freeReaders.back();
      freeReaders.pop_back();
      pool[slot] = Readers();
    }
    pool[slot][cell.readerThread / laneCount] = {cell.read, 0,
                                                 cell.readerThread, 0};
    cell.read = cell.reader;
    cell.reader = slot;
    cell.flags |= severalReaders;
  }
  if (cell.read != me.workgroup) {
    cell.flags |= severalWorkgroups;
    return;
  }
  assert(cell.reader < pool.size() && "several readers are in the pool");
  Reader &reader = pool[cell.reader][me.subgroup()];
  if (reader.time != 0 && reader.thread != me.number) {
    reader.timeOfOther = reader.time;
    reader.other = reader.thread;
  }
  reader.time = access.time;
  reader.thread = me.number;
}

bool Shadow::readersAreOrdered(const Cell &cell, const Access &access,
                               Thread &other) const {
  if (cell.flags & severalWorkgroups) {
    // An access that acquired from another workgroup is assumed to be after all
    // of them.
    return access.knows->others != nullptr;
  }
  if (cell.flags & severalReaders) {
    const Readers &readers = pool[cell.reader];
    for (const Reader &reader : readers)
      for (auto [time, thread] : {std::pair(reader.time, reader.thread),
                                  {reader.timeOfOther, reader.other}}) {
        other = {cell.read, thread};
        if (time != 0 && !isOrdered(access, other, time))
          return false;
      }
    return true;
  }
  other = {cell.reader, cell.readerThread};
  return cell.read == 0 || isOrdered(access, other, cell.read);
}

/// Returns whether a write conflicts with an access that is unordered with it.
bool Shadow::conflicts(const Cell &cell, const Access &access,
                       Thread &other) const {
  other = {cell.writer, cell.writerThread};
  bool bothStrong = access.isStrong && (cell.flags & strongWrite);
  if (cell.written != 0 && !bothStrong &&
      !isOrdered(access, other, cell.written))
    return true;
  return !readersAreOrdered(cell, access, other);
}

bool Shadow::conflictsWithStrong(const Cell &cell, uint64_t offset,
                                 const Access &access, bool isWrite,
                                 Thread &other) const {
  if (!(cell.flags & strongAccess))
    return false;
  const Strong &found = strong.at(offset);
  if (access.isStrong) {
    other = found.weakWriter;
    return found.weakWritten != 0 &&
           !isOrdered(access, other, found.weakWritten);
  }
  for (const Strong::One &one : found.accesses) {
    other = one.thread;
    if ((isWrite || one.isWrite) && !isOrdered(access, other, one.time))
      return true;
  }
  return false;
}

void Shadow::noteStrong(Cell &cell, uint64_t offset, const Access &access,
                        bool isWrite) {
  Strong &found = strong[offset];
  if (cell.written != 0 && !(cell.flags & strongWrite)) {
    found.weakWriter = {cell.writer, cell.writerThread};
    found.weakWritten = cell.written;
  }
  // An access that is unordered with one of these is unordered with this one.
  std::erase_if(found.accesses, [&](const Strong::One &one) {
    return (isWrite || !one.isWrite) && isOrdered(access, one.thread, one.time);
  });
  if (found.accesses.size() == mostStrong)
    found.accesses.erase(found.accesses.begin());
  found.accesses.push_back({access.thread, access.time, isWrite});
  cell.flags |= strongAccess;
}

void Shadow::noteWriter(Cell &cell, uint64_t offset, const Access &access) {
  assert(access.time > 0 && "0 is the time of what never was");
  if (access.isStrong) {
    // Weak reads stay: another strong write may race with them.
    noteStrong(cell, offset, access, /*isWrite=*/true);
    cell.flags = (cell.flags | strongWrite) & ~(inFlight | unwritten);
  } else {
    if (cell.flags & severalReaders)
      freeReaders.push_back(cell.reader);
    if (cell.flags & strongAccess)
      strong.erase(offset);
    cell.read = 0;
    cell.flags = 0;
  }
  cell.written = access.time;
  cell.writer = access.thread.workgroup;
  cell.writerThread = access.thread.number;
}

Shadow::Finding Shadow::read(uint64_t offset, uint64_t size,
                             const Access &access) {
  assert(access.time > 0 && "0 is the time of what never was");
  Finding finding;
  visit(offset, size, [&](Cell &cell, uint64_t at, uint64_t) {
    if (cell.flags & inFlight) {
      finding.isInFlight = true;
    } else if (cell.written == 0 || (cell.flags & unwritten)) {
      if (!startsWritten && !finding.isUnwritten) {
        finding.isUnwritten = true;
        finding.firstOffset = at;
      }
    }
    Thread writer = {cell.writer, cell.writerThread};
    bool bothStrong = access.isStrong && (cell.flags & strongWrite);
    if (cell.written != 0 && !bothStrong &&
        ((cell.flags & inFlight) || !isOrdered(access, writer, cell.written)) &&
        !finding.races) {
      finding.races = true;
      finding.other = writer;
      finding.firstOffset = at;
    }
    Thread other;
    if (!finding.races && conflictsWithStrong(cell, at, access, false, other)) {
      finding.races = true;
      finding.other = other;
      finding.firstOffset = at;
    }
    if (access.isStrong)
      noteStrong(cell, at, access, /*isWrite=*/false);
    else
      noteReader(cell, access);
  });
  return finding;
}

Shadow::Finding Shadow::write(uint64_t offset, uint64_t size,
                              const Access &access, const uint8_t *old,
                              const uint8_t *from) {
  Finding finding;
  visit(offset, size, [&](Cell &cell, uint64_t at, uint64_t bytes) {
    Thread other;
    if ((cell.flags & inFlight) || conflicts(cell, access, other) ||
        conflictsWithStrong(cell, at, access, true, other)) {
      bool wasWritten =
          startsWritten || (cell.written != 0 && !(cell.flags & unwritten));
      bool isSame =
          wasWritten && !(cell.flags & inFlight) &&
          std::memcmp(old + (at - offset), from + (at - offset), bytes) == 0;
      if (isSame) {
        finding.sameValues += bytes;
      } else if (!finding.races) {
        finding.races = true;
        finding.isInFlight = cell.flags & inFlight;
        finding.isUnwritten = !wasWritten;
        finding.other = other;
        finding.firstOffset = at;
      }
    }
    noteWriter(cell, at, access);
  });
  return finding;
}

Shadow::Finding Shadow::launch(uint64_t offset, uint64_t size,
                               const Access &access) {
  Finding finding;
  visit(offset, size, [&](Cell &cell, uint64_t at, uint64_t) {
    Thread other;
    if (((cell.flags & inFlight) || conflicts(cell, access, other) ||
         conflictsWithStrong(cell, at, access, true, other)) &&
        !finding.races) {
      finding.races = true;
      finding.isInFlight = cell.flags & inFlight;
      finding.other = other;
      finding.firstOffset = at;
    }
    noteWriter(cell, at, access);
    cell.flags |= inFlight;
  });
  return finding;
}

void Shadow::land(uint64_t offset, uint64_t size, const Access &access) {
  visit(offset, size, [&](Cell &cell, uint64_t, uint64_t) {
    cell.flags &= ~(inFlight | unwritten);
    cell.written = access.time;
  });
}

void Shadow::forget(uint64_t offset, uint64_t size) {
  visit(offset, size,
        [&](Cell &cell, uint64_t, uint64_t) { cell.flags |= unwritten; });
}

std::optional<uint64_t> Shadow::firstUnwritten(uint64_t size) const {
  for (uint64_t at = 0; at < size && !startsWritten;) {
    const Page &page = pages[at / pageBytes];
    if (page.cells.empty())
      return at;
    const Cell &cell = page.cells[at % pageBytes / page.bytesPerCell];
    if (cell.written == 0 || (cell.flags & unwritten))
      return at;
    at += page.bytesPerCell;
  }
  return std::nullopt;
}

} // namespace distaff::ptx
