//===- MergeExchanges.cpp - One barrier for independent exchanges ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MergeExchanges.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

namespace {
/// An exchange is one store, then loads, all in one block.
struct Exchange {
  WorkgroupBuffer *buffer;
  Operation *store, *firstLoad;
};

class Meetings {
public:
  Meetings(Region &region, MutableArrayRef<WorkgroupBuffer> buffers,
           const Hazards &hazards);

  /// The exchanges of each block, in order.
  llvm::MapVector<Block *, SmallVector<Exchange>> exchanges;

  /// Moves the store of `exchange` and the ops that it needs before the first
  /// load of those in `meeting`; returns false where it needs a later op, or
  /// other exchanges come in between.
  bool bringForward(const Exchange &exchange, ArrayRef<Exchange> meeting) const;

private:
  bool findNeeded(Operation *store, Operation *before,
                  llvm::SetVector<Operation *> &needed) const;
  bool mayMove(Operation *op, ArrayRef<Value> written,
               bool writesUnknown) const;
  bool mayStoreEarlier(Operation *store, ArrayRef<Value> written,
                       bool writesUnknown) const;
  bool usesOthers(Operation *op, ArrayRef<Exchange> meeting) const;

  const Hazards &hazards;
  llvm::DenseSet<Value> own; // allocations of exchanges
};
} // namespace

Meetings::Meetings(Region &region, MutableArrayRef<WorkgroupBuffer> buffers,
                   const Hazards &hazards)
    : hazards(hazards) {
  llvm::DenseMap<Value, SmallVector<std::pair<Operation *, bool>>> accesses;
  for (WorkgroupBuffer &buffer : buffers)
    own.insert(buffer.alloc.getResult());
  llvm::DenseMap<Operation *, size_t> order;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    order.try_emplace(op, order.size());
    for (const MemoryAccess &access : hazards.accessesOf(op))
      if (own.contains(access.memref))
        accesses[access.memref].push_back({op, access.writes});
  });
  for (WorkgroupBuffer &buffer : buffers) {
    auto found = accesses.find(buffer.alloc.getResult());
    if (found == accesses.end() || found->second.size() < 2)
      continue;
    ArrayRef<std::pair<Operation *, bool>> all = found->second;
    Block *block = all.front().first->getBlock();
    bool isSimple =
        all.front().second && llvm::all_of(all.drop_front(), [&](auto access) {
          return !access.second && access.first->getBlock() == block;
        });
    // Where all threads store, the first store represents all.
    Operation *store = all.front().first;
    isSimple &= llvm::all_of(buffer.alloc->getUsers(), [&](Operation *user) {
      return store->isAncestor(user) || (user->getBlock() == block &&
                                         !user->isBeforeInBlock(all[1].first));
    });
    if (isSimple)
      exchanges[block].push_back({&buffer, all[0].first, all[1].first});
  }
  for (auto &[block, some] : exchanges)
    llvm::sort(some, [&](const Exchange &a, const Exchange &b) {
      return order.at(a.store) < order.at(b.store);
    });
}

/// Returns whether an op may move up: reads may if no op in between writes
/// there.
bool Meetings::mayMove(Operation *op, ArrayRef<Value> written,
                       bool writesUnknown) const {
  if (isMemoryEffectFree(op) ||
      isa<memref::AllocOp, gpu::SubgroupReduceOp, gpu::ShuffleOp>(op))
    return true;
  ArrayRef<MemoryAccess> accesses = hazards.accessesOf(op);
  return !writesUnknown && !accesses.empty() &&
         llvm::all_of(accesses, [&](const MemoryAccess &access) {
           Value root = rootOf(access.memref);
           return !access.writes && isRoot(root) && !own.contains(root) &&
                  !llvm::is_contained(written, root);
         });
}

