//===- Clocks.cpp - What happened before what -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Clocks.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <utility>

using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Knowledge
//===----------------------------------------------------------------------===//

void Knowledge::join(Times &into, const Times &from) {
  if (into.size() < from.size())
    into.resize(from.size(), 0);
  std::transform(
      from.begin(), from.end(), into.begin(), into.begin(),
      [](uint32_t one, uint32_t other) { return std::max(one, other); });
}

static bool hasIn(const std::vector<uint32_t> &times, int64_t thread,
                  uint32_t time) {
  return thread < int64_t(times.size()) && times[thread] >= time;
}

bool Knowledge::has(int64_t thread, uint32_t time, int64_t buffer) const {
  if (hasIn(everywhere, thread, time))
    return true;
  auto more = inBuffer.find(buffer);
  return more != inBuffer.end() && hasIn(more->second, thread, time);
}

void Knowledge::note(int64_t thread, uint32_t time, Ordered memory) {
  auto noteIn = [&](Times &times) {
    if (int64_t(times.size()) <= thread)
      times.resize(thread + 1, 0);
    times[thread] = std::max(times[thread], time);
  };
  if (!memory)
    return noteIn(everywhere);
  for (int64_t buffer : *memory)
    noteIn(inBuffer[buffer]);
}

Knowledge::Times Knowledge::timesOf(int64_t buffer) const {
  Times times = everywhere;
  if (auto more = inBuffer.find(buffer); more != inBuffer.end())
    join(times, more->second);
  return times;
}

void Knowledge::add(const Knowledge &other, Ordered memory) {
  if (memory) {
    for (int64_t buffer : *memory) {
      Times &times = inBuffer[buffer];
      join(times, other.everywhere);
      if (auto more = other.inBuffer.find(buffer); more != other.inBuffer.end())
        join(times, more->second);
    }
    return;
  }
  join(everywhere, other.everywhere);
  for (const auto &[buffer, times] : other.inBuffer)
    join(inBuffer[buffer], times);
}

void Knowledge::meet(const Knowledge &other) {
  auto least = [](Times &into, const Times &from) {
    into.resize(std::min(into.size(), from.size()));
    for (size_t i = 0; i < into.size(); ++i)
      into[i] = std::min(into[i], from[i]);
  };
  std::map<int64_t, Times> both;
  for (const std::map<int64_t, Times> *side :
       {&std::as_const(inBuffer), &other.inBuffer})
    for (const auto &[buffer, times] : *side) {
      Times shared = timesOf(buffer);
      least(shared, other.timesOf(buffer));
      both[buffer] = std::move(shared);
    }
  inBuffer = std::move(both);
  least(everywhere, other.everywhere);
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

template <typename Visit>
static void forEachThread(int64_t first, uint64_t lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(first + llvm::countr_zero(lanes));
}

void Clocks::release(int64_t first, uint64_t lanes, Knowledge &into,
                     Ordered memory) {
  if (!isPartial())
    return;
  forEachThread(first, lanes, [&](int64_t number) {
    Thread &thread = threads[number];
    into.add(thread.known, memory);
    into.add(thread.earlier, memory);
    for (const auto &[started, past] : thread.pasts)
      into.add(past, memory);
    into.note(number, thread.time++, memory);
  });
}

void Clocks::acquire(int64_t first, uint64_t lanes, const Knowledge &from,
                     Ordered memory) {
  if (!isPartial())
    return;
  forEachThread(first, lanes, [&](int64_t number) {
    threads[number].known.add(from, memory);
  });
}

void Clocks::fenceRelease(int64_t first, uint64_t lanes, Reach reach,
                          Ordered memory) {
  forEachThread(first, lanes, [&](int64_t number) {
    Knowledge own;
    release(number, 1, own, memory);
    for (size_t r = 0; r <= size_t(reach) && isPartial(); ++r)
      threads[number].released[r].add(own);
  });
}

void Clocks::fenceAcquire(int64_t first, uint64_t lanes, Reach reach,
                          Ordered memory) {
  if (!isPartial())
    return;
  forEachThread(first, lanes, [&](int64_t number) {
    for (size_t r = 0; r <= size_t(reach); ++r)
      threads[number].known.add(threads[number].found[r], memory);
  });
}

void Clocks::signal(int64_t first, uint64_t lanes, Reach reach,
                    Knowledge &into) {
  if (!isPartial())
    return;
  forEachThread(first, lanes, [&](int64_t number) {
    into.add(threads[number].released[size_t(reach)]);
  });
}

void Clocks::observe(int64_t first, uint64_t lanes, Reach reach,
                     const Knowledge &from) {
  if (!isPartial())
    return;
  forEachThread(first, lanes, [&](int64_t number) {
    threads[number].found[size_t(reach)].add(from);
  });
}

//===----------------------------------------------------------------------===//
// Threads that others start
//===----------------------------------------------------------------------===//

void Clocks::begin(int64_t thread, int64_t by, bool knowsWhatItDid) {
  if (!isPartial())
    return;
  Thread &started = threads[thread], &starter = threads[by];
  uint32_t next = started.time + 1;
  started.known = starter.known;
  if (knowsWhatItDid)
    started.known.note(by, starter.time++);
  if (auto past = starter.pasts.find(thread); past != starter.pasts.end())
    started.known.add(past->second);
  started.time = started.since = next;
  started.pasts.clear();
  started.initial = started.known;
  started.earlier.clear();
  started.released = started.found = {};
}

void Clocks::iterate(int64_t thread) {
  if (!isPartial())
    return;
  Knowledge done;
  release(thread, 1, done);
  Thread &own = threads[thread];
  own.earlier.add(done);
  own.known = own.initial;
  own.pasts.clear();
  own.since = own.time;
}

void Clocks::leaveOrder(int64_t thread) {
  if (isPartial())
    threads[thread].since = ++threads[thread].time;
}

void Clocks::end(int64_t thread, int64_t by, bool isKnown,
                 llvm::ArrayRef<int64_t> knownBuffers) {
  if (!isPartial())
    return;
  Knowledge done;
  release(thread, 1, done);
  if (isKnown)
    threads[by].known.add(done);
  else
    threads[by].known.add(done, knownBuffers);
  threads[by].pasts[thread] = std::move(done);
}
