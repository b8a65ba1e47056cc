//===- Distributor.h - What the distribution rules share --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every rule is a function `distributeX(Op, Distributor &)` in a file of its
// family. It plans first (placements, what moves where) and may `refuse`; then
// it emits and `replace`s the op. In between, values cross from undistributed
// to distributed code through `to_simd` casts, which `get` looks through:
//
//   %d = math.exp2 %c : vector<1x1x4xf32>            emitted
//   %x = to_simd %d : vector<1x1x4xf32> -> vector<128xf32>
//   %s = vector.multi_reduction <add>, %x, ...       not yet visited
//
// so the IR is valid after each rule.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_DISTRIBUTOR_H
#define DISTAFF_LIB_DISTRIBUTION_DISTRIBUTOR_H

#include "Exchange/Placement.h"
#include "Exchange/RegisterMoves.h"
#include "HardwareIds.h"
#include "Sync/Hazards.h"
#include "Sync/ThreadUniformity.h"
#include "Sync/WorkgroupBuffers.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Distribution/Distribution.h"
#include "distaff/Layout/Conversion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

namespace distaff {

class Distributor {
public:
  Distributor(Region &region, const DistributionOptions &options,
              LayoutMap layouts);

  const DistributionOptions &options;
  HardwareIds ids;
  Uniformity uniformity;
  /// Of the source; rules leave its index arithmetic and its loops in place.
  const LoopMotions motions;
  Hazards hazards;
  /// Workgroup memory that exchanges may use one after the other: what the
  /// kernel's own buffers leave, or what is handed; 0: any amount.
  const int64_t sharedMemoryLeft;

  HardwareShape hardware() const {
    return {options.numSubgroups, options.subgroupSize};
  }

  /// The placement of a vector value, or of the vector that `use` sees; null if
  /// it has no layout (no vector, or an op that could not be distributed).
  const Placement *placementOf(Value value);
  const Placement *placementOf(OpOperand &use);
  /// The placement of a layout; null, with the reason, if the threads at hand
  /// cannot hold it.
  const Placement *place(vector_ext::VectorLayoutInterface layout,
                         std::string *why = nullptr);

  /// Says how a rule lays out a value, or a use, of an op that it has put in
  /// front of its own and distributes instead.
  void layOut(Value value, const Placement &placement) {
    layouts.set(value, placement.attr);
  }
  void layOut(OpOperand &use, const Placement &placement) {
    layouts.setUse(use, placement.attr);
  }

  /// Says that a rule distributes `op` instead of an op of the source, which a
  /// refusal then names.
  void setSource(Operation *op, OperationName source) {
    standsFor.insert_or_assign(op, source);
  }

  /// The operand's distributed value; a scalar operand itself.
  Value get(OpBuilder &b, OpOperand &use);
  /// `value` distributed as `placement`, which must be its own unless it is
  /// layout-free.
  Value get(OpBuilder &b, Value value, const Placement &placement);

  /// Replaces the results of `op` by distributed values and erases it.
  void replace(Operation *op, ValueRange distributed);
  /// An undistributed view of a distributed value, with its layout on record.
  Value toSimd(OpBuilder &b, Value distributed, Value undistributed);

  /// Notes why `op` cannot be distributed, and whose layout is to blame;
  /// `refuse` is for `return`.
  void note(Operation *op, const Twine &why,
            const Placement *culprit = nullptr);
  LogicalResult refuse(Operation *op, const Twine &why,
                       const Placement *culprit = nullptr);
  /// Of what propagation should have seen to: no kernel is to blame.
  LogicalResult refuseOwnMistake(Operation *op, const Twine &why,
                                 const Placement *culprit = nullptr) {
    return refuse(op, why + "; this is a bug in Distaff", culprit);
  }
  /// Fails, with a refusal, unless every vector of `op` has a place, which
  /// rules take for granted.
  LogicalResult requirePlacements(Operation *op);
  /// Fails, with a refusal, unless all threads run `op` together.
  LogicalResult requireShared(Operation *op, const Twine &what);
  /// Fails, with a refusal, unless there is workgroup memory to exchange data
  /// through (DG7).
  LogicalResult requireRoom(Operation *op);
  /// The same for an exchange that is not made in rounds: of all these elements
  /// at a time (PCF-134).
  LogicalResult requireRoomFor(Operation *op, ArrayRef<int64_t> shape,
                               Type element);
  bool hasRoomFor(ArrayRef<int64_t> shape, Type element) const {
    return sharedMemoryLeft == 0 ||
           bytesFor(shape, element) <= sharedMemoryLeft;
  }
  bool hasRoom() const {
    return sharedMemoryLeft == 0 ||
           sharedMemoryLeft >= options.workgroupAlignment;
  }

