//===- Distribution.h - Distribution of vectors over lanes ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites code in which many threads compute together with large vectors into
// the code of one lane. The layouts are fixed before: the `to_layout` ops and
// the values at the boundary determine every layout, and the distributor
// chooses none.
//
//   %x = transfer_read ... : vector<64xf32>        T[64]: one element per lane
//   %s = multi_reduction <add>, %x, %z [0]
// becomes, with the lane id %lane from the caller,
//   %x = transfer_read %m[%row, %lane] ... : vector<1xf32>
//   %p = multi_reduction <add>, %x, -0.0 [0, ...]
//   %s = gpu.subgroup_reduce add %p cluster(size = 64)
//
// The *members* are the threads that run the code. The caller describes them:
// their ids, their number, the levels (subgroups, lanes) that layouts may use,
// and their synchronization. The distributor never creates a thread id or a
// barrier itself, so it serves a whole workgroup (`distaff-distribute`) as well
// as a part of one. A worked example: of four subgroups of 32 lanes, two add up
// rows and two do something else.
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
// Nothing changes outside of the region, except that workgroup memory for its
// exchanges, and arithmetic on the ids, appear where the ids are defined.
// Values at the boundary have the form that a lane holds:
//
//   scalar from outside   as it is; the same in all members, but for the ids
//   vector from outside   as a view of the lane's vector, which the caller has
//                         made: %x = to_simd %d : vector<1x8xf32> -> ...
//   region argument       its type becomes that of the lane's vector
//   terminator's operand  the lane's vector; the caller changes the types of
//                         the op around the region
//
// Uses:
//   - halves of a workgroup: one call for each, with a barrier for each. Their
//     buffers are different allocations, so the halves are not ordered; where
//     one reads data of the other, the caller must synchronize them.
//   - lanes only (maySplitOverSubgroups = false, numSubgroups = 1): each
//     subgroup runs the same code on a tile of its own. All subgroups would use
//     one allocation, so exchanges through memory need `allocate`.
//   - subgroups only (maySplitOverLanes = false): all lanes of a subgroup hold
//     the same, and the first of them writes.
//   - blocks (keepsBlocks): layouts are applied for subgroups only, and the
//     block of a subgroup is still undistributed, for a second distribution
//     over lanes.
//   - loops: the region may be in one, or be its body. `sync` separates its own
//     exchanges, and its memory accesses in one iteration and the next; memory
//     that it shares with code outside of it must be ordered by the caller.
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

/// Describes the members that run the code, and the options of distribution.
struct DistributionOptions {
  /// The subgroup among the members, and its lane, that run the code; `index`
  /// values from 0 that dominate everything that is distributed. The subgroup
  /// id may be null if there is only one subgroup.
  Value subgroupId;
  Value laneId;
  /// The number of subgroups, and of lanes per subgroup.
  int64_t numSubgroups = 1;
  int64_t subgroupSize = 32;
  /// The levels that layouts may use.
  bool maySplitOverSubgroups = true;
  bool maySplitOverLanes = true;
  /// Whether the values of a subgroup stay one vector, which its lanes will
  /// share: only the subgroup digits of layouts are applied, and `to_layout`
  /// ops have the layouts of the blocks. There is one lane then, of id 0.
  bool keepsBlocks = false;
  /// Whether constants that no formula computes are chosen by selects, however
  /// many; without it tables are added to the module.
  bool avoidsTables = false;
  /// The barrier of the members.
  const MemberSync *sync = nullptr;
  /// Returns workgroup memory, `memref<BYTES x i8>` aligned to
  /// `workgroupAlignment`, that only these members use; called once at most,
  /// where the ids are defined. Without it there is an allocation for the code:
  /// right unless other threads run the same code at the same time.
  std::function<Value(OpBuilder &, Location, int64_t bytes)> allocate;
  /// Whether the function is verified after each rule, in quadratic time.
  bool verifiesRules = false;
  /// Whether float additions and multiplications keep their order, or are
  /// refused.
  bool strictFp = false;
  /// Workgroup memory that buffers of the function and exchanges may take
  /// together; 0 if that is not known. With `allocate`, exchanges alone.
  int64_t sharedMemoryBytes = 0;
  /// Returns the part of that memory that no other workgroup would use if a
  /// lane of this one holds at least so many registers; null: nothing.
  std::function<int64_t(int64_t registers)> idleMemory;
  /// The alignment of its buffers in bytes; at least the widest access.
  int64_t workgroupAlignment = BankModel().maxAccessBytes;
  /// The costs and the banks by which conversions through shared memory are
  /// ranked.
  MoveCosts costs;
  BankModel banks;
  /// The load of global memory that transposes among lanes, and the alignment
  /// of global memory in bytes.
  TransposingLoad globalTransposingLoad;
  int64_t globalAlignment = 1;
  /// Whether a loop's counter may index registers.
  bool indexesRegisters = false;
  /// The log of decisions, for a machine of that name; may be null.
  DecisionLog *log = nullptr;
  std::string targetName;
};

/// Distributes every vector of `region`, which has one block. On failure every
/// op that could not be distributed has a diagnostic with the reason, and the
/// region is left half distributed: valid IR inside, of no further use.
LogicalResult distributeRegion(Region &region, const RegionBoundary &boundary,
                               const DistributionOptions &options);

/// Distributes the body of `function`, across whose boundary no vector goes.
LogicalResult distributeVectors(FunctionOpInterface function,
                                const DistributionOptions &options);

} // namespace distaff

#endif // DISTAFF_DISTRIBUTION_DISTRIBUTION_H
