//===- GuardedAccesses.cpp - Merging guards at tile edges -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's elements at the edge of a tensor are guarded one by one, and each
// guard is a branch. AMD's instructions have no predicate, so there each is a
// basic block, with all sums of the lane live through it. But the positions
// that a tile's guards test grow: if the first element of a lane is outside,
// all are. So one branch serves a group of accesses, and in it each access
// whose own guard fails is redirected to the first one's place (VX-277,
// VX-278):
//
//   scf.if %r < M {                          scf.if %r < M {
//     store %v0, %m[%r] }                      store %v0, %m[%r]
//   scf.if %r + 1 < M {              =>        %g = %r + 1 < M
//     store %v1, %m[%r + 1] }                  store (select %g, %v1, %v0),
//                                                %m[select %g, %r + 1, %r] }
//
// A lane then stores its first element several times, always the same value; no
// other store of the group and no other lane touches that element. A redirected
// load loads the first element, which is not used. The first access is under
// its own guard, and every other guard is proved to imply that one: each
// comparison `x + c < bound` of the first occurs in the other with the same
// bound and a constant that is not smaller.
//
// If a position is not known to be small, its guard compares its distance from
// the first position with the remaining room to the bound, in 32 bits.
//
// Loads of a stretch of code without stores are grouped by memory, and the ops
// that depend on them are moved after the last one, so that all loads are in
// flight before the first wait.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "PositionSums.h"
#include "distaff/Analysis/Access/IndexFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <numeric>

using namespace distaff;

namespace {

/// The largest distance of a position from a bound that is represented.
constexpr int64_t kMostRoom = std::numeric_limits<int32_t>::max();

/// The limit on conditions that live until the last load of a stretch, each in
/// two scalar registers; a kernel takes the other half of them.
constexpr size_t kMostGuards = 24;

/// The limit on loaded words of 32 bits that live until the last load of a
/// stretch.
constexpr int64_t kMostWords = 64;

/// A load or a store under a guard.
struct GuardedAccess {
  scf::IfOp branch;
  Operation *access;
  SmallVector<Value> guards; ///< conjuncts of the branch's condition
  Value otherwise;           ///< for a load, the value if the guard fails

  bool isLoad() const { return access->getNumResults() == 1; }
  Value guard() { return branch.getCondition(); }
  Value memref() const { return access->getOperand(isLoad() ? 0 : 1); }
  ValueRange indices() const {
    return access->getOperands().drop_front(isLoad() ? 1 : 2);
  }
  /// Returns the type of the loaded or stored value.
  Type moved() const {
    return (isLoad() ? access->getResult(0) : access->getOperand(0)).getType();
  }
};

/// Guarded accesses to one memref in program order. The guard of each implies
/// that of `members[leader]`.
struct AccessGroup {
  SmallVector<GuardedAccess> members;
  size_t leader = 0;
  llvm::SmallDenseMap<Value, Value> rooms; ///< to the leader's bounds, by guard
  scf::IfOp branch;                        ///< replaces the members' branches
};

void addGuards(Value condition, SmallVectorImpl<Value> &guards) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    addGuards(both.getLhs(), guards);
    addGuards(both.getRhs(), guards);
  } else if (!llvm::is_contained(guards, condition)) {
    guards.push_back(condition);
  }
}

bool isAccess(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
      op);
}

bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// Returns the only access of a branch whose other ops may be speculated, or
/// null.
Operation *onlyAccess(Block &block) {
  Operation *access = nullptr;
  for (Operation &op : block.without_terminator()) {
    if (isAccess(&op)) {
      if (std::exchange(access, &op))
        return nullptr;
    } else if (!isArithmetic(&op) || !isSpeculatable(&op)) {
      return nullptr;
    }
  }
  return access;
}

std::optional<GuardedAccess> guardedAccess(scf::IfOp branch) {
  Operation *access = onlyAccess(*branch.thenBlock());
  if (!access || branch.getNumResults() != access->getNumResults())
    return std::nullopt;
  GuardedAccess result = {branch, access, {}, {}};
  if (result.isLoad()) {
    if (branch.thenYield().getOperand(0) != access->getResult(0) ||
        !access->getResult(0).hasOneUse() ||
        !llvm::hasSingleElement(*branch.elseBlock()))
      return std::nullopt;
    result.otherwise = branch.elseYield().getOperand(0);
  } else if (branch.elseBlock() &&
             !llvm::hasSingleElement(*branch.elseBlock())) {
    return std::nullopt;
  }
  addGuards(branch.getCondition(), result.guards);
  return result;
}

