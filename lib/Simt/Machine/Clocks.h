//===- Clocks.h - Vector clocks of the happens-before order -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Synchronization orders the threads. In most kernels that is only the barrier
// of the whole workgroup: it divides the run into epochs, and all threads are
// ordered after everything in an earlier epoch. If a kernel orders some threads
// and not others (named barriers, mbarriers), each thread has a vector clock:
// the times of all threads that happened before its current step ("known"
// below):
//
//   thread 3 writes [7] at its time 5
//   thread 3 arrives at barrier 1     the barrier receives its clock, 3@5
//   thread 9 has waited there         its clock includes 3@5
//   thread 9 reads [7]                fine, and a race for a thread whose clock
//                                     ends at 3@4
//
// Some barriers only make threads wait; fences then order memory. A release
// fence saves the clock of its thread, the barrier carries only the saved
// clock, and an acquire fence adds it to the clock of the waiting thread.
//
// A thread may also stand for several: a group that runs code as one, or the
// iterations of a loop, which are unordered. It starts a new order at the end
// of such a range, and its own past is then ordered before it only as far as
// its clock includes it. A release afterwards covers only the actions since
// that start: a release in one iteration does not cover writes of another
// iteration.
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

/// The buffers that an order applies to; nullopt: all memory.
using Ordered = std::optional<llvm::ArrayRef<int64_t>>;

/// A closed range of times of a thread.
struct Span {
  uint32_t from = 1, to = 0;

  bool isEmpty() const { return from > to; }
  bool has(uint32_t time) const { return from <= time && time <= to; }
  /// Returns whether the union of both is one span.
  bool touches(Span other) const {
    return from <= other.to + 1 && other.from <= to + 1;
  }
};

/// A set of spans per thread. Most threads have one span; iterations may leave
/// gaps.
///
/// Threads that have waited for each other have equal sets, and thousands of
/// them receive at each barrier what they have already. So copies share their
/// contents until one changes (copy on write), and each set caches which
/// versions of other sets it includes.
class Spans {
public:
  bool has(int64_t thread, uint32_t time) const;
  void add(int64_t thread, Span span);
  void add(const Spans &other);
  /// Removes what is not also in `other` (intersection).
  void meet(const Spans &other);

private:
  struct Held;
  /// A version of the contents of another set.
  struct Seen {
    std::weak_ptr<const Held> held;
    uint64_t changes = 0;

    bool is(const std::shared_ptr<Held> &other) const;
  };
  struct Held {
    std::vector<Span> latest;
    std::map<int64_t, std::vector<Span>> further;
    uint64_t changes = 0;
    /// The last versions found to be included in this set, which only grows.
    std::array<Seen, 2> parts;

    void add(int64_t thread, Span span);
    void add(const Held &other);
    /// Returns whether all of `other` is included; false also if a cheap test
    /// cannot tell.
    bool includes(const Held &other) const;
    std::vector<Span> of(int64_t thread) const;
  };

  /// Returns contents that are not shared, for a change.
  Held &change();
  bool includes(const Spans &other) const;

  std::shared_ptr<Held> held; // null: empty
};

/// The times of each thread that happened before, for all memory and
/// additionally for some buffers. It starts empty.
class Knowledge {
public:
  bool has(int64_t thread, uint32_t time, int64_t buffer) const;
  void note(int64_t thread, Span span, Ordered memory = std::nullopt);
  /// Adds the times of `other` (union).
  void add(const Knowledge &other, Ordered memory = std::nullopt);
  /// Removes what is not also in `other` (intersection).
  void meet(const Knowledge &other);
  void clear() { *this = {}; }

private:
  /// Returns the spans for a buffer, including those for all memory.
  Spans spansOf(int64_t buffer) const;

  Spans everywhere;
  std::map<int64_t, Spans> inBuffer;
};

/// The scope of a fence or a barrier.
enum class Reach : uint8_t { Subgroup, Workgroup, Device };

class Clocks {
public:
  /// Creates vector clocks for `count` threads if `partial`: if not only
  /// barriers of the whole workgroup order them.
  Clocks(int64_t count, bool partial) : threads(partial ? count : 0) {}

  bool isPartial() const { return !threads.empty(); }
  /// Returns the current epoch, 1 before the first barrier of the whole
  /// workgroup.
  uint32_t epoch() const { return currentEpoch; }
  /// Starts the next epoch: all threads have waited for each other.
  void nextEpoch() { ++currentEpoch; }

  uint32_t now(int64_t thread) const {
    assert(thread >= 0 && thread < int64_t(threads.size()) &&
           "a thread has a clock");
    return threads[thread].time;
  }
  /// Returns whether the access of `other` to a buffer at `time` happened
  /// before the next step of `thread`.
  bool knows(int64_t thread, int64_t other, uint32_t time,
             int64_t buffer) const {
    assert(thread >= 0 && thread < int64_t(threads.size()) &&
           "a thread has a clock");
    const Thread &own = threads[thread];
    return (thread == other && time >= own.since) ||
           own.known.has(other, time, buffer);
  }

  /// Adds the clocks and the past actions of lanes of a subgroup, from thread
  /// `first`, to `into`. Their later actions are not included.
  void release(int64_t first, uint64_t lanes, Knowledge &into,
               Ordered memory = std::nullopt);
  /// Adds `from` to the clocks of lanes that have waited.
  void acquire(int64_t first, uint64_t lanes, const Knowledge &from,
               Ordered memory = std::nullopt);

  //===--------------------------------------------------------------------===//
  // Threads that other threads start
  //===--------------------------------------------------------------------===//

  void addThreads(int64_t count) {
    if (isPartial())
      threads.resize(threads.size() + count);
  }
  /// Starts a thread from another one. Its clock is that of the starter,
  /// optionally with the starter's own actions, and the thread's own actions of
  /// its last run under that starter.
  void begin(int64_t thread, int64_t by, bool knowsWhatItDid);
  /// Starts an iteration, which is ordered neither after the thread's actions
  /// since it began nor after what they have added to its clock.
  void iterate(int64_t thread);
  /// Ends the order of the thread with its own past, except for what its clock
  /// includes, as after a barrier.
  void leaveOrder(int64_t thread);
  /// Ends a thread. The starter keeps the thread's actions, to release them
  /// when it arrives at a barrier; for some memory, or all, they enter its own
  /// clock.
  void end(int64_t thread, int64_t by, bool isKnown,
           llvm::ArrayRef<int64_t> knownBuffers);
  /// Returns the clock of a thread. A starter learns what the clocks of all its
  /// ended threads have in common.
  const Knowledge &knownTo(int64_t thread) const {
    return threads[thread].known;
  }
  void learn(int64_t thread, const Knowledge &more) {
    threads[thread].known.add(more);
  }

  /// Applies fences, and transfers between them: `signal` releases the saved
  /// clock of arriving lanes, and `observe` keeps what they receive until an
  /// acquire fence.
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
    uint32_t since = 0; // start of its own order
    uint32_t first = 0; // start of the thread or of its iteration
    Knowledge known;
    std::map<int64_t, Knowledge> pasts; // of the threads that it started
    Knowledge initial, earlier; // clock at its start; of earlier iterations
    Span own() const { return {first, time}; }
    // Per scope: released but not yet signalled, observed but not yet acquired.
    std::array<Knowledge, 3> released, found;
  };

  /// Adds the clock and the actions of a thread in its current iteration to
  /// `into`. Its later actions are not included.
  void putAside(int64_t thread, Knowledge &into, Ordered memory = std::nullopt);

  uint32_t currentEpoch = 1;
  std::vector<Thread> threads;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_CLOCKS_H
