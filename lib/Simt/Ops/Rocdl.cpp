//===- Rocdl.cpp - rocdl operations in and across lanes -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids, cross-lane reads of a wavefront, and scheduling hints. AMD's ISA
// documents define the lane that is read: "CDNA3 ISA" and "RDNA3 ISA", data
// parallel processing and LDS permutations. Barriers are in Barriers.cpp,
// matrices in RocdlMma.cpp.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

static void registerRocdlIds(OpRegistry &registry) {
  addAxisNumbers(registry, "rocdl.workitem.id.", threadId);
  addAxisNumbers(registry, "rocdl.workgroup.id.",
                 [](Agent &agent, int64_t, size_t axis) {
                   return agent.seat().workgroup[axis];
                 });
  addAxisNumbers(registry, "rocdl.workgroup.dim.",
                 [](Agent &agent, int64_t, size_t axis) {
                   return agent.workgroup().launch.options.workgroupSize[axis];
                 });
  addAxisNumbers(registry, "rocdl.grid.dim.",
                 [](Agent &agent, int64_t, size_t axis) {
                   return agent.seat().grid[axis];
                 });
  addLaneNumber(registry, "rocdl.wavefrontsize",
                [](Agent &agent, int64_t) { return agent.lanes(); });
}

/// Counts the bits of a mask below a lane's own, of lanes 0 to 31 or of those
/// above.
static LogicalResult translateMbcnt(Operation *op, bool isUpper,
                                    Translator &t) {
  Reg mask = t.reg(op->getOperand(0)), sum = t.reg(op->getOperand(1)),
      r = t.reg(op->getResult(0));
  t.emit(op, [=](Agent &agent) {
    agent.noteIfUndecided(op, mask);
    agent.noteIfUndecided(op, sum);
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      int64_t below = std::clamp<int64_t>(l - (isUpper ? 32 : 0), 0, 32);
      uint64_t bits =
          uint32_t(agent.integer(mask, l)) & ((uint64_t(1) << below) - 1);
      agent.setInteger(r, int32_t(agent.integer(sum, l) + llvm::popcount(bits)),
                       l);
    }
  });
  return success();
}

static LogicalResult translateMbcntLo(ROCDL::MbcntLoOp op, Translator &t) {
  return translateMbcnt(op, /*isUpper=*/false, t);
}
static LogicalResult translateMbcntHi(ROCDL::MbcntHiOp op, Translator &t) {
  return translateMbcnt(op, /*isUpper=*/true, t);
}

//===----------------------------------------------------------------------===//
// Permutations through workgroup memory's crossbar
//===----------------------------------------------------------------------===//

/// Returns the value of a read from an inactive lane: 0.
static std::array<uint8_t, 32> zeroCell(const Domain &domain, Kind kind) {
  std::array<uint8_t, 32> cell = {};
  domain.constant(kind, 0, cell.data());
  return cell;
}

/// Emits a permutation: lane l gets lane source(agent, l) of `value`, or 0 for
/// a negative or inactive one.
template <typename Source>
static LogicalResult emitPermutation(Operation *op, Reg value, Translator &t,
                                     Source source) {
  Reg r = t.reg(op->getResult(0));
  std::array<uint8_t, 32> zero = zeroCell(t.domain(), value.kind);
  t.emit(op, [=](Agent &agent) {
    SmallVector<int64_t, 64> sources(agent.lanes(), -1);
    forEachLane(agent.mask(), [&](int64_t l) {
      int64_t from = source(agent, l);
      sources[l] = from >= 0 && (agent.mask() >> from & 1) ? from : -1;
    });
    gatherLanes(agent, value, r, sources, zero.data());
    ++agent.workgroup().counters.shuffles;
  });
  return success();
}

/// Translates a gather by byte addresses of 4 bytes per lane; bits above the
/// lanes are ignored.
static LogicalResult translateBpermute(ROCDL::DsBpermuteOp op, Translator &t) {
  Reg index = t.reg(op.getIndex());
  return emitPermutation(op, t.reg(op.getSrc()), t,
                         [=](Agent &agent, int64_t lane) {
                           if (agent.isUndecided(index, lane))
                             agent.noteUndecided(op);
                           uint32_t at = uint32_t(agent.integer(index, lane));
                           return int64_t(at / 4 % agent.lanes());
                         });
}