int64_t wordsOf(Type type) {
  constexpr int64_t bits = 32;
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  int64_t all = (element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                        : IndexType::kInternalStorageBitWidth) *
                (vector ? vector.getNumElements() : 1);
  return llvm::divideCeil(all, bits);
}

/// Returns whether an op, or one nested in it, reads a result of one of
/// `sources`.
bool readsOneOf(Operation &op,
                const llvm::SmallPtrSetImpl<Operation *> &sources) {
  auto visit = [&](Operation *inner) {
    return WalkResult(
        success(llvm::none_of(inner->getOperands(), [&](Value operand) {
          Operation *source = operand.getDefiningOp();
          return source && sources.contains(source);
        })));
  };
  return !sources.empty() && op.walk(visit).wasInterrupted();
}

/// Compares the positions of accesses, in guards and as indices.
class Positions {
public:
  /// Returns whether `guards` imply all of `others`.
  bool imply(ArrayRef<Value> guards, ArrayRef<Value> others) {
    return llvm::all_of(others, [&](Value other) {
      return llvm::any_of(guards,
                          [&](Value guard) { return implies(guard, other); });
    });
  }

  /// Returns whether two accesses of one type are known not to overlap.
  bool areApart(const GuardedAccess &lhs, const GuardedAccess &rhs);

  /// Returns how much larger the position of `guard` is than that of a guard of
  /// `others` that it implies.
  std::optional<std::pair<Value, int64_t>> behind(Value guard,
                                                  ArrayRef<Value> others);

  /// Returns whether a guard is a comparison in 32 bits
  /// (NarrowComparisons.cpp).
  bool areSmall(Value guard) {
    constexpr int64_t bound = int64_t(1) << 30;
    auto compared = guard.getDefiningOp<arith::CmpIOp>();
    return compared && facts.isBelow(compared.getLhs(), bound) &&
           facts.isBelow(compared.getRhs(), bound);
  }

private:
  bool implies(Value guard, Value other);
  std::optional<int64_t> distance(Value from, Value to);
  /// Returns a value as a sum, with terms in the order of their addresses.
  const PositionSum &sum(Value value) {
    auto [it, isNew] = sums.try_emplace(value);
    if (isNew) {
      it->second = PositionSum::of(value);
      llvm::sort(it->second.terms, [](Value lhs, Value rhs) {
        return lhs.getAsOpaquePointer() < rhs.getAsOpaquePointer();
      });
    }
    return it->second;
  }

  IndexFacts facts;
  llvm::DenseMap<Value, PositionSum> sums;
};

bool Positions::implies(Value guard, Value other) {
  if (guard == other)
    return true;
  auto strong = guard.getDefiningOp<arith::CmpIOp>();
  auto weak = other.getDefiningOp<arith::CmpIOp>();
  using enum arith::CmpIPredicate;
  if (!strong || !weak || strong.getPredicate() != weak.getPredicate() ||
      !llvm::is_contained({slt, sle, ult, ule}, weak.getPredicate()) ||
      strong.getRhs() != weak.getRhs() || !weak.getLhs().getType().isIndex())
    return false;
  std::optional<int64_t> farther = distance(weak.getLhs(), strong.getLhs());
  bool isUnsigned = llvm::is_contained({ult, ule}, weak.getPredicate());
  return farther && *farther >= 0 &&
         (!isUnsigned || facts.isNonNegative(weak.getLhs()));
}

std::optional<std::pair<Value, int64_t>>
Positions::behind(Value guard, ArrayRef<Value> others) {
  for (Value other : others)
    if (implies(guard, other))
      if (auto compared = guard.getDefiningOp<arith::CmpIOp>())
        return std::pair(
            other, *distance(other.getDefiningOp<arith::CmpIOp>().getLhs(),
                             compared.getLhs()));
  return std::nullopt;
}

/// Returns how much larger one position is than another, if that is constant.
std::optional<int64_t> Positions::distance(Value from, Value to) {
  // Both are computed before either is referred to: the map may grow.
  sum(from);
  sum(to);
  const PositionSum &near = sum(from), &far = sum(to);
  if (far.terms != near.terms)
    return std::nullopt;
  return far.constant - near.constant;
}

