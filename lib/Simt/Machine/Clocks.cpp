//===- Clocks.cpp - Vector clocks of the happens-before order -------------===//
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

void Spans::Held::add(int64_t thread, Span span) {
  if (span.isEmpty())
    return;
  assert(thread >= 0 && "threads are numbered from 0");
  if (thread >= int64_t(latest.size()))
    latest.resize(thread + 1);
  Span &own = latest[thread];
  if (own.isEmpty() || own.touches(span)) {
    own = own.isEmpty()
              ? span
              : Span{std::min(own.from, span.from), std::max(own.to, span.to)};
    return;
  }
  if (own.to < span.to)
    std::swap(own, span);
  std::vector<Span> &more = further[thread];
  // Spans that touch it are merged with it.
  auto isApart = [&](Span other) { return !span.touches(other); };
  auto joined = std::partition(more.begin(), more.end(), isApart);
  for (auto it = joined; it != more.end(); ++it)
    span = {std::min(span.from, it->from), std::max(span.to, it->to)};
  more.erase(joined, more.end());
  more.push_back(span);
}

void Spans::Held::add(const Held &other) {
  if (latest.size() < other.latest.size())
    latest.resize(other.latest.size());
  for (size_t thread = 0; thread < other.latest.size(); ++thread) {
    Span &own = latest[thread], span = other.latest[thread];
    if (own.from <= span.from && span.from <= own.to + 1)
      own.to = std::max(own.to, span.to);
    else
      add(thread, span);
  }
  for (const auto &[thread, spans] : other.further)
    for (Span span : spans)
      add(thread, span);
}

bool Spans::Held::includes(const Held &other) const {
  if (!other.further.empty() || latest.size() < other.latest.size())
    return false;
  for (size_t thread = 0; thread < other.latest.size(); ++thread) {
    Span own = latest[thread], span = other.latest[thread];
    if (!span.isEmpty() && (span.from < own.from || own.to < span.to))
      return false;
  }
  return true;
}

std::vector<Span> Spans::Held::of(int64_t thread) const {
  if (thread >= int64_t(latest.size()))
    return {};
  std::vector<Span> spans = {latest[thread]};
  if (auto more = further.find(thread); more != further.end())
    spans.insert(spans.end(), more->second.begin(), more->second.end());
  return spans;
}

bool Spans::has(int64_t thread, uint32_t time) const {
  if (!held || thread >= int64_t(held->latest.size()))
    return false;
  if (held->latest[thread].has(time))
    return true;
  auto more = held->further.find(thread);
  return more != held->further.end() &&
         std::any_of(more->second.begin(), more->second.end(),
                     [&](Span span) { return span.has(time); });
}

bool Spans::Seen::is(const std::shared_ptr<Held> &other) const {
  // Weak pointers compare by their control block, also after the object is
  // gone.
  return !held.owner_before(other) && !other.owner_before(held) &&
         changes == other->changes;
}

Spans::Held &Spans::change() {
  if (!held) {
    held = std::make_shared<Held>();
  } else if (held.use_count() > 1) {
    std::shared_ptr<Held> copy = std::make_shared<Held>(*held);
    copy->parts = {Seen{held, held->changes}};
    held = std::move(copy);
  }
  ++held->changes;
  return *held;
}

bool Spans::includes(const Spans &other) const {
  if (!other.held || held == other.held)
    return true;
  if (!held)
    return false;
  if (std::any_of(held->parts.begin(), held->parts.end(),
                  [&](const Seen &part) { return part.is(other.held); }))
    return true;
  if (!held->includes(*other.held))
    return false;
  std::swap(held->parts[0], held->parts[1]);
  held->parts[0] = {other.held, other.held->changes};
  return true;
}

void Spans::add(int64_t thread, Span span) {
  if (!span.isEmpty())
    change().add(thread, span);
}

void Spans::add(const Spans &other) {
  if (includes(other))
    return;
  if (other.includes(*this))
    held = other.held;
  else
    change().add(*other.held);
}

void Spans::meet(const Spans &other) {
  if (held == other.held)
    return;
  Spans both;
  for (size_t thread = 0; held && other.held && thread < held->latest.size();
       ++thread)
    for (Span span : held->of(thread))
      for (Span theirs : other.held->of(thread))
        both.add(thread, {std::max(span.from, theirs.from),
                          std::min(span.to, theirs.to)});
  *this = std::move(both);
}