static LogicalResult translateSwizzle(ROCDL::DsSwizzleOp op, Translator &t) {
  std::optional<int64_t> offset = Translator::constantInteger(op.getOffset());
  if (!offset || *offset < 0 || *offset >= 0xC000)
    return t.notModelled(op, "this pattern of lanes");
  int64_t pattern = *offset;
  return emitPermutation(
      op, t.reg(op.getSrc()), t, [=](Agent &, int64_t lane) -> int64_t {
        if (pattern & 0x8000) // within four lanes
          return (lane & ~3) | (pattern >> (2 * (lane & 3)) & 3);
        int64_t And = pattern & 31, Or = pattern >> 5 & 31,
                Xor = pattern >> 10 & 31;
        return (lane & ~31) | ((((lane & 31) & And) | Or) ^ Xor);
      });
}

//===----------------------------------------------------------------------===//
// Data parallel processing
//===----------------------------------------------------------------------===//

namespace {
/// The control word of DPP. Rows are 16 lanes, banks 4.
struct DppControl {
  int64_t code;
  bool isRdna;     // gfx10 and later
  bool sharesRows; // from gfx90a on

  bool isKnown() const {
    bool isRowShift = code > 0x100 && code < 0x130 && (code & 15) != 0;
    bool isWave =
        llvm::is_contained({0x130, 0x134, 0x138, 0x13C, 0x142, 0x143}, code);
    bool isShared = code >= 0x150 && code < 0x160;
    bool isXor = code >= 0x160 && code < 0x170;
    return code < 0x100 || isRowShift || code == 0x140 || code == 0x141 ||
           (isShared && sharesRows) || (isWave && !isRdna) || (isXor && isRdna);
  }

  /// Returns the lane that `lane` of `lanes` reads; -1 for none.
  int64_t sourceOf(int64_t lane, int64_t lanes) const {
    int64_t row = lane & ~15, in = lane & 15, by = code & 15;
    if (code < 0x100)
      return (lane & ~3) | (code >> (2 * (lane & 3)) & 3);
    if (code < 0x110)
      return in + by < 16 ? lane + by : -1;
    if (code < 0x120)
      return in >= by ? lane - by : -1;
    if (code < 0x130)
      return row | ((in + 16 - by) & 15);
    switch (code) {
    case 0x130:
      return lane + 1 < lanes ? lane + 1 : -1;
    case 0x134:
      return (lane + 1) % lanes;
    case 0x138:
      return lane - 1;
    case 0x13C:
      return (lane + lanes - 1) % lanes;
    case 0x140:
      return row | (15 - in);
    case 0x141:
      return (lane & ~7) | (7 - (lane & 7));
    case 0x142: // the last lane of the row before
      return lane > 15 ? row - 1 : -1;
    case 0x143:
      return lane > 31 ? 31 : -1;
    }
    return code < 0x160 ? row | by : row | (in ^ by);
  }
};
} // namespace

static bool isRdna(StringRef target) {
  return target.starts_with("gfx10") || target.starts_with("gfx11") ||
         target.starts_with("gfx12");
}

static DppControl controlOf(uint32_t code, const Translator &t) {
  StringRef target = t.options().launch.target;
  bool isOld = llvm::is_contained({"gfx900", "gfx906", "gfx908"}, target);
  return {int64_t(code), isRdna(target), !isOld};
}

/// Translates DPP. Masked-off lanes keep the old value; so do those without a
/// source lane, unless `bound_ctrl` gives them 0.
static LogicalResult translateDpp(ROCDL::DPPUpdateOp op, Translator &t) {
  Reg old = t.reg(op.getOld()), value = t.reg(op.getSrc()),
      r = t.reg(op.getRes());
  DppControl control = controlOf(op.getDppCtrl(), t);
  if (!control.isKnown())
    return t.notModelled(op, "this pattern of lanes on this target");
  int64_t rows = op.getRowMask(), banks = op.getBankMask();
  bool isZero = op.getBoundCtrl();
  std::array<uint8_t, 32> zero = zeroCell(t.domain(), value.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes(), bytes = value.cellBytes;
    forEachLane(agent.mask(), [&](int64_t l) {
      bool isWritten = (rows >> (l / 16) & 1) && (banks >> (l / 4 % 4) & 1);
      int64_t from = isWritten ? control.sourceOf(l, lanes) : -1;
      bool isThere = from >= 0 && (agent.mask() >> from & 1);
      for (int64_t e = 0; e < r.elements; ++e) {
        int64_t first = e * lanes * bytes;
        const uint8_t *cell =
            isThere               ? agent.cells(value) + first + from * bytes
            : isWritten && isZero ? zero.data()
                                  : agent.cells(old) + first + l * bytes;
        std::memcpy(agent.cells(r) + first + l * bytes, cell, bytes);
      }
    });
    ++agent.workgroup().counters.shuffles;
  });
  return success();
}

