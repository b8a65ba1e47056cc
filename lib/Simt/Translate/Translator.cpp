//===- Translator.cpp - Translation of MLIR to a Program ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Translator.h"
#include "../Machine/Workgroup.h"
#include "../Ops/LlvmTypes.h"
#include "OpRegistry.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace distaff;
using namespace distaff::simt;

Translator::Translator(const Domain &domain, const TranslationOptions &options)
    : translationOptions(options) {
  program.domain = &domain;
  program.lanes = options.lanes;
  startBlock(newBlock());
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

uint32_t Translator::allocateBytes(int64_t bytes) {
  constexpr int64_t alignment = 64; // for vectorized loops
  size_t start = program.image.size();
  size_t words = llvm::alignTo(bytes, alignment) / sizeof(uint64_t);
  if ((start + words) * sizeof(uint64_t) > maxImageBytes) {
    isTooLarge = true; // `translate` refuses the op
    return 0;
  }
  // Registers start with a pattern that is no useful number.
  program.image.resize(start + words, 0xFFFAFFFAFFFAFFFA);
  return uint32_t(start * sizeof(uint64_t));
}

/// Returns whether a type is held as a number: synchronization objects, phases,
/// groups and addresses.
static bool isHandle(Type type) {
  return isa<nvgpu::MBarrierGroupType, nvgpu::MBarrierTokenType,
             nvgpu::DeviceAsyncTokenType, LLVM::LLVMPointerType,
             pcf::CopyTokenType>(getElementTypeOrSelf(type));
}

/// The limit of registers of a struct; a larger one is in memory.
static constexpr size_t mostParts = 1024;

bool Translator::appendParts(Type type, SmallVectorImpl<Reg> &parts) {
  if (parts.size() > mostParts)
    return false;
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return !structure.isOpaque() &&
           llvm::all_of(structure.getBody(),
                        [&](Type field) { return appendParts(field, parts); });
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    for (unsigned i = 0; i < array.getNumElements(); ++i)
      if (!appendParts(array.getElementType(), parts))
        return false;
    return true;
  }
  parts.push_back(allocate(type));
  return parts.back().storage == Reg::Storage::Cells;
}

Reg Translator::allocateAggregate(Type type) {
  SmallVector<Reg> parts;
  return appendParts(type, parts) ? aggregate(parts) : Reg();
}

Reg Translator::aggregate(ArrayRef<Reg> parts) {
  Reg reg;
  reg.storage = Reg::Storage::Aggregate;
  reg.location = uint32_t(aggregates.size());
  aggregates.emplace_back(parts);
  return reg;
}

SmallVector<Reg> Translator::parts(Reg reg) const {
  return reg.isAggregate() ? aggregates[reg.location] : SmallVector<Reg>{reg};
}

Reg Translator::allocate(Type type) {
  Reg reg;
  if (isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type))
    return allocateAggregate(type);
  if (isWideInteger(type)) {
    auto vector = dyn_cast<VectorType>(type);
    int64_t elements = vector ? vector.getNumElements() : 1;
    return isa<ShapedType>(type) && (!vector || vector.isScalable())
               ? reg
               : aggregate({scratch(Kind::index(), elements),
                            scratch(Kind::index(), elements)});
  }
  if (pcf::isHandle(type))
    return allocateHandle(type);
  std::optional<Kind> kind = isHandle(type) ? Kind::index() : Kind::of(type);
  if (!kind || isa<VectorType>(getElementTypeOrSelf(type)))
    return reg;
  reg.kind = *kind;
  reg.cellBytes = domain().cellBytes(*kind);
  if (isa<RankedTensorType>(type)) {
    if (lanes() != 1)
      return reg;
    reg.storage = Reg::Storage::Tensor;
    reg.location = program.numTensors++;
    return reg;
  }
  reg.elements = 1;
  if (isa<MemRefType, pcf::SRefType>(type)) {
    reg.storage = Reg::Storage::MemRef;
    reg.cellBytes = sizeof(int64_t);
    reg.elements = 2 + 2 * cast<ShapedType>(type).getRank();
  } else {
    if (auto vector = dyn_cast<VectorType>(type)) {
      if (vector.isScalable())
        return reg;
      reg.elements = vector.getNumElements();
    } else if (auto tile = dyn_cast<amx::TileType>(type)) {
      reg.elements = tile.getNumElements();
    } else if (isa<ShapedType>(type)) {
      return reg;
    }
    reg.storage = Reg::Storage::Cells;
  }
  reg.location = allocateBytes(reg.elements * lanes() * reg.cellBytes);
  return reg;
}