bool Knowledge::has(int64_t thread, uint32_t time, int64_t buffer) const {
  if (everywhere.has(thread, time))
    return true;
  auto more = inBuffer.find(buffer);
  return more != inBuffer.end() && more->second.has(thread, time);
}

void Knowledge::note(int64_t thread, Span span, Ordered memory) {
  if (!memory)
    return everywhere.add(thread, span);
  for (int64_t buffer : *memory)
    inBuffer[buffer].add(thread, span);
}

Spans Knowledge::spansOf(int64_t buffer) const {
  Spans spans = everywhere;
  if (auto more = inBuffer.find(buffer); more != inBuffer.end())
    spans.add(more->second);
  return spans;
}

void Knowledge::add(const Knowledge &other, Ordered memory) {
  if (memory) {
    for (int64_t buffer : *memory) {
      Spans &spans = inBuffer[buffer];
      spans.add(other.everywhere);
      if (auto more = other.inBuffer.find(buffer); more != other.inBuffer.end())
        spans.add(more->second);
    }
    return;
  }
  everywhere.add(other.everywhere);
  for (const auto &[buffer, spans] : other.inBuffer)
    inBuffer[buffer].add(spans);
}

void Knowledge::meet(const Knowledge &other) {
  std::map<int64_t, Spans> both;
  for (const std::map<int64_t, Spans> *side :
       {&std::as_const(inBuffer), &other.inBuffer})
    for (const auto &[buffer, spans] : *side) {
      Spans shared = spansOf(buffer);
      shared.meet(other.spansOf(buffer));
      both[buffer] = std::move(shared);
    }
  inBuffer = std::move(both);
  everywhere.meet(other.everywhere);
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

template <typename Visit>
static void forEachThread(int64_t first, uint64_t lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(first + llvm::countr_zero(lanes));
}

void Clocks::putAside(int64_t number, Knowledge &into, Ordered memory) {
  assert(number < int64_t(threads.size()) && "a thread has a clock");
  Thread &thread = threads[number];
  into.add(thread.known, memory);
  for (const auto &[started, past] : thread.pasts)
    into.add(past, memory);
  into.note(number, thread.own(), memory);
  ++thread.time;
}

void Clocks::release(int64_t first, uint64_t lanes, Knowledge &into,
                     Ordered memory) {
  if (!isPartial())
    return;
  forEachThread(first, lanes,
                [&](int64_t number) { putAside(number, into, memory); });
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
// Threads that other threads start
//===----------------------------------------------------------------------===//

void Clocks::begin(int64_t thread, int64_t by, bool knowsWhatItDid) {
  if (!isPartial())
    return;
  Thread &started = threads[thread], &starter = threads[by];
  uint32_t next = started.time + 1;
  started.known = starter.known;
  if (knowsWhatItDid) {
    started.known.note(by, starter.own());
    ++starter.time;
  }
  if (auto past = starter.pasts.find(thread); past != starter.pasts.end())
    started.known.add(past->second);
  started.first = started.time;
  started.time = started.since = next;
  started.pasts.clear();
  started.initial = started.known;
  started.earlier.clear();
  started.released = started.found = {};
}

void Clocks::iterate(int64_t thread) {
  if (!isPartial())
    return;
  Thread &own = threads[thread];
  putAside(thread, own.earlier);
  own.known = own.initial;
  own.pasts.clear();
  own.since = own.time;
  own.first = own.time;
  own.released = own.found = {};
}

void Clocks::leaveOrder(int64_t thread) {
  if (isPartial())
    threads[thread].since = ++threads[thread].time;
}

void Clocks::end(int64_t thread, int64_t by, bool isKnown,
                 llvm::ArrayRef<int64_t> knownBuffers) {
  if (!isPartial())
    return;
  Knowledge done = std::move(threads[thread].earlier);
  putAside(thread, done);
  if (isKnown)
    threads[by].known.add(done);
  else
    threads[by].known.add(done, knownBuffers);
  threads[by].pasts[thread] = std::move(done);
}
