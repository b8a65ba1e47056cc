//===- DoubleBufferExchanges.cpp - Double-buffered exchanges --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DoubleBufferExchanges.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;

/// Returns the loops around `op`, innermost first.
static SmallVector<Operation *> loopsAround(Operation *op) {
  SmallVector<Operation *> loops;
  for (op = op->getParentOp(); op; op = op->getParentOp())
    if (isLoopInWorkgroup(op))
      loops.push_back(op);
  return loops;
}

/// Returns the loop whose iterations may use the halves of the buffer
/// alternately: its body has all accesses, one store, then loads, of single
/// elements. Null: there is none.
static scf::ForOp loopOf(WorkgroupBuffer buffer, const Hazards &hazards) {
  Operation *store = nullptr;
  SmallVector<Operation *> loads;
  for (Operation *user : buffer.alloc->getUsers()) {
    if (isa<memref::LoadOp>(user)) {
      loads.push_back(user);
      continue;
    }
    // The branch of the storing threads is one access.
    while (user && hazards.accessesOf(user).empty())
      user = user->getParentOp();
    if (!user || (store && store != user))
      return {};
    store = user;
  }
  if (!store || !llvm::all_of(buffer.alloc->getUsers(), [](Operation *user) {
        return isa<memref::LoadOp, memref::StoreOp>(user);
      }))
    return {};
  auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
  bool isInOrder = loop && llvm::all_of(loads, [&](Operation *load) {
                     return load->getBlock() == store->getBlock() &&
                            store->isBeforeInBlock(load);
                   });
  bool isKnown = isInOrder && getConstantIntValue(loop.getLowerBound()) &&
                 getConstantIntValue(loop.getStep()) &&
                 loop.getInductionVar().getType().isIndex() &&
                 loopsAround(store).size() == 1;
  return isKnown ? loop : scf::ForOp();
}

/// Returns the first element of the half that an iteration uses.
static Value beginOfHalf(scf::ForOp loop, int64_t elements) {
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  int64_t first = *getConstantIntValue(loop.getLowerBound());
  int64_t step = *getConstantIntValue(loop.getStep());
  AffineExpr turn = (b.getAffineDimExpr(0) - first).floorDiv(step);
  return affine::makeComposedAffineApply(
      b, loop.getLoc(), AffineMap::get(1, 0, turn % 2 * elements),
      {loop.getInductionVar()});
}

static void takeHalves(WorkgroupBuffer &buffer, scf::ForOp loop) {
  MemRefType type = buffer.alloc.getType();
  int64_t elements = type.getNumElements();
  Value begin = beginOfHalf(loop, elements);
  for (Operation *user : buffer.alloc->getUsers()) {
    OpBuilder b(user);
    MutableOperandRange indices =
        isa<memref::LoadOp>(user)
            ? cast<memref::LoadOp>(user).getIndicesMutable()
            : cast<memref::StoreOp>(user).getIndicesMutable();
    Value at =
        arith::AddIOp::create(b, user->getLoc(), indices[0].get(), begin);
    indices[0].set(at);
  }
  buffer.alloc.getResult().setType(
      MemRefType::Builder(type).setShape({2 * elements}));
  buffer.bytes *= 2;
}

void distaff::doubleBufferExchanges(Region &region,
                                    MutableArrayRef<WorkgroupBuffer> buffers,
                                    int64_t limit, Hazards &hazards) {
  // All buffers with exchanges in a loop, per loop.
  llvm::MapVector<Operation *, SmallVector<WorkgroupBuffer *>> inLoop;
  for (WorkgroupBuffer &buffer : buffers) {
    llvm::SetVector<Operation *> around;
    for (Operation *user : buffer.alloc->getUsers())
      around.insert_range(loopsAround(user));
    for (Operation *loop : around)
      inLoop[loop].push_back(&buffer);
  }
  for (auto &[loop, some] : inLoop) {
    auto own = dyn_cast<scf::ForOp>(loop);
    int64_t bytes = 0;
    bool isOne = own && llvm::all_of(some, [&](WorkgroupBuffer *buffer) {
                   bytes += buffer->bytes;
                   return buffer->alloc.getType().getRank() == 1 &&
                          loopOf(*buffer, hazards) == own &&
                          (some.size() == 1 ||
                           (buffer->meeting >= 0 &&
                            buffer->meeting == some.front()->meeting));
                 });
    if (!isOne || bytes > bytesPerSync || (limit != 0 && 2 * bytes > limit))
      continue;
    for (WorkgroupBuffer *buffer : some) {
      takeHalves(*buffer, own);
      hazards.alternate(buffer->alloc.getResult(), own);
    }
  }
}
