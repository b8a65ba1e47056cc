//===- LlvmMemory.cpp - llvm operations on pointers and memory ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments, globals and llvm.alloca create pointers, arithmetic moves them,
// and loads and stores resolve them (Machine/Pointer.h). A load of a vector is
// one request as wide as its alignment allows, up to 16 bytes, as in the
// dialects above: so the counters of both agree.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "Atomics.h"
#include "LlvmTypes.h"
#include "distaff/CheckedSize.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Origins of pointers
//===----------------------------------------------------------------------===//

/// Returns the dynamic workgroup memory of the launch: all globals without a
/// length begin there.
static ArrayOfNumbers providedMemory(LLVM::LLVMFuncOp kernel) {
  Operation *module = SymbolTable::getNearestSymbolTable(kernel->getParentOp());
  std::optional<Kind> kind;
  for (Operation &op : module->getRegion(0).front()) {
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    if (!global || global.getAddrSpace() != sharedSpace)
      continue;
    std::optional<ArrayOfNumbers> array = arrayOfNumbers(global.getType());
    if (array && array->elements() == 0)
      kind = !kind || *kind == array->kind ? array->kind : Kind::integer(8);
  }
  ArrayOfNumbers memory;
  memory.kind = *kind;
  auto bytes = kernel->getAttrOfType<IntegerAttr>(kWorkgroupBytesAttrName);
  memory.bytes = bytes ? bytes.getInt() : 0;
  memory.shape = {memory.bytes / kind->bytes()};
  return memory;
}

static LogicalResult translateAddressOf(LLVM::AddressOfOp op, Translator &t) {
  auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
      op, op.getGlobalNameAttr());
  if (!global)
    return t.notModelled(op, "the address of what is no global");
  std::optional<ArrayOfNumbers> array = arrayOfNumbers(global.getType());
  if (!array)
    return t.notModelled(op, "a global that is no array of numbers");
  Reg r = t.reg(op.getResult());
  if (global.getAddrSpace() != sharedSpace) {
    t.useGlobal(global, r);
    return success();
  }
  if (!array->isDense())
    return t.notModelled(op, "a global with holes");
  Operation *owner = global;
  if (array->shape == ArrayRef<int64_t>{0}) {
    auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
    owner = kernel;
    array = providedMemory(kernel);
  }
  t.emit(op, [=, array = *array](Agent &agent) {
    Workgroup &group = agent.workgroup();
    int64_t buffer =
        group.sharedBuffer(owner, agent, array.kind, array.elements());
    group.buffer(buffer).align(global);
    group.buffer(buffer).align(array.alignment);
    group.buffer(buffer).shape.assign(array.shape.begin(), array.shape.end());
    for (int64_t l = 0; l < agent.lanes(); ++l)
      agent.setInteger(r, Pointer::encode(buffer, 0), l);
  });
  return success();
}

