//===- PhaseRaces.cpp - Races between the members of a phase --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseRaces.h"

#include "IndexDomain.h"
#include "MovedOps.h"
#include "PhaseSlices.h"
#include "RefAccess.h"
#include "RefBox.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Describes a read or write of a phase.
struct Access {
  OffsetSizeAndStrideOpInterface op;
  Value ref;
  /// The tensor with the elements of the slice.
  Value tensor;
  bool isWrite;
};
} // namespace

static SmallVector<Access> collectAccesses(RunClusterOp phase,
                                           const BodyTiling &tiling) {
  SmallVector<Access> accesses;
  phase.getBody().walk([&](Operation *op) {
    if (auto write = dyn_cast<WriteSliceOp>(op))
      accesses.push_back({write, write.getDest(), write.getSource(), true});
    // A result without a map is not read.
    else if (auto read = dyn_cast<ReadSliceOp>(op);
             read && tiling.lookup(read.getResult()))
      accesses.push_back({read, read.getSource(), read.getResult(), false});
  });
  return accesses;
}

/// Treats `x remui d` as a term if `x` is not negative whenever `around` holds.
static void bindSlots(Access &access, ArrayRef<IndexConstraint> around,
                      IndexTerms &terms) {
  SmallVector<OpFoldResult> offsets = access.op.getMixedOffsets();
  for (Value ref = access.ref; auto view = ref.getDefiningOp<SubviewOp>();
       ref = view.getSource())
    llvm::append_range(offsets, view.getMixedOffsets());
  for (OpFoldResult offset : offsets) {
    auto value = dyn_cast<Value>(offset);
    auto slot = value ? value.getDefiningOp<arith::RemUIOp>() : nullptr;
    std::optional<int64_t> slots =
        slot ? getConstantIntValue(slot.getRhs()) : std::nullopt;
    if (!slots || *slots <= 0)
      continue;
    AffineExpr position = terms.of(slot.getLhs());
    SmallVector<IndexConstraint> isNegative(around);
    isNegative.push_back({-position - 1});
    if (terms.haveNoSolution(isNegative))
      terms.bind(slot, position % *slots);
  }
}

/// Returns whether the conditions and loops around both accesses keep their
/// slices of one memory disjoint. A phase runs both at once, for equal values
/// of these.
static bool areKeptApart(Access &a, Access &b) {
  IndexDomain domain(a.op->getParentOfType<SharedExecutorOp>());
  SmallVector<IndexConstraint> overlap;
  domain.addConstraints(a.op, /*pastEnd=*/{}, overlap);
  domain.addConstraints(b.op, /*pastEnd=*/{}, overlap);
  bindSlots(a, overlap, domain.getTerms());
  bindSlots(b, overlap, domain.getTerms());
  Value memory = getViewedRef(a.ref);
  auto boxOf = [&](Access &access) {
    return RefBox::in(
        access.op, access.ref, cast<SRefType>(memory.getType()).getRank(),
        [&](Value ref) { return ref == memory; }, domain.getTerms());
  };
  boxOf(a).addOverlap(boxOf(b), overlap);
  return domain.getTerms().haveNoSolution(overlap);
}

/// Returns whether the slices share no element, for all values of the group.
static bool areApart(Access &a, Access &b) {
  if (!mayAlias(a.ref, b.ref))
    return true;
  return getViewedRef(a.ref) == getViewedRef(b.ref) &&
         (areDisjoint(a.op, a.ref, b.op, b.ref) || areKeptApart(a, b));
}

bool pcf::areAccessesApart(OffsetSizeAndStrideOpInterface a, Value refA,
                           OffsetSizeAndStrideOpInterface b, Value refB) {
  Access first{a, refA, {}, false}, second{b, refB, {}, false};
  return ::areApart(first, second);
}

static bool areEqualLists(ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) {
  return llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
    auto [left, right] = pair;
    auto leftValue = dyn_cast<Value>(left), rightValue = dyn_cast<Value>(right);
    return left == right ||
           (leftValue && rightValue && areEqual(leftValue, rightValue));
  });
}

/// Returns the digits of the members' numbers that determine the positions of a
/// tensor's boxes.
static SmallVector<TileDigit> getMemberDigits(const TileMap &map) {
  SmallVector<TileDigit> digits;
  for (const TileDim &dim : map.dims)
    for (const TileDigit &digit : dim.digits)
      if (!digit.isOwn())
        digits.push_back(digit);
  llvm::sort(digits, [](const TileDigit &a, const TileDigit &b) {
    return std::pair(a.stride, a.extent) < std::pair(b.stride, b.extent);
  });
  return digits;
}

