//===- PcfCrew.h - Fork and join of workers ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workers run a program of their own, a region of the op that starts them:
//
//   Crew crew(op, region, t, lanes);   // lanes of the workers' program
//   crew.give(value);                  // besides the captures of the region
//   crew.program() ... translate ...   // the workers' code
//   crew.finish();
//   emitCrew(op, crew, whom, t);       // start, wait, continue
//
// `whom` runs when the op executes and selects the workers to start.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_PCFCREW_H
#define DISTAFF_LIB_SIMT_OPS_PCFCREW_H

#include "../Machine/Team.h"
#include "PcfRefs.h"

namespace distaff::simt {

/// The levels of the machine that scopes name.
enum class Workers : uint8_t { One, Workgroups, Subgroups, Lanes };

/// Returns the workers of a scope; fails the translation if the machine has no
/// such workers.
FailureOr<Workers> workersOf(Operation *op, Attribute scope, Translator &t);

/// Returns the number of workers in an agent's scope instance, and the number
/// of threads that a barrier counts for each.
int64_t countWorkers(const Agent &agent, Workers workers);
int64_t threadsOf(const Agent &agent, Workers workers);

/// Returns the seat of a worker that an agent starts: its place in the machine.
Seat seatOfWorker(const Agent &starter, Workers workers, int64_t number);
std::string nameWorker(const Agent &starter, Workers workers, int64_t number);

/// Returns the address that identifies the workers of a scope.
inline const void *keyOf(Attribute scope) { return scope.getAsOpaquePointer(); }

class Crew {
public:
  /// \pre `outer` has one lane
  Crew(Operation *op, Region &region, Translator &outer, int64_t lanes = 1);

  Translator &program() { return inner; }
  /// Passes a value to the workers, under its own name or in a register.
  void give(Value value) { give(outer.reg(value), inner.reg(value)); }
  void give(Reg from, Reg to);
  /// Passes the values that the region captures.
  LogicalResult capture();
  /// Ends the program at its current place.
  LogicalResult finish(Operation *last);
  const std::shared_ptr<InnerProgram> &part() const { return inside; }
  LogicalResult fail() { return outer.fail(inner.fault()); }

private:
  Operation *op;
  Region &region;
  Translator &outer;
  Translator inner;
  std::shared_ptr<InnerProgram> inside = std::make_shared<InnerProgram>();
};

/// A function that fills in the team's purpose and the workers to start.
/// \returns false after a fault
using Open = std::function<bool(Agent &, Team::Purpose &,
                                SmallVectorImpl<WorkerStart> &)>;
/// A function that runs before workers begin or after they have finished.
using VisitCrew = std::function<void(Agent &, ArrayRef<Agent *>)>;

void emitCrew(Operation *op, const Crew &crew, Open whom, Translator &t,
              VisitCrew before = nullptr, VisitCrew after = nullptr);

/// Returns the registers of an owner's refs whose writes are visible when it
/// returns.
SmallVector<Reg> syncedRefs(pcf::RefOwnerOpInterface op, Translator &t);

/// Fills in the purpose of an op that opens a scope.
void openScope(Agent &agent, pcf::RefOwnerOpInterface op, Workers workers,
               ArrayRef<Reg> synced, Team::Purpose &purpose);

/// Checks that an agent may open a scope: workgroups consist of subgroups and
/// these of lanes.
/// \returns false after a fault
bool checkNesting(Agent &agent, Operation *op, Workers workers);

/// Returns the threads of the workers; faults if there are too many.
std::optional<int64_t>
threadsOfWorkers(Agent &agent, Operation *op, int64_t parent, const void *of,
                 int64_t count, llvm::function_ref<std::string(int64_t)> name);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_PCFCREW_H
