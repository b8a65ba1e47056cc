//===- RegisterPressure.cpp - Register pressure of a block ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RegisterPressure.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace distaff;

/// Returns the bits of registers; numbers of 16 bits are paired, shorter ones
/// are not.
static int64_t bitsOf(Type type) {
  if (type.isInteger(1))
    return 0; // predicates
  if (type.isIntOrFloat()) {
    int64_t bits = type.getIntOrFloatBitWidth();
    return bits == 16 ? bits : llvm::alignTo(bits, 32);
  }
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = vector.getElementType();
    int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                          : bitsOf(element);
    return llvm::alignTo(vector.getNumElements() * bits, 32);
  }
  int64_t bits = 0;
  if (auto fields = dyn_cast<LLVM::LLVMStructType>(type))
    for (Type field : fields.getBody())
      bits += bitsOf(field);
  return bits;
}

bool distaff::isTakenApart(Value value) {
  return isa<VectorType, LLVM::LLVMStructType>(value.getType()) &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return isa<LLVM::ExtractElementOp, LLVM::ExtractValueOp>(user) &&
                  user->getBlock() == value.getParentBlock();
         });
}

int64_t distaff::registerBitsOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    // A memref's descriptor is built by insertions, and its fields are counted
    // by themselves.
    if (op->hasTrait<::mlir::OpTrait::ConstantLike>() ||
        isa<LLVM::AddressOfOp, LLVM::UndefOp, LLVM::PoisonOp,
            LLVM::InsertValueOp>(op))
      return 0;
  // Integers that are loaded alone, bits too, occupy a register each, and so do
  // block arguments of integers; no instruction takes two.
  bool isAlone = isa<BlockArgument>(value) ||
                 value.getDefiningOp<LLVM::LoadOp>() != nullptr;
  if (isAlone && value.getType().isInteger())
    return llvm::alignTo(value.getType().getIntOrFloatBitWidth(), 32);
  return isTakenApart(value) ? 0 : bitsOf(value.getType());
}

RegisterPressure::RegisterPressure(Block &block, const AddressSums &sums,
                                   const BlockLiveness &ranges, int64_t behind)
    : behind(behind) {
  DenseMap<Value, unsigned> numbers; // numbers of the values that die in the
                                     // block
  effects.reserve(block.getOperations().size());
  for (Operation &op : block) {
    Effect &effect = effects[&op];
    for (Value operand : op.getOperands())
      for (Value root : sums.rootsOf(operand)) {
        if (ranges.isLiveBehind(root, block))
          continue;
        auto [it, isNew] = numbers.try_emplace(root, bits.size());
        if (isNew)
          bits.push_back(registerBitsOf(root));
        effect.used.push_back(it->second);
      }
  }
  int64_t before = std::accumulate(bits.begin(), bits.end(), behind);
  for (Operation &op : block) {
    Effect &effect = effects[&op];
    for (Value result : op.getResults()) {
      if (ranges.isLiveBehind(result, block)) {
        effect.definedBehind += registerBitsOf(result);
      } else if (auto it = numbers.find(result); it != numbers.end()) {
        effect.defined.push_back(it->second);
        before -= bits[it->second];
      }
    }
    before -= effect.definedBehind;
  }
  bound = llvm::divideCeil(std::max(before, behind), 32);
}

RegisterPressure::Peak
RegisterPressure::peakOf(ArrayRef<Operation *> order) const {
  int64_t live = behind, most = 0;
  Operation *at = nullptr;
  llvm::BitVector isLive(bits.size());
  for (Operation *op : llvm::reverse(order)) {
    const Effect &effect = effects.find(op)->second;
    for (unsigned value : effect.used)
      if (!isLive.test(value)) {
        isLive.set(value);
        live += bits[value];
      }
    if (live > most) {
      most = live;
      at = op;
    }
    for (unsigned value : effect.defined) {
      assert(isLive.test(value) && "in an order uses are behind definitions");
      isLive.reset(value);
      live -= bits[value];
    }
    live -= effect.definedBehind;
  }
  return {int64_t(llvm::divideCeil(most, 32)), at};
}