  /// What an exchange of all these elements at a time takes.
  int64_t bytesFor(ArrayRef<int64_t> shape, Type element) const;

  /// The number of accesses (MemoryAccess::holders) with this key.
  int64_t holdersOf(ArrayRef<Attribute> attributes, ArrayRef<Value> values);

  /// The instruction that `op`'s operands are laid out for, or null.
  iree::MmaLayoutAttr mmaKindOf(vector::ContractionOp op) const {
    return mmaKinds.lookup(op);
  }

  /// The instruction that does `op` otherwise, or null.
  core::TargetOpAttr targetOpOf(Operation *op) const {
    return targetOps.lookup(op);
  }

  /// The plan of a conversion; of equal ones there is one.
  const ConversionPlan &planOf(const Placement &from, const Placement &to,
                               int64_t elementBits,
                               const ConversionOptions &options);

  /// Workgroup memory for one exchange, allocated where the ids are defined.
  Value allocate(ArrayRef<int64_t> shape, Type element);
  /// A constant table in constant global memory.
  Value table(OpBuilder &b, Location loc, DenseElementsAttr values);

  /// Reports every to_layout, and every value that crosses the boundary, whose
  /// layout these threads cannot hold (DG6).
  LogicalResult verifyLayouts(const RegionBoundary &boundary);
  /// Distributes the region, with its boundary; failures are noted, not
  /// returned.
  void distribute(const RegionBoundary &boundary);
  /// Distributes everything inside; failures are noted, not returned.
  void distribute(Region &inner);
  /// `op` stays: it lays out a block.
  void keep(vector_ext::ToLayoutOp op) { kept.insert(op); }
  /// Removes what is dead, places buffers and syncs, and reports every op left
  /// over.
  LogicalResult finish();

private:
  void distribute(Operation *op);
  LogicalResult verifyInput(Value value, const Placement &placement);
  bool isInside(Value value) const;
  LogicalResult dispatch(Operation *op);
  LogicalResult distributeScalars(Operation *op);
  bool isSafeForAll(Operation *op);
  StringRef reachBeyondMembers(Operation *op);
  void eraseDeadCasts();
  int64_t idleMemory() const;
  LogicalResult reportLeftovers();

  Region &region;
  FunctionOpInterface function; // around the region
  LayoutMap layouts;
  llvm::DenseMap<Attribute, std::unique_ptr<Placement>> placements;
  std::map<std::tuple<const Placement *, const Placement *, int64_t,
                      SmallVector<int64_t>>,
           std::unique_ptr<const ConversionPlan>>
      plans;
  /// Layout-free values, built once per layout.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> built;
  struct Refusal {
    std::string why;
    std::optional<Location> origin;      // of the culprit's layout
    std::optional<OperationName> source; // see standsFor
  };
  llvm::MapVector<Operation *, Refusal> refusals;
  llvm::DenseMap<Operation *, OperationName> standsFor;
  /// Where a layout is written: the first to_layout that has it.
  llvm::DenseMap<Attribute, Location> origins;
  SmallVector<WorkgroupBuffer> buffers;
  llvm::DenseSet<Operation *> kept;
  bool rulesAreRight = true; // so far; see options.verifiesRules
  std::map<std::pair<SmallVector<const void *>, SmallVector<const void *>>,
           int64_t>
      holders;
  /// Read off the to_layout ops before those are gone.
  llvm::DenseMap<Operation *, iree::MmaLayoutAttr> mmaKinds;
  llvm::DenseMap<Operation *, core::TargetOpAttr> targetOps;
};

/// Threads that hold the canonical copy under `placement`; null for all.
Value isCanonical(Distributor &out, const Placement &placement);

/// Emits `body` under `condition` (null: always). The op that encloses what was
/// emitted is returned, for Hazards.
Operation *emitGuarded(OpBuilder &b, Location loc, Value condition,
                       function_ref<void(OpBuilder &)> body);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_DISTRIBUTOR_H
