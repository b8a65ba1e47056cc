//===- FormAsyncCopies.cpp - Formation of asynchronous copies -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CopyPlan.h finds the copies, Waits.h their waits; this pass emits the
// instructions. A row of a vector is one or more of them, and in a row that
// reaches over the edge each reads as many elements as there are:
//
//   %rows, %columns: extents of the memref that is read
//   row r, elements c to c + 8:
//     read = r < %rows ? min(max(%columns - c, 0), 8) : 0
//
//===----------------------------------------------------------------------===//
#include "Waits.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_FORMASYNCCOPIES
#include "distaff/Staging/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::async_copies;

namespace {

/// Emits the instructions of one copy.
class CopyEmitter {
public:
  CopyEmitter(const Copy &copy, OpBuilder &builder)
      : copy(copy), builder(builder), loc(copy.to.op->getLoc()),
        from(indicesOf(copy.from.address)), to(indicesOf(copy.to.address)) {}

  void emit(int64_t width);

private:
  SmallVector<Value> indicesOf(const Address &address);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value plus(Value value, int64_t number) {
    return number == 0
               ? value
               : builder.createOrFold<arith::AddIOp>(loc, value, index(number));
  }
  Value extent(int64_t vectorDim);
  Value readElements(ArrayRef<int64_t> at, int64_t width);
  SmallVector<Value> at(const Side &side, ArrayRef<Value> first,
                        ArrayRef<int64_t> offsets);

  const Copy &copy;
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> from, to;
};

} // namespace

SmallVector<Value> CopyEmitter::indicesOf(const Address &address) {
  SmallVector<Value> indices;
  for (ArrayRef<OpFoldResult> parts : address.indices) {
    Value sum;
    for (OpFoldResult part : parts) {
      Value value = getValueOrCreateConstantIndexOp(builder, loc, part);
      sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, value) : value;
    }
    indices.push_back(sum);
  }
  return indices;
}

/// Returns the number of elements from the first one that the vector reads to
/// the memref's end.
Value CopyEmitter::extent(int64_t vectorDim) {
  int64_t dim = copy.from.dims[vectorDim];
  Value size = builder.createOrFold<memref::DimOp>(loc, copy.from.memref, dim);
  return builder.createOrFold<arith::SubIOp>(loc, size, copy.from.indices[dim]);
}

/// Returns how many of `width` elements are inside the memref; null for all.
Value CopyEmitter::readElements(ArrayRef<int64_t> at, int64_t width) {
  Value count;
  if (!copy.isInside.back()) {
    Value left = plus(extent(copy.rank() - 1), -at.back());
    left = builder.createOrFold<arith::MaxSIOp>(loc, left, index(0));
    count = builder.createOrFold<arith::MinSIOp>(loc, left, index(width));
  }
  for (int64_t dim = 0; dim + 1 < copy.rank(); ++dim) {
    if (copy.isInside[dim])
      continue;
    Value isInside = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sgt, extent(dim), index(at[dim]));
    count = builder.createOrFold<arith::SelectOp>(
        loc, isInside, count ? count : index(width), index(0));
  }
  return count && getConstantIntValue(count) == width ? Value() : count;
}

/// Returns the indices of the element at `offsets` from the vector's first.
SmallVector<Value> CopyEmitter::at(const Side &side, ArrayRef<Value> first,
                                   ArrayRef<int64_t> offsets) {
  SmallVector<Value> indices(first);
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value &index = indices[arrayDimOf(side, dim)];
    index = plus(index, offset);
  }
  return indices;
}

