//===- GcnMachine.cpp - Runs LLVM IR for AMD GPUs, lane by lane -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's values are LLVM constants; pointers are their addresses. Three
// memories have addresses of their own: space 1 (and 4) holds the buffers and
// the tables of constants, space 3 is the workgroup's, space 5 a lane's.
//
//===----------------------------------------------------------------------===//
#include "GcnMachine.h"
#include "GcnLanes.h"
#include "GcnMemory.h"
#include "GcnValues.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace distaff::gcn {
namespace {

constexpr int subgroupSize = 64;
constexpr unsigned workgroupSpace = 3, privateSpace = 5;
constexpr uint64_t tableBits = 32;

std::string print(const Value &value) {
  std::string text;
  raw_string_ostream(text) << value;
  return text;
}

//===----------------------------------------------------------------------===//
// A lane
//===----------------------------------------------------------------------===//

struct Lane {
  std::array<int64_t, 3> id;
  const Instruction *at = nullptr; // null: done
  const BasicBlock *from = nullptr;
  DenseMap<const Value *, Constant *> values;
  Scratch scratch;
};

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

class Machine {
public:
  Machine(const Module &module, const Function &kernel, const Launch &launch)
      : module(module), kernel(kernel), launch(launch),
        layout(module.getDataLayout()) {}

  Fault run();

private:
  Fault passArguments();
  void placeGlobals();
  Fault runWorkgroup();
  bool isCollective(const Instruction &instruction) const;
  Fault advance(Lane &lane);
  Fault step(Lane &lane);
  Fault jump(Lane &lane);
  Fault remember(Lane &lane, Constant *&result);
  Constant *compute(const Lane &lane, const Instruction &op);
  Fault branch(Lane &lane, const BasicBlock *to);
  Fault collect(MutableArrayRef<Lane> lanes);
  Fault multiply(const IntrinsicInst &mfma, MutableArrayRef<Lane> lanes);
  Fault permute(const IntrinsicInst &op, MutableArrayRef<Lane> lanes);
  Constant *callValue(const Lane &lane, const IntrinsicInst &call);

  Constant *integer(Type *type, int64_t value) {
    return ConstantInt::get(type, value, /*IsSigned=*/true,
                            /*ImplicitTrunc=*/true);
  }
  Type *addressType() { return Type::getInt64Ty(kernel.getContext()); }
  Constant *valueOf(const Lane &lane, const Value *value);
  Constant *addressOf(const Lane &lane, const GEPOperator &gep);
  uint64_t number(const Lane &lane, const Value *value) {
    return cast<ConstantInt>(valueOf(lane, value))->getZExtValue();
  }
  Fault access(Lane &lane, const Value *pointer, Align alignment, Type *type,
               Constant *stored, Constant *&loaded);