bool Positions::areApart(const GuardedAccess &lhs, const GuardedAccess &rhs) {
  auto vector = dyn_cast<VectorType>(lhs.moved());
  int64_t width = vector ? vector.getNumElements() : 1;
  for (auto [dim, from, to] : llvm::enumerate(lhs.indices(), rhs.indices())) {
    std::optional<int64_t> apart = distance(from, to);
    bool isLast = dim + 1 == lhs.indices().size();
    if (apart && std::abs(*apart) >= (isLast ? width : 1))
      return true;
  }
  return false;
}

/// Forms groups in a block, of a stretch of loads or of stores with only
/// arithmetic in between.
class BlockGrouper {
public:
  BlockGrouper(Positions &positions, SmallVectorImpl<Operation *> &dead)
      : positions(positions), dead(dead) {}

  void run(Block &block);

private:
  bool take(Operation &op);
  bool takeRead(Operation &op, std::optional<GuardedAccess> access);
  bool join(AccessGroup &group, const GuardedAccess &access);
  void add(const GuardedAccess &access);
  void close(Operation *end);
  void emit(AccessGroup &group, bool selects, OpBuilder &builder);
  void replace(AccessGroup &group, bool selects, OpBuilder &builder);
  Value orPadding(AccessGroup &group, GuardedAccess &member, Value loaded,
                  OpBuilder &builder);
  Value roomOf(AccessGroup &group, Value guard);
  Value guardOf(AccessGroup &group, Value guard, OpBuilder &builder);
  Value guardOf(AccessGroup &group, GuardedAccess &member, OpBuilder &builder);
  Operation *emitMember(AccessGroup &group, GuardedAccess &member,
                        OpBuilder &builder);

  Positions &positions;
  SmallVectorImpl<Operation *> &dead; ///< replaced ops, which the caller erases
  // State of the stretch:
  SmallVector<AccessGroup> groups;
  llvm::SmallPtrSet<Operation *, 32> loads; ///< loads with a guard
  llvm::SetVector<Operation *> readers;     ///< ops that depend on loads
  bool hasStores = false;
};

/// Adds an access to a group if it belongs to it.
bool BlockGrouper::join(AccessGroup &group, const GuardedAccess &access) {
  GuardedAccess &leader = group.members[group.leader];
  auto kind = [](const GuardedAccess &one) {
    Operation *op = one.access;
    return std::make_tuple(op->getName(), one.memref(), one.moved(),
                           op->getAttrDictionary());
  };
  if (kind(leader) != kind(access))
    return false;
  bool isFirst = !positions.imply(access.guards, leader.guards);
  if (isFirst && !positions.imply(leader.guards, access.guards))
    return false;
  // The leader's element must not be overwritten.
  auto isApart = [&](const GuardedAccess &member) {
    return positions.areApart(member, access);
  };
  if (!access.isLoad() &&
      !(isFirst ? llvm::all_of(group.members, isApart) : isApart(leader)))
    return false;
  if (isFirst)
    group.leader = group.members.size();
  group.members.push_back(access);
  return true;
}

void BlockGrouper::add(const GuardedAccess &access) {
  // Stores keep their order, and join the last store's group alone.
  MutableArrayRef<AccessGroup> open = groups;
  if (hasStores && !open.empty())
    open = open.take_back();
  size_t guards = std::accumulate(groups.begin(), groups.end(), size_t(0),
                                  [](size_t sum, const AccessGroup &one) {
                                    return sum + one.members.size() - 1;
                                  });
  if (!access.isLoad() || guards < kMostGuards)
    for (AccessGroup &group : llvm::reverse(open))
      if (join(group, access))
        return;
  groups.emplace_back().members.push_back(access);
}

/// Adds a load to the stretch, if it depends on none of the others.
bool BlockGrouper::takeRead(Operation &op,
                            std::optional<GuardedAccess> access) {
  int64_t words = 0;
  for (Operation *load : loads)
    words += wordsOf(load->getResult(0).getType());
  llvm::SmallPtrSet<Operation *, 32> late(readers.begin(), readers.end());
  if (hasStores || words >= kMostWords || readsOneOf(op, loads) ||
      readsOneOf(op, late))
    return false;
  if (access) {
    add(*access);
    loads.insert(&op);
  }
  return true;
}

