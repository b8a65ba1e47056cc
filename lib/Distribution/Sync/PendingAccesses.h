//===- PendingAccesses.h - Accesses since the last sync ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access of a kernel is compared with those since the last sync, which may
// be all before it. They are indexed by the memory they access, and in one
// memref by place: the boxes that start at constants are spread over a grid,
// whose cells are as large as the first box. So an access is compared with
// those near it, those at unknown positions, and those in memory that may
// alias.
//
// Regions are entered with a layer of their own over the accesses outside:
// nothing is copied.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_SYNC_PENDINGACCESSES_H
#define DISTAFF_LIB_DISTRIBUTION_SYNC_PENDINGACCESSES_H

#include "MemoryAccess.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace distaff {

class PendingAccesses {
public:
  struct Entry {
    const MemoryAccess *access;
    /// The loop of which it was an earlier iteration, or null.
    Operation *loop;
  };

  /// `outer`, if any, outlives this.
  explicit PendingAccesses(const BufferPlaces &places,
                           const PendingAccesses *outer = nullptr)
      : places(places), outer(outer) {}

  /// Inserts one access of each group and loop, because those of a group are
  /// alike.
  void insert(Entry entry);
  void insert(ArrayRef<Entry> entries) {
    for (const Entry &entry : entries)
      insert(entry);
  }

  /// Removes all accesses, including those outside.
  void clear();

  /// Returns the accesses inserted here since the last `clear`.
  ArrayRef<Entry> own() const { return entries; }

  /// Returns an entry for which `test` holds, which may access the same memory
  /// as `access`, and of which one writes; null if there is none.
  const Entry *find(const MemoryAccess &access,
                    llvm::function_ref<bool(const Entry &)> test) const;

private:
  using Numbers = SmallVector<unsigned, 2>;

  /// The boxes of one memref that start at constants.
  struct Grid {
    SmallVector<int64_t> cell; // sizes
    llvm::DenseMap<uint64_t, Numbers> inCell;

    /// Returns the cells that a box overlaps; nothing where there are many, or
    /// where they are not known.
    std::optional<SmallVector<uint64_t>> cellsOf(const MemoryBox &box) const;
  };

  /// The entries of one root, by memref.
  struct InMemRef {
    Numbers all, anywhere; // `anywhere`: in no grid
    Grid grid;
  };
  using InRoot = llvm::MapVector<Value, InMemRef>;

  /// The index of reads, or of writes.
  struct Index {
    llvm::DenseMap<const void *, InRoot> roots;
    Numbers all;
    /// Entries of roots that may alias others; entries in buffers with places.
    Numbers unknown, placed;
  };

  bool contains(const Entry &entry) const;
  void addTo(Index &index, unsigned number);
  static void findNear(const InRoot &root, const MemoryAccess &access,
                       llvm::function_ref<bool(ArrayRef<unsigned>)> visit);
  const Entry *findIn(const Index &index, const MemoryAccess &access,
                      llvm::function_ref<bool(const Entry &)> test) const;

  const BufferPlaces &places;
  const PendingAccesses *outer;
  SmallVector<Entry> entries;
  llvm::DenseSet<std::pair<int64_t, Operation *>> keys;
  Index reads, writes;
};

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_SYNC_PENDINGACCESSES_H
