//===- Distribution.h - From a workgroup's vectors to a lane's --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites code in which many threads compute together with large vectors into
// the code that one lane of them runs. Which lane holds what is fixed before:
// the `to_layout` ops and what crosses the boundary determine every layout, and
// nothing here chooses one.
//
//   %x = transfer_read ... : vector<64xf32>        T[64]: one element per lane
//   %s = multi_reduction <add>, %x, %z [0]
// becomes, with the handed lane id %lane,
//   %x = transfer_read %m[%row, %lane] ... : vector<1xf32>
//   %p = multi_reduction <add>, %x, -0.0 [0, ...]
//   %s = gpu.subgroup_reduce add %p cluster(size = 64)
//
// The *members* are the threads that run the code. The distributor is handed
// what it has to know of them: their ids, how many there are, which of the two
// levels layouts may use, how they synchronise. It never creates a thread id or
// a barrier itself, so it serves a whole workgroup (`distaff-distribute`) as
// well as a part of one. A worked example: of four subgroups of 32 lanes, two
// add up rows and two do something else.
//
//   %sg, %lane = affine.delinearize_index %thread into (4, 32)
//   %mine = arith.subi %sg, %c2
//   scf.if %first_half { ... } else {
//     %y = scf.execute_region -> vector<16xf32> {      the region
//       ... %x ...                                     vector<16x64xf32>
//       %s = multi_reduction <add>, %x, %z [1]
//       scf.yield %s
//     }
//   }
//
//   DistributionOptions members;
//   members.subgroupId = mine;        // 0 and 1: ids start at 0 in each part
//   members.laneId = lane;
//   members.numSubgroups = 2;         // of the part, not of the workgroup
//   members.sync = &barrierOfTheSecondHalf; // of 64 threads
//   RegionBoundary boundary;
//   boundary.inputs = {{x, layoutOfX}};
//   boundary.outputs = {layoutOfS};
//   distributeRegion(region, boundary, members);
//
// Outside of the region nothing changes, but that workgroup memory for its
// exchanges, and arithmetic on the ids, appear where the ids are defined. What
// crosses the boundary does so in the form that a lane holds:
//
//   scalar from outside   as it is; the same in all members, but for the ids
//   vector from outside   as a view of the lane's vector, which the caller has
//                         made: %x = to_simd %d : vector<1x8xf32> -> ...
//   region argument       its type becomes that of the lane's vector
//   terminator's operand  the lane's vector; the op around the region is the
//                         caller's to give new types
//
// What you can do with it:
//   - halves of a workgroup: one call for each, with a barrier for each. Their
//     buffers are different allocations, so nothing orders one half by the
//     other; where one takes what the other wrote, the caller makes it wait.
//   - lanes only (maySplitOverSubgroups = false, numSubgroups = 1): each
//     subgroup runs the same code on a tile of its own. One allocation would be
//     that of all of them, so exchanges through memory need `allocate`.
//   - subgroups only (maySplitOverLanes = false): all lanes of a subgroup hold
//     the same, and the first of them writes.
//   - blocks (keepsBlocks): layouts of subgroups are used up, and what a
//     subgroup has left is still undistributed, for a second turn over lanes.
//   - loops: the region may be in one, or be its body. Its own exchanges, and
//     its accesses of memory in one turn and the next, are kept apart by
//     `sync`; what it shares with code outside of it is the caller's to order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DISTRIBUTION_DISTRIBUTION_H
#define DISTAFF_DISTRIBUTION_DISTRIBUTION_H

#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Distribution/Sync/MemberSync.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/BankModel.h"
#include "distaff/Layout/MoveCosts.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <functional>
#include <string>

namespace distaff {

class DecisionLog;

/// What a distributor is handed.
struct DistributionOptions {
  /// Which subgroup of the members and which lane of it runs the code; `index`
  /// values from 0 that dominate everything that is distributed. The subgroup
  /// id may be null if there is only one subgroup.
  Value subgroupId;
  Value laneId;
  /// How many there are.
  int64_t numSubgroups = 1;
  int64_t subgroupSize = 32;
  /// Levels that layouts may use.
  bool maySplitOverSubgroups = true;
  bool maySplitOverLanes = true;
  /// What a subgroup holds stays one vector, which its lanes will share:
  /// layouts are used up as far as they say subgroups, and `to_layout` ops say
  /// the rest of the blocks. There is one lane then, of id 0.
  bool keepsBlocks = false;
  /// Constants that no formula gives are chosen by selects, however many;
  /// without it tables are added to the module.
  bool avoidsTables = false;
  /// How the members wait for each other.
  const MemberSync *sync = nullptr;
  /// Gives workgroup memory, `memref<BYTES x i8>` aligned to
  /// `workgroupAlignment`, that these members alone use; called once at most,
  /// where the ids are defined. Without it there is an allocation for the code:
  /// right unless other threads run the same code at the same time.
  std::function<Value(OpBuilder &, Location, int64_t bytes)> allocate;
  /// Verifies the function after each rule, which takes the square of the time.
  bool verifiesRules = false;
  /// Float additions and multiplications keep their order, or are refused.
  bool strictFp = false;
  /// Workgroup memory that buffers of the function and exchanges may take
  /// together; 0 if that is not known. With `allocate`, exchanges alone.
  int64_t sharedMemoryBytes = 0;
  /// Of that memory, what no other workgroup would use if a lane of this one
  /// holds at least so many registers; null: nothing.
  std::function<int64_t(int64_t registers)> idleMemory;
  /// Bytes that its buffers begin on multiples of; at least the widest access.
  int64_t workgroupAlignment = BankModel().maxAccessBytes;
  /// What conversions through shared memory are ranked by.
  MoveCosts costs;
  BankModel banks;
  /// The load of global memory that transposes among lanes, and bytes that
  /// global memory begins on multiples of.
  TransposingLoad globalTransposingLoad;
  int64_t globalAlignment = 1;
  /// Whether registers may be numbered by the counter of a loop.
  bool indexesRegisters = false;
  /// Receives what was decided, of a machine of that name; may be null.
  DecisionLog *log = nullptr;
  std::string targetName;
};

/// Distributes every vector of `region`, which has one block. On failure every
/// op that could not be distributed has got a diagnostic that says why, and the
/// region is left half distributed: valid IR inside, of no further use.
LogicalResult distributeRegion(Region &region, const RegionBoundary &boundary,
                               const DistributionOptions &options);

/// Distributes the body of `function`, whose boundary no vector crosses.
LogicalResult distributeVectors(FunctionOpInterface function,
                                const DistributionOptions &options);

} // namespace distaff

#endif // DISTAFF_DISTRIBUTION_DISTRIBUTION_H
