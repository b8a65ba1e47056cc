//===- CarriedPairs.cpp - Halves that loops carry in pairs ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering names every element, so that a loop carries halves of registers
// apart. Two neighbours that an instruction takes, and that the next turn has
// of neighbours that an instruction gives, are carried as one vector:
//
//   for iter_args(%a, %b) { %s = mma from_elements(%a, %b); to_elements %s }
//   for iter_args(%ab)    { %a, %b = to_elements %ab; ... }
//
// Apart, ptxas has a register for each where the loop is followed by stores of
// single halves: 256 for a subgroup's 64x128 of f16.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

namespace {
/// Which of a loop's carried values are the two halves of a register.
struct CarriedPair {
  unsigned lhs, rhs;
};
} // namespace

/// The number of a value among those that the loop carries; none for others.
static std::optional<unsigned> numberIn(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned first = loop.getNumInductionVars();
  if (!argument || argument.getOwner() != loop.getBody() ||
      argument.getArgNumber() < first)
    return std::nullopt;
  return argument.getArgNumber() - first;
}

/// The pair that begins with a carried value; both have no other use.
static std::optional<CarriedPair> takenWith(scf::ForOp loop, unsigned lhs) {
  BlockArgument argument = loop.getRegionIterArg(lhs);
  Type type = argument.getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() != 16 ||
      !argument.hasOneUse())
    return std::nullopt;
  OpOperand &use = *argument.use_begin();
  auto vector = dyn_cast<vector::FromElementsOp>(use.getOwner());
  unsigned position = use.getOperandNumber();
  if (!vector || position % 2 != 0 ||
      position + 1 == vector.getElements().size())
    return std::nullopt;
  Value next = vector.getElements()[position + 1];
  std::optional<unsigned> rhs = numberIn(loop, next);
  if (!rhs || !next.hasOneUse())
    return std::nullopt;
  return CarriedPair{lhs, *rhs};
}

static bool areGivenTogether(scf::ForOp loop, CarriedPair pair) {
  auto lhs = dyn_cast<OpResult>(loop.getYieldedValues()[pair.lhs]);
  auto rhs = dyn_cast<OpResult>(loop.getYieldedValues()[pair.rhs]);
  return lhs && rhs && lhs.getOwner() == rhs.getOwner() &&
         isa<vector::ToElementsOp>(lhs.getOwner()) &&
         lhs.getResultNumber() % 2 == 0 &&
         rhs.getResultNumber() == lhs.getResultNumber() + 1;
}

namespace {
/// A loop of the same body that carries what it is told to in pairs, and the
/// rest, before those, as it is.
class PairedLoop {
public:
  PairedLoop(scf::ForOp apart, ArrayRef<CarriedPair> pairs)
      : apart(apart), pairs(pairs), rewriter(apart) {
    for (unsigned number = 0; number < apart.getNumRegionIterArgs(); ++number)
      if (llvm::none_of(pairs, [&](CarriedPair pair) {
            return pair.lhs == number || pair.rhs == number;
          }))
        kept.push_back(number);
  }
  void replace();

private:
  SmallVector<Value> pack(ValueRange halves);
  SmallVector<Value> unpack(ValueRange packed);

  scf::ForOp apart;
  ArrayRef<CarriedPair> pairs;
  SmallVector<unsigned> kept;
  IRRewriter rewriter;
};
} // namespace

/// What the paired loop carries of what the other one does.
SmallVector<Value> PairedLoop::pack(ValueRange halves) {
  SmallVector<Value> packed;
  for (unsigned number : kept)
    packed.push_back(halves[number]);
  for (auto [lhs, rhs] : pairs)
    packed.push_back(vector::FromElementsOp::create(
        rewriter, apart.getLoc(), VectorType::get({2}, halves[lhs].getType()),
        ValueRange{halves[lhs], halves[rhs]}));
  return packed;
}

SmallVector<Value> PairedLoop::unpack(ValueRange packed) {
  SmallVector<Value> halves(kept.size() + 2 * pairs.size());
  for (auto [number, value] : llvm::zip(kept, packed))
    halves[number] = value;
  for (auto [pair, value] :
       llvm::zip_equal(pairs, packed.drop_front(kept.size()))) {
    auto parts = vector::ToElementsOp::create(rewriter, apart.getLoc(), value);
    halves[pair.lhs] = parts.getResult(0);
    halves[pair.rhs] = parts.getResult(1);
  }
  return halves;
}

void PairedLoop::replace() {
  auto paired = scf::ForOp::create(rewriter, apart.getLoc(),
                                   apart.getLowerBound(), apart.getUpperBound(),
                                   apart.getStep(), pack(apart.getInitArgs()));
  paired->setAttrs(apart->getAttrs());
  rewriter.setInsertionPointToStart(paired.getBody());
  SmallVector<Value> arguments = {paired.getInductionVar()};
  llvm::append_range(arguments, unpack(paired.getRegionIterArgs()));
  rewriter.mergeBlocks(apart.getBody(), paired.getBody(), arguments);
  auto yield = cast<scf::YieldOp>(paired.getBody()->getTerminator());
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, pack(yield.getOperands()));
  rewriter.setInsertionPointAfter(paired);
  rewriter.replaceOp(apart, unpack(paired.getResults()));
}

void distaff::carryPairs(func::FuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    SmallVector<CarriedPair> pairs;
    for (unsigned lhs = 0; lhs < loop.getNumRegionIterArgs(); ++lhs)
      if (std::optional<CarriedPair> pair = takenWith(loop, lhs))
        if (areGivenTogether(loop, *pair))
          pairs.push_back(*pair);
    if (!pairs.empty())
      PairedLoop(loop, pairs).replace();
  }
}
