//===- RegisterPressureScheduling.cpp - Scheduling for register pressure --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering works vector by vector: all loads, all sums, all stores. If that
// keeps more values live than a lane has registers for, another order of the
// same ops may need fewer:
//
//   as they are     load a; load b; f = ext a; g = ext b; x = f + 1; y = g + 1
//   loads late      load a; f = ext a; load b; g = ext b; x = f + 1; y = g + 1
//   operands late   load a; f = ext a; x = f + 1; load b; g = ext b; y = g + 1
//   interleaved     all sums of k = 0, right after their loads; then of k = 1
//
// The assembler does not reorder across barriers and stores, because it cannot
// prove that the loaded memory does not alias. If all values fit, the order
// stays: early loads hide their latency. Loads of workgroup memory move up to
// the next barrier or store, which the assembler does too; so the pressure of
// the best order is that of the code. If the assembler is known not to find
// that order, the block is reordered.
//
//===----------------------------------------------------------------------===//
#include "AddressSums.h"
#include "BlockLiveness.h"
#include "ConvertToLLVM.h"
#include "RegisterPressure.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace distaff;

using Order = SmallVector<Operation *>;

//===----------------------------------------------------------------------===//
// Movable ops
//===----------------------------------------------------------------------===//

/// Returns the argument, allocation or global that a pointer refers to; null if
/// it is not known.
static Value memoryBehind(Value pointer) {
  while (Operation *op = pointer ? pointer.getDefiningOp() : nullptr) {
    if (isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op))
      return pointer;
    if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op))
      pointer = AddressSums::fieldOf(extract);
    else if (isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op))
      pointer = op->getOperand(0);
    else
      return nullptr;
  }
  auto argument = dyn_cast_or_null<BlockArgument>(pointer);
  bool isKernels = argument && argument.getOwner()->isEntryBlock() &&
                   isa<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp());
  return isKernels ? argument : Value();
}

/// LLVM's address space of workgroup memory, the same for both vendors.
static constexpr unsigned workgroupSpace =
    unsigned(NVVM::NVVMMemorySpace::Shared);

namespace {
/// Describes which ops may move.
class Movable {
public:
  explicit Movable(LLVM::LLVMFuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (isMemoryEffectFree(op) || isa<LLVM::LoadOp, NVVM::LdMatrixOp>(op))
        return;
      for (Value operand : op->getOperands())
        if (isa<LLVM::LLVMPointerType>(operand.getType()))
          written.insert(memoryBehind(operand));
    });
  }

  /// Returns whether a load may move freely; no two arguments alias (the
  /// kernel's ABI).
  bool isFreeLoad(Operation *op) const {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (!load || load.getVolatile_())
      return false;
    Value memory = memoryBehind(load.getAddr());
    return isa_and_nonnull<BlockArgument>(memory) &&
           !written.contains(memory) && !written.contains(Value());
  }
  /// Returns whether a load may move up to the next op that
  /// `ordersWorkgroupMemory`; matrix loads too, of which lowering emits all of
  /// a step at once.
  bool isWorkgroupLoad(Operation *op) const {
    if (isa<NVVM::LdMatrixOp>(op))
      return true;
    auto load = dyn_cast<LLVM::LoadOp>(op);
    return load && !load.getVolatile_() &&
           load.getAddr().getType().getAddressSpace() == workgroupSpace;
  }
  /// Returns whether the contents or the owner of workgroup memory may change
  /// at the op.
  static bool ordersWorkgroupMemory(Operation *op) {
    // Lanes exchange registers in these ops.
    if (isMemoryEffectFree(op) ||
        isa<LLVM::LoadOp, NVVM::LdMatrixOp, NVVM::MmaOp, NVVM::ShflOp>(op))
      return false;
    // Arguments are global memory.
    auto store = dyn_cast<LLVM::StoreOp>(op);
    return !store ||
           store.getAddr().getType().getAddressSpace() == workgroupSpace ||
           !isa_and_nonnull<BlockArgument>(memoryBehind(store.getAddr()));
  }
  bool isFree(Operation *op) const {
    return isFreeLoad(op) || isWorkgroupLoad(op) ||
           (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
            !op->hasTrait<::mlir::OpTrait::IsTerminator>());
  }
  /// Returns whether an op is a load, or a form of one value: an address, an
  /// extension, an element.
  bool isFreeForm(Operation *op) const {
    if (isFreeLoad(op) || isWorkgroupLoad(op))
      return true;
    return isForm(op) && isFree(op);
  }
  /// Returns whether an op has at most one value, or combines several as parts
  /// of one.
  static bool isForm(Operation *op) {
    int64_t values = llvm::count_if(op->getOperands(), [](Value operand) {
      Operation *from = operand.getDefiningOp();
      return !from || !from->hasTrait<::mlir::OpTrait::ConstantLike>();
    });
    return values <= 1 || isa<LLVM::InsertElementOp, LLVM::InsertValueOp>(op);
  }

