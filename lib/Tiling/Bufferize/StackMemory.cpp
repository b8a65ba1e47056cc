//===- StackMemory.cpp - Stack allocation for CPU workgroups --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StackMemory.h"
#include "distaff/CheckedSize.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

/// Allocations that may share memory, by type: those of one list are never live
/// at the same time.
using Slots =
    llvm::MapVector<MemRefType, SmallVector<SmallVector<memref::AllocOp, 2>>>;

/// Returns whether an allocation's memory is not used after the end of its
/// block.
static bool staysInBlock(Value memory) {
  return llvm::all_of(memory.getUsers(), [](Operation *user) {
    if (isa<memref::SubViewOp, memref::CastOp>(user))
      return staysInBlock(user->getResult(0));
    return isa<memref::LoadOp, memref::StoreOp, vector::TransferReadOp,
               vector::TransferWriteOp, vector::LoadOp, vector::StoreOp,
               memref::DimOp, memref::DeallocOp>(user);
  });
}

static void share(Slots &slots, const Slots &others) {
  for (const auto &[type, lists] : others) {
    auto &mine = slots[type];
    if (mine.size() < lists.size())
      mine.resize(lists.size());
    for (auto [list, other] : llvm::zip(mine, lists))
      llvm::append_range(list, other);
  }
}

/// Returns the allocations in an op's regions: those of sibling ops in a block,
/// and those of the sides of a branch, are never live at the same time.
static Slots slotsOf(Operation *op) {
  Slots slots;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      Slots own, inner;
      for (Operation &each : block) {
        auto alloc = dyn_cast<memref::AllocOp>(each);
        if (alloc && alloc.getType().hasStaticShape() && staysInBlock(alloc))
          own[alloc.getType()].push_back({alloc});
        else
          share(inner, slotsOf(&each));
      }
      for (auto &[type, lists] : inner)
        llvm::append_range(own[type], lists);
      share(slots, own);
    }
  return slots;
}

/// Merges allocations of a workgroup that are never live at the same time.
static void shareMemory(func::FuncOp kernel) {
  scf::ForallOp grid = findWorkgroupLoop(kernel);
  if (!grid)
    return;
  for (auto &[type, lists] : slotsOf(grid))
    for (ArrayRef<memref::AllocOp> list : lists) {
      memref::AllocOp first = list.front();
      first->moveBefore(&grid.getBody()->front());
      for (memref::AllocOp other : list.drop_front()) {
        other.replaceAllUsesWith(first.getResult());
        other.erase();
      }
    }
}

//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

/// Returns an upper bound of the bytes that `alloc` allocates; none where it is
/// not known.
static std::optional<int64_t> mostBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  int64_t bytes = element.isIndex()
                      ? 8
                      : int64_t(llvm::PowerOf2Ceil(llvm::divideCeil(
                            element.getIntOrFloatBitWidth(), 8)));
  auto size = alloc.getDynamicSizes().begin();
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent)) {
      FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, Value(*size++), /*stopCondition=*/nullptr,
          /*closedUB=*/true);
      if (failed(bound))
        return std::nullopt;
      extent = *bound;
    }
    bytes = saturatingProduct(bytes, extent);
  }
  return bytes;
}

static void replaceByStack(memref::AllocOp alloc, int64_t bytes) {
  OpBuilder b(alloc);
  Location loc = alloc.getLoc();
  constexpr int64_t alignment = 64;
  Value memory;
  if (alloc.getType().hasStaticShape()) {
    memory = memref::AllocaOp::create(b, loc, alloc.getType(), ValueRange(),
                                      b.getI64IntegerAttr(alignment));
  } else {
    Value all = memref::AllocaOp::create(
        b, loc, MemRefType::get({bytes}, b.getI8Type()), ValueRange(),
        b.getI64IntegerAttr(alignment));
    memory = memref::ViewOp::create(b, loc, alloc.getType(), all,
                                    arith::ConstantIndexOp::create(b, loc, 0),
                                    alloc.getDynamicSizes());
  }
  alloc.replaceAllUsesWith(memory);
  alloc.erase();
}

LogicalResult distaff::moveToStack(func::FuncOp kernel) {
  constexpr int64_t room = 512 << 10;
  shareMemory(kernel);
  int64_t taken = 0;
  SmallVector<memref::AllocOp> allocs;
  kernel.walk([&](memref::AllocOp op) { allocs.push_back(op); });
  for (memref::AllocOp alloc : allocs) {
    std::optional<int64_t> bytes = mostBytes(alloc);
    int64_t with = saturatingSum(taken, bytes.value_or(room + 1));
    if (with <= room) {
      taken = with;
      replaceByStack(alloc, *bytes);
    } else if (!alloc.getType().hasStaticShape() && !staysInBlock(alloc)) {
      return alloc.emitOpError("keeps ")
             << alloc.getType()
             << " between two ops of one workgroup and beyond the loop or "
                "branch that allocates it, more than the stack has room for; "
                "as several functions each has launches of its own";
    }
  }
  return success();
}
