//===- Shadow.h - Who touched which byte ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time is one clock of the launch that every synchronisation moves on. A
// thread's access bears the time at which it was made; it happened before
// another one when that one's subgroup knows so much of the first one's:
//
//   time 1   thread 0 (subgroup 0) writes x
//   time 2   subgroup 0 comes to the barrier
//   time 3   subgroup 1 comes; both now know each other up to 2 and up to 3
//            thread 32 reads x: 1 < 2, in order
//   time 3   thread 0 writes x again
//            thread 32 reads x: 3 >= 2, a race
//
// Lanes of one subgroup are ordered by the same barriers and by bar.warp.sync.
// What a workgroup knows of another one comes from releases and acquires.
//
// Strong accesses are no race with each other, so several of them, and the last
// weak write before them, are what a later access may race with: they are
// remembered beside the cell, in pieces of memory that have any.
//
// A shadow holds one cell per word of 4 bytes in pages that are made on first
// use; a page of which smaller pieces are accessed holds a cell per byte.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_SHADOW_H
#define DISTAFF_LIB_PTX_SHADOW_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace distaff::ptx {

inline constexpr unsigned laneCount = 32, mostSubgroups = 32;
using Mask = uint32_t;
inline constexpr Mask everyLane = ~Mask(0);
using Time = uint32_t;

/// Up to which time the accesses of others are known to be over.
struct Knowledge {
  std::array<Time, mostSubgroups> subgroups = {}; ///< of the same workgroup
  /// Of the subgroups of other workgroups, by their number. Shared because
  /// nearly always nothing.
  using Others = std::map<uint32_t, std::array<Time, mostSubgroups>>;
  std::shared_ptr<const Others> others;

  /// Knows from now on what `other` knows.
  void join(const Knowledge &other);
};

/// Up to which time a lane knows the accesses of each lane of its subgroup.
using LaneKnowledge = std::array<Time, laneCount>;

struct Thread {
  uint32_t workgroup = 0;
  uint16_t number = 0;

  unsigned subgroup() const { return number / laneCount; }
  unsigned lane() const { return number % laneCount; }
  bool operator==(const Thread &) const = default;
};

/// An access that is about to be made.
struct Access {
  Thread thread;
  Time time = 0;
  const Knowledge *knows = nullptr;
  const LaneKnowledge *knowsLanes = nullptr;
  /// Atomic, volatile, relaxed and stronger: never a race with its like.
  bool isStrong = false;
};

class Shadow {
public:
  /// `startsWritten`: somebody wrote every byte before the launch.
  Shadow(uint64_t size, bool startsWritten);

  struct Finding {
    bool races = false, isInFlight = false;
    /// A read found what nobody wrote; a write races with a read that did.
    bool isUnwritten = false;
    Thread other;             ///< whom it races with
    uint64_t sameValues = 0;  ///< bytes
    uint64_t firstOffset = 0; ///< of the race or the unwritten byte
  };
  Finding read(uint64_t offset, uint64_t size, const Access &access);
  /// A write of the bytes `from` over the bytes `old`. Unordered writes of what
  /// is there already are counted.
  Finding write(uint64_t offset, uint64_t size, const Access &access,
                const uint8_t *old, const uint8_t *from);
  /// A copy begins that is under way until `land`.
  Finding launch(uint64_t offset, uint64_t size, const Access &access);
  void land(uint64_t offset, uint64_t size, const Access &access);
  /// The value there is one that nobody wrote.
  void forget(uint64_t offset, uint64_t size);
  /// The first byte that nobody wrote, if there is one.
  std::optional<uint64_t> firstUnwritten(uint64_t size) const;
  /// Nothing was ever accessed.
  void reset();

private:
  struct Cell {
    Time written = 0, read = 0;      ///< 0: never
    uint32_t writer = 0, reader = 0; ///< workgroups, but see severalReaders
    uint16_t writerThread = 0, readerThread = 0;
    uint8_t flags = 0;
  };
  /// severalReaders, of one workgroup: `read` is that, `reader` a number in the
  /// pool. severalWorkgroups: the readers are nobody in particular.
  enum Flag : uint8_t {
    inFlight = 1,
    strongWrite = 2,
    severalReaders = 4,
    severalWorkgroups = 8,
    unwritten = 16,   ///< overwritten with what nobody wrote
    strongAccess = 32 ///< `strong` has an entry
  };
  /// The strong accesses of a cell since its last weak write, and that write.
  struct Strong {
    struct One {
      Thread thread;
      Time time = 0;
      bool isWrite = false;
    };
    std::vector<One> accesses;
    Thread weakWriter;
    Time weakWritten = 0;
  };
  static constexpr size_t mostStrong = 128; ///< of a cell; the oldest go first
  /// Of a subgroup the last lane that read, and the last other one.
  struct Reader {
    Time time = 0, timeOfOther = 0; ///< 0: never
    uint16_t thread = 0, other = 0;
  };
  using Readers = std::array<Reader, mostSubgroups>;
  static constexpr uint64_t pageBytes = 1024, wordBytes = 4;
  struct Page {
    std::vector<Cell> cells; ///< empty: never accessed
    uint64_t bytesPerCell = wordBytes;
  };

  /// Calls visit(cell, offset of it, its bytes) for each cell of a range.
  template <typename Visit>
  void visit(uint64_t offset, uint64_t size, Visit visit);
  Page &pageFor(uint64_t offset, uint64_t size);
  static bool isOrdered(const Access &access, Thread other, Time time);
  void noteReader(Cell &cell, const Access &access);
  bool readersAreOrdered(const Cell &cell, const Access &access,
                         Thread &other) const;
  bool conflicts(const Cell &cell, const Access &access, Thread &other) const;
  void noteWriter(Cell &cell, uint64_t offset, const Access &access);
  /// Whether an access is in no order with a strong one that it may race with,
  /// or a strong one with the last weak write.
  bool conflictsWithStrong(const Cell &cell, uint64_t offset,
                           const Access &access, bool isWrite,
                           Thread &other) const;
  void noteStrong(Cell &cell, uint64_t offset, const Access &access,
                  bool isWrite);

  bool startsWritten;
  std::vector<Page> pages;
  std::vector<Readers> pool;
  std::vector<uint32_t> freeReaders;
  std::unordered_map<uint64_t, Strong> strong; ///< by the offset of the cell
};

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_SHADOW_H
