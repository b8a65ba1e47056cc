//===- Translator.h - From MLIR to the machine's program --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a translator of an op (OpRegistry.h) works with: registers for values, a
// place to put instructions, basic blocks, and copies between registers.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_TRANSLATE_TRANSLATOR_H
#define DISTAFF_LIB_SIMT_TRANSLATE_TRANSLATOR_H

#include "../Machine/Program.h"
#include "LaneCode.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace distaff::simt {

/// What the translation of a kernel depends on besides the IR.
struct TranslationOptions {
  int64_t lanes = 1;
  /// A workgroup-mapped forall runs the one iteration that its workgroup's ids
  /// select; otherwise every iteration in turn.
  bool forallIsGrid = false;
  /// Tensors are read from memory, which may have no values (pcf.read_slice).
  bool hasSlices = false;
  /// Values that lanes have parts of, of the kernel.
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

  /// The register of a value, made on first request. A type that the machine
  /// does not hold gives storage None and makes the translation fail.
  Reg reg(Value value);
  SmallVector<Reg> regs(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return reg(v); });
  }
  /// Makes `value` another name of a register.
  void bind(Value value, Reg reg) { registers[value] = reg; }
  /// A register of no value.
  Reg scratch(Kind kind, int64_t elements = 1);
  /// A register like another; a tensor's is a new tensor.
  Reg scratchLike(Reg reg);
  /// The registers of a handle: which workers the group has, then its payload.
  struct Handle {
    /// Of the workers' ids, per dimension of the grid, fastest first.
    SmallVector<Reg> low, size;
    Reg isOwn; // whether the group is that of whoever runs this, or above
    SmallVector<Reg> payload;

    /// The registers that say which group it is, and these with the payload.
    SmallVector<Reg> group() const;
    SmallVector<Reg> all() const;
  };
  const Handle &handle(Reg reg) const { return handles[reg.location]; }
  /// A handle of no value.
  Reg newHandle(Type type) { return allocateHandle(type); }
  /// The handle of the group whose agent runs this program.
  void setOwnGroup(Reg reg) { ownGroup = reg; }
  const Handle &getOwnGroup() const { return handle(ownGroup); }

  /// The registers of a struct or an array (llvm) in order, of another value
  /// its own.
  SmallVector<Reg> parts(Reg reg) const;
  /// A struct of these.
  Reg aggregate(ArrayRef<Reg> parts);

  /// A register that holds a constant in all lanes and elements.
  Reg constant(Kind kind, uint64_t bits);
  Reg indexConstant(int64_t value) { return constant(Kind::index(), value); }
  /// The register of an index that is a value or an attribute.
  Reg indexRegister(OpFoldResult index);
  /// Writes one element of a constant, all lanes, into the image.
  void setConstant(Reg reg, int64_t element, uint64_t bits);

  /// The descriptor of an array of the module (memref.global), which the launch
  /// fills in; it is a constant.
  void useGlobal(Operation *global, Reg descriptor) {
    program.globals.push_back({global, descriptor});
  }

  /// The value of an integer register that holds a constant.
  static std::optional<int64_t> constantInteger(Value value);

  /// Whether the op that holds this operand is the last to read its value, so
  /// that a tensor may be changed in place.
  static bool isLastUse(OpOperand &operand);

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  void emit(Operation *op, std::function<void(Agent &)> execute);
  /// The same for an op that changes a synchronisation object. It may block the
  /// agent, which goes on behind the op.
  void emitSync(Operation *op, std::function<void(Agent &)> execute);
  /// Ops that are in no function, and run where `owner` does. They stay as long
  /// as their values have registers.
  LogicalResult translateAside(std::unique_ptr<Block> ops, Operation *owner);
  /// Code that workers run whom this program starts.
  void addInner(std::shared_ptr<InnerProgram> inner);
  /// An op orders some threads of a workgroup and not others.
  void orderPartly() { program.ordersPartly = true; }

  /// Copies active lanes; a tensor copies its reference.
  void copy(Operation *op, Reg from, Reg to);
  /// Copies as if all at once.
  void copyAll(Operation *op, ArrayRef<Reg> from, ArrayRef<Reg> to);
  /// The same for operands of a terminator or a loop; a tensor that nobody
  /// reads afterwards is moved, so that it may be changed in place.
  void forward(MutableArrayRef<OpOperand> from, ArrayRef<Reg> to);

  /// Result = function(operands), cell by cell, over scalars, vectors or
  /// tensors; a null function is reported as not modelled.
  LogicalResult elementwise(Operation *op, Unary function);
  LogicalResult elementwise(Operation *op, Binary function);
  LogicalResult elementwise(Operation *op, Ternary function);

  /// Gives up: the fault is `'op' not modelled: why`.
  LogicalResult notModelled(Operation *op, const Twine &why);
  /// Why the translation failed, or that of an inner one; the first one counts.
  const std::optional<Fault> &fault() const { return firstFault; }
  LogicalResult fail(std::optional<Fault> fault);

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  BlockId newBlock();
  /// Instructions go to the end of this block from now on.
  void startBlock(BlockId block) { current = block; }
  BlockId currentBlock() const { return current; }
  void jump(Operation *op, BlockId target);
  /// By the lowest bit of an i1.
  void branch(Operation *op, Reg condition, BlockId ifTrue, BlockId ifFalse);
  /// To targets[i] where selector == cases[i], else to the last target.
  void switchOn(Operation *op, Reg selector, ArrayRef<int64_t> cases,
                ArrayRef<BlockId> targets);
  void returnFrom(Operation *op);

  /// Translates the ops of a block but its terminator.
  LogicalResult translateBody(Block &block);
  LogicalResult translate(Operation *op);

  /// Translates a function; its arguments and results are in the program.
  LogicalResult translateFunction(FunctionOpInterface function);
  /// Translates the blocks of a region that are connected by branches, from
  /// its entry, to which it jumps. Those that nobody reaches are left out.
  LogicalResult
  translateBlocks(Operation *op, Region &body,
                  llvm::function_ref<LogicalResult(Operation *)> translateEnd);
  /// Jumps to a block of the region go here.
  BlockId blockOf(Block *block);
  /// Registers that func.return fills.
  ArrayRef<Reg> resultRegisters() const { return program.results; }

  /// Orders the blocks, computes where branches reconverge, and gives the
  /// program away.
  Program finish();

  /// Before an op that computes: its operands must have been written where they
  /// were read. One that only moves them passes marks on (WrittenChecks.cpp).
  void checkWritten(Operation *op);
  /// For an op whose results are elements of its operands and that gives them
  /// names of its own: these have the marks of its operands.
  void passMarks(Operation *op, ArrayRef<Reg> to);

private:
  struct BasicBlock {
    std::vector<Instruction> body;
    bool closed = false; // ends in Jump, Branch or Return
  };

  /// Translates an op whose results are read behind a loop that it is in: lanes
  /// that have left the loop keep theirs.
  LogicalResult translateKept(Operation *op);
  LogicalResult translateOne(Operation *op);
  /// Whether two registers share cells, as an element and its vector do.
  bool overlap(Reg a, Reg b) const;

  /// Behind an op that moves elements of tensors.
  void passMarks(Operation *op);
  Reg allocate(Type type);
  Reg allocateHandle(Type type);
  Reg allocateAggregate(Type type);
  bool appendParts(Type type, SmallVectorImpl<Reg> &parts);
  uint32_t allocateBytes(int64_t bytes);

  /// Of the register file; places in it are 32-bit numbers.
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
