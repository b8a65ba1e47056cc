//===- SyncTable.h - Synchronization objects of a workgroup -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An agent that cannot continue is blocked on an object of its workgroup's
// table. A kind of object is a class in a file of its own, and defines
//
//   when an agent may pass             isOpen
//   what an agent is ordered after     pass
//   what blocks it, and the agents     explain, the text of a deadlock
//   that could release it
//
//   kind          file          opens when
//   barrier       Barrier.h     the expected number of threads has arrived
//   mbarrier      MBarrier.h    a phase has had its arrivals and its bytes
//   copy groups   AsyncGroups.h the operations of all older groups are complete
//   MMA groups    AsyncGroups.h the same
//   team          Team.h        all workers that an agent started have finished
//   team barrier  Team.h        workers that count for the expected number of
//                               threads have arrived
//   lane meeting  LaneMeeting.h all lanes of a subgroup have arrived
//
// The rest of the machine is independent of the kinds: an op changes an object,
// and the workgroup checks which agents may pass (Workgroup::wake). To add a
// kind, write its class, and the ops that change it. Objects are values, like
// all state of a workgroup: a copy of the table has copies of them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_SYNCTABLE_H
#define DISTAFF_LIB_SIMT_MACHINE_SYNCTABLE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <cassert>
#include <memory>
#include <string>
#include <vector>

namespace distaff::simt {

class Agent;
class Workgroup;

/// The object that an agent is blocked on, and how.
struct Wait {
  int64_t object = 0; // in the table
  int64_t ticket = 0; // a phase, or as the object's kind defines
  uint64_t lanes = 0; // the waiting lanes
  /// Whether passing orders memory; otherwise only fences do.
  bool ordersMemory = true;
  mlir::Operation *op = nullptr;
};

class SyncObject {
public:
  virtual ~SyncObject() = default;
  virtual std::unique_ptr<SyncObject> clone() const = 0;

  /// Returns whether the awaited event has happened.
  virtual bool isOpen(const Wait &wait) const = 0;
  /// Updates the order of memory for an agent that continues.
  virtual void pass(Agent &agent, const Wait &wait) = 0;
  /// Returns the reason, "waits at barrier 3 for 32 more of 96 threads: ...",
  /// for an agent of a deadlocked workgroup.
  virtual std::string explain(const Agent &agent, const Wait &wait) const = 0;
  /// Returns whether it opens when other agents finish, which may wait, too.
  virtual bool isOfOthers() const { return false; }
};

/// Implements clone by the class's copy constructor.
template <typename Kind> class SyncKind : public SyncObject {
public:
  std::unique_ptr<SyncObject> clone() const final {
    return std::make_unique<Kind>(static_cast<const Kind &>(*this));
  }
};

/// A kind whose phases follow one another. An agent that arrives waits by
/// blocking on the phase that was current before.
template <typename Kind> class PhasedSync : public SyncKind<Kind> {
public:
  int64_t phase() const { return currentPhase; }

  bool isOpen(const Wait &wait) const final {
    return currentPhase > wait.ticket;
  }

protected:
  int64_t currentPhase = 0;
};

class SyncTable {
public:
  SyncTable() = default;
  SyncTable(const SyncTable &other) : numbers(other.numbers) {
    for (const std::unique_ptr<SyncObject> &object : other.objects)
      objects.push_back(object->clone());
  }
  SyncTable &operator=(const SyncTable &) = delete;

  int64_t add(std::unique_ptr<SyncObject> object) {
    objects.push_back(std::move(object));
    return int64_t(objects.size()) - 1;
  }
  /// Returns the first of `count` objects, made by `make(i)` at the first use
  /// of the key. A key is the address of a kind's name, or the op that makes
  /// the objects, and a number.
  using Key = std::pair<const void *, int64_t>;
  template <typename Make> int64_t find(Key key, int64_t count, Make make) {
    auto [it, isNew] = numbers.try_emplace(key, int64_t(objects.size()));
    for (int64_t i = 0; isNew && i < count; ++i)
      add(make(i));
    return it->second;
  }

  SyncObject &at(int64_t number) const {
    assert(number >= 0 && number < int64_t(objects.size()) &&
           "the table has an object of that number");
    return *objects[number];
  }
  /// \pre the object is of this kind
  template <typename Kind> Kind &as(int64_t number) {
    return static_cast<Kind &>(at(number));
  }

private:
  std::vector<std::unique_ptr<SyncObject>> objects;
  llvm::DenseMap<Key, int64_t> numbers;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_SYNCTABLE_H
