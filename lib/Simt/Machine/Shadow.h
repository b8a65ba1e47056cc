//===- Shadow.h - Shadow memory for the detection of races ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow of a buffer remembers, for one workgroup, the last writer and the
// last readers of every element. Barriers divide a workgroup's run into epochs;
// two accesses of one element in one epoch by different threads, one of them a
// write, are a race, whatever their order was in this run:
//
//   epoch 1   thread 3 writes [7]
//   epoch 1   thread 4 reads  [7]     race
//   ---- barrier ----
//   epoch 2   thread 4 reads  [7]     fine
//
// Elements have the buffer's own type: an access by a smaller type counts for
// the whole element.
//
// If a kernel orders only some threads, the clock of each thread replaces the
// epoch (Clocks.h), and all readers since the last write are recorded.
//
// An asynchronous copy reads and writes until a wait has completed it, even for
// the thread that started it: until then no access may write its source or
// touch its target.
//
// Workgroups are never ordered, so between them every write of an element that
// another touches is a race. `LaunchShadow` collects, over all of them, enough
// to detect that: the smallest and the largest workgroup that reads and that
// writes an element. The order in which workgroups are added does not matter.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_SHADOW_H
#define DISTAFF_LIB_SIMT_MACHINE_SHADOW_H

#include "Clocks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace distaff::simt {

class Shadow {
public:
  static constexpr uint16_t many = 0xFFFF;
  static constexpr int64_t pageSize = 512;

  struct Cell {
    uint32_t writeEpoch = 0, readEpoch = 0; // 0: never
    uint32_t writeAt = 0, readAt = 0;       // instructions
    uint16_t writer = 0, reader = 0;        // threads; `many` readers
  };

  /// An access to an element.
  struct Touch {
    int64_t buffer; // the buffer of this shadow
    uint16_t thread;
    uint32_t instruction;
    bool isStore;
  };

  /// The kind of access that an access conflicts with.
  enum class Conflict : uint8_t { None, WithWrite, WithRead };

  Cell &at(int64_t element) {
    assert(element >= 0 && "an element is of the buffer");
    size_t page = size_t(element / pageSize);
    if (page >= pages.size())
      pages.resize(page + 1);
    if (pages[page].empty())
      pages[page].resize(pageSize);
    return pages[page][element % pageSize];
  }

  static Conflict read(Cell &cell, uint32_t epoch, uint16_t thread,
                       uint32_t instruction) {
    bool race = cell.writeEpoch == epoch && cell.writer != thread;
    if (cell.readEpoch != epoch) {
      cell.readEpoch = epoch;
      cell.reader = thread;
      cell.readAt = instruction;
    } else if (cell.reader != thread) {
      cell.reader = many;
    }
    return race ? Conflict::WithWrite : Conflict::None;
  }

  static Conflict write(Cell &cell, uint32_t epoch, uint16_t thread,
                        uint32_t instruction) {
    if (cell.writeEpoch == epoch && cell.writer != thread)
      return Conflict::WithWrite;
    if (cell.readEpoch == epoch && cell.reader != thread)
      return Conflict::WithRead;
    cell.writeEpoch = epoch;
    cell.writer = thread;
    cell.writeAt = instruction;
    return Conflict::None;
  }

  /// Records an access, ordered by the clocks of the workgroup; after a
  /// conflict the cell contains the other thread.
  /// \pre the cell is at(element)
  Conflict touch(int64_t element, Cell &cell, const Clocks &clocks,
                 const Touch &how) {
    auto [buffer, thread, instruction, isStore] = how;
    assert(thread != many && "a thread is none of many");
    if (!atomics.empty())
      if (Conflict conflict = meetAtomics(element, cell, clocks, how);
          conflict != Conflict::None)
        return conflict;
    if (clocks.isPartial())
      return isStore ? writePartly(element, cell, clocks, how)
                     : readPartly(element, cell, clocks, how);
    return isStore ? write(cell, clocks.epoch(), thread, instruction)
                   : read(cell, clocks.epoch(), thread, instruction);
  }

