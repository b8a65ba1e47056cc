//===- Configure.h - What configure decides, and from what ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every choice has the same form: enumerate candidates, price each one, keep
// the cheapest, and remember the others for `explain`. Prices are issue slots
// of one compute unit for the whole kernel, on the scale of MoveCosts:
//
//   workgroups per unit * throughput of one
//     + rounds of them that fit at once * latency of one
//
// They rank candidates against each other and predict nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_CONFIGURE_H
#define DISTAFF_LIB_CONFIGURE_CONFIGURE_H

#include "distaff/Analysis/FusedGroup.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace distaff {

class DecisionLog;

/// What a user fixed; 0 and null are still free.
struct UserChoices {
  int64_t workgroupSize = 0; // lanes
  int64_t subgroupSize = 0;
  compat::LoweringConfigAttr config; // of the root
  bool strictFp = false;             // float sums keep their order

  static UserChoices get(func::FuncOp kernel);

  /// The tile that `key` gives a loop of that extent, or nullopt.
  std::optional<int64_t> tile(StringRef key, unsigned loop,
                              int64_t extent) const;
};

/// One priced way to run a kernel.
struct Candidate {
  int64_t workgroupSize = 0;
  SmallVector<int64_t> workgroupTiles, reductionTiles; // per loop of the root
  SmallVector<int64_t> subgroups;                      // per loop, or empty
  compat::MmaLayoutAttr mma;                           // may be null
  SmallVector<int64_t> promoted;                       // operand numbers
  /// False if an op of the group needs more at once than the lanes hold, or has
  /// nested walks; such a candidate is only kept to say so.
  bool fits = true;
  /// Unrolls to more operations than compile in seconds.
  bool overBudget = false;
  int64_t registers = 0; // that vectors take, predicted, per lane
  int64_t spilled = 0;   // of those, more than there are
  int64_t workgroups = 1;
  int64_t busyLanes = 0; // of a workgroup, that hold points of their own
  /// A workgroup of several has fewer points than a subgroup has lanes.
  bool starves = false;
  int64_t cost = 0;
  std::string description;
};

/// An op that needs more elements at once than fit.
struct Misfit {
  Operation *op;
  int64_t elements;
};

/// Finds an op that reads or makes more than `limit` elements at once if the
/// root is tiled so (0 or missing: not tiled). An op that shares no axis with
/// the root is not tiled at all.
std::optional<Misfit> findMisfit(const FusedGroup &group,
                                 ArrayRef<int64_t> workgroupTiles,
                                 ArrayRef<int64_t> reductionTiles,
                                 int64_t limit);

/// The axes of what `map` selects of an op's loops, innermost first.
SmallVector<unsigned> axesOf(const GroupOp &groupOp, AffineMap map);

/// How the lanes of a workgroup share what it holds at once: in equal parts, so
/// that of 67 points along an axis 32 lanes can share none.
class Sharing {
public:
  Sharing(const FusedGroup &group, ArrayRef<int64_t> workgroupTiles,
          ArrayRef<int64_t> serialTiles, HardwareShape hardware);

  /// Lets the lanes share a value that lies along `axes`, innermost first; what
  /// else lies along them is shared in the same way.
  void share(ArrayRef<unsigned> axes);
  /// Lets `count` lanes share an axis.
  void share(unsigned axis, int64_t count) { lanes[axis] = count; }

  /// Of a value that lies along `axes`: elements of one lane, and lanes that
  /// hold different ones. Axes that nobody has shared yet are shared by the
  /// lanes that are left.
  int64_t perLane(ArrayRef<unsigned> axes) const;
  int64_t busyLanes(ArrayRef<unsigned> axes) const;

  /// Points along an axis that a workgroup holds at once.
  int64_t heldAlong(unsigned axis) const { return held[axis]; }

private:
  SmallVector<int64_t> lanesAlong(ArrayRef<unsigned> axes) const;

  HardwareShape hardware;
  SmallVector<int64_t> held;
  SmallVector<int64_t> lanes; // 0 where nobody has shared it yet
};

/// Predicts the registers of a group; made once for all candidates.
class RegisterModel {
public:
  explicit RegisterModel(const FusedGroup &group);

  /// 32-bit registers per lane that the group's vectors take at once.
  /// `rootOperands` are those of what the root reads, if it is a contraction on
  /// an MMA instruction.
  int64_t predict(const Sharing &sharing,
                  std::optional<int64_t> rootOperands = {}) const;

private:
  struct Held {
    SmallVector<unsigned> axes; // innermost first: lanes take neighbours
    int64_t bits;               // of an element
  };
  struct Step {
    const GroupOp *groupOp;
    bool isContraction;
    SmallVector<Held> operands, results;
    SmallVector<Held> reads; // of operands, those that no op of the group makes
    SmallVector<Held> ending; // what nobody reads after this op
  };

  int64_t wordsOf(const Sharing &sharing, ArrayRef<Held> values) const;
  int64_t factorWords(const Step &step, const Sharing &sharing) const;
  int64_t partialWords(const Step &step, const Sharing &sharing) const;

  const FusedGroup &group;
  SmallVector<Step, 0> steps;
};

/// Keeps the best candidate and a few of its losers, best first: one that fits,
/// then one within the budget on straight code, one that spills least, one that
/// does not starve, the cheapest.
class Ranking {
public:
  void add(Candidate candidate);
  bool empty() const { return best.empty(); }
  const Candidate &winner() const { return best.front(); }
  ArrayRef<Candidate> all() const { return best; }

private:
  static constexpr size_t kept = 6;
  SmallVector<Candidate, 0> best;
};

/// The price of `count` workgroups of `lanes` lanes and `registers` registers
/// per lane: `throughput` slots of its compute unit and `latency` slots that
/// only other workgroups can fill.
int64_t priceLaunch(const Target &target, int64_t count, int64_t lanes,
                    int64_t registers, int64_t throughput, int64_t latency);

/// Divisors of `extent`, smallest first.
SmallVector<int64_t> divisors(int64_t extent);

/// The largest divisor of `value` that is at most `most`.
int64_t largestDivisor(int64_t value, int64_t most);

/// Candidates for a group whose root is a contraction.
Ranking rankContraction(const FusedGroup &group, const Target &target,
                        const UserChoices &user);

/// Candidates for a group of reductions and elementwise ops.
Ranking rankRows(const FusedGroup &group, const Target &target,
                 const UserChoices &user);

/// Candidates for a kernel on vectors; only the launch shape is chosen.
Ranking rankVectors(func::FuncOp kernel, const Target &target,
                    const UserChoices &user);

/// Refuses what a user's `lowering_config` asks for in vain; `workgroupSize` is
/// the user's, or 0.
LogicalResult checkUserConfigs(const FusedGroup &group, const Target &machine,
                               int64_t workgroupSize);

/// Refuses attributes of a kernel and its ops that nothing would read, or that
/// are not of the type that is read.
LogicalResult checkAttributes(func::FuncOp kernel, const Target &machine);

/// Whether a kernel is linalg on tensors, and not vectors on memrefs.
bool computesTensors(func::FuncOp kernel);

/// Checks that a kernel is in a form that the compiler takes.
LogicalResult checkForm(func::FuncOp kernel);

/// Turns vector arguments and results, and scalar results, into memrefs.
LogicalResult passVectorsInMemory(func::FuncOp kernel);

/// Brings a linalg kernel to ops that the tiler knows: elementwise ops on
/// tensors and splat constants become linalg, and every result is computed.
LogicalResult normalizeTensors(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_CONFIGURE_H
