//===- Nvvm.cpp - nvvm operations in and across lanes ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special registers and cross-lane reads of a subgroup, as the PTX ISA defines
// them. Barriers are in Barriers.cpp, copies in NvvmCopies.cpp, matrices in
// NvvmMma.cpp.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

static void registerSpecialRegisters(OpRegistry &registry) {
  auto name = [](StringRef of) { return ("nvvm.read.ptx.sreg." + of).str(); };
  addAxisNumbers(registry, name("tid."), threadId);
  addAxisNumbers(registry, name("ctaid."),
                 [](Agent &agent, int64_t, size_t axis) {
                   return agent.seat().workgroup[axis];
                 });
  addAxisNumbers(registry, name("ntid."),
                 [](Agent &agent, int64_t, size_t axis) {
                   return agent.workgroup().launch.options.workgroupSize[axis];
                 });
  addAxisNumbers(registry, name("nctaid."),
                 [](Agent &agent, int64_t, size_t axis) {
                   return agent.seat().grid[axis];
                 });
  addLaneNumber(registry, name("laneid"), [](Agent &agent, int64_t lane) {
    return agent.seat().lane + lane;
  });
  addLaneNumber(registry, name("warpid"),
                [](Agent &agent, int64_t) { return agent.id(); });
  addLaneNumber(registry, name("nwarpid"), [](Agent &agent, int64_t) {
    return agent.workgroup().launch.numSubgroups();
  });
  addLaneNumber(registry, name("warpsize"),
                [](Agent &agent, int64_t) { return agent.lanes(); });
  addLaneNumber(registry, name("lanemask.lt"), [](Agent &, int64_t lane) {
    return int64_t(int32_t((uint64_t(1) << lane) - 1));
  });
}

//===----------------------------------------------------------------------===//
// Membership masks
//===----------------------------------------------------------------------===//

/// Returns whether all members of the mask are active, as .sync requires;
/// otherwise faults.
static bool checkMembers(Agent &agent, Operation *op, Reg mask) {
  bool isFine = true;
  forEachLane(agent.mask(), [&](int64_t l) {
    uint64_t named = uint32_t(agent.integer(mask, l)) & agent.lanesThatExist();
    isFine &= named == agent.mask();
  });
  if (!isFine)
    agent.fault(op, FaultKind::DivergentBarrier,
                "not all lanes that its mask names execute it, and no others",
                agent.placeOf(llvm::countr_zero(agent.mask())));
  return isFine;
}

/// Returns the lane that `lane` reads, or -1: PTX ISA, shfl.sync.
static int64_t sourceOf(NVVM::ShflKind kind, int64_t lane, int64_t offset,
                        int64_t maskAndClamp) {
  int64_t by = offset & 31, clamp = maskAndClamp & 31,
          segment = maskAndClamp >> 8 & 31;
  int64_t most = (lane & segment) | (clamp & ~segment & 31),
          least = lane & segment;
  switch (kind) {
  case NVVM::ShflKind::bfly:
    return (lane ^ by) <= most ? lane ^ by : -1;
  case NVVM::ShflKind::up:
    return lane - by >= most ? lane - by : -1;
  case NVVM::ShflKind::down:
    return lane + by <= most ? lane + by : -1;
  case NVVM::ShflKind::idx: {
    int64_t source = least | (by & ~segment);
    return source <= most ? source : -1;
  }
  }
  llvm_unreachable("unknown kind");
}

/// Translates a shuffle. Outside of its segment a lane reads its own value;
/// from an inactive lane, poison.
static LogicalResult translateShfl(NVVM::ShflOp op, Translator &t) {
  Reg mask = t.reg(op.getThreadMask()), value = t.reg(op.getVal());
  Reg offset = t.reg(op.getOffset()), clamp = t.reg(op.getMaskAndClamp());
  SmallVector<Reg> results = t.parts(t.reg(op.getRes()));
  NVVM::ShflKind kind = op.getKind();
  std::array<uint8_t, 32> poison = poisonCell(t.domain(), value.kind);
  t.emit(op, [=](Agent &agent) {
    if (!checkMembers(agent, op, mask))
      return;
    agent.noteIfUndecided(op, offset);
    agent.noteIfUndecided(op, clamp);
    SmallVector<int64_t, 64> sources(agent.lanes(), -1);
    forEachLane(agent.mask(), [&](int64_t l) {
      int64_t source =
          sourceOf(kind, l, agent.integer(offset, l), agent.integer(clamp, l));
      if (results.size() == 2)
        agent.setInteger(results[1], source >= 0 ? -1 : 0, l);
      source = source < 0 ? l : source;
      sources[l] = agent.mask() >> source & 1 ? source : -1;
    });
    gatherLanes(agent, value, results.front(), sources, poison.data());
    ++agent.workgroup().counters.shuffles;
  });
  return success();
}

