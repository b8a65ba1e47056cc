//===- Ordering.cpp - The order of a lane's code --------------------------===//
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
//
// The assembler does not do so across barriers and stores, for it does not know
// that the memory loaded from is another's. Where all fits, the order stays:
// early loads hide their latency.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "LiveRanges.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

using Order = SmallVector<Operation *>;

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

static int64_t bitsOf(Type type) {
  if (type.isIntOrFloat())
    return type.isInteger(1) ? 0 : type.getIntOrFloatBitWidth(); // predicates
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bitsOf(vector.getElementType());
  int64_t bits = 0;
  if (auto fields = dyn_cast<LLVM::LLVMStructType>(type))
    for (Type field : fields.getBody())
      bits += bitsOf(field);
  return bits;
}

/// 32-bit registers of a value; what is part of an instruction has none.
static int64_t registersOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    // A memref's descriptor, which is made of values that count themselves, is
    // built by insertions.
    if (op->hasTrait<OpTrait::ConstantLike>() ||
        isa<LLVM::AddressOfOp, LLVM::UndefOp, LLVM::PoisonOp,
            LLVM::InsertValueOp>(op))
      return 0;
  return llvm::divideCeil(bitsOf(value.getType()), 32);
}

/// The most registers live at once, walking backwards from those that are live
/// behind the block.
static int64_t mostLive(ArrayRef<Operation *> order, Block &block,
                        const LiveRanges &ranges, int64_t behind) {
  int64_t registers = behind, most = 0;
  DenseSet<Value> live; // besides those
  for (Operation *op : llvm::reverse(order)) {
    for (Value operand : op->getOperands())
      if (!ranges.isLiveBehind(operand, block) && live.insert(operand).second)
        registers += registersOf(operand);
    most = std::max(most, registers);
    for (Value result : op->getResults())
      if (ranges.isLiveBehind(result, block) || live.erase(result))
        registers -= registersOf(result);
  }
  return most;
}

//===----------------------------------------------------------------------===//
// What may move
//===----------------------------------------------------------------------===//

/// What a memref's descriptor holds at a position, or null.
static Value fieldOf(LLVM::ExtractValueOp extract) {
  Value descriptor = extract.getContainer();
  while (auto insert = descriptor.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == extract.getPosition())
      return insert.getValue();
    descriptor = insert.getContainer();
  }
  return nullptr;
}

/// The argument, allocation or global that a pointer is into; null where it is
/// not plain.
static Value memoryBehind(Value pointer) {
  while (Operation *op = pointer ? pointer.getDefiningOp() : nullptr) {
    if (isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op))
      return pointer;
    if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op))
      pointer = fieldOf(extract);
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

namespace {
/// Ops that compute the same wherever they are.
class Movable {
public:
  explicit Movable(LLVM::LLVMFuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (isMemoryEffectFree(op) || isa<LLVM::LoadOp>(op))
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
  bool isFree(Operation *op) const {
    return isFreeLoad(op) ||
           (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
            !op->hasTrait<OpTrait::IsTerminator>());
  }
  /// A load, or a form of one value: an address, an extension, an element.
  bool isFreeForm(Operation *op) const {
    if (isFreeLoad(op))
      return true;
    int64_t values = llvm::count_if(op->getOperands(), [](Value operand) {
      Operation *from = operand.getDefiningOp();
      return !from || !from->hasTrait<OpTrait::ConstantLike>();
    });
    return values <= 1 && isFree(op);
  }

private:
  llvm::SmallDenseSet<Value> written; // null: any
};
} // namespace

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

namespace {
/// Places the ops of a block so that those that move come right before the
/// first that needs them, the longest chain of operands first.
class LateOrder {
public:
  LateOrder(Block &block, llvm::function_ref<bool(Operation *)> moves);
  Order order;

private:
  struct Frame {
    Operation *op;
    SmallVector<Operation *, 4> operands; // yet to be placed, in this order
  };
  Frame frameOf(Operation *op) const;
  void place(Operation *op);

  DenseMap<Operation *, int64_t> depths; // of ops that move
  DenseSet<Operation *> placed;
};
} // namespace

LateOrder::LateOrder(Block &block,
                     llvm::function_ref<bool(Operation *)> moves) {
  for (Operation &op : block) {
    if (!moves(&op))
      continue;
    int64_t depth = 0;
    for (Value operand : op.getOperands())
      depth = std::max(depth, depths.lookup(operand.getDefiningOp()));
    depths[&op] = depth + 1;
  }
  for (Operation &op : block)
    if (!depths.contains(&op) && !op.hasTrait<OpTrait::IsTerminator>())
      place(&op);
  // What other blocks read.
  for (Operation &op : block)
    place(&op);
}

LateOrder::Frame LateOrder::frameOf(Operation *op) const {
  Frame frame{op, {}};
  for (Value operand : op->getOperands())
    if (Operation *from = operand.getDefiningOp(); depths.contains(from))
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
      if (placed.insert(frame.op).second)
        order.push_back(frame.op);
      stack.pop_back();
      continue;
    }
    Operation *operand = frame.operands.pop_back_val();
    if (!placed.contains(operand))
      stack.push_back(frameOf(operand));
  }
}

int64_t distaff::orderForRegisters(LLVM::LLVMFuncOp kernel, int64_t available) {
  LiveRanges ranges(kernel.getBody());
  SmallVector<int64_t> registersBehind = ranges.sizesBehind(registersOf);
  Movable movable(kernel);
  int64_t most = 0;
  for (auto [block, behind] :
       llvm::zip_equal(kernel.getBody(), registersBehind)) {
    Order best = llvm::to_vector(llvm::make_pointer_range(block));
    int64_t least = mostLive(best, block, ranges, behind);
    if (least > available) {
      auto consider = [&](llvm::function_ref<bool(Operation *)> moves) {
        Order order = LateOrder(block, moves).order;
        int64_t live = mostLive(order, block, ranges, behind);
        if (live < least) {
          least = live;
          best = std::move(order);
        }
      };
      consider([&](Operation *op) { return movable.isFreeForm(op); });
      consider([&](Operation *op) { return movable.isFree(op); });
      for (Operation *op : best)
        op->moveBefore(&block, block.end());
    }
    most = std::max(most, least);
  }
  return most;
}