  /// Records an atomic load or update (a store). It conflicts with an unordered
  /// access that is not atomic if one of the two writes; never with another
  /// atomic access.
  /// \pre the cell is at(element)
  Conflict touchAtomically(int64_t element, Cell &cell, const Clocks &clocks,
                           const Touch &how);
  bool isUpdated(int64_t element) const;

  /// Counts the copies in flight that touch an element, and describes the last
  /// one.
  struct InFlight {
    int32_t reads = 0, writes = 0;
    uint32_t at = 0;
    uint16_t thread = 0;
  };
  /// Returns the copies in flight that an access conflicts with, or null.
  const InFlight *inFlightAt(int64_t element, bool isStore) const {
    if (inFlight.empty())
      return nullptr;
    auto it = inFlight.find(element);
    if (it == inFlight.end())
      return nullptr;
    return it->second.writes || (isStore && it->second.reads) ? &it->second
                                                              : nullptr;
  }
  void startCopy(int64_t element, uint16_t thread, uint32_t instruction,
                 bool isStore);
  void endCopy(int64_t element, bool isStore);

  /// Calls visit(element, cell) for every element ever touched.
  void forEach(llvm::function_ref<void(int64_t, const Cell &)> visit) const;
  /// Calls visit(element, instruction, isUpdate) for every element ever loaded
  /// or updated atomically.
  void
  forEachAtomic(llvm::function_ref<void(int64_t, uint32_t, bool)> visit) const {
    for (const auto &[element, accesses] : atomics)
      for (const Atomic &access : accesses)
        visit(element, access.at, access.isUpdate);
  }
  void clear() {
    pages.clear();
    readers.clear();
    atomics.clear();
    inFlight.clear();
  }

private:
  struct Read {
    uint16_t thread;
    uint32_t time, at;
  };
  struct Atomic : Read {
    bool isUpdate;
  };
  static bool isOrdered(const Clocks &clocks, const Touch &how, uint16_t other,
                        uint32_t time);
  Conflict meetAtomics(int64_t element, Cell &cell, const Clocks &clocks,
                       const Touch &how) const;
  Conflict meetReads(int64_t element, Cell &cell, const Clocks &clocks,
                     const Touch &how) const;
  Conflict readPartly(int64_t element, Cell &cell, const Clocks &clocks,
                      const Touch &how);
  Conflict writePartly(int64_t element, Cell &cell, const Clocks &clocks,
                       const Touch &how);

  std::vector<std::vector<Cell>> pages;
  /// Reads since the last write, for partial clocks.
  llvm::DenseMap<int64_t, llvm::SmallVector<Read, 2>> readers;
  /// Atomic accesses that later ones need not be ordered after.
  llvm::DenseMap<int64_t, llvm::SmallVector<Atomic, 2>> atomics;
  llvm::DenseMap<int64_t, InFlight> inFlight;
};

/// The accesses of all workgroups of a launch to one global buffer.
class LaunchShadow {
public:
  /// The smallest and the largest of the workgroups with the same kind of
  /// access to an element, and the instruction of the smallest one.
  struct Workgroups {
    int32_t first = -1, last = -1;
    uint32_t at = 0;

    bool exist() const { return first >= 0; }
    void add(int32_t workgroup, uint32_t instruction);
    /// Returns whether a workgroup of this set differs from one of the other
    /// set.
    bool differFrom(const Workgroups &others) const;
  };
  struct Cell {
    Workgroups writers, readers;
    Workgroups updaters, loaders; // atomically
  };

  explicit LaunchShadow(int64_t elements) : elements(elements) {}
  void add(int32_t workgroup, const Shadow &shadow);
  /// Returns the first element that one workgroup writes and another touches,
  /// or -1.
  int64_t findRace() const;
  /// Returns the first element that no lane wrote, or -1.
  int64_t findUnwritten() const;
  /// \pre a workgroup touched the element
  const Cell &at(int64_t element) const {
    assert(element >= 0 && size_t(element / pageSize) < pages.size() &&
           !pages[element / pageSize].empty() &&
           "a workgroup touched the element");
    return pages[element / pageSize][element % pageSize];
  }

private:
  static constexpr int64_t pageSize = Shadow::pageSize;
  Cell &cellOf(int64_t element);

  int64_t elements;
  std::vector<std::vector<Cell>> pages; // empty where nothing was touched
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_SHADOW_H
