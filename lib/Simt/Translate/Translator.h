//===- Translator.h - Translation of MLIR to a Program ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The translator of an op (OpRegistry.h) gets from here registers for values, a
// place for instructions, basic blocks, and copies between registers.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_TRANSLATE_TRANSLATOR_H
#define DISTAFF_LIB_SIMT_TRANSLATE_TRANSLATOR_H

#include "../Machine/Program.h"
#include "LaneCode.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace distaff::simt {

/// The parameters of the translation of a kernel besides the IR.
struct TranslationOptions {
  int64_t lanes = 1;
  /// Whether a workgroup-mapped forall runs only the iteration that its
  /// workgroup's ids select; otherwise it runs every iteration, one after
  /// another.
  bool forallIsGrid = false;
  /// Whether tensors are read from memory, which may be unwritten
  /// (pcf.read_slice).
  bool hasSlices = false;
  /// The values of the kernel that lanes hold parts of.
  LaneCode laneCode;
  /// The launch's options: sizes and the target's name.
  Options launch;
};

class Translator {
public:
  using BlockId = uint32_t;

  Translator(const Domain &domain, const TranslationOptions &options);

  const Domain &domain() const { return *program.domain; }
  int64_t lanes() const { return program.lanes; }
  const TranslationOptions &options() const { return translationOptions; }

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// Returns the register of a value, made on first request. An unsupported
  /// type gives storage None and makes the translation fail.
  Reg reg(Value value);
  SmallVector<Reg> regs(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return reg(v); });
  }
  /// Makes `value` another name of a register.
  void bind(Value value, Reg reg) { registers[value] = reg; }
  /// Returns a new register that belongs to no value.
  Reg scratch(Kind kind, int64_t elements = 1);
  /// Returns a new register of the same form; a tensor's is a new tensor.
  Reg scratchLike(Reg reg);
  /// The registers of a handle: which workers the group has, then its payload.
  struct Handle {
    /// Ranges of the workers' ids, per dimension of the grid, fastest first.
    SmallVector<Reg> low, size;
    Reg isOwn; // whether the executing agent belongs to the group
    SmallVector<Reg> payload;

    /// Returns the registers that identify the group, and these with the
    /// payload.
    SmallVector<Reg> group() const;
    SmallVector<Reg> all() const;
  };
  const Handle &handle(Reg reg) const { return handles[reg.location]; }
  /// Returns a new handle that belongs to no value.
  Reg newHandle(Type type) { return allocateHandle(type); }
  /// Sets the handle of the group whose agent runs this program.
  void setOwnGroup(Reg reg) { ownGroup = reg; }
  const Handle &getOwnGroup() const { return handle(ownGroup); }

  /// Returns the registers of a struct or an array (llvm) in order; for another
  /// value, its register.
  SmallVector<Reg> parts(Reg reg) const;
  /// Returns a struct of these registers.
  Reg aggregate(ArrayRef<Reg> parts);

  /// Returns a register that holds a constant in all lanes and elements.
  Reg constant(Kind kind, uint64_t bits);
  Reg indexConstant(int64_t value) { return constant(Kind::index(), value); }
  /// Returns the register of an index that is a value or an attribute.
  Reg indexRegister(OpFoldResult index);
  /// Writes one element of a constant, all lanes, into the image.
  void setConstant(Reg reg, int64_t element, uint64_t bits);

  /// Makes a register the descriptor of an array of the module (memref.global).
  /// The launch fills it in; it is a constant.
  void useGlobal(Operation *global, Reg descriptor) {
    program.globals.push_back({global, descriptor});
  }

  /// Returns the value of an integer register that holds a constant.
  static std::optional<int64_t> constantInteger(Value value);

  /// Returns whether the owner of this operand is the last op to read its
  /// value, so that it may change a tensor in place.
  static bool isLastUse(OpOperand &operand);

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  void emit(Operation *op, std::function<void(Agent &)> execute);
  /// Does the same for an op that changes a synchronization object. It may
  /// block the agent, which then continues after the op.
  void emitSync(Operation *op, std::function<void(Agent &)> execute);
  /// Translates ops of a detached block, which run at `owner`. They stay alive
  /// as long as their values have registers.
  LogicalResult translateAside(std::unique_ptr<Block> ops, Operation *owner);
  /// Adds the code of workers that this program starts.
  void addInner(std::shared_ptr<InnerProgram> inner);
  /// Records that an op orders some threads of a workgroup and not others.
  void orderPartly() { program.ordersPartly = true; }

  /// Copies active lanes; a tensor copies its reference.
  void copy(Operation *op, Reg from, Reg to);
  /// Copies in parallel: all registers are read before any is written.
  void copyAll(Operation *op, ArrayRef<Reg> from, ArrayRef<Reg> to);
  /// Does the same for operands of a terminator or a loop; a tensor without
  /// later reads is moved, so that it may be changed in place.
  void forward(MutableArrayRef<OpOperand> from, ArrayRef<Reg> to);

  /// Emits result = function(operands), cell by cell, over scalars, vectors or
  /// tensors; a null function is reported as not modelled.
  LogicalResult elementwise(Operation *op, Unary function);
  LogicalResult elementwise(Operation *op, Binary function);
  LogicalResult elementwise(Operation *op, Ternary function);

  /// Fails with the fault `'op' not modelled: why`.
  LogicalResult notModelled(Operation *op, const Twine &why);
  /// Returns why the translation failed, or that of an inner program; the first
  /// failure counts.
  const std::optional<Fault> &fault() const { return firstFault; }
  LogicalResult fail(std::optional<Fault> fault);

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  BlockId newBlock();
  /// Starts to append instructions at the end of this block.
  void startBlock(BlockId block) { current = block; }
  BlockId currentBlock() const { return current; }
  void jump(Operation *op, BlockId target);
  /// Branches on the lowest bit of an i1.
  void branch(Operation *op, Reg condition, BlockId ifTrue, BlockId ifFalse);
  /// Jumps to targets[i] if selector == cases[i], else to the last target.
  void switchOn(Operation *op, Reg selector, ArrayRef<int64_t> cases,
                ArrayRef<BlockId> targets);
  void returnFrom(Operation *op);

  /// Translates the ops of a block except its terminator.
  LogicalResult translateBody(Block &block);
  LogicalResult translate(Operation *op);

  /// Translates a function; its arguments and results are in the program.
  LogicalResult translateFunction(FunctionOpInterface function);
  /// Translates the blocks of a region that are connected by branches, and
  /// jumps to its entry. Unreachable blocks are left out.
  LogicalResult
  translateBlocks(Operation *op, Region &body,
                  llvm::function_ref<LogicalResult(Operation *)> translateEnd);
  /// Returns the target of jumps to a block of the region.
  BlockId blockOf(Block *block);
  /// Returns the registers that func.return fills.
  ArrayRef<Reg> resultRegisters() const { return program.results; }

  /// Orders the blocks, computes the points of reconvergence, and returns the
  /// program.
  Program finish();

  /// Emits the check, before an op that computes, that its operands were read
  /// from written memory. An op that only moves them propagates the marks
  /// (WrittenChecks.cpp).
  void checkWritten(Operation *op);
  /// Copies the marks of an op's operands to its results, which are elements of
  /// the operands in new registers.
  void passMarks(Operation *op, ArrayRef<Reg> to);