static LogicalResult translateAlloca(LLVM::AllocaOp op, Translator &t) {
  std::optional<ArrayOfNumbers> array = arrayOfNumbers(op.getElemType());
  std::optional<int64_t> count = Translator::constantInteger(op.getArraySize());
  if (!array || !count || *count < 0)
    return t.notModelled(op, "this kind of private memory");
  Reg r = t.reg(op.getResult());
  Kind kind = array->kind;
  // A lane's part is aligned for elements of any kind.
  constexpr int64_t unit = 16;
  std::optional<int64_t> used =
      checkedBytes({array->bytes, *count}, /*elementBytes=*/1);
  if (!used)
    return t.notModelled(op, "private memory of this size");
  int64_t bytes = int64_t(llvm::alignTo(*used, unit)),
          elements = bytes / kind.bytes();
  t.emit(op, [=](Agent &agent) {
    Workgroup &group = agent.workgroup();
    if (!agent.mayAllocate(op, {elements}, kind.bytes() * agent.lanes()))
      return;
    int64_t buffer = group.privateBuffer(op, agent, kind, elements);
    group.buffer(buffer).align(array->alignment);
    group.buffer(buffer).padding = elements - *used / kind.bytes();
    for (int64_t l = 0; l < agent.lanes(); ++l)
      agent.setInteger(r, Pointer::encode(buffer, l * bytes), l);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// A pointer plus a constant and multiples of numbers.
struct Moved {
  Reg base, result;
  int64_t constant = 0;
  SmallVector<std::pair<Reg, int64_t>, 2> terms;
  bool staysInside = false; // inbounds

  void run(Agent &agent) const {
    for (int64_t e = 0; e < result.elements; ++e)
      for (int64_t l = 0; l < agent.lanes(); ++l) {
        int64_t by = constant;
        for (auto [index, scale] : terms)
          by += agent.integer(index, l, elementOf(index, e)) * scale;
        int64_t address = agent.integer(base, l, elementOf(base, e));
        bool undecided = agent.isUndecided(base, l, elementOf(base, e));
        for (auto [index, scale] : terms)
          undecided |= agent.isUndecided(index, l, elementOf(index, e));
        agent.setInteger(result, move(agent, address, by, l), l, e);
        if (undecided)
          agent.makeUndecided(result, l, e);
      }
  }

private:
  static int64_t elementOf(Reg reg, int64_t e) {
    return reg.elements == 1 ? 0 : e;
  }

  int64_t move(Agent &agent, int64_t address, int64_t by, int64_t lane) const {
    Pointer pointer = Pointer::decode(address);
    if (pointer.buffer < 0)
      return by == 0 ? address : (address + by) & ~Pointer::isAddress;
    // No array reaches further.
    int64_t byte = pointer.byte + by;
    bool hasLeft =
        pointer.hasLeft || byte <= -Pointer::origin || byte >= Pointer::origin;
    Workgroup &group = agent.workgroup();
    if (staysInside && !hasLeft && pointer.buffer < group.numBuffers()) {
      auto [first, end] = extentOf(agent, group.buffer(pointer.buffer), lane);
      hasLeft = byte < first || byte > end;
    }
    int64_t moved = Pointer::encode(pointer.buffer, hasLeft ? 0 : byte);
    return hasLeft ? int64_t(uint64_t(moved) | Pointer::leftMark) : moved;
  }
};
} // namespace

static LogicalResult translateGep(LLVM::GEPOp op, Translator &t) {
  Moved moved;
  moved.base = t.reg(op.getBase());
  moved.result = t.reg(op.getResult());
  moved.staysInside = bitEnumContainsAll(op.getNoWrapFlags(),
                                         LLVM::GEPNoWrapFlags::inboundsFlag);
  Type type = op.getElemType();
  for (auto [number, index] : llvm::enumerate(op.getIndices())) {
    if (number != 0) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return t.notModelled(op, "an address inside of what is no array");
      type = array.getElementType();
    }
    std::optional<int64_t> scale = bytesOf(type);
    if (!scale)
      return t.notModelled(op, "elements of this type");
    if (auto constant = dyn_cast<IntegerAttr>(index))
      moved.constant += constant.getInt() * *scale;
    else
      moved.terms.push_back({t.reg(cast<Value>(index)), *scale});
  }
  t.emit(op, [moved = std::move(moved)](Agent &agent) { moved.run(agent); });
  return success();
}

/// Translates a cast of address spaces, which use the same addresses.
template <typename Op>
static LogicalResult translatePointerCast(Op op, Translator &t) {
  for (Type type : {op.getArg().getType(), op.getResult().getType()})
    if (getElementTypeOrSelf(type).isInteger() &&
        !getElementTypeOrSelf(type).isInteger(64))
      return t.notModelled(op, "an address that is not of 64 bits");
  t.bind(op.getResult(), t.reg(op.getArg()));
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

namespace {
/// An access to consecutive elements at a pointer.
struct PointedAccess {
  Access access;
  Addresses pointer;
  Reg memory;

  template <typename Op>
  static std::optional<PointedAccess> get(Op op, Reg value, Translator &t) {
    if (value.storage != Reg::Storage::Cells ||
        (value.elements > 1 && value.kind.width != 8 * value.kind.bytes()))
      return std::nullopt;
    int64_t size = value.kind.bytes();
    int64_t natural = int64_t(llvm::PowerOf2Ceil(value.elements * size));
    int64_t alignment = int64_t(op.getAlignment().value_or(natural));
    // At most 16 bytes per request; LLVM splits a wider access.
    int64_t wide =
        std::max<int64_t>(1, std::min<int64_t>(alignment, 16) / size);
    PointedAccess pointed = {
        Access::get(op, t.domain(), value.kind, value.elements,
                    std::min(wide, value.elements)),
        Addresses::get(op.getAddr(), t), pointedMemory(t, value.kind)};
    pointed.access.alignment = alignment;
    return pointed;
  }

  int64_t *follow(Agent &agent) const {
    int64_t *positions = agent.positions(access.elements * agent.lanes());
    return simt::follow(agent, access.op, pointer, memory, access.kind,
                        access.elements, positions, agent.mask())
               ? positions
               : nullptr;
  }
};
} // namespace

static LogicalResult translateLoad(LLVM::LoadOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  if (op.getOrdering() == LLVM::AtomicOrdering::monotonic && r.elements == 1)
    return translateAtomicLoad(op, r, t);
  auto pointed = PointedAccess::get(op, r, t);
  if (!pointed || op.getOrdering() != LLVM::AtomicOrdering::not_atomic)
    return t.notModelled(op, "a load of this kind");
  t.emit(op, [=, pointed = *pointed](Agent &agent) {
    if (int64_t *positions = pointed.follow(agent))
      agent.load(pointed.access, pointed.memory, positions, r);
  });
  return success();
}

static LogicalResult translateStore(LLVM::StoreOp op, Translator &t) {
  Reg value = t.reg(op.getValue());
  auto pointed = PointedAccess::get(op, value, t);
  if (!pointed || op.getOrdering() != LLVM::AtomicOrdering::not_atomic)
    return t.notModelled(op, "a store of this kind");
  t.emit(op, [=, pointed = *pointed](Agent &agent) {
    if (int64_t *positions = pointed.follow(agent))
      agent.store(pointed.access, pointed.memory, positions,
                  agent.cells(value));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Masked accesses
//===----------------------------------------------------------------------===//

namespace {
/// Masked loads and stores: of consecutive elements at one pointer, or of one
/// element at each of a vector of pointers.
struct MaskedAccess {
  Access access;
  Addresses pointer;
  Reg mask, memory, one;

  bool isVector() const { return pointer.reg.elements != 1; }

  /// Computes positions of the enabled elements, one element of all lanes at a
  /// time.
  bool follow(Agent &agent, int64_t *positions) const {
    int64_t lanes = agent.lanes(), elements = mask.elements;
    SmallVector<int64_t> buffers(lanes, -1);
    std::fill(positions, positions + elements * lanes, -1);
    MemRefView view = agent.memRef(memory);
    for (int64_t e = 0; e < elements; ++e) {
      uint64_t chosen = 0;
      forEachLane(agent.mask(), [&](int64_t l) {
        if (!(agent.integer(mask, l, e) & 1))
          return;
        chosen |= uint64_t(1) << l;
        if (agent.isUndecided(mask, l, e) ||
            agent.isUndecided(pointer.reg, l, isVector() ? e : 0))
          agent.noteUndecided(access.op);
        agent.setInteger(one, addressOf(agent, l, e), l);
      });
      if (!simt::follow(agent, access.op, {one, pointer.space}, memory,
                        access.kind, 1, positions + e * lanes, chosen) ||
          !checkAlignment(agent, e, chosen))
        return false;
      bool isOne = true;
      forEachLane(chosen, [&](int64_t l) {
        isOne &= buffers[l] < 0 || buffers[l] == view.buffer(l);
        buffers[l] = view.buffer(l);
      });
      if (!isOne)
        return agent.fault(access.op, FaultKind::NotModelled,
                           "a lane's elements in several arrays"),
               false;
    }
    for (int64_t l = 0; l < lanes; ++l)
      if (buffers[l] >= 0)
        view.buffer(l) = buffers[l];
    forEachLane(agent.mask(), [&](int64_t l) {
      if (buffers[l] < 0)
        view.buffer(l) = 0; // no element is enabled
    });
    return true;
  }

private:
  int64_t addressOf(Agent &agent, int64_t lane, int64_t element) const {
    if (isVector())
      return agent.integer(pointer.reg, lane, element);
    int64_t address = agent.integer(pointer.reg, lane);
    Pointer to = Pointer::decode(address);
    if (to.buffer < 0 || to.hasLeft)
      return address;
    return Pointer::encode(to.buffer, to.byte + element * access.kind.bytes());
  }

  /// Checks the op's alignment at an enabled element, also if the first element
  /// is disabled.
  bool checkAlignment(Agent &agent, int64_t element, uint64_t chosen) const {
    bool isFine = true;
    forEachLane(chosen, [&](int64_t l) {
      Pointer first =
          Pointer::decode(addressOf(agent, l, isVector() ? element : 0));
      isFine = isFine && agent.checkAddress(
                             access.op, agent.workgroup().buffer(first.buffer),
                             l, first.byte, promised);
    });
    return isFine;
  }

public:
  int64_t promised = 1; // alignment in bytes that the op claims
};
} // namespace

static MaskedAccess maskedAccess(Operation *op, Reg value, Value pointer,
                                 Reg mask, Translator &t) {
  MaskedAccess masked;
  masked.pointer = Addresses::get(pointer, t);
  masked.access = Access::get(
      op, t.domain(), value.kind, value.elements,
      masked.isVector() ? 1 : Access::widest(value.kind, value.elements));
  // The alignment is that of the first element, which may be disabled.
  masked.promised = std::max<int64_t>(1, masked.access.alignment);
  masked.access.alignment = 1;
  masked.mask = mask;
  masked.memory = pointedMemory(t, value.kind);
  masked.one = t.scratch(Kind::index());
  return masked;
}

/// Elements that are disabled come from `otherwise`, if it is there.
static LogicalResult emitMaskedLoad(Operation *op, Value pointer, Reg mask,
                                    Value otherwise, Translator &t) {
  Reg r = t.reg(op->getResult(0));
  if (otherwise)
    t.copy(op, t.reg(otherwise), r);
  MaskedAccess masked = maskedAccess(op, r, pointer, mask, t);
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions(r.elements * agent.lanes());
    if (masked.follow(agent, positions.data()))
      agent.load(masked.access, masked.memory, positions.data(), r);
  });
  return success();
}

static LogicalResult emitMaskedStore(Operation *op, Value stored, Value pointer,
                                     Reg mask, Translator &t) {
  Reg value = t.reg(stored);
  MaskedAccess masked = maskedAccess(op, value, pointer, mask, t);
  t.emit(op, [=](Agent &agent) {
    std::vector<int64_t> positions(value.elements * agent.lanes());
    if (masked.follow(agent, positions.data()))
      agent.store(masked.access, masked.memory, positions.data(),
                  agent.cells(value));
  });
  return success();
}

static LogicalResult translateMaskedLoad(LLVM::MaskedLoadOp op, Translator &t) {
  return emitMaskedLoad(op, op.getData(), t.reg(op.getMask()), op.getPassThru(),
                        t);
}

static LogicalResult translateGather(LLVM::masked_gather op, Translator &t) {
  Value otherwise =
      op.getPassThru().empty() ? Value() : op.getPassThru().front();
  return emitMaskedLoad(op, op.getPtrs(), t.reg(op.getMask()), otherwise, t);
}

static LogicalResult translateMaskedStore(LLVM::MaskedStoreOp op,
                                          Translator &t) {
  return emitMaskedStore(op, op.getValue(), op.getData(), t.reg(op.getMask()),
                         t);
}

static LogicalResult translateScatter(LLVM::masked_scatter op, Translator &t) {
  return emitMaskedStore(op, op.getValue(), op.getPtrs(), t.reg(op.getMask()),
                         t);
}

/// Returns the mask of a predicated access: the elements below its last operand
/// whose bit is set in the operand before that.
static Reg emitPredicate(Operation *op, Translator &t) {
  unsigned last = op->getNumOperands() - 1;
  Reg mask = t.reg(op->getOperand(last - 1)), end = t.reg(op->getOperand(last));
  Reg taken = t.scratch(mask.kind, mask.elements);
  t.emit(op, [=](Agent &agent) {
    for (int64_t e = 0; e < taken.elements; ++e)
      for (int64_t l = 0; l < agent.lanes(); ++l) {
        bool holds =
            e < agent.integer(end, l) && agent.integer(mask, l, e) != 0;
        agent.setInteger(taken, holds ? -1 : 0, l, e);
        if (agent.isUndecided(end, l) || agent.isUndecided(mask, l, e))
          agent.makeUndecided(taken, l, e);
      }
  });
  return taken;
}

static LogicalResult translatePredicatedLoad(Operation *op, Translator &t) {
  return emitMaskedLoad(op, op->getOperand(0), emitPredicate(op, t), Value(),
                        t);
}

static LogicalResult translatePredicatedStore(Operation *op, Translator &t) {
  return emitMaskedStore(op, op->getOperand(0), op->getOperand(1),
                         emitPredicate(op, t), t);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static std::optional<Reach> reachOf(std::optional<StringRef> scope) {
  return llvm::StringSwitch<std::optional<Reach>>(scope.value_or(""))
      .Cases({"", "device", "agent"}, Reach::Device)
      .Cases({"block", "workgroup"}, Reach::Workgroup)
      .Case("wavefront", Reach::Subgroup)
      .Default(std::nullopt);
}

namespace {
/// The memory that a fence orders: all, unless its annotations name some.
struct FencedMemory {
  SmallVector<Buffer::Space, 2> spaces; // none: all

  /// Returns nothing for unknown annotations.
  static std::optional<FencedMemory> get(LLVM::FenceOp op) {
    Attribute mark = op->getAttr(LLVM::LLVMDialect::getMmraAttrName());
    SmallVector<Attribute> tags;
    if (auto several = dyn_cast_or_null<ArrayAttr>(mark))
      tags.assign(several.begin(), several.end());
    else if (mark)
      tags.push_back(mark);
    FencedMemory memory;
    for (Attribute attribute : tags) {
      auto tag = dyn_cast<LLVM::MMRATagAttr>(attribute);
      if (!tag || !llvm::is_contained({"amdgpu-synchronize-as", "amdgpu-as"},
                                      tag.getPrefix()))
        return std::nullopt;
      if (tag.getSuffix() == "local")
        memory.spaces.push_back(Buffer::Space::Workgroup);
      else if (tag.getSuffix() == "global")
        memory.spaces.push_back(Buffer::Space::Global);
      else
        return std::nullopt;
    }
    return memory;
  }

  std::optional<SmallVector<int64_t>> buffers(Workgroup &group) const {
    if (spaces.empty())
      return std::nullopt;
    SmallVector<int64_t> numbers;
    for (int64_t number = 0; number < group.numBuffers(); ++number)
      if (llvm::is_contained(spaces, group.buffer(number).space))
        numbers.push_back(number);
    return numbers;
  }
};
} // namespace

static LogicalResult translateFence(LLVM::FenceOp op, Translator &t) {
  using Ordering = LLVM::AtomicOrdering;
  std::optional<Reach> reach = reachOf(op.getSyncscope());
  std::optional<FencedMemory> memory = FencedMemory::get(op);
  if (!reach || !memory)
    return t.notModelled(op, "a fence of this scope");
  Ordering ordering = op.getOrdering();
  bool isBoth = ordering == Ordering::acq_rel || ordering == Ordering::seq_cst;
  bool releases = isBoth || ordering == Ordering::release,
       acquires = isBoth || ordering == Ordering::acquire;
  // Lanes of one wavefront execute in lockstep: all are at the fence.
  bool meets = *reach == Reach::Subgroup;
  t.orderPartly();
  t.emitSync(op, [=](Agent &agent) {
    Clocks &clocks = agent.workgroup().clocks;
    int64_t first = agent.threadOf(0);
    std::optional<SmallVector<int64_t>> buffers =
        memory->buffers(agent.workgroup());
    Ordered ordered = buffers ? Ordered(*buffers) : std::nullopt;
    if (releases)
      clocks.fenceRelease(first, agent.mask(), *reach, ordered);
    if (meets && acquires) {
      Knowledge all;
      clocks.signal(first, agent.mask(), *reach, all);
      clocks.observe(first, agent.mask(), *reach, all);
    }
    if (acquires)
      clocks.fenceAcquire(first, agent.mask(), *reach, ordered);
  });
  return success();
}

void distaff::simt::registerLlvmMemory(OpRegistry &registry) {
  registry.add<LLVM::AddressOfOp>(translateAddressOf);
  registry.add<LLVM::AllocaOp>(translateAlloca);
  registry.add<LLVM::GEPOp>(translateGep);
  registry.add(translatePointerCast<LLVM::AddrSpaceCastOp>);
  registry.add(translatePointerCast<LLVM::PtrToIntOp>);
  registry.add(translatePointerCast<LLVM::IntToPtrOp>);
  registry.add<LLVM::LoadOp>(translateLoad);
  registry.add<LLVM::StoreOp>(translateStore);
  registry.add<LLVM::MaskedLoadOp>(translateMaskedLoad);
  registry.add<LLVM::masked_gather>(translateGather);
  registry.add<LLVM::MaskedStoreOp>(translateMaskedStore);
  registry.add<LLVM::masked_scatter>(translateScatter);
  registry.add<LLVM::VPLoadOp>(translatePredicatedLoad);
  registry.add<LLVM::VPStoreOp>(translatePredicatedStore);
  registry.addByOperands("llvm.intr.vp.gather", translatePredicatedLoad);
  registry.addByOperands("llvm.intr.vp.scatter", translatePredicatedStore);
  registry.add<LLVM::FenceOp>(translateFence);
}
