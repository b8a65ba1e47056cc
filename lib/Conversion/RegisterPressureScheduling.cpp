//===- RegisterPressureScheduling.cpp - Scheduling for register pressure --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering works vector by vector: all loads, all sums, all stores. Where so
// much at once is more than a lane has registers for, the same ops in another
// order may need less:
//
//   as they are     load a; load b; f = ext a; g = ext b; x = f + 1; y = g + 1
//   loads late      load a; f = ext a; load b; g = ext b; x = f + 1; y = g + 1
//   operands late   load a; f = ext a; x = f + 1; load b; g = ext b; y = g + 1
//   by turns        all sums of k = 0, right behind their loads; then of k = 1
//
// The assembler does not do so across barriers and stores, for it does not know
// that the memory loaded from is another's. Where all fits, the order stays:
// early loads hide their latency. Loads of workgroup memory move up to the next
// barrier or store, which the assembler does too; so what the best order needs
// is what it will need. Where it is known to find none it is given one.
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
// What may move
//===----------------------------------------------------------------------===//

/// The argument, allocation or global that a pointer is into; null where it is
/// not plain.
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

/// LLVM's number of workgroup memory, the same for both vendors.
static constexpr unsigned workgroupSpace =
    unsigned(NVVM::NVVMMemorySpace::Shared);

namespace {
/// Ops that compute the same wherever they are.
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

  /// No two arguments are the same memory (the kernel's ABI).
  bool isFreeLoad(Operation *op) const {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (!load || load.getVolatile_())
      return false;
    Value memory = memoryBehind(load.getAddr());
    return isa_and_nonnull<BlockArgument>(memory) &&
           !written.contains(memory) && !written.contains(Value());
  }
  /// A load that is free up to the next op that `ordersWorkgroupMemory`; of
  /// matrices too, of which lowering loads all of a step at once.
  bool isWorkgroupLoad(Operation *op) const {
    if (isa<NVVM::LdMatrixOp>(op))
      return true;
    auto load = dyn_cast<LLVM::LoadOp>(op);
    return load && !load.getVolatile_() &&
           load.getAddr().getType().getAddressSpace() == workgroupSpace;
  }
  /// Whether workgroup memory may be another's, or have other contents, behind
  /// the op than before it.
  static bool ordersWorkgroupMemory(Operation *op) {
    // Lanes exchange registers in these.
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
  /// A load, or a form of one value: an address, an extension, an element.
  bool isFreeForm(Operation *op) const {
    if (isFreeLoad(op) || isWorkgroupLoad(op))
      return true;
    return isForm(op) && isFree(op);
  }
  /// At most one value, or several put together as parts of one.
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
/// Chains of sums that take turns of so many steps, as far as no op between
/// them has to stay: of two sums over k first both of k = 0, then both of 1, so
/// that what is multiplied is needed in one turn and not by every chain again.
/// Within a turn they come as they are, usually row by row, or by columns:
/// those that begin with the same right operand one after the other.
class Turns {
public:
  Turns(Block &block, const Movable &movable, const AddressSums &addresses);
  bool isStep(Operation *op) const { return places.contains(op); }
  Order orderOf(int64_t length, bool byColumns) const;

private:
  /// Where a step is: behind so many others of its chain, which is in a column.
  struct Place {
    int64_t behind, column;
  };
  /// Ops up to one that stays.
  struct Segment {
    Order others, steps;
    Operation *end = nullptr; // null behind the last one
  };
  int64_t levelOf(Value value) const;
  int64_t columnOf(Operation *step);
  void add(Operation *op);
  void finish(Operation *end);

  const AddressSums &addresses;
  DenseMap<Operation *, Place> places;
  SmallVector<Segment> segments;
  // Of the last segment:
  /// How many steps of a chain an op needs, and 1; 0 without a chain.
  DenseMap<Operation *, int64_t> levels;
  /// Of each step, the number of the column that its chain is in, and of each
  /// right operand that a chain began with.
  DenseMap<Operation *, int64_t> columns;
  DenseMap<Value, int64_t> columnOfOperand;
};

/// Places the ops of a block, in any order that they may have, so that those
/// that move come right before the first that needs them, the longest chain of
/// operands first; loads of workgroup memory before it changes at the latest.
class LateOrder {
public:
  LateOrder(Block &block, const Movable &movable,
            llvm::function_ref<bool(Operation *)> moves);
  Order of(ArrayRef<Operation *> base);

private:
  struct Frame {
    Operation *op;
    SmallVector<Operation *, 4> operands; // yet to be placed, in this order
  };
  Frame frameOf(Operation *op) const;
  void place(Operation *op);

  Block &block;
  const Movable &movable;
  DenseMap<Operation *, int64_t> depths; // of ops that move
  // Of the order that is being made:
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
  // What was there before may be what a chain begins with.
  return !op || !op->hasTrait<::mlir::OpTrait::ConstantLike>();
}

/// What a step multiplies on the right, or the like.
static Value rightOperandOf(Operation *step) {
  if (auto mma = dyn_cast<NVVM::MmaOp>(step))
    return mma.getOperandB().front();
  // Of a sum the product, and of a product what is not extended.
  Value value = step->getOperand(step->getNumOperands() > 1);
  for (Operation *op = value.getDefiningOp();
       op && isa<LLVM::MulOp, LLVM::FMulOp, LLVM::SExtOp, LLVM::ZExtOp,
                 LLVM::FPExtOp>(op);
       op = value.getDefiningOp())
    value = op->getOperands().back();
  return value;
}

/// A step goes on with its longest chain, or begins one.
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
  // What is loaded is multiplied and begins no chain; nor do addresses.
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
  places[op] = {level - 1, column}; // the first step needs level 1
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
  Order loads; // of workgroup memory as it is
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
  // What other blocks read.
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
  // Taken from the back.
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
      // Its parts are no registers of their own, and may die one by one.
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
/// The order of a block that needs fewest registers, of those considered.
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

/// Loads of workgroup memory as early as they may be, with what they need.
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

/// The order in which ops that `moves` has come late, the others as they are.
static Order lateOrder(const BestOrder &best, const Movable &movable,
                       llvm::function_ref<bool(Operation *)> moves) {
  return LateOrder(best.block, movable, moves).of(best.order);
}

/// Orders in which the assembler has no say.
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

/// Considers orders in which chains take turns of these lengths, of rows and of
/// columns, up to the first that needs no more than `enough` registers.
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

/// Sums of integers of 64 bits, each of which is several instructions.
static bool hasWideSums(Block &block, const AddressSums &sums) {
  return llvm::any_of(block, [&](Operation &op) {
    return isa<LLVM::MulOp>(op) && op.getResult(0).getType().isInteger(64) &&
           sums.isData(op.getResult(0));
  });
}

/// Orders that the assembler should find by itself and does not: of code in no
/// loop it leaves loads where they are, and of wide sums too.
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
    // Of blocks that need fewer than another it is all the same how many.
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