private:
  struct BasicBlock {
    std::vector<Instruction> body;
    bool closed = false; // ends in Jump, Branch or Return
  };

  /// Translates an op whose results are read after a loop around it: lanes that
  /// have left the loop keep their values.
  LogicalResult translateKept(Operation *op);
  LogicalResult translateOne(Operation *op);
  /// Returns whether two registers share cells, like an element and its vector.
  bool overlap(Reg a, Reg b) const;

  /// Copies marks after an op that moves elements of tensors.
  void passMarks(Operation *op);
  Reg allocate(Type type);
  Reg allocateHandle(Type type);
  Reg allocateAggregate(Type type);
  bool appendParts(Type type, SmallVectorImpl<Reg> &parts);
  uint32_t allocateBytes(int64_t bytes);

  /// Size limit of the register file, whose places are 32-bit numbers.
  static constexpr size_t maxImageBytes = size_t(768) << 20;
  bool isTooLarge = false;
  std::optional<Fault> firstFault;

  void append(Instruction::Flow flow, Operation *op,
              std::function<void(Agent &)> execute);
  void close(Instruction terminator);

  Program program;
  TranslationOptions translationOptions;
  std::vector<BasicBlock> blocks;
  BlockId current = 0;
  std::vector<std::unique_ptr<Block>> aside;
  Operation *asideOwner = nullptr;
  llvm::DenseMap<Value, Reg> registers;
  std::deque<Handle> handles;
  Reg ownGroup;
  std::deque<SmallVector<Reg>> aggregates;
  llvm::DenseMap<Block *, BlockId> blockNumbers;
  llvm::DenseSet<Operation *> readBehindLoop;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, Reg> constants;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_TRANSLATE_TRANSLATOR_H
