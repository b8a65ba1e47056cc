//===- Search.h - The ways to run a kernel, priced --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What configure chooses from, for whoever chooses by other means, such as a
// tuner that measures. Every choice has the same form: enumerate candidates,
// price each one, keep the cheapest. Prices are issue slots of one compute unit
// for the whole kernel, on the scale of MoveCosts:
//
//   workgroups per unit * throughput of one
//     + rounds of them that fit at once * latency of one
//
// They rank candidates against each other and predict nothing else. The pass is
// these calls with the winner:
//
//   prepareKernel(kernel, target);           // to a form that can be ranked
//   UserChoices user = UserChoices::get(kernel);
//   FailureOr<Ranking> ranking = rankKernel(kernel, target, user);
//   applyCandidate(kernel, ranking->winner(), target);
//
// With strict-fp the target is what `keepingFloatOrder` makes of it.
//
// A tuner asks for more losers, clones the kernel and applies each of
// `ranking->all()` to a clone, which then goes through the later stages:
//
//   ranking = rankKernel(kernel, target, user, /*kept=*/100);
//   ranking->all()[1].description   // "tile 64x64x32, m16n8k16 f16, ..."
//   ranking->whyLost(ranking->all()[1])   // "costs 1,204 slots more"
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONFIGURE_SEARCH_H
#define DISTAFF_CONFIGURE_SEARCH_H

#include "distaff/Analysis/Registers/UnrolledCode.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <limits>
#include <optional>
#include <string>

namespace distaff {

class RankedKernels;

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

/// Whether a kernel is one product on tensors, with ops on elements around it:
/// what run-cluster forms its phases of without vectors.
bool isOneProduct(func::FuncOp kernel, const Target &target);

/// Checks that a kernel is in a form that the compiler takes, and that what it
/// asks for can be had, and brings it to one of two forms: linalg on tensors,
/// or vectors on memrefs.
LogicalResult prepareKernel(func::FuncOp kernel, const Target &target,
                            bool strictFp = false);

/// Ranks the ways to run a prepared kernel that agree with what `user` fixed,
/// and keeps the best `kept`. Fails, with the reason at an op, where there is
/// none, and warns where even the best leaves most lanes without work. The
/// kernel stays as it is.
/// \post succeeded implies !empty()
FailureOr<Ranking> rankKernel(func::FuncOp kernel, const Target &target,
                              const UserChoices &user,
                              size_t kept = Ranking::keptByDefault);

/// The same, which takes and keeps rankings in `ranked`, of that target. Fails
/// as well where nothing costs at most `mostCost`.
FailureOr<Ranking>
rankKernel(func::FuncOp kernel, const Target &target, const UserChoices &user,
           RankedKernels &ranked,
           int64_t mostCost = std::numeric_limits<int64_t>::max());

/// Writes a candidate down as the attributes that the later stages read: the
/// kernel's launch shape, and on tensors the root's `lowering_config`. What the
/// user wrote stays. Fails where a tile of it cannot be carried out.
LogicalResult applyCandidate(func::FuncOp kernel, const Candidate &candidate,
                             const Target &target, bool strictFp = false);

} // namespace distaff

#endif // DISTAFF_CONFIGURE_SEARCH_H