private:
  llvm::SmallDenseSet<Value> written; // null: any
};
} // namespace

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {
/// Interleaves chains of sums in rounds of a number of steps, as far as no op
/// between them has to stay: of two sums over k first both of k = 0, then both
/// of 1, so that the factors are live in one round and not loaded for every
/// chain. Within a round steps keep their order, usually by rows, or are
/// ordered by columns: chains that begin with the same right operand one after
/// the other.
class Turns {
public:
  Turns(Block &block, const Movable &movable, const AddressSums &addresses);
  bool isStep(Operation *op) const { return places.contains(op); }
  Order orderOf(int64_t length, bool byColumns) const;

private:
  /// The position of a step: the number of steps before it in its chain, and
  /// the chain's column.
  struct Place {
    int64_t behind, column;
  };
  /// Ops up to one that stays.
  struct Segment {
    Order others, steps;
    Operation *end = nullptr; // null after the last segment
  };
  int64_t levelOf(Value value) const;
  int64_t columnOf(Operation *step);
  void add(Operation *op);
  void finish(Operation *end);

  const AddressSums &addresses;
  DenseMap<Operation *, Place> places;
  SmallVector<Segment> segments;
  // State of the last segment:
  /// The number of chain steps that an op depends on, plus 1; 0 without a
  /// chain.
  DenseMap<Operation *, int64_t> levels;
  /// The column of each step's chain, and of each right operand that begins a
  /// chain.
  DenseMap<Operation *, int64_t> columns;
  DenseMap<Value, int64_t> columnOfOperand;
};

/// Places the ops of a block, given an order, so that those that move come
/// right before their first user, the longest chain of operands first; loads of
/// workgroup memory at the latest before that memory changes.
class LateOrder {
public:
  LateOrder(Block &block, const Movable &movable,
            llvm::function_ref<bool(Operation *)> moves);
  Order of(ArrayRef<Operation *> base);

private:
  struct Frame {
    Operation *op;
    SmallVector<Operation *, 4> operands; // to be placed, in this order
  };
  Frame frameOf(Operation *op) const;
  void place(Operation *op);

  Block &block;
  const Movable &movable;
  DenseMap<Operation *, int64_t> depths; // depths of ops that move
  // State of the order under construction:
  Order order;
  DenseSet<Operation *> placed;
};
} // namespace

Turns::Turns(Block &block, const Movable &movable, const AddressSums &addresses)
    : addresses(addresses), segments(1) {
  for (Operation &op : block)
    if (movable.isFree(&op) || isa<NVVM::MmaOp>(op))
      add(&op);
    else
      finish(&op);
}

int64_t Turns::levelOf(Value value) const {
  Operation *op = value.getDefiningOp();
  auto known = levels.find(op);
  if (known != levels.end())
    return known->second;
  // A value from before the segment may begin a chain.
  return !op || !op->hasTrait<::mlir::OpTrait::ConstantLike>();
}

