//===- PredicatedAccesses.cpp - Predication of guarded accesses -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PredicatedAccesses.h"
#include "distaff/LLVM.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace distaff;

namespace {

/// The registers that an access moves, in PTX's terms: `count` of the same
/// type.
struct Words {
  llvm::Type *type;         ///< type of one, legal in inline assembly
  unsigned count;           ///< 1, 2 or 4
  StringLiteral suffix;     ///< .v2, .v4 or none
  StringLiteral bits;       ///< type of one in memory
  StringLiteral constraint; ///< register class
};

/// A branch around one access.
struct GuardedAccess {
  llvm::BranchInst *branch;
  llvm::BasicBlock *guarded; ///< block with the access
  llvm::BasicBlock *join;    ///< successor of both
  llvm::Instruction *access;
  bool isInverted; ///< whether the access runs if the guard is false
  Words words;
};

std::optional<Words> wordsOf(llvm::Type *type, llvm::Align alignment,
                             const llvm::DataLayout &layout) {
  llvm::LLVMContext &context = type->getContext();
  if (type->isAggregateType() || type->isPtrOrPtrVectorTy())
    return std::nullopt;
  uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
  if (bits != layout.getTypeStoreSizeInBits(type).getFixedValue() ||
      8 * alignment.value() < bits)
    return std::nullopt;
  auto *word = llvm::Type::getInt32Ty(context);
  if (isa<llvm::VectorType>(type) && bits > 32) {
    if (bits == 64)
      return Words{word, 2, ".v2", "b32", "r"};
    if (bits == 128)
      return Words{word, 4, ".v4", "b32", "r"};
    return std::nullopt;
  }
  if (type->isFloatTy() || type->isDoubleTy())
    return type->isFloatTy() ? Words{type, 1, "", "b32", "f"}
                             : Words{type, 1, "", "b64", "d"};
  auto *half = llvm::Type::getInt16Ty(context);
  switch (bits) {
  case 8: // 16 bits is the narrowest register
    return Words{half, 1, "", "b8", "h"};
  case 16:
    return Words{half, 1, "", "b16", "h"};
  case 32:
    return Words{word, 1, "", "b32", "r"};
  case 64:
    return Words{llvm::Type::getInt64Ty(context), 1, "", "b64", "l"};
  }
  return std::nullopt;
}

/// Returns the suffix of an instruction for an address space, or none.
std::optional<StringLiteral> spaceOf(const llvm::Value *pointer) {
  switch (pointer->getType()->getPointerAddressSpace()) {
  case llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return StringLiteral(".global");
  case llvm::NVPTXAS::ADDRESS_SPACE_SHARED:
    return StringLiteral(".shared");
  }
  return std::nullopt;
}

/// Returns the only access of a block whose other ops may be speculated, or
/// null.
llvm::Instruction *onlyAccess(llvm::BasicBlock &block) {
  constexpr unsigned most = 8; // ops that are wasted if a guard fails
  llvm::Instruction *access = nullptr;
  unsigned ops = 0;
  for (llvm::Instruction &op : block) {
    if (op.isTerminator())
      continue;
    if (isa<llvm::LoadInst, llvm::StoreInst>(op)) {
      if (std::exchange(access, &op))
        return nullptr;
      continue;
    }
    if (isa<llvm::PHINode>(op) || ++ops > most || op.mayReadOrWriteMemory() ||
        !llvm::isSafeToSpeculativelyExecute(&op))
      return nullptr;
  }
  return access;
}

bool isPlain(llvm::Instruction &access) {
  if (auto *load = dyn_cast<llvm::LoadInst>(&access))
    return load->isSimple();
  return cast<llvm::StoreInst>(access).isSimple();
}

std::optional<GuardedAccess> guardedAccessAt(llvm::BasicBlock &head) {
  auto *branch = dyn_cast<llvm::BranchInst>(head.getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    llvm::BasicBlock *guarded = branch->getSuccessor(side);
    llvm::BasicBlock *join = branch->getSuccessor(1 - side);
    if (guarded->getSinglePredecessor() != &head ||
        guarded->getSingleSuccessor() != join || !join->hasNPredecessors(2) ||
        join == &head)
      continue;
    llvm::Instruction *access = onlyAccess(*guarded);
    if (!access || !isPlain(*access) ||
        !spaceOf(llvm::getLoadStorePointerOperand(access)))
      continue;
    std::optional<Words> words =
        wordsOf(llvm::getLoadStoreType(access),
                llvm::getLoadStoreAlignment(access), head.getDataLayout());
    if (words)
      return GuardedAccess{branch, guarded, join, access, side == 1, *words};
  }
  return std::nullopt;
}

/// Emits an access as inline assembly with a predicate.
class PredicatedAccess {
public:
  explicit PredicatedAccess(const GuardedAccess &source)
      : source(source), builder(source.access) {}

