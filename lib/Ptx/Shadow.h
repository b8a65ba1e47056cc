//===- Shadow.h - Shadow memory of the race detector ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time is one clock of the launch that every synchronisation advances. A
// thread's access is stamped with its time; it happened before another one if
// the other subgroup's vector clock covers that time of the first subgroup:
//
//   time 1   thread 0 (subgroup 0) writes x
//   time 2   subgroup 0 arrives at the barrier
//   time 3   subgroup 1 arrives; both now know each other up to 2 and up to 3
//            thread 32 reads x: 1 < 2, in order
//   time 3   thread 0 writes x again
//            thread 32 reads x: 3 >= 2, a race
//
// Lanes of one subgroup are ordered by the same barriers and by bar.warp.sync.
// Releases and acquires order the accesses of different workgroups.
//
// Strong accesses do not race with each other, so a later access may race with
// several of them, and with the last weak write before them: these are kept in
// a side table for the cells that have any.
//
// A shadow holds one cell per word of 4 bytes in pages that are made on first
// use; a page with accesses of less than a word holds a cell per byte.
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

/// A vector clock: times up to which the accesses of others are known to be
/// over.
struct Knowledge {
  std::array<Time, mostSubgroups> subgroups = {}; ///< of the same workgroup
  /// Times of the subgroups of other workgroups, by number. Shared, because it
  /// is nearly always empty.
  using Others = std::map<uint32_t, std::array<Time, mostSubgroups>>;
  std::shared_ptr<const Others> others;

  /// Takes the maximum of this clock and `other`.
  void join(const Knowledge &other);
};

/// Times up to which a lane has acquired the accesses of each lane of its
/// subgroup.
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
  /// Whether it is atomic, volatile, relaxed or stronger: it does not race with
  /// another such access.
  bool isStrong = false;
};

class Shadow {
public:
  /// Creates a shadow. `startsWritten`: whether every byte is written before
  /// the launch.
  Shadow(uint64_t size, bool startsWritten);

  struct Finding {
    bool races = false, isInFlight = false;
    /// Whether a read finds an unwritten byte, or a write races with such a
    /// read.
    bool isUnwritten = false;
    Thread other;             ///< the other thread of the race
    uint64_t sameValues = 0;  ///< bytes
    uint64_t firstOffset = 0; ///< place of the race or the unwritten byte
  };
  Finding read(uint64_t offset, uint64_t size, const Access &access);
  /// Records a write of the bytes `from` over the bytes `old`. Unordered writes
  /// of the same value are counted.
  Finding write(uint64_t offset, uint64_t size, const Access &access,
                const uint8_t *old, const uint8_t *from);
  /// Records a copy that is in flight until `land`.
  Finding launch(uint64_t offset, uint64_t size, const Access &access);
  void land(uint64_t offset, uint64_t size, const Access &access);
  /// Marks the bytes as unwritten.
  void forget(uint64_t offset, uint64_t size);
  /// Returns the first unwritten byte, if there is one.
  std::optional<uint64_t> firstUnwritten(uint64_t size) const;
  /// Forgets all accesses.
  void reset();

private:
  struct Cell {
    Time written = 0, read = 0;      ///< 0: never
    uint32_t writer = 0, reader = 0; ///< workgroups, except with severalReaders
    uint16_t writerThread = 0, readerThread = 0;
    uint8_t flags = 0;
  };
  /// severalReaders, of one workgroup: `read` is the workgroup, `reader` a
  /// number in the pool. severalWorkgroups: the readers are not recorded.
  enum Flag : uint8_t {
    inFlight = 1,
    strongWrite = 2,
    severalReaders = 4,
    severalWorkgroups = 8,
    unwritten = 16,   ///< overwritten with an unwritten value
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
  static constexpr size_t mostStrong = 128; ///< per cell, latest ones
  /// The last reading lane of a subgroup, and the last other one.
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
  /// Returns whether an access is unordered with a strong one that it may race
  /// with, or a strong one with the last weak write.
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