/// Returns whether all accesses have the same members as replicas.
static bool haveSameReplicas(ArrayRef<Access> accesses,
                             const BodyTiling &tiling) {
  std::optional<SmallVector<TileDigit>> known;
  for (const Access &access : accesses) {
    const TileMap *map = tiling.lookup(access.tensor);
    SmallVector<TileDigit> digits =
        map ? getMemberDigits(*map) : SmallVector<TileDigit>();
    if (known && *known != digits)
      return false;
    known = std::move(digits);
  }
  return true;
}

/// Returns whether each element that both slices have is in the same box in
/// both.
static bool areOfSameBoxes(Access &a, Access &b, const BodyTiling &tiling) {
  const TileMap *mapA = tiling.lookup(a.tensor),
                *mapB = tiling.lookup(b.tensor);
  return mapA && mapB && mapA->placesAs(*mapB) && areEqual(a.ref, b.ref) &&
         areEqualLists(a.op.getMixedOffsets(), b.op.getMixedOffsets()) &&
         areEqualLists(a.op.getMixedStrides(), b.op.getMixedStrides());
}

/// Returns whether every member has all of both.
static bool haveOneBox(const Access &a, const Access &b,
                       const BodyTiling &tiling) {
  return llvm::all_of(ArrayRef{a, b}, [&](const Access &access) {
    const TileMap *map = tiling.lookup(access.tensor);
    return !map || getMemberDigits(*map).empty();
  });
}

/// Returns a text such as
/// `'pcf.write_slice' writes 64x? elements from [0, 1] of !pcf.sref<...>`.
static std::string describe(const Access &access) {
  OffsetSizeAndStrideOpInterface op = access.op;
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](ArrayRef<OpFoldResult> numbers, StringRef separator) {
    llvm::interleave(
        numbers, os,
        [&](OpFoldResult number) {
          if (std::optional<int64_t> known = getConstantIntValue(number))
            os << *known;
          else
            os << "?";
        },
        separator);
  };
  os << "'" << op->getName() << "' " << (access.isWrite ? "writes " : "reads ");
  print(op.getMixedSizes(), "x");
  os << " elements from [";
  print(op.getMixedOffsets(), ", ");
  if (!op.hasUnitStride()) {
    os << "] in steps of [";
    print(op.getMixedStrides(), ", ");
  }
  os << "] of " << access.ref.getType();
  return text;
}

static void addNotes(const Access &earlier, const Access &later,
                     Refusal &refusal) {
  bool isOne = getViewedRef(earlier.ref) == getViewedRef(later.ref);
  refusal.notes.emplace_back(earlier.op->getLoc(),
                             "the earlier access: " + describe(earlier));
  refusal.notes.emplace_back(
      later.op->getLoc(), "the later access: " + describe(later) +
                              (isOne ? "" : ", which may be the same memory"));
}

static std::string explain(const Access &earlier, const Access &later) {
  std::string why = later.isWrite ? "it writes memory that other members may "
                                  : "it reads memory that other members may ";
  why += earlier.isWrite ? "write" : "read";
  why += " earlier in it, and nothing makes members wait inside of a phase; "
         "end the phase before the ";
  why += later.isWrite ? "write" : "read";
  why += " and put a pcf.barrier that fences the memory there";
  return why;
}

FailureOr<bool> pcf::needsOneReplica(RunClusterOp op, const BodyTiling &tiling,
                                     const WorkerGrid &grid, Refusal &refusal) {
  SmallVector<Access> accesses = collectAccesses(op, tiling);
  std::optional<int64_t> members = grid.getNumMembers();
  if (members && *members <= 1)
    return false;
  // All replicas must have the yielded values.
  bool mayBeOne = !op.getResult() && haveSameReplicas(accesses, tiling);
  auto isOneMembers = [&](Access &earlier, Access &later, bool &isOne) {
    bool isOneBox = haveOneBox(earlier, later, tiling) ||
                    areOfSameBoxes(earlier, later, tiling);
    const TileMap *map = tiling.lookup(earlier.tensor);
    bool isWhole = map && members && map->countBoxes() == *members;
    // Only one of the replicas writes.
    if (isWhole || (earlier.isWrite && later.isWrite))
      return isOneBox;
    isOne = mayBeOne;
    return mayBeOne && isOneBox;
  };
  bool isOne = false;
  for (auto [number, later] : llvm::enumerate(accesses))
    for (Access &earlier : MutableArrayRef(accesses).take_front(number)) {
      if ((!earlier.isWrite && !later.isWrite) || areApart(earlier, later) ||
          insideMutuallyExclusiveRegions(earlier.op, later.op) ||
          isOneMembers(earlier, later, isOne))
        continue;
      refusal.why = explain(earlier, later);
      addNotes(earlier, later, refusal);
      return failure();
    }
  return isOne;
}