  /// Replaces the access, which was moved into the branch's block before.
  void emit() {
    llvm::Value *pointer = llvm::getLoadStorePointerOperand(source.access);
    int64_t offset = takeOffset(pointer);
    bool isLoad = isa<llvm::LoadInst>(source.access);
    std::string address =
        "[" + place(isLoad ? source.words.count : 0) +
        (offset ? "+" + std::to_string(offset) : std::string()) + "]";
    // Operands are the results, the address, the guard, and the registers'
    // values.
    unsigned guard = (isLoad ? source.words.count : 0) + 1;
    std::string data = registersFrom(isLoad ? 0 : guard + 1);
    std::string text = "@" + std::string(source.isInverted ? "!" : "") +
                       place(guard) + " " + (isLoad ? "ld" : "st") +
                       spaceOf(pointer)->str() + source.words.suffix.str() +
                       "." + source.words.bits.str() + " ";
    text += isLoad ? data + ", " + address + ";" : address + ", " + data + ";";
    if (isLoad)
      load(text, pointer);
    else
      store(text, pointer);
  }

private:
  static std::string place(unsigned number) {
    return "$" + std::to_string(number);
  }

  std::string registersFrom(unsigned first) const {
    if (source.words.count == 1)
      return place(first);
    std::string list;
    for (unsigned i = 0; i < source.words.count; ++i)
      list += (i ? ", " : "{") + place(first + i);
    return list + "}";
  }

  /// Strips the constant at the end of an address, if the instruction's offset
  /// field can hold it, and returns it.
  int64_t takeOffset(llvm::Value *&pointer) const {
    auto *sum = dyn_cast<llvm::GetElementPtrInst>(pointer);
    const llvm::DataLayout &layout = source.access->getDataLayout();
    llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    if (!sum || !sum->accumulateConstantOffset(layout, offset) ||
        !offset.isSignedIntN(24) || offset.isNegative())
      return 0;
    pointer = sum->getPointerOperand();
    return offset.getSExtValue();
  }

  StringRef addressConstraint(const llvm::Value *pointer) const {
    constexpr uint64_t wide = 64;
    return source.access->getDataLayout().getTypeSizeInBits(
               pointer->getType()) == wide
               ? "l"
               : "r";
  }

  llvm::Value *call(StringRef text, const Twine &constraints,
                    llvm::Type *result, ArrayRef<llvm::Value *> operands) {
    SmallVector<llvm::Type *> types;
    for (llvm::Value *operand : operands)
      types.push_back(operand->getType());
    auto *type = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
    return builder.CreateCall(
        llvm::InlineAsm::get(type, text, (constraints + ",~{memory}").str(),
                             /*hasSideEffects=*/true),
        operands);
  }

  /// Splits a value into registers.
  SmallVector<llvm::Value *> split(llvm::Value *value) {
    const Words &words = source.words;
    if (words.count > 1) {
      auto *type = llvm::FixedVectorType::get(words.type, words.count);
      llvm::Value *whole = builder.CreateBitCast(value, type);
      SmallVector<llvm::Value *> parts;
      for (unsigned i = 0; i < words.count; ++i)
        parts.push_back(builder.CreateExtractElement(whole, i));
      return parts;
    }
    unsigned bits = value->getType()->getPrimitiveSizeInBits();
    value = builder.CreateBitCast(value, words.type->isIntegerTy()
                                             ? builder.getIntNTy(bits)
                                             : words.type);
    return {words.type->isIntegerTy() ? builder.CreateZExt(value, words.type)
                                      : value};
  }

