//===- Pointer.cpp - Resolution of pointers to buffers --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pointer.h"
#include "../Translate/Translator.h"
#include "Workgroup.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace distaff;
using namespace distaff::simt;

Reg simt::pointedMemory(Translator &t, Kind kind) {
  Reg memory = t.scratch(Kind::index(), 2);
  memory.storage = Reg::Storage::MemRef;
  memory.kind = kind;
  memory.cellBytes = sizeof(int64_t);
  return memory;
}

std::pair<int64_t, int64_t> simt::extentOf(const Agent &agent,
                                           const Buffer &buffer, int64_t lane) {
  int64_t bytes = buffer.elements * buffer.kind.bytes();
  if (buffer.space != Buffer::Space::Private)
    return {0, bytes};
  int64_t part = bytes / agent.lanes();
  return {lane * part,
          (lane + 1) * part - buffer.padding * buffer.kind.bytes()};
}

Addresses Addresses::get(Value pointer, Translator &t) {
  auto type =
      dyn_cast<LLVM::LLVMPointerType>(getElementTypeOrSelf(pointer.getType()));
  return {t.reg(pointer), type ? type.getAddressSpace() : 0};
}

/// Returns whether an address space includes a memory. Both vendors use these
/// numbers; NVIDIA's 7 is the workgroup memory of a cluster, which includes the
/// own one.
static bool mayPointTo(unsigned space, Buffer::Space memory) {
  switch (memory) {
  case Buffer::Space::Global:
    return space == 0 || space == 1 || space == 4;
  case Buffer::Space::Workgroup:
    return space == 0 || space == 3 || space == 7;
  case Buffer::Space::Private:
    return space == 0 || space == 5;
  }
  llvm_unreachable("unknown space");
}

namespace {
/// The part of an access that one lane performs.
struct Followed {
  Agent &agent;
  Operation *op;
  int64_t lane;
  Pointer pointer;
  unsigned space;

  void fault(FaultKind kind, const Twine &message, StringRef array = "",
             int64_t element = -1) const {
    agent.fault(op, kind, agent.describe(lane) + " " + message,
                agent.placeOf(lane, array, element));
  }

  bool check(Kind kind, int64_t elements) const {
    Workgroup &group = agent.workgroup();
    if (pointer.buffer < 0 || pointer.buffer >= group.numBuffers())
      return fault(FaultKind::OutOfBounds, "uses a pointer to no memory"),
             false;
    const Buffer &buffer = group.buffer(pointer.buffer);
    auto [first, end] = extentOf(agent, buffer, lane);
    int64_t size = kind.bytes();
    if (!mayPointTo(space, buffer.space))
      return fault(FaultKind::OutOfBounds,
                   "uses a pointer of address space " + Twine(space) + " to " +
                       buffer.name + ", which is not in it",
                   buffer.name),
             false;
    if (pointer.hasLeft)
      return fault(FaultKind::OutOfBounds,
                   "uses a pointer that has left " + buffer.name +
                       " on its way, by arithmetic that is marked inbounds",
                   buffer.name),
             false;
    if (pointer.byte < first || pointer.byte + elements * size > end)
      return fault(FaultKind::OutOfBounds,
                   "accesses bytes " + Twine(pointer.byte - first) + " to " +
                       Twine(pointer.byte - first + elements * size - 1) +
                       " of " + buffer.name + ", which has " +
                       Twine(end - first),
                   buffer.name, pointer.byte / buffer.kind.bytes()),
             false;
    // LLVM splits an access whose alignment is less than its size.
    auto promised = op->getAttrOfType<IntegerAttr>("alignment");
    bool isSplit = promised && promised.getInt() < size;
    if ((pointer.byte - first) % size)
      return fault(isSplit ? FaultKind::NotModelled : FaultKind::Misaligned,
                   "accesses byte " + Twine(pointer.byte - first) + " of " +
                       buffer.name + " as an element of " + Twine(size) +
                       " bytes",
                   buffer.name, pointer.byte / buffer.kind.bytes()),
             false;
    return true;
  }
};
} // namespace

bool simt::follow(Agent &agent, Operation *op, const Addresses &pointer,
                  Reg memory, Kind kind, int64_t elements, int64_t *positions,
                  uint64_t among, ArrayRef<int64_t> counts) {
  int64_t lanes = agent.lanes(), size = kind.bytes();
  MemRefView view = agent.memRef(memory);
  bool isFine = true;
  std::fill(positions, positions + elements * lanes, -1);
  forEachLane(among, [&](int64_t l) {
    if (!isFine)
      return;
    int64_t count = counts.empty() ? elements : counts[l];
    if (agent.isUndecided(pointer.reg, l))
      agent.noteUndecided(op);
    Followed lane = {agent, op, l,
                     Pointer::decode(agent.integer(pointer.reg, l)),
                     pointer.space};
    if (!(isFine = lane.check(kind, count)))
      return;
    view.buffer(l) = lane.pointer.buffer;
    for (int64_t e = 0; e < count; ++e)
      positions[e * lanes + l] = lane.pointer.byte / size + e;
  });
  // Inactive lanes get the buffer of an active one.
  int64_t other = among ? view.buffer(llvm::countr_zero(among)) : 0;
  for (int64_t l = 0; l < lanes; ++l) {
    view.offset(l) = 0;
    if (!(among >> l & 1))
      view.buffer(l) = other;
  }
  return isFine;
}
