//===- Clocks.h - What happened before what ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are ordered by what they wait for. In most kernels that is only the
// barrier of the whole workgroup: it divides the run into epochs, and what was
// done in an earlier epoch is known to all. Where a kernel orders some threads
// and not others (named barriers, mbarriers), each thread has a clock of its
// own and knows a time of every other's:
//
//   thread 3 writes [7] at its time 5
//   thread 3 arrives at barrier 1     what it knows, 3@5, is in the barrier
//   thread 9 has waited there         it knows 3@5
//   thread 9 reads [7]                fine, and a race for a thread that knows
//                                     no more than 3@4
//
// Some barriers only make threads wait; what is known afterwards fences say. A
// release fence puts aside what its thread knows, the barrier carries that and
// no more, and it is known where an acquire fence follows.
//
// A thread may also stand for several: a group that runs code as one, or the
// iterations of a loop, which nothing orders. It begins anew where that order
// ends, and from then on knows of its own past no more than of another's. What
// it tells others then is what it did since that beginning: a release in one
// iteration says nothing of what another iteration wrote.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_CLOCKS_H
#define DISTAFF_LIB_SIMT_MACHINE_CLOCKS_H

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace distaff::simt {

/// The buffers that an order is about; all memory where there is none.
using Ordered = std::optional<llvm::ArrayRef<int64_t>>;

/// Times of a thread, both included.
struct Span {
  uint32_t from = 1, to = 0;

  bool isEmpty() const { return from > to; }
  bool has(uint32_t time) const { return from <= time && time <= to; }
  /// Whether together they are one span.
  bool touches(Span other) const {
    return from <= other.to + 1 && other.from <= to + 1;
  }
};

/// Spans of each thread. Most have one; of iterations some may be known and
/// others between them not.
///
/// Threads that have waited for each other know the same, and thousands of them
/// are told at each barrier what they know already. So copies share what they
/// hold until one is added to, and what has been found to be part of it is
/// remembered, as it was then.
class Spans {
public:
  bool has(int64_t thread, uint32_t time) const;
  void add(int64_t thread, Span span);
  void add(const Spans &other);
  /// What is in both.
  void meet(const Spans &other);

private:
  struct Held;
  /// What somebody held when it had changed so often.
  struct Seen {
    std::weak_ptr<const Held> held;
    uint64_t changes = 0;

    bool is(const std::shared_ptr<Held> &other) const;
  };
  struct Held {
    std::vector<Span> latest;
    std::map<int64_t, std::vector<Span>> further;
    uint64_t changes = 0;
    /// The last that were found to be part of this, which only grows.
    std::array<Seen, 2> parts;

    void add(int64_t thread, Span span);
    void add(const Held &other);
    /// False also where it is not plain to see that all of `other` is here.
    bool includes(const Held &other) const;
    std::vector<Span> of(int64_t thread) const;
  };

  /// To be added to; copies keep what they hold.
  Held &change();
  bool includes(const Spans &other) const;

  std::shared_ptr<Held> held; // null: nothing
};

/// The times of each thread that are known: for all memory, and for some
/// buffers more. It begins with knowing nothing.
class Knowledge {
public:
  bool has(int64_t thread, uint32_t time, int64_t buffer) const;
  void note(int64_t thread, Span span, Ordered memory = std::nullopt);
  /// What either knows.
  void add(const Knowledge &other, Ordered memory = std::nullopt);
  /// What both know.
  void meet(const Knowledge &other);
  void clear() { *this = {}; }

private:
  /// What is known for a buffer, and for all.
  Spans spansOf(int64_t buffer) const;

  Spans everywhere;
  std::map<int64_t, Spans> inBuffer;
};

/// How far a fence reaches, or a barrier.
enum class Reach : uint8_t { Subgroup, Workgroup, Device };

class Clocks {
public:
  /// `partial`: not only barriers of the whole workgroup order its threads.
  Clocks(int64_t count, bool partial) : threads(partial ? count : 0) {}

  bool isPartial() const { return !threads.empty(); }
  /// 1 before the first barrier of the whole workgroup.
  uint32_t epoch() const { return currentEpoch; }
  /// All threads have waited for each other.
  void nextEpoch() { ++currentEpoch; }

  uint32_t now(int64_t thread) const {
    assert(thread >= 0 && thread < int64_t(threads.size()) &&
           "a thread has a clock");
    return threads[thread].time;
  }
  /// Whether what `other` did to a buffer at `time` happened before what
  /// `thread` does now.
  bool knows(int64_t thread, int64_t other, uint32_t time,
             int64_t buffer) const {
    assert(thread >= 0 && thread < int64_t(threads.size()) &&
           "a thread has a clock");
    const Thread &own = threads[thread];
    return (thread == other && time >= own.since) ||
           own.known.has(other, time, buffer);
  }

  /// Lanes of a subgroup, whose first thread is given, arrive: what they know
  /// and did goes into `into`; what they do from now on does not.
  void release(int64_t first, uint64_t lanes, Knowledge &into,
               Ordered memory = std::nullopt);
  /// They have waited: they know it.
  void acquire(int64_t first, uint64_t lanes, const Knowledge &from,
               Ordered memory = std::nullopt);

  //===--------------------------------------------------------------------===//
  // Threads that others start
  //===--------------------------------------------------------------------===//

  void addThreads(int64_t count) {
    if (isPartial())
      threads.resize(threads.size() + count);
  }
  /// A thread is started by another. It knows what that one knows, or also what
  /// it did, and what it did itself when it was last started by it.
  void begin(int64_t thread, int64_t by, bool knowsWhatItDid);
  /// What it does next is not ordered behind what it did since it began, nor
  /// behind what that has made it know.
  void iterate(int64_t thread);
  /// What it does next is not ordered behind what it did, but for what it knows
  /// of that, as after a barrier.
  void leaveOrder(int64_t thread);
  /// A thread ends. Whoever started it keeps what it did, to pass it on when it
  /// arrives somewhere; for some memory, or all, it knows it itself.
  void end(int64_t thread, int64_t by, bool isKnown,
           llvm::ArrayRef<int64_t> knownBuffers);
  /// What all threads that have ended knew, whoever started them knows.
  const Knowledge &knownTo(int64_t thread) const {
    return threads[thread].known;
  }
  void learn(int64_t thread, const Knowledge &more) {
    threads[thread].known.add(more);
  }

  /// Fences, and what passes between them: lanes that arrive give what they
  /// have released, and keep what they find until they acquire it.
  void fenceRelease(int64_t first, uint64_t lanes, Reach reach,
                    Ordered memory = std::nullopt);
  void fenceAcquire(int64_t first, uint64_t lanes, Reach reach,
                    Ordered memory = std::nullopt);
  void signal(int64_t first, uint64_t lanes, Reach reach, Knowledge &into);
  void observe(int64_t first, uint64_t lanes, Reach reach,
               const Knowledge &from);

private:
  struct Thread {
    uint32_t time = 1;
    uint32_t since = 0; // its own order begins here
    uint32_t first = 0; // it, or its iteration, began here
    Knowledge known;
    std::map<int64_t, Knowledge> pasts; // of threads that it started
    Knowledge initial, earlier; // at its beginning; of iterations before
    Span own() const { return {first, time}; }
    // By reach: released and not yet given, found and not yet acquired.
    std::array<Knowledge, 3> released, found;
  };

  /// What a thread knows and did, in this iteration of it; what it does from
  /// now on is not among it.
  void putAside(int64_t thread, Knowledge &into, Ordered memory = std::nullopt);

  uint32_t currentEpoch = 1;
  std::vector<Thread> threads;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_CLOCKS_H