void CopyEmitter::emit(int64_t width) {
  SmallVector<int64_t> tile(copy.rank(), 1);
  tile.back() = width;
  bool isWidest = width * bytesInMemory(copy.type.getElementType()) == 16;
  for (SmallVector<int64_t> offsets :
       StaticTileOffsetRange(copy.type.getShape(), tile)) {
    Value read = readElements(offsets, width);
    nvgpu::DeviceAsyncCopyOp::create(
        builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
        copy.to.address.array, at(copy.to, to, offsets),
        copy.from.address.array, at(copy.from, from, offsets),
        builder.getIndexAttr(width), read,
        isWidest ? builder.getUnitAttr() : UnitAttr());
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// Emits tests of the length of rows, one per array and number, at the kernel's
/// beginning.
class RowTests {
public:
  explicit RowTests(gpu::GPUFuncOp kernel)
      : builder(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  /// Returns whether the rows of the array are a multiple of `width` elements
  /// long.
  Value isMultiple(Value array, int64_t width) {
    Value &test = tests[{array, width}];
    if (test)
      return test;
    Location loc = array.getLoc();
    int64_t last = cast<MemRefType>(array.getType()).getRank() - 1;
    Value length = memref::DimOp::create(builder, loc, array, last);
    Value by = arith::ConstantIndexOp::create(builder, loc, width);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value rest = arith::RemUIOp::create(builder, loc, length, by);
    return test = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, zero);
  }

private:
  OpBuilder builder;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> tests;
};

/// Returns the outermost loop that contains this copy, and no other one, and
/// ends before the copy's group is created; null where there is none.
scf::ForOp ownLoop(const Copy &copy, const Group &group,
                   ArrayRef<const Copy *> all) {
  scf::ForOp own;
  Block *block = group.last->getBlock();
  for (Operation *op = copy.to.op; op->getBlock() != block;) {
    op = op->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && loop->getNumResults() == 0 &&
        llvm::count_if(all, [&](const Copy *other) {
          return loop->isAncestor(other->to.op);
        }) == 1)
      own = loop;
  }
  return own;
}

/// Returns the same copy in a clone of the code around it.
Copy cloned(Copy copy, const IRMapping &mapping) {
  for (Side *side : {&copy.from, &copy.to}) {
    side->op = mapping.lookup(side->op);
    side->memref = mapping.lookupOrDefault(side->memref);
    side->address.array = mapping.lookupOrDefault(side->address.array);
    for (Value &index : side->indices)
      index = mapping.lookupOrDefault(index);
    for (auto &parts : side->address.indices)
      for (OpFoldResult &part : parts)
        if (auto value = dyn_cast<Value>(part))
          part = mapping.lookupOrDefault(value);
  }
  return copy;
}

void emitAs(const Copy &copy, int64_t width) {
  OpBuilder builder(copy.to.op);
  CopyEmitter(copy, builder).emit(width);
  copy.to.op->erase();
  copy.from.op->erase();
}

/// Emits a branch around the copy, or around the loop that only copies.
void emitTested(const Copy &copy, scf::ForOp loop, RowTests &tests) {
  OpBuilder builder(loop ? loop : copy.to.op);
  Value test = tests.isMultiple(copy.from.address.array, copy.testedWidth);
  auto branch = scf::IfOp::create(builder, copy.to.op->getLoc(), test,
                                  /*withElseRegion=*/true);
  IRMapping mapping;
  OpBuilder other = branch.getElseBodyBuilder();
  SmallVector<Operation *> moved = {loop};
  if (!loop)
    moved = {copy.from.op, copy.to.op};
  for (Operation *op : moved) {
    other.clone(*op, mapping);
    op->moveBefore(branch.thenBlock()->getTerminator());
  }
  if (copy.width)
    emitAs(cloned(copy, mapping), copy.width);
  emitAs(copy, copy.testedWidth);
}

/// Emits a group of all copies that were started, whose tokens are inside
/// branches and loops. In the text of an op without operands, the parser would
/// read the next op's results as operands, so the op gets an attribute.
Value createGroup(OpBuilder &builder, Location loc) {
  auto group = nvgpu::DeviceAsyncCreateGroupOp::create(
      builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
      ValueRange());
  group->setAttr("all_started", builder.getUnitAttr());
  return group;
}

/// Emits a group after its last copy, and its wait where the group has to be
/// complete. A wait names a group; where it comes before the group's own, it
/// names one created before the loop, only as an operand.
void emitGroup(const Group &group, bool isAwaited) {
  OpBuilder builder(group.last->getContext());
  Location loc = group.copies.front()->to.op->getLoc();
  builder.setInsertionPointAfter(group.last);
  Value made = createGroup(builder, loc);
  if (!isAwaited)
    return;
  if (group.wait->isBeforeInBlock(made.getDefiningOp())) {
    builder.setInsertionPoint(group.wait->getParentOp());
    made = createGroup(builder, loc);
  }
  builder.setInsertionPoint(group.wait);
  nvgpu::DeviceAsyncWaitOp::create(builder, loc, made,
                                   builder.getI32IntegerAttr(group.inFlight));
}

/// Returns whether no other group's wait at the same op leaves fewer in flight.
bool isAwaited(const Group &group, ArrayRef<Group> groups) {
  return llvm::none_of(groups, [&](const Group &other) {
    return other.wait == group.wait &&
           (other.inFlight < group.inFlight ||
            (other.inFlight == group.inFlight && &other > &group));
  });
}

void emit(ArrayRef<Group> groups, gpu::GPUFuncOp kernel) {
  RowTests tests(kernel);
  SmallVector<const Copy *> all;
  // Emits groups first, while the ops that they are next to still exist.
  for (const Group &group : groups) {
    emitGroup(group, isAwaited(group, groups));
    llvm::append_range(all, group.copies);
  }
  SmallVector<scf::ForOp> loops;
  for (const Group &group : groups)
    for (const Copy *copy : group.copies)
      loops.push_back(ownLoop(*copy, group, all));
  for (auto [copy, loop] : llvm::zip_equal(all, loops)) {
    if (copy->testedWidth)
      emitTested(*copy, loop, tests);
    else
      emitAs(*copy, copy->width);
  }
}

/// Returns whether an op writes only workgroup memory, and does not wait.
bool writesPanelsOnly(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const auto &effect) {
           Value memory = effect.getValue();
           return isa<MemoryEffects::Read>(effect.getEffect()) ||
                  (memory && isWorkgroupMemory(memory));
         });
}