/// Adds an op to the stretch, or returns false if it cannot be part of it.
bool BlockGrouper::take(Operation &op) {
  if (isArithmetic(&op)) {
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          Operation *source = operand.getDefiningOp();
          return source && (loads.contains(source) || readers.contains(source));
        }))
      readers.insert(&op);
    return true;
  }
  if (isa<memref::LoadOp, vector::LoadOp>(op))
    return takeRead(op, std::nullopt);
  auto branch = dyn_cast<scf::IfOp>(op);
  std::optional<GuardedAccess> access =
      branch ? guardedAccess(branch) : std::nullopt;
  if (!access)
    return false;
  if (access->isLoad())
    return takeRead(op, access);
  if (!loads.empty())
    return false;
  hasStores = true;
  add(*access);
  return true;
}

/// Returns the distance of the position of the leader's guard, which holds, to
/// its bound, in 32 bits.
Value BlockGrouper::roomOf(AccessGroup &group, Value guard) {
  Value &room = group.rooms[guard];
  if (room)
    return room;
  ImplicitLocOpBuilder b(guard.getLoc(), group.members.back().branch);
  auto compared = guard.getDefiningOp<arith::CmpIOp>();
  Value all = arith::SubIOp::create(b, compared.getRhs(), compared.getLhs());
  Value most = arith::ConstantIndexOp::create(b, kMostRoom);
  Value known = arith::MinUIOp::create(b, all, most);
  return room = arith::IndexCastOp::create(b, b.getI32Type(), known);
}

/// Returns a guard of a member, given that the leader's guards hold. Positions
/// at a constant distance from the leader's are compared by that constant.
Value BlockGrouper::guardOf(AccessGroup &group, Value guard,
                            OpBuilder &builder) {
  GuardedAccess &leader = group.members[group.leader];
  auto behind = positions.behind(guard, leader.guards);
  if (!behind || behind->second > kMostRoom || positions.areSmall(guard))
    return guard;
  auto compared = guard.getDefiningOp<arith::CmpIOp>();
  using enum arith::CmpIPredicate;
  bool isStrict = llvm::is_contained({slt, ult}, compared.getPredicate());
  Value distance = arith::ConstantIntOp::create(
      builder, guard.getLoc(), builder.getI32Type(), behind->second);
  return arith::CmpIOp::create(builder, guard.getLoc(), isStrict ? ult : ule,
                               distance, roomOf(group, behind->first));
}

/// Returns the condition of a member besides the leader's guard; null if there
/// is none.
Value BlockGrouper::guardOf(AccessGroup &group, GuardedAccess &member,
                            OpBuilder &builder) {
  GuardedAccess &leader = group.members[group.leader];
  Value all;
  for (Value guard : member.guards) {
    if (positions.imply(leader.guards, guard))
      continue;
    Value own = guardOf(group, guard, builder);
    all = all ? arith::AndIOp::create(builder, guard.getLoc(), all, own)
                    .getResult()
              : own;
  }
  return all;
}

/// Emits a member, redirected to the leader's place if its own guard fails.
Operation *BlockGrouper::emitMember(AccessGroup &group, GuardedAccess &member,
                                    OpBuilder &builder) {
  GuardedAccess &leader = group.members[group.leader];
  Location loc = member.access->getLoc();
  Value guard = guardOf(group, member, builder);
  SmallVector<Value> operands(member.access->getOperands());
  for (auto [own, first] :
       llvm::zip_equal(operands, leader.access->getOperands()))
    if (guard && own != first)
      own = arith::SelectOp::create(builder, loc, guard, own, first);
  Operation *access = builder.clone(*member.access);
  access->setOperands(operands);
  return access;
}

/// Returns whether an op computes a condition or a position. No other op is
/// sunk into a branch: a sum would keep its operands live, and instructions of
/// a subgroup need all of its lanes.
bool isOfPositions(Operation *op) {
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumResults() != 1)
    return false;
  Type type = op->getResult(0).getType();
  return type.isIndex() || type.isInteger(1);
}

/// Sinks positions and conditions that only a branch uses into it, to their
/// first use: so not all conditions, one per element, are live at once.
void sinkInto(scf::IfOp branch) {
  Block *inside = branch.thenBlock();
  for (Operation *op = branch->getPrevNode(), *next; op; op = next) {
    next = op->getPrevNode();
    if (!isOfPositions(op) || op->use_empty() ||
        llvm::any_of(op->getUsers(), [&](Operation *user) {
          return user->getBlock() != inside;
        }))
      continue;
    Operation *first = *op->user_begin();
    for (Operation *user : op->getUsers())
      if (user->isBeforeInBlock(first))
        first = user;
    op->moveBefore(first);
  }
}