Reg Translator::reg(Value value) {
  auto [it, isNew] = registers.try_emplace(value);
  if (!isNew)
    return it->second;
  Type type = value.getType();
  // A wide integer is two registers.
  if (auto elements = translationOptions.laneCode.elementsOf(value))
    type = VectorType::get(*elements, getElementTypeOrSelf(type));
  return it->second = allocate(type);
}

Reg Translator::scratch(Kind kind, int64_t elements) {
  Reg reg;
  reg.storage = Reg::Storage::Cells;
  reg.kind = kind;
  reg.cellBytes = domain().cellBytes(kind);
  reg.elements = elements;
  reg.location = allocateBytes(elements * lanes() * reg.cellBytes);
  return reg;
}

Reg Translator::scratchLike(Reg reg) {
  if (reg.isAggregate())
    return aggregate(llvm::map_to_vector(
        parts(reg), [&](Reg part) { return scratchLike(part); }));
  if (reg.isHandle()) {
    Handle copy = handle(reg);
    copy.isOwn = scratchLike(copy.isOwn);
    for (SmallVector<Reg> *parts : {&copy.low, &copy.size, &copy.payload})
      for (Reg &part : *parts)
        part = scratchLike(part);
    reg.location = uint32_t(handles.size());
    handles.push_back(std::move(copy));
  } else if (reg.isMembers())
    reg.location = program.numMembers++;
  else if (reg.isTensor())
    reg.location = program.numTensors++;
  else
    reg.location = allocateBytes(reg.elements * lanes() * reg.cellBytes);
  return reg;
}

void Translator::setConstant(Reg reg, int64_t element, uint64_t bits) {
  if (isTooLarge)
    return;
  uint8_t *cells = reinterpret_cast<uint8_t *>(program.image.data()) +
                   reg.location + element * lanes() * reg.cellBytes;
  for (int64_t lane = 0; lane < lanes(); ++lane)
    domain().constant(reg.kind, bits, cells + lane * reg.cellBytes);
}

Reg Translator::constant(Kind kind, uint64_t bits) {
  uint32_t kindKey =
      kind.isFloat << 16 | uint32_t(kind.format) << 8 | kind.width;
  auto [it, isNew] = constants.try_emplace({bits, kindKey});
  if (isNew) {
    it->second = scratch(kind);
    setConstant(it->second, 0, bits);
  }
  return it->second;
}

Reg Translator::indexRegister(OpFoldResult index) {
  if (auto value = dyn_cast<Value>(index))
    return reg(value);
  return indexConstant(cast<IntegerAttr>(cast<Attribute>(index)).getInt());
}