/// The selection of a lane in a row by each lane of a row, from two words. A
/// lane whose source is inactive keeps the old value, or gets 0 by
/// `boundControl`; by `fi`, it reads the register of the inactive lane.
namespace {
struct RowSelection {
  Reg old, value, low, high, r;
  int64_t otherRow; // 16: the other row of a pair, 0: its own row
  bool isZero, isFetched;
};
} // namespace

static LogicalResult translateRowSelection(Operation *op, RowSelection row,
                                           Translator &t) {
  std::array<uint8_t, 32> zero = zeroCell(t.domain(), row.value.kind);
  t.emit(op, [=](Agent &agent) {
    agent.noteIfUndecided(op, row.low);
    agent.noteIfUndecided(op, row.high);
    int64_t bytes = row.value.cellBytes;
    forEachLane(agent.mask(), [&](int64_t l) {
      uint64_t selectors =
          uint64_t(agent.integer(l & 8 ? row.high : row.low, l));
      int64_t from =
          ((l & ~15) ^ row.otherRow) | int64_t(selectors >> (4 * (l & 7)) & 15);
      bool isThere = from < agent.lanes() && (agent.mask() >> from & 1);
      if (!isThere && row.isFetched)
        return agent.fault(op, FaultKind::NotModelled,
                           "what a lane that takes no part holds");
      const uint8_t *cell = isThere      ? agent.cells(row.value) + from * bytes
                            : row.isZero ? zero.data()
                                         : agent.cells(row.old) + l * bytes;
      std::memcpy(agent.cells(row.r) + l * bytes, cell, bytes);
    });
    ++agent.workgroup().counters.shuffles;
  });
  return success();
}

static LogicalResult translatePermlaneX16(ROCDL::PermlaneX16Op op,
                                          Translator &t) {
  return translateRowSelection(op,
                               {t.reg(op.getOld()), t.reg(op.getSrc0()),
                                t.reg(op.getSrc1()), t.reg(op.getSrc2()),
                                t.reg(op.getRes()), /*otherRow=*/16,
                                op.getBoundControl(), op.getFi()},
                               t);
}

/// Translates llvm.amdgcn.permlane16, which has no op.
static LogicalResult translatePermlane16(Operation *op, Translator &t) {
  APInt fetches, bounds;
  if (op->getNumOperands() != 6 ||
      !matchPattern(op->getOperand(4), m_ConstantInt(&fetches)) ||
      !matchPattern(op->getOperand(5), m_ConstantInt(&bounds)))
    return t.notModelled(op, "permlane16 of these operands");
  return translateRowSelection(
      op,
      {t.reg(op->getOperand(0)), t.reg(op->getOperand(1)),
       t.reg(op->getOperand(2)), t.reg(op->getOperand(3)),
       t.reg(op->getResult(0)), /*otherRow=*/0, !bounds.isZero(),
       !fetches.isZero()},
      t);
}

/// Translates a swap: every second group of `width` lanes of the first operand
/// changes places with the group before it of the second.
static LogicalResult translateSwap(Operation *op, int64_t width,
                                   Translator &t) {
  Reg a = t.reg(op->getOperand(0)), b = t.reg(op->getOperand(1));
  SmallVector<Reg> r = t.parts(t.reg(op->getResult(0)));
  t.emit(op, [=](Agent &agent) {
    if (agent.mask() != ~uint64_t(0) >> (64 - agent.lanes()))
      return agent.fault(op, FaultKind::NotModelled,
                         "lanes that change places with others that are not "
                         "there");
    agent.noteIfUndecided(op, a);
    agent.noteIfUndecided(op, b);
    for (int64_t l = 0; l < agent.lanes(); ++l) {
      bool isSecond = l / width % 2;
      agent.setInteger(
          r[0], isSecond ? agent.integer(b, l - width) : agent.integer(a, l),
          l);
      agent.setInteger(
          r[1], isSecond ? agent.integer(b, l) : agent.integer(a, l + width),
          l);
    }
    ++agent.workgroup().counters.shuffles;
  });
  return success();
}

