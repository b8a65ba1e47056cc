//===- Ranking.h - Candidates of a kernel, ranked ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is one way to run a kernel, with its price. Configure enumerates
// and ranks them; form-launches, which compares launches of some ops with
// launches of more, has them ranked by a KernelRanker, which configure
// implements.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_RANKING_RANKING_H
#define DISTAFF_ANALYSIS_RANKING_RANKING_H

#include "distaff/Analysis/Registers/UnrolledCode.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace distaff {

/// The price of one more launch, in issue slots: it starts when the one before
/// it has ended on all compute units.
inline constexpr int64_t slotsPerLaunch = 4000;

/// What a program of phases takes besides the lanes that it is configured for;
/// nothing where a kernel becomes none.
struct PhaseDemand {
  int64_t clusters = 0;  // each with all of the lanes, in turns if several
  int64_t producers = 0; // subgroups that copy

  bool operator==(const PhaseDemand &) const = default;
};

/// What a user fixed; 0 and null are still free.
struct UserChoices {
  int64_t workgroupSize = 0; // lanes
  int64_t subgroupSize = 0;
  iree::LoweringConfigAttr config; // of the root, where rankKernel finds it
  bool strictFp = false;           // float sums keep their order
  PhaseDemand phases;              // by the pipeline

  /// What the kernel's own attributes say.
  static UserChoices get(func::FuncOp kernel);

  /// The tile that `key` gives a loop of that extent, or nullopt.
  std::optional<int64_t> tile(StringRef key, unsigned loop,
                              int64_t extent) const;
};

/// One priced way to run a kernel.
struct Candidate {
  int64_t workgroupSize = 0; // lanes
  /// Per loop of the root, 0 for one that is not tiled. Both are empty for a
  /// kernel on vectors, whose author has written the loops.
  SmallVector<int64_t> workgroupTiles, reductionTiles;
  SmallVector<int64_t> subgroups; // per loop, or empty
  iree::MmaLayoutAttr mma;        // may be null
  SmallVector<int64_t> promoted;  // operand numbers
  /// False if an op of the group needs more at once than the lanes hold, or has
  /// nested walks; such a candidate is only kept to say so.
  bool fits = true;
  /// Its layouts exchange data through workgroup memory, and the kernel's own
  /// buffers leave none.
  bool lacksMemory = false;
  int64_t unrolled = 0;  // operations per lane of a step, as straight code
  int64_t registers = 0; // of 32 bits that vectors take, predicted, per lane
  int64_t spilled = 0;   // of those, more than there are
  int64_t workgroups = 1;
  int64_t busyLanes = 0; // of a workgroup, that hold points of their own
  /// A workgroup of several has fewer points than a subgroup has lanes.
  bool starves = false;
  /// What the user asks for, against which nothing was priced.
  bool isUsers = false;
  int64_t cost = 0;   // issue slots
  int64_t number = 0; // of those that a search tries; the first of equals wins
  std::string description;

  /// Unrolls to more operations than compile in seconds.
  bool isOverBudget() const { return unrolled > mostUnrolled; }

  /// Nothing but a price sets it apart from others.
  bool isFlawless() const {
    return fits && !lacksMemory && !isOverBudget() && spilled == 0 && !starves;
  }
};

/// The best candidates, best first: one that fits into registers and workgroup
/// memory, then one within the budget on straight code, one that spills least,
/// one that does not starve, the cheapest, of equal prices the one with most
/// lanes, each of which holds less (VX-255). Among equals the first one stays
/// first.
class Ranking {
public:
  /// Candidates that the pass keeps, to log what lost.
  static constexpr size_t keptByDefault = 6;

  /// Where nothing that costs more than `mostCost` is of use, it need not be
  /// added.
  explicit Ranking(size_t kept = keptByDefault,
                   int64_t mostCost = std::numeric_limits<int64_t>::max())
      : kept(kept), mostCost(mostCost) {}

  /// Adds a candidate. Most are not kept: `describe` is called for those that
  /// are, to set their description and what no price depends on.
  void add(Candidate candidate,
           llvm::function_ref<void(Candidate &)> describe = nullptr);
  bool empty() const { return best.empty(); }

  /// Whether no candidate that costs at least so much would be kept.
  bool isOutdone(int64_t cost) const {
    return cost > mostCost ||
           (best.size() == kept && best.back().isFlawless() &&
            best.back().cost < cost);
  }

  /// Whether prices were of no matter to what was added.
  bool isComplete() const {
    return mostCost == std::numeric_limits<int64_t>::max();
  }

  /// Says what the work of one candidate, kept or not, takes of each compute
  /// unit if all share it evenly.
  void addWork(int64_t slots) { work = std::min(work, slots); }
  /// The least of that, which is no more than any price; 0 where it is unknown.
  int64_t leastWork() const {
    return work == std::numeric_limits<int64_t>::max() ? 0 : work;
  }
  const Candidate &winner() const { return best.front(); }
  ArrayRef<Candidate> all() const { return best; }

  /// What the winner has over this one, first where it counts most:
  /// "spills 24 registers per lane"; empty for the winner.
  std::string whyLost(const Candidate &candidate) const;

private:
  size_t kept;
  int64_t mostCost;
  int64_t work = std::numeric_limits<int64_t>::max();
  SmallVector<Candidate, 0> best;
};

/// Ranks the ways to run a kernel on one target, and writes one of them down.
class KernelRanker {
public:
  virtual ~KernelRanker() = default;

  /// The target, which keeps the order of float sums where that was required.
  virtual const Target &target() const = 0;

  /// Ranks the ways to run a prepared kernel that agree with what `user` fixed.
  /// Fails, with the reason at an op, where there is none, or none that costs
  /// at most `mostCost`. The kernel stays as it is.
  /// \post succeeded implies !empty()
  virtual FailureOr<Ranking>
  rank(func::FuncOp kernel, const UserChoices &user,
       int64_t mostCost = std::numeric_limits<int64_t>::max()) = 0;

  /// Writes a candidate down as attributes of the kernel and of its root. Fails
  /// where a tile of it cannot be carried out.
  virtual LogicalResult apply(func::FuncOp kernel, const Candidate &candidate,
                              bool strictFp) = 0;
};

/// Makes the ranker of a target; `strictFp` keeps the order of float sums.
using RankerSource =
    std::function<std::shared_ptr<KernelRanker>(const Target &, bool strictFp)>;

/// Returns the target with `subgroups` fewer subgroups per workgroup, at least
/// one: those are reserved for others than the kernel that is configured.
Target withReservedSubgroups(const Target &target, int64_t subgroups);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_RANKING_RANKING_H