/// Returns the same for the reads that the store needs.
bool Meetings::mayStoreEarlier(Operation *store, ArrayRef<Value> written,
                               bool writesUnknown) const {
  WalkResult walked = store->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op))
      return WalkResult::advance();
    SmallVector<MemoryEffects::EffectInstance> effects;
    auto known = dyn_cast<MemoryEffectOpInterface>(op);
    if (known)
      known.getEffects(effects);
    bool isFine =
        known && llvm::all_of(effects, [&](const auto &effect) {
          Value root = effect.getValue() ? rootOf(effect.getValue()) : Value();
          if (!root || !isRoot(root))
            return false;
          return own.contains(root) ||
                 (isa<MemoryEffects::Read>(effect.getEffect()) &&
                  !writesUnknown && !llvm::is_contained(written, root));
        });
    return isFine ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// Collects the ops from `before` to `store` that the store needs.
bool Meetings::findNeeded(Operation *store, Operation *before,
                          llvm::SetVector<Operation *> &needed) const {
  Block *block = store->getBlock();
  SmallVector<Operation *> waiting{store};
  needed.insert(store);
  while (!waiting.empty()) {
    waiting.pop_back_val()->walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (source && source->getBlock() == block &&
            !source->isBeforeInBlock(before) && needed.insert(source))
          waiting.push_back(source);
      }
    });
  }
  return !needed.contains(before);
}

/// Returns whether `op` has an exchange that is not in `meeting`.
bool Meetings::usesOthers(Operation *op, ArrayRef<Exchange> meeting) const {
  WalkResult walked = op->walk([&](Operation *inner) {
    for (const MemoryAccess &access : hazards.accessesOf(inner))
      if (own.contains(access.memref) &&
          llvm::none_of(meeting, [&](const Exchange &exchange) {
            return exchange.buffer->alloc.getResult() == access.memref;
          }))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return walked.wasInterrupted();
}

bool Meetings::bringForward(const Exchange &exchange,
                            ArrayRef<Exchange> meeting) const {
  Operation *before = meeting.front().firstLoad;
  llvm::SetVector<Operation *> needed;
  if (!findNeeded(exchange.store, before, needed))
    return false;
  SmallVector<Operation *> moved;
  SmallVector<Value> written;
  bool writesUnknown = false;
  for (Operation *op = before; op; op = op->getNextNode()) {
    if (needed.contains(op)) {
      if (op == exchange.store ? !mayStoreEarlier(op, written, writesUnknown)
                               : !mayMove(op, written, writesUnknown))
        return false;
      moved.push_back(op);
      if (op == exchange.store)
        break;
      continue;
    }
    if (usesOthers(op, meeting))
      return false;
    ArrayRef<MemoryAccess> accesses = hazards.accessesOf(op);
    for (const MemoryAccess &access : accesses)
      if (access.writes) {
        written.push_back(rootOf(access.memref));
        writesUnknown |= !isRoot(written.back());
      }
    if (accesses.empty() && !isMemoryEffectFree(op) &&
        !isa<memref::AllocOp, gpu::SubgroupReduceOp, gpu::ShuffleOp>(op) &&
        !hasSingleEffect<MemoryEffects::Read>(op))
      writesUnknown = true;
  }
  for (Operation *op : moved)
    op->moveBefore(before);
  return true;
}

void distaff::mergeExchanges(Region &region,
                             MutableArrayRef<WorkgroupBuffer> buffers,
                             int64_t limit, const Hazards &hazards) {
  Meetings meetings(region, buffers, hazards);
  int64_t number = 0;
  for (auto &[block, exchanges] : meetings.exchanges) {
    SmallVector<Exchange> meeting;
    int64_t bytes = 0;
    for (const Exchange &exchange : exchanges) {
      int64_t more = exchange.buffer->bytes;
      bool fits = more <= bytesPerSync && (limit == 0 || bytes + more <= limit);
      if (meeting.empty() || !fits ||
          !meetings.bringForward(exchange, meeting)) {
        meeting.clear();
        bytes = 0;
        ++number;
      }
      meeting.push_back(exchange);
      bytes += more;
      exchange.buffer->meeting = number;
    }
  }
}
