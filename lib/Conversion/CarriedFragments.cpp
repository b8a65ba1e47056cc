//===- CarriedFragments.cpp - Vectors as loop-carried fragments -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering names every element, so that a loop has an iter_arg for each
// register of a fragment. The registers that form one operand or one result of
// an instruction become one iter_arg of vector type:
//
//   for iter_args(%a, %b) { %s = mma from_elements(%a, %b); to_elements %s }
//   for iter_args(%ab)    { %a, %b = to_elements %ab; ... }
//
// - Halves of a 32-bit register, on every target, if they are a pair before and
//   after an iteration. As scalars, ptxas has a register for each if the loop
//   is followed by stores of single halves: 256 for a subgroup's 64x128 of f16.
// - All results of one vector.to_elements, on AMD, whose matrix instructions
//   have an accumulator as one vector (VX-288). As scalars, LLVM has a phi, an
//   insertion and an extraction for each of the 64 elements that a lane holds
//   of a 128x128 tile, which its register coalescer has to join again: a
//   quarter of the time to compile a product for gfx942.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// The numbers of the iter_args that become one vector, in its order.
using CarriedFragment = SmallVector<unsigned>;

/// Returns the number of a value among a loop's iter_args; none for others.
static std::optional<unsigned> numberIn(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned first = loop.getNumInductionVars();
  if (!argument || argument.getOwner() != loop.getBody() ||
      argument.getArgNumber() < first)
    return std::nullopt;
  return argument.getArgNumber() - first;
}

/// Returns the pair of halves that begins with an iter_arg; both have no other
/// use.
static std::optional<CarriedFragment> pairFrom(scf::ForOp loop, unsigned lhs) {
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
  return CarriedFragment{lhs, *rhs};
}

/// Returns whether the elements of the next iteration are neighbouring results
/// of one vector.to_elements, of which the first is at a multiple of their
/// number.
static bool areGivenTogether(scf::ForOp loop, ArrayRef<unsigned> fragment) {
  auto first = dyn_cast<OpResult>(loop.getYieldedValues()[fragment.front()]);
  if (!first || !isa<vector::ToElementsOp>(first.getOwner()) ||
      first.getResultNumber() % fragment.size() != 0)
    return false;
  return llvm::all_of(llvm::enumerate(fragment), [&](auto at) {
    auto result = dyn_cast<OpResult>(loop.getYieldedValues()[at.value()]);
    return result && result.getOwner() == first.getOwner() &&
           result.getResultNumber() == first.getResultNumber() + at.index();
  });
}

/// Returns the fragment of iter_args that begins with `first` and whose next
/// values are all results of one vector.to_elements; none for another op.
static std::optional<CarriedFragment> wholeFrom(scf::ForOp loop,
                                                unsigned first) {
  ValueRange yielded = loop.getYieldedValues();
  auto parts = yielded[first].getDefiningOp<vector::ToElementsOp>();
  if (!parts || parts.getNumResults() == 1 ||
      first + parts.getNumResults() > yielded.size())
    return std::nullopt;
  return llvm::to_vector(llvm::seq(first, first + parts.getNumResults()));
}

namespace {
/// Builds a loop of the same body that carries each fragment as a vector, after
/// the iter_args that stay as they are.
class FragmentLoop {
public:
  FragmentLoop(scf::ForOp apart, ArrayRef<CarriedFragment> fragments)
      : apart(apart), fragments(fragments), rewriter(apart),
        numElements(apart.getNumRegionIterArgs()) {
    llvm::SmallBitVector isJoined(numElements);
    for (const CarriedFragment &fragment : fragments)
      for (unsigned number : fragment)
        isJoined.set(number);
    for (unsigned number = 0; number < numElements; ++number)
      if (!isJoined[number])
        kept.push_back(number);
  }
  void replace();

private:
  SmallVector<Value> pack(ValueRange elements);
  SmallVector<Value> unpack(ValueRange packed);

  scf::ForOp apart;
  ArrayRef<CarriedFragment> fragments;
  SmallVector<unsigned> kept;
  IRRewriter rewriter;
  unsigned numElements;
};
} // namespace

/// Returns the values of the new iter_args.
SmallVector<Value> FragmentLoop::pack(ValueRange elements) {
  SmallVector<Value> packed;
  for (unsigned number : kept)
    packed.push_back(elements[number]);
  for (const CarriedFragment &fragment : fragments)
    packed.push_back(vectorOf(rewriter, apart.getLoc(),
                              llvm::map_to_vector(fragment, [&](unsigned i) {
                                return elements[i];
                              })));
  return packed;
}

/// Returns the values of the old iter_args.
SmallVector<Value> FragmentLoop::unpack(ValueRange packed) {
  SmallVector<Value> elements(numElements);
  for (auto [number, value] : llvm::zip(kept, packed))
    elements[number] = value;
  for (auto [fragment, value] :
       llvm::zip_equal(fragments, packed.drop_front(kept.size()))) {
    auto parts = vector::ToElementsOp::create(rewriter, apart.getLoc(), value);
    for (auto [number, part] : llvm::zip_equal(fragment, parts.getResults()))
      elements[number] = part;
  }
  return elements;
}

void FragmentLoop::replace() {
  auto joined = scf::ForOp::create(rewriter, apart.getLoc(),
                                   apart.getLowerBound(), apart.getUpperBound(),
                                   apart.getStep(), pack(apart.getInitArgs()));
  joined->setAttrs(apart->getAttrs());
  rewriter.setInsertionPointToStart(joined.getBody());
  SmallVector<Value> arguments = {joined.getInductionVar()};
  llvm::append_range(arguments, unpack(joined.getRegionIterArgs()));
  rewriter.mergeBlocks(apart.getBody(), joined.getBody(), arguments);
  auto yield = cast<scf::YieldOp>(joined.getBody()->getTerminator());
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, pack(yield.getOperands()));
  rewriter.setInsertionPointAfter(joined);
  rewriter.replaceOp(apart, unpack(joined.getResults()));
}

Value distaff::vectorOf(OpBuilder &builder, Location loc, ValueRange elements) {
  auto type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  auto parts = elements.front().getDefiningOp<vector::ToElementsOp>();
  if (parts && parts.getSource().getType() == type &&
      llvm::equal(parts.getResults(), elements))
    return parts.getSource();
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

void distaff::carryFragments(func::FuncOp kernel, const Target &target) {
  bool areWhole = target.family == Family::AMDGPU;
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    SmallVector<CarriedFragment> fragments;
    llvm::SmallBitVector isTaken(loop.getNumRegionIterArgs());
    auto take = [&](const std::optional<CarriedFragment> &fragment) {
      if (!fragment || !areGivenTogether(loop, *fragment) ||
          llvm::any_of(*fragment, [&](unsigned i) { return isTaken[i]; }))
        return;
      for (unsigned number : *fragment)
        isTaken.set(number);
      fragments.push_back(*fragment);
    };
    for (unsigned first = 0; areWhole && first < isTaken.size(); ++first)
      take(wholeFrom(loop, first));
    for (unsigned lhs = 0; lhs < isTaken.size(); ++lhs)
      take(pairFrom(loop, lhs));
    if (!fragments.empty())
      FragmentLoop(loop, fragments).replace();
  }
}
