//===- SyncTable.h - What an agent may wait for -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An agent that cannot go on is blocked on an object of its workgroup's table.
// A kind of object is a class in a file of its own, and says
//
//   when an agent may pass        isOpen
//   what it knows afterwards      pass
//   what it waits for, and who    explain, the text of a deadlock
//   could release it
//
//   kind          file          opens when
//   barrier       Barrier.h     as many threads have arrived as are counted
//   mbarrier      MBarrier.h    a phase has had its arrivals and its bytes
//   copy groups   AsyncGroups.h the operations of all older groups are complete
//   MMA groups    AsyncGroups.h the same
//   team          Team.h        all workers that an agent started have finished
//   team barrier  Team.h        workers of the team have arrived, as many
//   threads
//                               as they count for
//   lane meeting  LaneMeeting.h all lanes of a subgroup have come
//
// The rest of the machine knows none of them: an op changes an object, and the
// workgroup looks which agents may pass (Workgroup::wake). To add a kind, write
// its class, and the ops that change it. Objects are values, as all of a
// workgroup's state is: a copy of the table has copies of them.
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

/// What an agent is blocked on.
struct Wait {
  int64_t object = 0; // of the table
  int64_t ticket = 0; // a phase, or what else the object's kind takes
  uint64_t lanes = 0; // those that wait
  /// Whether passing orders memory; where not, fences do.
  bool ordersMemory = true;
  mlir::Operation *op = nullptr;
};

class SyncObject {
public:
  virtual ~SyncObject() = default;
  virtual std::unique_ptr<SyncObject> clone() const = 0;

  /// Whether what is waited for has happened.
  virtual bool isOpen(const Wait &wait) const = 0;
  /// The agent goes on.
  virtual void pass(Agent &agent, const Wait &wait) = 0;
  /// "waits at barrier 3 for 32 more of 96 threads: ...", of an agent of a
  /// workgroup in which nobody can go on.
  virtual std::string explain(const Agent &agent, const Wait &wait) const = 0;
  /// Whether it opens when other agents have finished, which may wait, too.
  virtual bool isOfOthers() const { return false; }
};

/// Clones from the class's copy constructor.
template <typename Kind> class SyncKind : public SyncObject {
public:
  std::unique_ptr<SyncObject> clone() const final {
    return std::make_unique<Kind>(static_cast<const Kind &>(*this));
  }
};

/// A kind of which one phase follows the other. Who arrives waits by blocking
/// on the phase that was current before.
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
  /// The first of `count` objects made by `make(i)` when the key is first used.
  /// A key is the address of what names the kind, or the op that makes them,
  /// and a number.
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
