//===- Shadow.cpp - Who touched each element of memory, and when ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Shadow.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace distaff::simt;

void Shadow::forEach(
    llvm::function_ref<void(int64_t, const Cell &)> visit) const {
  for (size_t page = 0; page < pages.size(); ++page)
    for (size_t i = 0; i < pages[page].size(); ++i) {
      const Cell &cell = pages[page][i];
      if (cell.writeEpoch || cell.readEpoch)
        visit(int64_t(page) * pageSize + int64_t(i), cell);
    }
}

Shadow::Conflict Shadow::readPartly(int64_t element, Cell &cell,
                                    const Clocks &clocks, const Touch &how) {
  auto [buffer, thread, instruction, isStore] = how;
  if (cell.writeEpoch &&
      !clocks.knows(thread, cell.writer, cell.writeEpoch, buffer))
    return Conflict::WithWrite;
  cell.readEpoch = clocks.now(thread);
  cell.reader = thread;
  cell.readAt = instruction;
  // Who knows this read knows what its thread knows.
  llvm::SmallVector<Read, 2> &reads = readers[element];
  llvm::erase_if(reads,
                 [&, thread = thread, buffer = buffer](const Read &read) {
                   return clocks.knows(thread, read.thread, read.time, buffer);
                 });
  reads.push_back({thread, cell.readEpoch, instruction});
  return Conflict::None;
}

Shadow::Conflict Shadow::writePartly(int64_t element, Cell &cell,
                                     const Clocks &clocks, const Touch &how) {
  auto [buffer, thread, instruction, isStore] = how;
  if (cell.writeEpoch &&
      !clocks.knows(thread, cell.writer, cell.writeEpoch, buffer))
    return Conflict::WithWrite;
  if (auto reads = readers.find(element); reads != readers.end()) {
    for (const Read &read : reads->second)
      if (!clocks.knows(thread, read.thread, read.time, buffer)) {
        cell.reader = read.thread;
        cell.readAt = read.at;
        return Conflict::WithRead;
      }
    readers.erase(reads);
  }
  cell.writeEpoch = clocks.now(thread);
  cell.writer = thread;
  cell.writeAt = instruction;
  return Conflict::None;
}

/// Whether an access comes after what another thread did at `time`.
bool Shadow::isOrdered(const Clocks &clocks, const Touch &how, uint16_t other,
                       uint32_t time) {
  return clocks.isPartial() ? clocks.knows(how.thread, other, time, how.buffer)
                            : other == how.thread || time != clocks.epoch();
}

/// Whether an access meets an atomic update, which the cell then names.
bool Shadow::meetsAtomic(int64_t element, Cell &cell, const Clocks &clocks,
                         const Touch &how) const {
  auto updates = atomics.find(element);
  if (updates == atomics.end())
    return false;
  for (const Read &update : updates->second)
    if (!isOrdered(clocks, how, update.thread, update.time)) {
      cell.writer = update.thread;
      cell.writeAt = update.at;
      return true;
    }
  return false;
}

Shadow::Conflict Shadow::update(int64_t element, Cell &cell,
                                const Clocks &clocks, const Touch &how) {
  if (cell.writeEpoch && !isOrdered(clocks, how, cell.writer, cell.writeEpoch))
    return Conflict::WithWrite;
  if (!clocks.isPartial() && cell.readEpoch &&
      !isOrdered(clocks, how, cell.reader, cell.readEpoch))
    return Conflict::WithRead;
  if (auto reads = readers.find(element); reads != readers.end())
    for (const Read &read : reads->second)
      if (!isOrdered(clocks, how, read.thread, read.time)) {
        cell.reader = read.thread;
        cell.readAt = read.at;
        return Conflict::WithRead;
      }
  llvm::SmallVector<Read, 2> &updates = atomics[element];
  llvm::erase_if(updates, [&](const Read &update) {
    return isOrdered(clocks, how, update.thread, update.time);
  });
  updates.push_back(
      {how.thread, clocks.isPartial() ? clocks.now(how.thread) : clocks.epoch(),
       how.instruction});
  return Conflict::None;
}

void Shadow::startCopy(int64_t element, uint16_t thread, uint32_t instruction,
                       bool isStore) {
  InFlight &copies = inFlight[element];
  ++(isStore ? copies.writes : copies.reads);
  copies.thread = thread;
  copies.at = instruction;
}

void Shadow::endCopy(int64_t element, bool isStore) {
  auto it = inFlight.find(element);
  if (it == inFlight.end())
    return; // of memory that was freed
  assert((isStore ? it->second.writes : it->second.reads) > 0 &&
         "a copy ends once");
  --(isStore ? it->second.writes : it->second.reads);
  if (!it->second.writes && !it->second.reads)
    inFlight.erase(it);
}

/// Widens [first, last] by a workgroup; true when it became the first.
static bool widen(int32_t &first, int32_t &last, int32_t workgroup) {
  bool isFirst = first < 0 || workgroup < first;
  if (isFirst)
    first = workgroup;
  last = std::max(last, workgroup);
  return isFirst;
}

LaunchShadow::Cell &LaunchShadow::cellOf(int64_t element) {
  size_t number = size_t(element / pageSize);
  if (number >= pages.size())
    pages.resize(number + 1);
  std::vector<Cell> &page = pages[number];
  if (page.empty())
    page.resize(pageSize);
  return page[element % pageSize];
}

void LaunchShadow::add(int32_t workgroup, const Shadow &shadow) {
  shadow.forEach([&](int64_t element, const Shadow::Cell &touched) {
    Cell &cell = cellOf(element);
    if (touched.writeEpoch &&
        widen(cell.firstWriter, cell.lastWriter, workgroup))
      cell.writeAt = touched.writeAt;
    if (touched.readEpoch &&
        widen(cell.firstReader, cell.lastReader, workgroup))
      cell.readAt = touched.readAt;
  });
  shadow.forEachAtomic([&](int64_t element, uint32_t at) {
    Cell &cell = cellOf(element);
    if (widen(cell.firstUpdater, cell.lastUpdater, workgroup))
      cell.updateAt = at;
  });
}

/// Whether one workgroup does what another must not do meanwhile.
static bool differ(int32_t first, int32_t last, int32_t otherFirst,
                   int32_t otherLast) {
  return first >= 0 && otherFirst >= 0 &&
         (first != otherFirst || last != otherFirst || otherLast != otherFirst);
}

/// Whether one workgroup writes what another touches, or one updates
/// atomically what another reads or writes.
static bool isShared(const LaunchShadow::Cell &cell) {
  return differ(cell.firstWriter, cell.lastWriter, cell.firstWriter,
                cell.lastWriter) ||
         differ(cell.firstWriter, cell.lastWriter, cell.firstReader,
                cell.lastReader) ||
         differ(cell.firstUpdater, cell.lastUpdater, cell.firstWriter,
                cell.lastWriter) ||
         differ(cell.firstUpdater, cell.lastUpdater, cell.firstReader,
                cell.lastReader);
}

int64_t LaunchShadow::findRace() const {
  for (auto [number, page] : llvm::enumerate(pages))
    if (auto cell = llvm::find_if(page, isShared); cell != page.end())
      return int64_t(number) * pageSize + (cell - page.begin());
  return -1;
}

int64_t LaunchShadow::findUnwritten() const {
  for (int64_t element = 0; element < elements; ++element) {
    size_t number = size_t(element / pageSize);
    if (number >= pages.size() || pages[number].empty())
      return element;
    const Cell &cell = pages[number][element % pageSize];
    if (cell.firstWriter < 0 && cell.firstUpdater < 0)
      return element;
  }
  return -1;
}
