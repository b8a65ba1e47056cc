//===- Shadow.cpp - Shadow memory for the detection of races --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Shadow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
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
  llvm::SmallVector<Read, 2> &reads = readers[element];
  Read now{thread, cell.readEpoch, instruction};
  auto own = llvm::find_if(
      reads, [&](const Read &read) { return read.thread == now.thread; });
  if (own != reads.end()) {
    *own = now;
    return Conflict::None;
  }
  // An access ordered after this read is also ordered after the reads in this
  // thread's clock, which can be dropped. For many readers before the next
  // barrier, testing every pair would be quadratic.
  constexpr size_t fewReads = 4;
  if (reads.size() < fewReads || llvm::isPowerOf2_64(reads.size()))
    llvm::erase_if(reads, [&, buffer = buffer](const Read &read) {
      return clocks.knows(now.thread, read.thread, read.time, buffer);
    });
  reads.push_back(now);
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

/// Returns whether an access is ordered after the access of another thread at
/// `time`.
bool Shadow::isOrdered(const Clocks &clocks, const Touch &how, uint16_t other,
                       uint32_t time) {
  return clocks.isPartial() ? clocks.knows(how.thread, other, time, how.buffer)
                            : other == how.thread || time != clocks.epoch();
}

bool Shadow::isUpdated(int64_t element) const {
  auto accesses = atomics.find(element);
  return accesses != atomics.end() &&
         llvm::any_of(accesses->second,
                      [](const Atomic &access) { return access.isUpdate; });
}

/// Returns the conflict of an access that is not atomic with atomic ones; the
/// cell then contains the other access.
Shadow::Conflict Shadow::meetAtomics(int64_t element, Cell &cell,
                                     const Clocks &clocks,
                                     const Touch &how) const {
  auto accesses = atomics.find(element);
  if (accesses == atomics.end())
    return Conflict::None;
  for (const Atomic &access : accesses->second) {
    if ((!how.isStore && !access.isUpdate) ||
        isOrdered(clocks, how, access.thread, access.time))
      continue;
    (access.isUpdate ? cell.writer : cell.reader) = access.thread;
    (access.isUpdate ? cell.writeAt : cell.readAt) = access.at;
    return access.isUpdate ? Conflict::WithWrite : Conflict::WithRead;
  }
  return Conflict::None;
}

/// Returns the conflict of an atomic update with reads that are not atomic; the
/// cell then contains the other access.
Shadow::Conflict Shadow::meetReads(int64_t element, Cell &cell,
                                   const Clocks &clocks,
                                   const Touch &how) const {
  if (!clocks.isPartial() && cell.readEpoch &&
      !isOrdered(clocks, how, cell.reader, cell.readEpoch))
    return Conflict::WithRead;
  auto reads = readers.find(element);
  if (reads == readers.end())
    return Conflict::None;
  for (const Read &read : reads->second)
    if (!isOrdered(clocks, how, read.thread, read.time)) {
      cell.reader = read.thread;
      cell.readAt = read.at;
      return Conflict::WithRead;
    }
  return Conflict::None;
}

Shadow::Conflict Shadow::touchAtomically(int64_t element, Cell &cell,
                                         const Clocks &clocks,
                                         const Touch &how) {
  if (cell.writeEpoch && !isOrdered(clocks, how, cell.writer, cell.writeEpoch))
    return Conflict::WithWrite;
  if (how.isStore)
    if (Conflict conflict = meetReads(element, cell, clocks, how);
        conflict != Conflict::None)
      return conflict;
  llvm::SmallVector<Atomic, 2> &accesses = atomics[element];
  // A load must not replace an update: reads race with the update.
  llvm::erase_if(accesses, [&](const Atomic &access) {
    return (how.isStore || !access.isUpdate) &&
           isOrdered(clocks, how, access.thread, access.time);
  });
  uint32_t time = clocks.isPartial() ? clocks.now(how.thread) : clocks.epoch();
  accesses.push_back({{how.thread, time, how.instruction}, how.isStore});
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
    return; // memory that was freed
  assert((isStore ? it->second.writes : it->second.reads) > 0 &&
         "a copy ends once");
  --(isStore ? it->second.writes : it->second.reads);
  if (!it->second.writes && !it->second.reads)
    inFlight.erase(it);
}

void LaunchShadow::Workgroups::add(int32_t workgroup, uint32_t instruction) {
  if (!exist() || workgroup < first) {
    first = workgroup;
    at = instruction;
  }
  last = std::max(last, workgroup);
}

bool LaunchShadow::Workgroups::differFrom(const Workgroups &others) const {
  return exist() && others.exist() &&
         (first != others.first || last != others.first ||
          others.last != others.first);
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
    if (touched.writeEpoch)
      cell.writers.add(workgroup, touched.writeAt);
    if (touched.readEpoch)
      cell.readers.add(workgroup, touched.readAt);
  });
  shadow.forEachAtomic([&](int64_t element, uint32_t at, bool isUpdate) {
    Cell &cell = cellOf(element);
    (isUpdate ? cell.updaters : cell.loaders).add(workgroup, at);
  });
}

/// Returns whether one workgroup writes an element that another touches, or
/// updates it atomically while another reads or writes it without atomics.
static bool isShared(const LaunchShadow::Cell &cell) {
  return cell.writers.differFrom(cell.writers) ||
         cell.writers.differFrom(cell.readers) ||
         cell.writers.differFrom(cell.loaders) ||
         cell.updaters.differFrom(cell.writers) ||
         cell.updaters.differFrom(cell.readers);
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
    if (!cell.writers.exist() && !cell.updaters.exist())
      return element;
  }
  return -1;
}