/// Returns the right factor of a step, or a similar operand.
static Value rightOperandOf(Operation *step) {
  if (auto mma = dyn_cast<NVVM::MmaOp>(step))
    return mma.getOperandB().front();
  // Takes the product of a sum, and the unextended factor of a product.
  Value value = step->getOperand(step->getNumOperands() > 1);
  for (Operation *op = value.getDefiningOp();
       op && isa<LLVM::MulOp, LLVM::FMulOp, LLVM::SExtOp, LLVM::ZExtOp,
                 LLVM::FPExtOp>(op);
       op = value.getDefiningOp())
    value = op->getOperands().back();
  return value;
}

/// Returns the column of a step, which continues its longest chain or begins
/// one.
int64_t Turns::columnOf(Operation *step) {
  Operation *before = nullptr;
  for (Value operand : step->getOperands())
    if (Operation *from = operand.getDefiningOp(); columns.contains(from))
      before = from;
  return before ? columns.lookup(before)
                : columnOfOperand
                      .try_emplace(rightOperandOf(step), columnOfOperand.size())
                      .first->second;
}

void Turns::add(Operation *op) {
  int64_t level = 0;
  // Loaded values are factors and begin no chain; nor do addresses.
  Value result = op->getNumResults() ? op->getResult(0) : Value();
  bool isAddress =
      result && (isa<LLVM::LLVMPointerType>(result.getType()) ||
                 (result.getType().isInteger(64) && !addresses.isData(result)));
  bool isData = result && !isAddress && !isa<LLVM::LoadOp>(op);
  if (isData)
    for (Value operand : op->getOperands())
      level = std::max(level, levelOf(operand));
  bool isStep = level > 0 && (isa<NVVM::MmaOp>(op) || !Movable::isForm(op));
  levels[op] = level + isStep;
  Segment &segment = segments.back();
  (isStep ? segment.steps : segment.others).push_back(op);
  if (!isStep)
    return;
  int64_t column = columns[op] = columnOf(op);
  places[op] = {level - 1, column}; // the first step has level 1
}

void Turns::finish(Operation *end) {
  segments.back().end = end;
  segments.emplace_back();
  levels.clear();
  columns.clear();
  columnOfOperand.clear();
}

Order Turns::orderOf(int64_t length, bool byColumns) const {
  auto turnOf = [&](Operation *op) {
    Place place = places.lookup(op);
    return std::pair(place.behind / length, byColumns ? place.column : 0);
  };
  Order order;
  for (const Segment &segment : segments) {
    llvm::append_range(order, segment.others);
    Order steps = segment.steps;
    llvm::stable_sort(steps, [&](Operation *a, Operation *b) {
      return turnOf(a) < turnOf(b);
    });
    llvm::append_range(order, steps);
    if (segment.end)
      order.push_back(segment.end);
  }
  return order;
}

LateOrder::LateOrder(Block &block, const Movable &movable,
                     llvm::function_ref<bool(Operation *)> moves)
    : block(block), movable(movable) {
  for (Operation &op : block) {
    if (!moves(&op))
      continue;
    int64_t depth = 0;
    for (Value operand : op.getOperands())
      depth = std::max(depth, depths.lookup(operand.getDefiningOp()));
    depths[&op] = depth + 1;
  }
}

Order LateOrder::of(ArrayRef<Operation *> base) {
  order.clear();
  placed.clear();
  Order loads; // loads of workgroup memory in its current state
  for (Operation *op : base) {
    if (depths.contains(op)) {
      if (movable.isWorkgroupLoad(op))
        loads.push_back(op);
      continue;
    }
    if (op->hasTrait<::mlir::OpTrait::IsTerminator>())
      continue;
    if (Movable::ordersWorkgroupMemory(op)) {
      llvm::for_each(loads, [&](Operation *load) { place(load); });
      loads.clear();
    }
    place(op);
  }
  // Places the ops that only other blocks use.
  for (Operation &op : block)
    place(&op);
  return std::move(order);
}

