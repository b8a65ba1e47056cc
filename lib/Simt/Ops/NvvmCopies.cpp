//===- NvvmCopies.cpp - nvvm.cp.async and its groups ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's copies are in its next group until that is committed; a wait leaves
// the given number of committed groups in flight (PTX ISA, cp.async). A copy
// moves bytes: it is a copy of words, or of single bytes if the program gives
// the number of bytes to read.
//
//===----------------------------------------------------------------------===//
#include "../Machine/AsyncGroups.h"
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

using Groups = AsyncGroups;

namespace {
struct CopyOfBytes {
  Operation *op;
  Access access;
  Addresses source, target;
  Reg sourceMemory, targetMemory;
  std::optional<Reg> count; // bytes that are read; the others become zeros

  int64_t elements() const { return access.elements; }

  /// Returns how many elements a lane reads, or faults.
  std::optional<int64_t> readBy(Agent &agent, int64_t lane) const {
    int64_t read = count ? agent.integer(*count, lane) : elements();
    if (read >= 0 && read <= elements())
      return read;
    agent.fault(op, FaultKind::OutOfBounds,
                agent.describe(lane) + " copies " + Twine(read) +
                    " bytes to a place of " + Twine(elements()),
                agent.placeOf(lane));
    return std::nullopt;
  }

  /// Computes the positions of all elements read and written. A lane that reads
  /// nothing may have any address.
  bool follow(Agent &agent, ArrayRef<int64_t> read, int64_t *from,
              int64_t *to) const {
    uint64_t readers = 0;
    forEachLane(agent.mask(),
                [&](int64_t l) { readers |= uint64_t(read[l] > 0) << l; });
    return simt::follow(agent, op, source, sourceMemory, access.kind,
                        elements(), from, readers, read) &&
           simt::follow(agent, op, target, targetMemory, access.kind,
                        elements(), to, agent.mask());
  }

  void run(Agent &agent) const {
    int64_t lanes = agent.lanes(), total = elements() * lanes;
    SmallVector<int64_t, 64> read(lanes, 0);
    forEachLane(agent.mask(),
                [&](int64_t l) { read[l] = readBy(agent, l).value_or(0); });
    std::vector<int64_t> positions(2 * total, -1);
    int64_t *from = positions.data(), *to = from + total;
    if (agent.status() == Agent::Status::Faulted ||
        !follow(agent, read, from, to))
      return;
    SmallVector<int64_t, 64> firsts(from, from + lanes), places(to, to + lanes);
    if (!agent.checkCopy(access, sourceMemory, from, access, targetMemory, to))
      return;
    start(agent, read, firsts, places);
  }

  void start(Agent &agent, ArrayRef<int64_t> read, ArrayRef<int64_t> from,
             ArrayRef<int64_t> to) const {
    Workgroup &group = agent.workgroup();
    int64_t object = Groups::find(agent, Groups::Of::Copies);
    MemRefView sources = agent.memRef(sourceMemory),
               targets = agent.memRef(targetMemory);
    forEachLane(agent.mask(), [&](int64_t l) {
      AsyncCopy copy;
      copy.kind = access.kind;
      copy.agent = agent.seat().slot;
      copy.lane = l;
      copy.groups = object;
      copy.group = group.sync.as<Groups>(object).start(l);
      copy.source = sources.buffer(l);
      copy.from = from[l];
      copy.target = targets.buffer(l);
      copy.to = to[l];
      copy.elements = elements();
      copy.read = read[l];
      copy.position = agent.code().base + agent.position() - 1;
      group.startCopy(std::move(copy));
    });
  }
};
} // namespace

static LogicalResult translateCpAsync(NVVM::CpAsyncOp op, Translator &t) {
  int64_t bytes = op.getSize();
  if (!llvm::is_contained({4, 8, 16}, bytes) ||
      !t.domain().mayReinterpretMemory())
    return t.notModelled(op, "a copy of this size, or in this domain");
  bool isPart = bool(op.getCpSize());
  Kind kind = Kind::integer(isPart ? 8 : 32);
  int64_t elements = bytes / kind.bytes();
  Access access = Access::get(op, t.domain(), kind, elements, elements);
  access.alignment = bytes;
  CopyOfBytes copy = {op,
                      access,
                      Addresses::get(op.getSrc(), t),
                      Addresses::get(op.getDst(), t),
                      pointedMemory(t, kind),
                      pointedMemory(t, kind),
                      std::nullopt};
  if (isPart)
    copy.count = t.reg(op.getCpSize());
  t.emitSync(op, [copy = std::move(copy)](Agent &agent) { copy.run(agent); });
  return success();
}

static LogicalResult translateCommit(NVVM::CpAsyncCommitGroupOp op,
                                     Translator &t) {
  t.emitSync(op, [=](Agent &agent) {
    int64_t object = Groups::find(agent, Groups::Of::Copies);
    Groups &groups = agent.workgroup().sync.as<Groups>(object);
    forEachLane(agent.mask(), [&](int64_t l) { groups.commit(l); });
  });
  return success();
}

static LogicalResult translateWait(NVVM::CpAsyncWaitGroupOp op, Translator &t) {
  int64_t inFlight = op.getN();
  t.emitSync(op, [=](Agent &agent) {
    int64_t object = Groups::find(agent, Groups::Of::Copies);
    Groups &groups = agent.workgroup().sync.as<Groups>(object);
    forEachLane(agent.mask(), [&](int64_t l) {
      groups.await(l, groups.firstInFlight(l, inFlight));
    });
    agent.block(object, 0, op);
  });
  return success();
}

void distaff::simt::registerNvvmCopies(OpRegistry &registry) {
  registry.add<NVVM::CpAsyncOp>(translateCpAsync);
  registry.add<NVVM::CpAsyncCommitGroupOp>(translateCommit);
  registry.add<NVVM::CpAsyncWaitGroupOp>(translateWait);
}