static LogicalResult translateVote(NVVM::VoteSyncOp op, Translator &t) {
  Reg mask = t.reg(op.getMask()), value = t.reg(op.getPred()),
      r = t.reg(op.getRes());
  NVVM::VoteSyncKind kind = op.getKind();
  t.emit(op, [=](Agent &agent) {
    if (!checkMembers(agent, op, mask))
      return;
    agent.noteIfUndecided(op, value);
    uint64_t votes = 0;
    forEachLane(agent.mask(), [&](int64_t l) {
      votes |= uint64_t(agent.integer(value, l) & 1) << l;
    });
    bool isAll = votes == agent.mask();
    int64_t result = kind == NVVM::VoteSyncKind::ballot ? int32_t(votes)
                     : kind == NVVM::VoteSyncKind::any  ? -int64_t(votes != 0)
                     : kind == NVVM::VoteSyncKind::all
                         ? -int64_t(isAll)
                         : -int64_t(isAll || votes == 0);
    forEachLane(agent.mask(),
                [&](int64_t l) { agent.setInteger(r, result, l); });
  });
  return success();
}

/// Translates the election of a lane. Any lane may be chosen; here it is the
/// first.
static LogicalResult translateElect(NVVM::ElectSyncOp op, Translator &t) {
  Reg r = t.reg(op.getPred());
  Reg mask = op.getMembermask() ? t.reg(op.getMembermask())
                                : t.constant(Kind::integer(32), 0xFFFFFFFF);
  t.emit(op, [=](Agent &agent) {
    if (!checkMembers(agent, op, mask))
      return;
    int64_t first = llvm::countr_zero(agent.mask());
    forEachLane(agent.mask(), [&](int64_t l) {
      agent.setInteger(r, l == first ? -1 : 0, l);
    });
  });
  return success();
}

static std::optional<vector::CombiningKind> combiningOf(NVVM::ReduxOp op) {
  using From = NVVM::ReduxKind;
  using To = vector::CombiningKind;
  switch (op.getKind()) {
  case From::ADD:
    return To::ADD;
  case From::AND:
    return To::AND;
  case From::OR:
    return To::OR;
  case From::XOR:
    return To::XOR;
  case From::MAX:
    return To::MAXSI;
  case From::MIN:
    return To::MINSI;
  case From::UMAX:
    return To::MAXUI;
  case From::UMIN:
    return To::MINUI;
  case From::FMAX:
    return op.getNan() ? To::MAXIMUMF : To::MAXNUMF;
  case From::FMIN:
    return op.getNan() ? To::MINIMUMF : To::MINNUMF;
  }
  return std::nullopt;
}

static LogicalResult translateRedux(NVVM::ReduxOp op, Translator &t) {
  Reg value = t.reg(op.getVal()), mask = t.reg(op.getMaskAndClamp()),
      r = t.reg(op.getRes());
  std::optional<vector::CombiningKind> combining = combiningOf(op);
  Binary combine =
      combining ? t.domain().combiner(*combining, value.kind) : Binary();
  if (!combine || op.getAbs())
    return t.notModelled(op, "a reduction of this kind");
  t.emit(op, [=](Agent &agent) {
    if (!checkMembers(agent, op, mask))
      return;
    alignas(32) std::array<uint8_t, 32> total;
    int64_t bytes = value.cellBytes, first = llvm::countr_zero(agent.mask());
    const uint8_t *cells = agent.cells(value);
    std::memcpy(total.data(), cells + first * bytes, bytes);
    forEachLane(agent.mask() & ~(uint64_t(1) << first), [&](int64_t l) {
      alignas(32) std::array<uint8_t, 32> own;
      std::memcpy(own.data(), cells + l * bytes, bytes);
      combine(1, total.data(), own.data(), total.data());
    });
    forEachLane(agent.mask(), [&](int64_t l) {
      std::memcpy(agent.cells(r) + l * bytes, total.data(), bytes);
    });
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Returns the scope of a fence. A launch has clusters of one workgroup.
static Reach reachOf(NVVM::MemScopeKind scope) {
  switch (scope) {
  case NVVM::MemScopeKind::CTA:
  case NVVM::MemScopeKind::CLUSTER:
    return Reach::Workgroup;
  case NVVM::MemScopeKind::GPU:
  case NVVM::MemScopeKind::SYS:
    return Reach::Device;
  }
  llvm_unreachable("unknown scope");
}

static LogicalResult translateMembar(NVVM::MembarOp op, Translator &t) {
  Reach reach = reachOf(op.getScope());
  t.orderPartly();
  t.emitSync(op, [=](Agent &agent) {
    Clocks &clocks = agent.workgroup().clocks;
    clocks.fenceRelease(agent.threadOf(0), agent.mask(), reach);
    clocks.fenceAcquire(agent.threadOf(0), agent.mask(), reach);
  });
  return success();
}

void distaff::simt::registerNvvm(OpRegistry &registry) {
  registerSpecialRegisters(registry);
  registry.add<NVVM::ShflOp>(translateShfl);
  registry.add<NVVM::VoteSyncOp>(translateVote);
  registry.add<NVVM::ElectSyncOp>(translateElect);
  registry.add<NVVM::ReduxOp>(translateRedux);
  registry.add<NVVM::MembarOp>(translateMembar);
}