/// Returns the loaded value, or the replacement if the member's own guard
/// fails.
Value BlockGrouper::orPadding(AccessGroup &group, GuardedAccess &member,
                              Value loaded, OpBuilder &builder) {
  Value guard = guardOf(group, member, builder);
  return guard ? arith::SelectOp::create(builder, member.branch.getLoc(), guard,
                                         loaded, member.otherwise)
                     .getResult()
               : loaded;
}

/// Emits one branch for the branches of a group. With `selects`, loaded values
/// are selected inside the branch, which is allowed if no other load follows.
void BlockGrouper::emit(AccessGroup &group, bool selects, OpBuilder &builder) {
  for (GuardedAccess &member : group.members)
    for (Operation &op : llvm::make_early_inc_range(
             member.branch.thenBlock()->without_terminator()))
      if (&op != member.access)
        op.moveBefore(member.branch);
  auto access = [&](OpBuilder &inside, Location loc) {
    SmallVector<Value> loaded;
    for (GuardedAccess &member : group.members)
      llvm::append_range(loaded,
                         emitMember(group, member, inside)->getResults());
    if (selects)
      for (auto [member, value] : llvm::zip_equal(group.members, loaded))
        value = orPadding(group, member, value, inside);
    scf::YieldOp::create(inside, loc, loaded);
  };
  auto pad = [&](OpBuilder &inside, Location loc) {
    SmallVector<Value> padding;
    for (GuardedAccess &member : group.members)
      padding.push_back(member.otherwise);
    scf::YieldOp::create(inside, loc, padding);
  };
  GuardedAccess &leader = group.members[group.leader];
  Location loc = leader.branch.getLoc();
  group.branch =
      leader.isLoad()
          ? scf::IfOp::create(builder, loc, leader.guard(), access, pad)
          : scf::IfOp::create(builder, loc, leader.guard(), access);
}

/// Replaces the members of a group by its branch.
void BlockGrouper::replace(AccessGroup &group, bool selects,
                           OpBuilder &builder) {
  for (auto [number, member] : llvm::enumerate(group.members)) {
    if (member.isLoad()) {
      Value loaded = group.branch.getResult(number);
      member.branch.getResult(0).replaceAllUsesWith(
          selects ? loaded : orPadding(group, member, loaded, builder));
    }
    dead.push_back(member.branch);
    // Values that only its regions used become dead.
    member.branch->dropAllReferences();
  }
  sinkInto(group.branch);
}

/// Ends the stretch before an op: emits the branches of groups there, and after
/// them the ops that depend on loads. The last group selects its loaded values
/// in its branch, so that its conditions do not outlive the branch.
void BlockGrouper::close(Operation *end) {
  llvm::erase_if(groups,
                 [](AccessGroup &group) { return group.members.size() == 1; });
  OpBuilder builder(end);
  auto selects = [&](AccessGroup &group) {
    return &group == &groups.back() && !hasStores;
  };
  for (AccessGroup &group : groups)
    emit(group, selects(group), builder);
  for (AccessGroup &group : groups)
    replace(group, selects(group), builder);
  if (!groups.empty())
    for (Operation *reader : readers)
      reader->moveBefore(end);
  groups.clear();
  loads.clear();
  readers.clear();
  hasStores = false;
}

void BlockGrouper::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (!take(op)) {
      close(&op);
      take(op);
    }
  close(block.getTerminator());
}

} // namespace

void distaff::groupGuardedAccesses(gpu::GPUFuncOp kernel) {
  SmallVector<Block *> blocks;
  kernel->walk([&](Block *block) {
    if (!block->empty() &&
        block->back().hasTrait<::mlir::OpTrait::IsTerminator>())
      blocks.push_back(block);
  });
  // Facts about values are stored by their addresses, so no op is erased before
  // the end.
  Positions positions;
  SmallVector<Operation *> dead;
  BlockGrouper grouper(positions, dead);
  for (Block *block : blocks)
    grouper.run(*block);
  for (Operation *op : dead)
    op->erase();
}