LateOrder::Frame LateOrder::frameOf(Operation *op) const {
  Frame frame{op, {}};
  for (Value operand : op->getOperands())
    if (Operation *from = operand.getDefiningOp();
        from && from->getBlock() == op->getBlock() && !placed.contains(from))
      frame.operands.push_back(from);
  // Operands are taken from the back.
  llvm::stable_sort(frame.operands, [&](Operation *a, Operation *b) {
    return depths.lookup(a) < depths.lookup(b);
  });
  return frame;
}

void LateOrder::place(Operation *op) {
  if (placed.contains(op))
    return;
  SmallVector<Frame> stack = {frameOf(op)};
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.operands.empty()) {
      Operation *next = frame.op;
      stack.pop_back();
      if (!placed.insert(next).second)
        continue;
      order.push_back(next);
      // The parts of a value without registers of its own may die one by one.
      for (Value result : next->getResults())
        if (isTakenApart(result))
          for (Operation *part : result.getUsers())
            if (depths.contains(part))
              stack.push_back(frameOf(part));
      continue;
    }
    Operation *operand = frame.operands.pop_back_val();
    if (!placed.contains(operand))
      stack.push_back(frameOf(operand));
  }
}

namespace {
/// The order of a block with the lowest pressure, of those considered.
struct BestOrder {
  BestOrder(Block &block, const AddressSums &sums, const BlockLiveness &ranges,
            int64_t behind)
      : block(block), sums(sums), ranges(ranges),
        pressure(block, sums, ranges, behind),
        order(llvm::to_vector(llvm::make_pointer_range(block))),
        live(pressure.peakOf(order)) {}

  void consider(Order other) {
    assert(other.size() == order.size() && other.back() == order.back() &&
           "an order has each op once, the terminator last");
    RegisterPressure::Peak others = pressure.peakOf(other);
    if (others.registers >= live.registers)
      return;
    live = others;
    order = std::move(other);
  }

  Block &block;
  const AddressSums &sums;
  const BlockLiveness &ranges;
  RegisterPressure pressure;
  Order order;
  RegisterPressure::Peak live;
};
} // namespace

/// Returns the order with loads of workgroup memory as early as possible, with
/// their operands.
static Order earlyOrder(Block &block, const Movable &movable) {
  Order order, segment;
  auto finish = [&] {
    DenseSet<Operation *> early;
    for (Operation *op : llvm::reverse(segment))
      if (movable.isWorkgroupLoad(op) ||
          llvm::any_of(op->getUsers(),
                       [&](Operation *user) { return early.contains(user); }))
        early.insert(op);
    for (bool isEarly : {true, false})
      llvm::copy_if(segment, std::back_inserter(order), [&](Operation *op) {
        return early.contains(op) == isEarly;
      });
    segment.clear();
  };
  for (Operation &op : block) {
    if (op.hasTrait<::mlir::OpTrait::IsTerminator>() ||
        Movable::ordersWorkgroupMemory(&op)) {
      finish();
      order.push_back(&op);
    } else {
      segment.push_back(&op);
    }
  }
  return order;
}

/// Returns the order in which ops that satisfy `moves` are late.
static Order lateOrder(const BestOrder &best, const Movable &movable,
                       llvm::function_ref<bool(Operation *)> moves) {
  return LateOrder(best.block, movable, moves).of(best.order);
}

/// Considers orders that do not depend on the assembler's scheduling.
static void considerLate(BestOrder &best, const Movable &movable) {
  auto stays = [&](Operation *op) { return movable.isWorkgroupLoad(op); };
  Order forms = lateOrder(best, movable, [&](Operation *op) {
    return movable.isFreeForm(op) && !stays(op);
  });
  Order all = lateOrder(best, movable, [&](Operation *op) {
    return movable.isFree(op) && !stays(op);
  });
  best.consider(std::move(forms));
  best.consider(std::move(all));
}