static LogicalResult translateSwap16(ROCDL::Permlane16SwapOp op,
                                     Translator &t) {
  return translateSwap(op, 16, t);
}
static LogicalResult translateSwap32(ROCDL::Permlane32SwapOp op,
                                     Translator &t) {
  return translateSwap(op, 32, t);
}

//===----------------------------------------------------------------------===//
// Values broadcast to all lanes
//===----------------------------------------------------------------------===//

static void broadcastLane(Agent &agent, Reg from, Reg to, int64_t lane) {
  SmallVector<int64_t, 64> sources(agent.lanes(), lane);
  gatherLanes(agent, from, to, sources, nullptr);
}

static LogicalResult translateReadFirst(ROCDL::ReadfirstlaneOp op,
                                        Translator &t) {
  Reg value = t.reg(op.getSrc()), r = t.reg(op.getRes());
  t.emit(op, [=](Agent &agent) {
    broadcastLane(agent, value, r, llvm::countr_zero(agent.mask()));
  });
  return success();
}

static LogicalResult translateReadLane(ROCDL::ReadlaneOp op, Translator &t) {
  Reg value = t.reg(op.getSrc0()), lane = t.reg(op.getSrc1()),
      r = t.reg(op.getRes());
  t.emit(op, [=](Agent &agent) {
    agent.noteIfUndecided(op, lane);
    int64_t from = agent.integer(lane, llvm::countr_zero(agent.mask())) &
                   (agent.lanes() - 1);
    broadcastLane(agent, value, r, from);
  });
  return success();
}

static LogicalResult translateBallot(ROCDL::BallotOp op, Translator &t) {
  Reg value = t.reg(op.getPred()), r = t.reg(op.getRes());
  t.emit(op, [=](Agent &agent) {
    uint64_t votes = 0;
    agent.noteIfUndecided(op, value);
    forEachLane(agent.mask(), [&](int64_t l) {
      votes |= uint64_t(agent.integer(value, l) & 1) << l;
    });
    forEachLane(agent.mask(), [&](int64_t l) {
      agent.setInteger(r, llvm::SignExtend64(votes, r.kind.width), l);
    });
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Hints that change only the schedule
//===----------------------------------------------------------------------===//

static void registerHints(OpRegistry &registry) {
  // Loads and stores of the machine complete at once.
  for (StringRef name :
       {"s.waitcnt", "s.wait.dscnt", "s.wait.loadcnt", "s.wait.storecnt",
        "s.wait.expcnt", "s.setprio", "s.sleep", "s.nop", "sched.barrier",
        "sched.group.barrier", "iglp.opt"})
    registry.addNothing(("rocdl." + name).str());
}

void distaff::simt::registerRocdl(OpRegistry &registry) {
  registerRocdlIds(registry);
  registerHints(registry);
  registry.add<ROCDL::MbcntLoOp>(translateMbcntLo);
  registry.add<ROCDL::MbcntHiOp>(translateMbcntHi);
  registry.add<ROCDL::DsBpermuteOp>(translateBpermute);
  registry.add<ROCDL::DsSwizzleOp>(translateSwizzle);
  registry.add<ROCDL::DPPUpdateOp>(translateDpp);
  registry.add<ROCDL::PermlaneX16Op>(translatePermlaneX16);
  registry.addByOperands("llvm.intr.amdgcn.permlane16", translatePermlane16);
  registry.add<ROCDL::Permlane16SwapOp>(translateSwap16);
  registry.add<ROCDL::Permlane32SwapOp>(translateSwap32);
  registry.add<ROCDL::ReadfirstlaneOp>(translateReadFirst);
  registry.add<ROCDL::ReadlaneOp>(translateReadLane);
  registry.add<ROCDL::BallotOp>(translateBallot);
}