/// Returns the branch after a read of global memory that contains the only use
/// of its result, a write to workgroup memory. Null without one.
scf::IfOp findBranchOfWrite(Operation *read) {
  if (!isa<vector::TransferReadOp, vector::LoadOp>(read) ||
      !read->hasOneUse() || isWorkgroupMemory(read->getOperand(0)))
    return {};
  Operation *write = *read->user_begin();
  auto branch = dyn_cast<scf::IfOp>(write->getParentOp());
  if (!branch || branch->getBlock() != read->getBlock() ||
      !isa<vector::TransferWriteOp, vector::StoreOp>(write) ||
      !writesPanelsOnly(write))
    return {};
  for (Operation *op = read->getNextNode(); op != branch;
       op = op->getNextNode())
    if (!writesPanelsOnly(op))
      return {};
  return branch;
}

/// Moves reads into the branches that write their results, so that other lanes
/// read nothing, and read and write are in one block (PCF-172).
void moveIntoBranches(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> reads;
  kernel.walk([&](Operation *op) {
    if (findBranchOfWrite(op))
      reads.push_back(op);
  });
  for (Operation *read : reads)
    read->moveBefore(*read->user_begin());
}

struct FormAsyncCopies final
    : distaff::impl::FormAsyncCopiesBase<FormAsyncCopies> {
  using FormAsyncCopiesBase::FormAsyncCopiesBase;

  void runOnOperation() override {
    gpu::GPUFuncOp kernel = getOperation();
    const Target *machine = requireTarget(kernel->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    if (machine->asyncCopyBytes.empty())
      return markAllAnalysesPreserved();
    moveIntoBranches(kernel);
    IndexFacts facts;
    IndexSums sums(&getContext(), facts);
    Hazards hazards(getAnalysis<AliasAnalysis>(), sums);
    auto tell = [&](Operation *op, const Twine &why) {
      if (report)
        op->emitRemark("stays a copy through registers: ") << why;
    };
    SmallVector<Copy, 0> copies =
        planCopies(kernel, *machine, facts, sums, hazards, tell);
    emit(planGroups(copies, sums, hazards), kernel);
  }
};

} // namespace