  /// Joins registers to a value.
  llvm::Value *join(llvm::Value *registers, llvm::Type *type) {
    const Words &words = source.words;
    if (words.count > 1) {
      llvm::Value *whole = llvm::PoisonValue::get(
          llvm::FixedVectorType::get(words.type, words.count));
      for (unsigned i = 0; i < words.count; ++i)
        whole = builder.CreateInsertElement(
            whole, builder.CreateExtractValue(registers, i), i);
      return builder.CreateBitCast(whole, type);
    }
    unsigned bits = type->getPrimitiveSizeInBits();
    if (words.type->isIntegerTy())
      registers = builder.CreateTrunc(registers, builder.getIntNTy(bits));
    return builder.CreateBitCast(registers, type);
  }

  void store(StringRef text, llvm::Value *pointer) {
    SmallVector<llvm::Value *> operands = {pointer,
                                           source.branch->getCondition()};
    std::string constraints = (addressConstraint(pointer) + ",b").str();
    for (llvm::Value *part :
         split(cast<llvm::StoreInst>(source.access)->getValueOperand())) {
      operands.push_back(part);
      constraints += "," + source.words.constraint.str();
    }
    call(text, constraints, builder.getVoidTy(), operands);
  }

  void load(StringRef text, llvm::Value *pointer) {
    const Words &words = source.words;
    SmallVector<llvm::Value *> operands = {pointer,
                                           source.branch->getCondition()};
    std::string results, tied;
    llvm::PHINode *merged = onlyMerge();
    llvm::Type *type = source.access->getType();
    llvm::Value *other =
        merged ? merged->getIncomingValueForBlock(source.branch->getParent())
               : llvm::Constant::getNullValue(type);
    for (auto [number, part] : llvm::enumerate(split(other))) {
      operands.push_back(part);
      results += "=" + words.constraint.str() + ",";
      tied += "," + std::to_string(number);
    }
    SmallVector<llvm::Type *> types(words.count, words.type);
    llvm::Type *result =
        words.count == 1 ? words.type
                         : llvm::StructType::get(builder.getContext(), types);
    llvm::Value *registers =
        call(text, results + addressConstraint(pointer) + ",b" + tied, result,
             operands);
    llvm::Value *value = join(registers, type);
    source.access->replaceAllUsesWith(value);
    if (merged) {
      merged->replaceAllUsesWith(value);
      merged->eraseFromParent();
    }
  }

  /// Returns the phi that merges the loaded value, if that is its only use.
  llvm::PHINode *onlyMerge() const {
    if (!source.access->hasOneUse())
      return nullptr;
    auto *merge = dyn_cast<llvm::PHINode>(*source.access->user_begin());
    return merge && merge->getParent() == source.join ? merge : nullptr;
  }

  const GuardedAccess &source;
  llvm::IRBuilder<> builder;
};

/// Replaces the phis of the join by selects.
void selectMerged(const GuardedAccess &source) {
  llvm::IRBuilder<> builder(source.branch);
  llvm::BasicBlock *head = source.branch->getParent();
  for (llvm::PHINode &merge : llvm::make_early_inc_range(source.join->phis())) {
    llvm::Value *own = merge.getIncomingValueForBlock(source.guarded);
    llvm::Value *other = merge.getIncomingValueForBlock(head);
    if (source.isInverted)
      std::swap(own, other);
    merge.replaceAllUsesWith(
        builder.CreateSelect(source.branch->getCondition(), own, other));
    merge.eraseFromParent();
  }
}

/// Moves the guarded ops into the branch's block, predicates the access, and
/// merges the join into the block.
void predicate(const GuardedAccess &source) {
  llvm::BasicBlock *head = source.branch->getParent();
  for (llvm::Instruction &op : *source.guarded)
    op.dropPoisonGeneratingAnnotations();
  head->splice(source.branch->getIterator(), source.guarded,
               source.guarded->begin(),
               source.guarded->getTerminator()->getIterator());
  PredicatedAccess(source).emit();
  source.access->eraseFromParent();
  selectMerged(source);
  llvm::BranchInst::Create(source.join, source.branch->getIterator());
  source.branch->eraseFromParent();
  source.guarded->eraseFromParent();
  [[maybe_unused]] bool isMerged = llvm::MergeBlockIntoPredecessor(source.join);
  assert(isMerged && "a join has the branch's block alone before it");
}

} // namespace

void distaff::predicateAccesses(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      while (std::optional<GuardedAccess> access = guardedAccessAt(block))
        predicate(*access);
}