  const Module &module;
  const Function &kernel;
  const Launch &launch;
  const DataLayout &layout;
  std::array<int64_t, 3> size = {1, 1, 1}, group = {0, 0, 0};
  GlobalMemory buffers;
  DenseMap<const Value *, Constant *> shared; // arguments and globals
  std::vector<const GlobalVariable *> tables;
  Scratch workgroup;
};

/// The value of an operand in a lane: an instruction's or argument's result, or
/// a constant, whose addresses are numbers here.
Constant *Machine::valueOf(const Lane &lane, const Value *value) {
  if (Constant *known = shared.lookup(value))
    return known;
  if (Constant *known = lane.values.lookup(value))
    return known;
  if (auto *gep = dyn_cast<GEPOperator>(value))
    return addressOf(lane, *gep);
  if (auto *expression = dyn_cast<ConstantExpr>(value);
      expression && expression->isCast())
    return valueOf(lane, expression->getOperand(0));
  if (isa<ConstantPointerNull>(value))
    return integer(addressType(), 0);
  return const_cast<Constant *>(cast<Constant>(value));
}

Constant *Machine::addressOf(const Lane &lane, const GEPOperator &gep) {
  unsigned bits = layout.getIndexTypeSizeInBits(gep.getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(bits, 0);
  if (!gep.collectOffset(layout, bits, variable, constant))
    return nullptr;
  int64_t offset = constant.getSExtValue();
  for (auto &[index, scale] : variable)
    offset += cast<ConstantInt>(valueOf(lane, index))->getSExtValue() *
              scale.getSExtValue();
  return integer(addressType(),
                 int64_t(number(lane, gep.getPointerOperand())) + offset);
}

Fault Machine::access(Lane &lane, const Value *pointer, Align alignment,
                      Type *type, Constant *stored, Constant *&loaded) {
  uint64_t address = number(lane, pointer);
  uint64_t bytes = layout.getTypeStoreSize(type);
  if (address % alignment.value())
    return "misaligned: address " + std::to_string(address) + " for " +
           std::to_string(alignment.value());
  SmallVector<uint8_t, 16> data(bytes);
  if (stored && !toBytes(stored, layout, data.data()))
    return "unwritten: a value without meaning is stored";
  Fault fault;
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == workgroupSpace || space == privateSpace) {
    Scratch &memory = space == workgroupSpace ? workgroup : lane.scratch;
    fault = stored ? memory.store(address, data) : memory.load(address, data);
  } else if (uint64_t table = address >> tableBits;
             table && table <= tables.size() && !stored) {
    loaded = ConstantFoldLoadFromConst(
        const_cast<Constant *>(tables[table - 1]->getInitializer()), type,
        APInt(64, address & (uint64_t(1) << tableBits) - 1) -
            tables[table - 1]->getAlign().valueOrOne().value(),
        layout);
    return loaded ? Fault() : "out of bounds: of a table of constants";
  } else if (uint8_t *found = buffers.find(address, bytes, fault)) {
    memcpy(stored ? found : data.data(), stored ? data.data() : found, bytes);
  }
  if (fault.empty() && !stored)
    loaded = fromBytes(data.data(), type, layout);
  return fault;
}

//===----------------------------------------------------------------------===//
// Instructions of one lane
//===----------------------------------------------------------------------===//

Fault Machine::branch(Lane &lane, const BasicBlock *to) {
  const BasicBlock *from = lane.at->getParent();
  // Phis read what was there before the branch.
  SmallVector<std::pair<const PHINode *, Constant *>> taken;
  for (const PHINode &phi : to->phis())
    taken.push_back({&phi, valueOf(lane, phi.getIncomingValueForBlock(from))});
  for (auto [phi, value] : taken)
    lane.values[phi] = value;
  lane.at = &*to->getFirstNonPHIIt();
  return {};
}

/// Ids and other numbers that a lane reads; null for calls that fold.
Constant *Machine::callValue(const Lane &lane, const IntrinsicInst &call) {
  StringRef name = call.getCalledFunction()->getName();
  int64_t own = lane.id[0] + size[0] * (lane.id[1] + size[1] * lane.id[2]);
  own %= subgroupSize;
  for (auto [d, letter] : enumerate(StringRef("xyz"))) {
    if (name == "llvm.amdgcn.workitem.id." + std::string(1, letter))
      return integer(call.getType(), lane.id[d]);
    if (name == "llvm.amdgcn.workgroup.id." + std::string(1, letter))
      return integer(call.getType(), group[d]);
  }
  bool isLow = name == "llvm.amdgcn.mbcnt.lo";
  if (!isLow && name != "llvm.amdgcn.mbcnt.hi")
    return nullptr;
  // How many bits of the mask belong to lanes below this one.
  uint64_t mask = number(lane, call.getArgOperand(0)) & 0xffffffff;
  int64_t below =
      isLow ? std::min<int64_t>(own, 32) : std::max<int64_t>(own - 32, 0);
  mask &= (uint64_t(1) << below) - 1;
  return integer(call.getType(),
                 popcount(mask) + int64_t(number(lane, call.getArgOperand(1))));
}

/// Ends the lane or goes to another block.
Fault Machine::jump(Lane &lane) {
  const Instruction &op = *lane.at;
  if (isa<ReturnInst>(op)) {
    lane.at = nullptr;
    return {};
  }
  auto *jump = dyn_cast<BranchInst>(&op);
  if (jump && jump->isUnconditional())
    return branch(lane, jump->getSuccessor(0));
  auto *condition = dyn_cast<ConstantInt>(valueOf(lane, op.getOperand(0)));
  if (!condition)
    return "unwritten: a branch on a value without meaning";
  if (auto *choice = dyn_cast<SwitchInst>(&op))
    return branch(lane, choice->findCaseValue(condition)->getCaseSuccessor());
  return branch(lane, jump->getSuccessor(condition->isZero()));
}

/// Loads, stores and allocates; null where a load or allocation has failed.
Fault Machine::remember(Lane &lane, Constant *&result) {
  const Instruction &op = *lane.at;
  Fault fault;
  if (auto *load = dyn_cast<LoadInst>(&op)) {
    fault = access(lane, load->getPointerOperand(), load->getAlign(),
                   load->getType(), nullptr, result);
  } else if (auto *store = dyn_cast<StoreInst>(&op)) {
    Constant *none = nullptr;
    fault = access(lane, store->getPointerOperand(), store->getAlign(),
                   store->getValueOperand()->getType(),
                   valueOf(lane, op.getOperand(0)), none);
  } else {
    auto *memory = cast<AllocaInst>(&op);
    if (memory->getAddressSpace() != privateSpace)
      return "wrong space: " + print(op);
    uint64_t bytes = layout.getTypeAllocSize(memory->getAllocatedType()) *
                     number(lane, memory->getArraySize());
    result = integer(addressType(),
                     lane.scratch.place(bytes, memory->getAlign().value()));
  }
  return fault.empty() ? fault : fault + ": " + print(op);
}

/// What an instruction without effects computes; null if nobody knows.
Constant *Machine::compute(const Lane &lane, const Instruction &op) {
  auto value = [&](unsigned i) { return valueOf(lane, op.getOperand(i)); };
  auto *call = dyn_cast<IntrinsicInst>(&op);
  if (auto *gep = dyn_cast<GEPOperator>(&op))
    return addressOf(lane, *gep);
  if (call)
    if (Constant *known = callValue(lane, *call))
      return known;
  if (isa<FreezeInst>(op))
    return isa<UndefValue>(value(0)) ? Constant::getNullValue(op.getType())
                                     : value(0);
  if (isa<SelectInst>(op) && isa<ConstantInt>(value(0)))
    return value(cast<ConstantInt>(value(0))->isZero() ? 2 : 1);
  if (op.getType()->isPointerTy())
    return isa<CastInst>(op) ? value(0) : nullptr;
  SmallVector<Constant *> operands;
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    operands.push_back(isa<Function>(op.getOperand(i))
                           ? cast<Constant>(op.getOperand(i))
                           : value(i));
  if (call)
    if (Constant *known = laneValue(*call, operands))
      return known;
  if (auto *compare = dyn_cast<CmpInst>(&op))
    return ConstantFoldCompareInstOperands(compare->getPredicate(), operands[0],
                                           operands[1], layout);
  if (isa<PtrToIntInst>(op))
    return integer(op.getType(),
                   cast<ConstantInt>(operands[0])->getSExtValue());
  return ConstantFoldInstOperands(const_cast<Instruction *>(&op), operands,
                                  layout);
}

Fault Machine::step(Lane &lane) {
  const Instruction &op = *lane.at;
  if (isa<ReturnInst, BranchInst, SwitchInst>(op))
    return jump(lane);
  auto *call = dyn_cast<IntrinsicInst>(&op);
  bool isSilent =
      isa<FenceInst>(op) ||
      (call && (call->isAssumeLikeIntrinsic() ||
                call->getIntrinsicID() == Intrinsic::amdgcn_sched_barrier));
  Constant *result = nullptr;
  if (isa<LoadInst, StoreInst, AllocaInst>(op)) {
    if (Fault fault = remember(lane, result); !fault.empty())
      return fault;
  } else if (!isSilent) {
    result = compute(lane, op);
  }
  if (!result && !isSilent && !isa<StoreInst>(op))
    return "not modelled: " + print(op);
  if (result)
    lane.values[&op] = result;
  lane.at = op.getNextNode();
  return {};
}

bool Machine::isCollective(const Instruction &instruction) const {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  StringRef name = call->getCalledFunction()->getName();
  return name.starts_with("llvm.amdgcn.mfma.") ||
         name.starts_with("llvm.amdgcn.readlane") ||
         name.starts_with("llvm.amdgcn.readfirstlane") ||
         name.starts_with("llvm.amdgcn.update.dpp.") ||
         name == "llvm.amdgcn.ds.swizzle" ||
         name == "llvm.amdgcn.ds.bpermute" || name == "llvm.amdgcn.s.barrier";
}

Fault Machine::advance(Lane &lane) {
  while (lane.at && !isCollective(*lane.at))
    if (Fault fault = step(lane); !fault.empty())
      return fault;
  return {};
}

//===----------------------------------------------------------------------===//
// Instructions of all lanes of a subgroup
//===----------------------------------------------------------------------===//

/// ds.bpermute(address, data): who asks for byte 4 l gets what lane l holds.
/// readlane(data, lane), readfirstlane(data): all get what one lane holds.
/// update.dpp(old, data, control, rows, banks, bound), ds.swizzle(data,
/// offset).
Fault Machine::permute(const IntrinsicInst &op, MutableArrayRef<Lane> lanes) {
  StringRef name = op.getCalledFunction()->getName();
  bool isPermute = name.ends_with("bpermute"), isDpp = name.contains(".dpp.");
  auto argument = [&](Lane &lane, unsigned at) {
    return number(lane, op.getArgOperand(at));
  };
  auto sourceOf = [&](Lane &lane, uint64_t id) -> std::optional<uint64_t> {
    if (isPermute)
      return argument(lane, 0) / 4 % subgroupSize;
    if (isDpp && (argument(lane, 3) != 15 || argument(lane, 4) != 15))
      return std::nullopt;
    if (isDpp)
      return dppSource(argument(lane, 2), id);
    if (name.ends_with("swizzle"))
      return swizzleSource(argument(lane, 1), id);
    return op.arg_size() == 2 ? argument(lane, 1) % subgroupSize : 0;
  };
  SmallVector<Constant *> taken;
  for (auto [id, lane] : enumerate(lanes)) {
    std::optional<uint64_t> from = sourceOf(lane, id);
    if (!from || *from >= lanes.size())
      return "not modelled: " + print(op);
    taken.push_back(
        valueOf(lanes[*from], op.getArgOperand(isPermute || isDpp)));
  }
  for (auto [lane, value] : zip_equal(lanes, taken))
    lane.values[&op] = value;
  return {};
}

/// D = A * B + C. With one block of size x size: lane l holds row (A) or column
/// (B) l % size at the four values of k from 4 (l / size), and of C and D, in
/// column l % size, groups of four rows, the groups dealt out to l / size.
Fault Machine::multiply(const IntrinsicInst &mfma,
                        MutableArrayRef<Lane> lanes) {
  StringRef name = mfma.getCalledFunction()->getName();
  bool isLarge = name.contains(".32x32x8"), isBf16 = name.contains("bf16");
  if (!isLarge && !name.contains(".16x16x16"))
    return "not modelled: " + print(mfma);
  for (unsigned plain : {3, 4, 5})
    if (number(lanes[0], mfma.getArgOperand(plain)) != 0)
      return "not modelled: " + print(mfma);
  int size = isLarge ? 32 : 16, k = isLarge ? 8 : 16, groups = 64 / size;
  auto at = [&](int lane, unsigned operand, int element) -> double {
    Constant *number = valueOf(lanes[lane], mfma.getArgOperand(operand))
                           ->getAggregateElement(unsigned(element));
    if (!isBf16 || operand == 2)
      return toDouble(number);
    APFloat value(APFloat::BFloat(), cast<ConstantInt>(number)->getValue());
    return value.convertToFloat();
  };
  std::map<std::pair<int, int>, double> a, b; // by (row or column, k)
  for (int lane = 0; lane < subgroupSize; ++lane)
    for (int i = 0; i < 4; ++i) {
      a[{lane % size, 4 * (lane / size) + i}] = at(lane, 0, i);
      b[{lane % size, 4 * (lane / size) + i}] = at(lane, 1, i);
    }
  SmallVector<Constant *> results;
  for (int lane = 0; lane < subgroupSize; ++lane) {
    SmallVector<float> column;
    for (int i = 0; i < size * size / subgroupSize; ++i) {
      int row = 4 * groups * (i / 4) + 4 * (lane / size) + i % 4;
      float sum = float(at(lane, 2, i));
      for (int at = 0; at < k; ++at)
        sum = float(sum + a[{row, at}] * b[{lane % size, at}]);
      column.push_back(sum);
    }
    results.push_back(ConstantDataVector::get(kernel.getContext(), column));
  }
  for (auto [lane, value] : zip_equal(lanes, results))
    lane.values[&mfma] = value;
  return {};
}

/// All lanes stand at a collective instruction.
Fault Machine::collect(MutableArrayRef<Lane> lanes) {
  auto isBarrier = [](const Instruction &op) {
    return cast<IntrinsicInst>(op).getCalledFunction()->getName() ==
           "llvm.amdgcn.s.barrier";
  };
  bool allAtBarrier = true;
  for (size_t first = 0; first < lanes.size(); first += subgroupSize) {
    MutableArrayRef<Lane> subgroup = lanes.slice(
        first, std::min<size_t>(subgroupSize, lanes.size() - first));
    const Instruction *at = subgroup.front().at;
    for (Lane &lane : subgroup)
      if (lane.at != at || !at)
        return "divergent: lanes of a subgroup wait at different places";
    if (isBarrier(*at))
      continue;
    allAtBarrier = false;
    auto &op = cast<IntrinsicInst>(*at);
    StringRef name = op.getCalledFunction()->getName();
    Fault fault = name.starts_with("llvm.amdgcn.mfma.") ? multiply(op, subgroup)
                                                        : permute(op, subgroup);
    if (!fault.empty())
      return fault;
    for (Lane &lane : subgroup)
      lane.at = at->getNextNode();
  }
  if (!allAtBarrier)
    return {}; // those at a barrier wait
  for (Lane &lane : lanes)
    if (lane.at != lanes.front().at)
      return "divergent: subgroups wait at different barriers";
  for (Lane &lane : lanes)
    lane.at = lane.at->getNextNode();
  return {};
}

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

Fault Machine::passArguments() {
  if (kernel.arg_size() != launch.arguments.size())
    return "the kernel takes " + std::to_string(kernel.arg_size()) +
           " arguments, found " + std::to_string(launch.arguments.size());
  for (auto [parameter, argument] : zip(kernel.args(), launch.arguments)) {
    Type *type = parameter.getType();
    if (argument.isBuffer != type->isPointerTy())
      return "argument " + std::to_string(parameter.getArgNo()) +
             " is of another kind";
    if (!argument.isBuffer) {
      if (layout.getTypeStoreSize(type) != argument.bytes.size())
        return "argument " + std::to_string(parameter.getArgNo()) +
               " is of another size";
      shared[&parameter] = fromBytes(argument.bytes.data(), type, layout);
      continue;
    }
    uint64_t address = buffers.add(argument.bytes);
    if (address % parameter.getParamAlign().valueOrOne().value())
      return "misaligned: argument " + std::to_string(parameter.getArgNo()) +
             " claims more than the ABI promises";
    shared[&parameter] = integer(addressType(), address);
  }
  return {};
}

void Machine::placeGlobals() {
  for (const GlobalVariable &global : module.globals()) {
    uint64_t alignment = global.getAlign().valueOrOne().value();
    if (global.getAddressSpace() == workgroupSpace) {
      shared[&global] = integer(
          addressType(),
          workgroup.place(layout.getTypeAllocSize(global.getValueType()),
                          alignment));
      continue;
    }
    tables.push_back(&global);
    shared[&global] = integer(
        addressType(), (uint64_t(tables.size()) << tableBits) + alignment);
  }
}

Fault Machine::runWorkgroup() {
  for (Byte &byte : workgroup.bytes)
    byte.written = false;
  std::vector<Lane> lanes;
  for (int64_t z = 0; z < size[2]; ++z)
    for (int64_t y = 0; y < size[1]; ++y)
      for (int64_t x = 0; x < size[0]; ++x) {
        lanes.emplace_back().id = {x, y, z};
        lanes.back().at = &kernel.getEntryBlock().front();
      }
  while (true) {
    for (Lane &lane : lanes)
      if (Fault fault = advance(lane); !fault.empty())
        return fault;
    if (all_of(lanes, [](const Lane &lane) { return !lane.at; }))
      return {};
    if (Fault fault = collect(lanes); !fault.empty())
      return fault;
  }
}

Fault Machine::run() {
  if (const MDNode *node = kernel.getMetadata("reqd_work_group_size"))
    for (auto [d, extent] : enumerate(size))
      extent =
          mdconst::extract<ConstantInt>(node->getOperand(d))->getZExtValue();
  placeGlobals();
  if (Fault fault = passArguments(); !fault.empty())
    return fault;
  for (group[2] = 0; group[2] < launch.grid[2]; ++group[2])
    for (group[1] = 0; group[1] < launch.grid[1]; ++group[1])
      for (group[0] = 0; group[0] < launch.grid[0]; ++group[0])
        if (Fault fault = runWorkgroup(); !fault.empty())
          return fault;
  return {};
}

} // namespace

Fault run(StringRef text, const Launch &launch) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  if (!module)
    return "not parsed: " + diagnostic.getMessage().str();
  for (const Function &function : *module)
    if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL)
      return Machine(*module, function, launch).run();
  return "no kernel in the module";
}

} // namespace distaff::gcn