/// Considers orders with interleaved chains of these round lengths, by rows and
/// by columns, up to the first that needs no more than `enough` registers.
static void considerTurns(BestOrder &best, const Movable &movable,
                          ArrayRef<int64_t> lengths, ArrayRef<bool> byColumns,
                          int64_t enough) {
  Turns turns(best.block, movable, best.sums);
  LateOrder late(best.block, movable, [&](Operation *op) {
    return movable.isFree(op) && !turns.isStep(op);
  });
  SmallVector<Order> seen;
  for (int64_t length : lengths)
    for (bool isByColumns : byColumns) {
      if (best.live.registers <= enough)
        return;
      Order base = turns.orderOf(length, isByColumns);
      if (llvm::is_contained(seen, base))
        continue;
      best.consider(late.of(base));
      seen.push_back(std::move(base));
    }
}

/// Returns whether a block multiplies 64-bit integers, each in several
/// instructions.
static bool hasWideSums(Block &block, const AddressSums &sums) {
  return llvm::any_of(block, [&](Operation &op) {
    return isa<LLVM::MulOp>(op) && op.getResult(0).getType().isInteger(64) &&
           sums.isData(op.getResult(0));
  });
}

/// Considers orders that the assembler should find by itself but does not: it
/// leaves loads outside of loops in place, and wide sums in loops.
static void considerMissed(BestOrder &best, const Movable &movable) {
  if (!best.ranges.isInLoop(best.block))
    best.consider(lateOrder(
        best, movable, [&](Operation *op) { return movable.isFreeForm(op); }));
  else if (hasWideSums(best.block, best.sums))
    considerTurns(best, movable, /*lengths=*/1, /*byColumns=*/false,
                  /*enough=*/0);
}

/// Considers orders that the assembler may find by itself, up to the first that
/// needs no more than `enough` registers.
static void considerScheduled(BestOrder &best, const Movable &movable,
                              int64_t enough) {
  enough = std::max(enough, best.pressure.lowerBound());
  if (best.live.registers <= enough)
    return;
  best.consider(lateOrder(
      best, movable, [&](Operation *op) { return movable.isFreeForm(op); }));
  constexpr int64_t all = std::numeric_limits<int64_t>::max();
  considerTurns(best, movable, {1, 2, 4, 8, all}, {false, true}, enough);
}

void distaff::eraseUnused(LLVM::LLVMFuncOp kernel) {
  for (Block &block : llvm::reverse(kernel.getBody()))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

LaneRegisters distaff::orderForRegisters(LLVM::LLVMFuncOp kernel,
                                         int64_t available) {
  AddressSums sums(kernel);
  BlockLiveness ranges(kernel.getBody(),
                       [&](Value value) { return sums.rootsOf(value); });
  SmallVector<int64_t> bitsBehind = ranges.sizesBehind(registerBitsOf);
  Movable movable(kernel);
  LaneRegisters most;
  for (auto [block, behind] : llvm::zip_equal(kernel.getBody(), bitsBehind)) {
    BestOrder best(block, sums, ranges, behind);
    most.early = std::max(
        most.early, best.pressure.peakOf(earlyOrder(block, movable)).registers);
    bool mustMove = best.live.registers > available;
    if (mustMove)
      considerLate(best, movable);
    most.inOrder = std::max(most.inOrder, best.live.registers);
    if (best.live.registers > available)
      considerMissed(best, movable);
    most.written = std::max(most.written, best.live.registers);
    if (mustMove)
      for (Operation *op : best.order)
        op->moveBefore(&block, block.end());
    // Blocks with a lower pressure than another one need no exact number.
    considerScheduled(best, movable, most.scheduled);
    most.ofBlocks[&block] = best.live.registers;
    if (best.live.registers > most.scheduled) {
      most.scheduled = best.live.registers;
      most.at = best.live.at;
    }
  }
  assert(most.scheduled <= most.written && most.written <= most.inOrder &&
         "an order is taken where it needs fewer registers");
  return most;
}