std::optional<int64_t> Translator::constantInteger(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

bool Translator::isLastUse(OpOperand &operand) {
  // The next iteration reads a value from outside its loop again.
  Value value = operand.get();
  return value.hasOneUse() &&
         value.getParentBlock() == operand.getOwner()->getBlock();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Translator::emit(Operation *op, std::function<void(Agent &)> execute) {
  append(Instruction::Flow::Compute, op, std::move(execute));
}

void Translator::emitSync(Operation *op, std::function<void(Agent &)> execute) {
  append(Instruction::Flow::Sync, op, std::move(execute));
}

void Translator::append(Instruction::Flow flow, Operation *op,
                        std::function<void(Agent &)> execute) {
  assert(!blocks[current].closed && "an instruction after the block's end");
  Instruction instruction;
  instruction.flow = flow;
  instruction.op = asideOwner ? asideOwner : op;
  instruction.execute = std::move(execute);
  blocks[current].body.push_back(std::move(instruction));
}

void Translator::addInner(std::shared_ptr<InnerProgram> inner) {
  // Starting a worker orders only a part of the threads.
  orderPartly();
  for (auto [global, descriptor] : inner->program.globals) {
    Reg own = scratchLike(descriptor);
    useGlobal(global, own);
    inner->captured.push_back({own, descriptor});
  }
  program.inner.push_back(std::move(inner));
}

void Translator::copy(Operation *op, Reg from, Reg to) {
  if (from.isAggregate())
    return copyAll(op, from, to);
  if (from.isHandle()) {
    for (auto [source, destination] :
         llvm::zip_equal(handle(from).all(), handle(to).all()))
      copy(op, source, destination);
    return;
  }
  emit(op, [=](Agent &agent) { agent.copy(from, to); });
}

static bool sameRegister(Reg a, Reg b) {
  return a.storage == b.storage && a.location == b.location;
}

bool Translator::overlap(Reg a, Reg b) const {
  auto isInFile = [](Reg reg) {
    return reg.storage == Reg::Storage::Cells || reg.isMemRef();
  };
  if (!isInFile(a) || !isInFile(b))
    return sameRegister(a, b);
  auto endOf = [&](Reg reg) {
    return reg.location + reg.elements * lanes() * reg.cellBytes;
  };
  return a.location < endOf(b) && b.location < endOf(a);
}

void Translator::copyAll(Operation *op, ArrayRef<Reg> from, ArrayRef<Reg> to) {
  SmallVector<Reg> sources, destinations;
  for (auto [whole, wholeTo] : llvm::zip_equal(from, to))
    for (auto [source, destination] :
         llvm::zip_equal(parts(whole), parts(wholeTo)))
      if (!sameRegister(source, destination)) {
        sources.push_back(source);
        destinations.push_back(destination);
      }
  // A source that an earlier copy overwrites, also in part, is saved first.
  for (size_t i = 1; i < sources.size(); ++i) {
    bool overwritten = llvm::any_of(
        ArrayRef(destinations).take_front(i),
        [&](Reg destination) { return overlap(destination, sources[i]); });
    if (!overwritten)
      continue;
    Reg saved = scratchLike(sources[i]);
    copy(op, sources[i], saved);
    sources[i] = saved;
  }
  for (auto [source, destination] : llvm::zip_equal(sources, destinations))
    copy(op, source, destination);
}

void Translator::forward(MutableArrayRef<OpOperand> from, ArrayRef<Reg> to) {
  SmallVector<Reg> sources;
  for (OpOperand &operand : from)
    sources.push_back(reg(operand.get()));
  if (from.empty())
    return;
  Operation *op = from.front().getOwner();
  copyAll(op, sources, to);
  for (auto [operand, source, destination] : llvm::zip_equal(from, sources, to))
    if (source.isTensor() && isLastUse(operand) &&
        !sameRegister(source, destination))
      emit(op,
           [source = source](Agent &agent) { agent.tensor(source).reset(); });
}

LogicalResult Translator::notModelled(Operation *op, const Twine &why) {
  return fail(Fault{FaultKind::NotModelled, why.str(), op, {}, {}});
}

LogicalResult Translator::fail(std::optional<Fault> fault) {
  if (!firstFault)
    firstFault = std::move(fault);
  return failure();
}

/// Gives a result tensor the operand's shape.
static void shapeLike(Agent &agent, Reg operand, Reg result) {
  if (result.isTensor())
    agent.tensor(result) =
        Tensor::allocate(agent.tensor(operand).shape, result.cellBytes);
}

static uint8_t *resultCells(Agent &agent, Reg result) {
  return result.isTensor() ? agent.tensor(result).mutableCells()
                           : agent.cells(result);
}

static const char *unknown = "this function of these types";

LogicalResult Translator::elementwise(Operation *op, Unary function) {
  if (!function)
    return notModelled(op, unknown);
  Reg a = reg(op->getOperand(0)), r = reg(op->getResult(0));
  emit(op, [=](Agent &agent) {
    shapeLike(agent, a, r);
    function(agent.numCells(r), agent.cells(a), resultCells(agent, r));
  });
  return success();
}

LogicalResult Translator::elementwise(Operation *op, Binary function) {
  if (!function)
    return notModelled(op, unknown);
  Reg a = reg(op->getOperand(0)), b = reg(op->getOperand(1));
  Reg r = reg(op->getResult(0));
  emit(op, [=](Agent &agent) {
    shapeLike(agent, a, r);
    function(agent.numCells(r), agent.cells(a), agent.cells(b),
             resultCells(agent, r));
  });
  return success();
}

LogicalResult Translator::elementwise(Operation *op, Ternary function) {
  if (!function)
    return notModelled(op, unknown);
  Reg a = reg(op->getOperand(0)), b = reg(op->getOperand(1));
  Reg c = reg(op->getOperand(2)), r = reg(op->getResult(0));
  emit(op, [=](Agent &agent) {
    shapeLike(agent, b, r);
    function(agent.numCells(r), agent.cells(a), agent.cells(b), agent.cells(c),
             resultCells(agent, r));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Translator::BlockId Translator::newBlock() {
  blocks.emplace_back();
  return BlockId(blocks.size() - 1);
}

void Translator::close(Instruction terminator) {
  assert(!blocks[current].closed && "a block has one terminator");
  blocks[current].body.push_back(std::move(terminator));
  blocks[current].closed = true;
}

void Translator::jump(Operation *op, BlockId target) {
  Instruction instruction;
  instruction.flow = Instruction::Flow::Jump;
  instruction.op = op;
  instruction.targets = {target};
  close(std::move(instruction));
}

void Translator::branch(Operation *op, Reg condition, BlockId ifTrue,
                        BlockId ifFalse) {
  // i1 true is -1, sign-extended.
  switchOn(op, condition, {-1}, {ifTrue, ifFalse});
}

void Translator::switchOn(Operation *op, Reg selector, ArrayRef<int64_t> cases,
                          ArrayRef<BlockId> targets) {
  assert(targets.size() == cases.size() + 1 &&
         "the last target is the default");
  Instruction instruction;
  instruction.flow = Instruction::Flow::Branch;
  instruction.op = op;
  instruction.selector = selector;
  instruction.cases.assign(cases.begin(), cases.end());
  instruction.targets.assign(targets.begin(), targets.end());
  close(std::move(instruction));
}

void Translator::returnFrom(Operation *op) {
  Instruction instruction;
  instruction.flow = Instruction::Flow::Return;
  instruction.op = op;
  close(std::move(instruction));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult Translator::translate(Operation *op) {
  return readBehindLoop.contains(op) ? translateKept(op) : translateOne(op);
}

LogicalResult Translator::translateKept(Operation *op) {
  SmallVector<Reg> kept;
  for (Value result : op->getResults()) {
    kept.push_back(reg(result));
    if (kept.back().storage == Reg::Storage::None)
      return notModelled(op, "a value of this type");
    registers.erase(result);
  }
  if (failed(translateOne(op)))
    return failure();
  for (auto [result, keeper] : llvm::zip_equal(op->getResults(), kept)) {
    copy(op, reg(result), keeper);
    bind(result, keeper);
  }
  return success();
}

LogicalResult Translator::translateOne(Operation *op) {
  const OpRegistry::Translate *translate =
      OpRegistry::get().lookup(op->getName().getStringRef());
  if (!translate)
    return notModelled(op, OpRegistry::whyUnknown(op));
  auto holdsNumbers = [&](Value value) {
    return reg(value).storage != Reg::Storage::None;
  };
  // Ops of llvm often give a register another name.
  bool namesResults = isa<LLVM::LLVMDialect>(op->getDialect());
  if (!llvm::all_of(op->getOperands(), holdsNumbers) ||
      (!namesResults && !llvm::all_of(op->getResults(), holdsNumbers)))
    return notModelled(op, "a value of this type");
  checkWritten(op);
  if (failed((*translate)(op, *this)))
    return failure();
  if (!llvm::all_of(op->getResults(), holdsNumbers))
    return notModelled(op, "a value of this type");
  passMarks(op);
  if (isTooLarge)
    return notModelled(op, "the values up to here take more than 768 MiB");
  return success();
}

LogicalResult Translator::translateBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(translate(&op)))
      return failure();
  return success();
}

LogicalResult Translator::translateAside(std::unique_ptr<Block> ops,
                                         Operation *owner) {
  asideOwner = owner;
  LogicalResult result = success();
  for (Operation &op : *ops)
    if (succeeded(result))
      result = translate(&op);
  asideOwner = nullptr;
  aside.push_back(std::move(ops));
  return result;
}

Translator::BlockId Translator::blockOf(Block *block) {
  auto [it, isNew] = blockNumbers.try_emplace(block);
  if (isNew)
    it->second = newBlock();
  return it->second;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Returns ops in loops of a region's blocks whose results are read outside of
/// the loop. An op computes for all lanes of an agent, and some may have left
/// the loop.
static llvm::DenseSet<Operation *> findReadBehindLoop(Region &body) {
  llvm::DenseSet<Operation *> found;
  if (body.hasOneBlock())
    return found;
  DominanceInfo dominance(body.getParentOp());
  CFGLoopInfo loops(dominance.getDomTree(&body));
  for (Block &block : body) {
    CFGLoop *loop = loops.getLoopFor(&block);
    if (!loop)
      continue;
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::ConstantLike>() &&
          llvm::any_of(op.getUsers(), [&](Operation *user) {
            Block *reader = body.findAncestorBlockInRegion(*user->getBlock());
            return reader && !loop->contains(reader);
          }))
        found.insert(&op);
  }
  return found;
}

LogicalResult Translator::translateFunction(FunctionOpInterface function) {
  if (function.isExternal())
    return notModelled(function, "a function without a body");
  for (BlockArgument argument : function.getArguments()) {
    program.arguments.push_back(reg(argument));
    if (program.arguments.back().storage == Reg::Storage::None)
      return notModelled(function,
                         "an argument of type " + textOf(argument.getType()));
  }
  for (Type type : function.getResultTypes())
    program.results.push_back(allocate(type));
  Region &body = function.getFunctionBody();
  translationOptions.hasSlices =
      body.walk([](pcf::ReadSliceOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  FailureOr<LaneCode> laneCode =
      LaneCode::get(function, [&](Operation *op, const Twine &why) {
        return notModelled(op, why);
      });
  if (failed(laneCode))
    return failure();
  translationOptions.laneCode = std::move(*laneCode);
  readBehindLoop = findReadBehindLoop(body);
  return translateBlocks(function, body,
                         [&](Operation *end) { return translate(end); });
}

LogicalResult Translator::translateBlocks(
    Operation *op, Region &body,
    function_ref<LogicalResult(Operation *)> translateEnd) {
  jump(op, blockOf(&body.front()));
  // Blocks are in any order; a value may get the register of another one, which
  // must exist at its use.
  for (Block *block : llvm::ReversePostOrderTraversal<Region *>(&body)) {
    startBlock(blockOf(block));
    if (failed(translateBody(*block)) ||
        failed(translateEnd(block->getTerminator())))
      return failure();
  }
  return success();
}
