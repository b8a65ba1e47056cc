//===- PackFloatPairs.cpp - Packed f32 instructions -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CDNA2 and later add, multiply and fuse f32 two at a time, in neighbouring
// registers (V_PK_ADD_F32, V_PK_MUL_F32, V_PK_FMA_F32). Lane code is scalar at
// this point. Two ops become one on a vector of two if each operand is the same
// for both, or the two halves of a pair:
//
//   %x:4 = to_elements %fragment
//   %a = fma %x#0, %k, %n        %ab = fma [%x#0, %x#1], [%k, %k], [%n, %n]
//   %b = fma %x#1, %k, %n        %a, %b = to_elements %ab
//
// Pairs are elements of a vector that begin at an even one, results of two
// packed ops, of two exponentials of a pair, and loop-carried values whose next
// iteration has a pair of them. Each op rounds as before.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace distaff;

namespace {

class PairPacker {
public:
  void run(func::FuncOp kernel);

private:
  struct Half {
    Value partner;
    bool isSecond;
  };

  void addPair(Value first, Value second);
  void addElements(vector::ToElementsOp op);
  void addCarried(scf::ForOp loop);
  Operation *partnerOf(Operation *op);
  bool matches(Operation *first, Operation *second);
  Value operandPair(ImplicitLocOpBuilder &b, Value first, Value second);
  void pack(Operation *first, Operation *second, Operation *at);

  llvm::DenseMap<Value, Half> halves;
  /// Pairs that are already vectors, by their first value.
  llvm::DenseMap<Value, Value> vectors;
  llvm::SmallPtrSet<Operation *, 32> erased;
};

bool isPackable(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op) &&
         op->getResult(0).getType().isF32();
}

/// Returns whether an op on the halves of a pair gives a pair, though by two
/// instructions.
bool keepsPairs(Operation *op) {
  return isa<math::Exp2Op>(op) && op->getResult(0).getType().isF32();
}

void PairPacker::addPair(Value first, Value second) {
  halves.try_emplace(first, Half{second, false});
  halves.try_emplace(second, Half{first, true});
}

void PairPacker::addElements(vector::ToElementsOp op) {
  if (!op.getSource().getType().getElementType().isF32())
    return;
  for (unsigned at = 0; at + 1 < op->getNumResults(); at += 2)
    addPair(op->getResult(at), op->getResult(at + 1));
}

void PairPacker::addCarried(scf::ForOp loop) {
  for (unsigned at = 0; at + 1 < loop.getNumRegionIterArgs(); ++at) {
    auto next = dyn_cast<OpResult>(loop.getYieldedValues()[at]);
    auto parts =
        next ? dyn_cast<vector::ToElementsOp>(next.getOwner()) : nullptr;
    if (!parts || !next.getType().isF32() || next.getResultNumber() % 2 != 0 ||
        next.getResultNumber() + 1 >= parts->getNumResults() ||
        loop.getYieldedValues()[at + 1] !=
            parts->getResult(next.getResultNumber() + 1))
      continue;
    addPair(loop.getRegionIterArg(at), loop.getRegionIterArg(at + 1));
    addPair(loop.getResult(at), loop.getResult(at + 1));
  }
}

/// Returns whether the operands of two ops are the same, or pairs in that
/// order.
bool PairPacker::matches(Operation *first, Operation *second) {
  if (first->getName() != second->getName() ||
      first->getAttrDictionary() != second->getAttrDictionary())
    return false;
  return llvm::all_of(
      llvm::zip_equal(first->getOperands(), second->getOperands()),
      [&](auto operands) {
        auto [a, b] = operands;
        auto it = halves.find(a);
        bool isPair = it != halves.end() && !it->second.isSecond &&
                      it->second.partner == b;
        return a == b || isPair;
      });
}

/// Returns whether all operands of an op are defined before another one.
bool mayStandAt(Operation *op, Operation *at) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *made = operand.getDefiningOp();
    return !made || made->getBlock() != at->getBlock() ||
           made->isBeforeInBlock(at);
  });
}

/// Returns the op of the same block that applies an op to the other halves.
Operation *PairPacker::partnerOf(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto it = halves.find(operand);
    if (it == halves.end())
      continue;
    for (Operation *user : it->second.partner.getUsers()) {
      bool isSecond = it->second.isSecond;
      if (user == op || user->getBlock() != op->getBlock() ||
          erased.contains(user) || !op->isBeforeInBlock(user) ||
          !matches(isSecond ? user : op, isSecond ? op : user))
        continue;
      return user;
    }
  }
  return nullptr;
}

Value PairPacker::operandPair(ImplicitLocOpBuilder &b, Value first,
                              Value second) {
  auto type = VectorType::get({2}, b.getF32Type());
  if (first == second)
    return vector::BroadcastOp::create(b, type, first);
  if (Value known = vectors.lookup(first))
    return known;
  return vector::FromElementsOp::create(b, type, ValueRange{first, second});
}

void PairPacker::pack(Operation *first, Operation *second, Operation *at) {
  ImplicitLocOpBuilder b(at->getLoc(), at);
  SmallVector<Value> operands;
  for (auto [a, c] :
       llvm::zip_equal(first->getOperands(), second->getOperands()))
    operands.push_back(operandPair(b, a, c));
  Operation *packed = b.create(
      at->getLoc(), first->getName().getIdentifier(), operands,
      TypeRange(VectorType::get({2}, b.getF32Type())), first->getAttrs());
  auto parts = vector::ToElementsOp::create(b, packed->getResult(0));
  Operation *halfOps[] = {first, second};
  for (auto [number, op] : llvm::enumerate(halfOps)) {
    op->getResult(0).replaceAllUsesWith(parts->getResult(number));
    erased.insert(op);
  }
  addPair(parts->getResult(0), parts->getResult(1));
  vectors[parts->getResult(0)] = packed->getResult(0);
}

void PairPacker::run(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (auto loop = dyn_cast<scf::ForOp>(op))
      addCarried(loop);
  for (Operation *op : ops) {
    if (auto parts = dyn_cast<vector::ToElementsOp>(op))
      addElements(parts);
    if (erased.contains(op) || (!isPackable(op) && !keepsPairs(op)))
      continue;
    Operation *partner = partnerOf(op);
    if (!partner)
      continue;
    bool isSwapped = !matches(op, partner);
    Operation *first = isSwapped ? partner : op,
              *second = isSwapped ? op : partner;
    if (keepsPairs(op))
      addPair(first->getResult(0), second->getResult(0));
    else if (mayStandAt(partner, op))
      pack(first, second, op);
  }
  for (Operation *op : erased)
    op->erase();
}

} // namespace

void distaff::packFloatPairs(func::FuncOp kernel) { PairPacker().run(kernel); }
