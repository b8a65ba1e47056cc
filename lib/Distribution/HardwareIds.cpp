//===- HardwareIds.cpp - Digits of the handed ids, as IR ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the delinearisation of chapter 3.4 (VX-25).
//
//===----------------------------------------------------------------------===//
#include "HardwareIds.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

/// A chain with its gaps filled, innermost digit first. `read` is false for
/// fillers.
struct ChainDigit {
  Digit digit;
  bool read;
};

static SmallVector<ChainDigit> fillGaps(ArrayRef<Digit> chain) {
  SmallVector<Digit> sorted(chain);
  llvm::sort(sorted, [](const Digit &a, const Digit &b) {
    return a.stride < b.stride;
  });
  SmallVector<ChainDigit> filled;
  int64_t next = 1;
  for (const Digit &digit : sorted) {
    assert(digit.axis == sorted.front().axis && digit.stride % next == 0 &&
           "digits of one chain lie apart");
    if (digit.stride > next)
      filled.push_back({{digit.axis, digit.stride / next, next}, false});
    filled.push_back({digit, true});
    next = digit.stride * digit.size;
  }
  return filled;
}

static int64_t span(ArrayRef<ChainDigit> filled) {
  if (filled.empty())
    return 1;
  const Digit &top = filled.back().digit;
  return top.stride * top.size;
}

bool distaff::coversAll(ArrayRef<Digit> chain, int64_t count) {
  SmallVector<ChainDigit> filled = fillGaps(chain);
  return span(filled) >= count &&
         llvm::all_of(filled, [](const ChainDigit &c) { return c.read; });
}

static std::vector<int64_t> keyOf(int64_t kind, ArrayRef<Digit> digits) {
  std::vector<int64_t> key{kind, int64_t(digits.size())};
  for (const Digit &digit : digits)
    key.insert(key.end(), {int64_t(digit.axis), digit.size, digit.stride});
  return key;
}

/// True if `inner` is `outer` or in an op of it.
static bool isWithin(Block &inner, Block &outer) {
  Operation *op = inner.getParentOp();
  return &inner == &outer || (op && outer.findAncestorOpInBlock(*op));
}

/// Of the blocks of the two ids the inner one.
static Block &entryOf(const DistributionOptions &options) {
  Value lane = options.laneId;
  Value subgroup = options.subgroupId ? options.subgroupId : lane;
  Block &laneBlock = *lane.getParentBlock();
  Block &subgroupBlock = *subgroup.getParentBlock();
  return isWithin(laneBlock, subgroupBlock) ? laneBlock : subgroupBlock;
}

HardwareIds::HardwareIds(const DistributionOptions &options)
    : options(options), builder(options.laneId.getContext(), this),
      location(options.laneId.getLoc()), entry(entryOf(options)) {
  // The later of the two ids, so that both dominate what is emitted.
  for (Value id : {options.subgroupId, options.laneId})
    if (Operation *op = id ? id.getDefiningOp() : nullptr)
      if (op->getBlock() == &entry && (!last || last->isBeforeInBlock(op)))
        last = op;
}

OpBuilder &HardwareIds::atEntry() {
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&entry);
  return builder;
}

Value HardwareIds::constant(int64_t value) {
  Value &known = values[{-1, value}];
  if (!known)
    known = arith::ConstantIndexOp::create(atEntry(), location, value);
  return known;
}

Value HardwareIds::id(Axis axis) {
  assert(axis != Axis::Register && "registers have numbers and no ids");
  if (axis == Axis::Lane)
    return options.laneId;
  return options.subgroupId ? options.subgroupId : constant(0);
}

int64_t HardwareIds::count(Axis axis) const {
  return axis == Axis::Lane ? options.subgroupSize : options.numSubgroups;
}

Value HardwareIds::digit(Digit wanted, ArrayRef<Digit> chain) {
  SmallVector<ChainDigit> filled = fillGaps(chain);
  SmallVector<Digit> digits =
      llvm::map_to_vector(filled, [](const ChainDigit &c) { return c.digit; });
  SmallVector<Value> &known = chains[keyOf(0, digits)];
  if (known.empty()) {
    int64_t size = span(filled);
    // The chain may end where the ids do: then there is no quotient.
    bool exact = size == count(wanted.axis);
    if (exact && filled.size() == 1) {
      known.push_back(id(wanted.axis));
    } else {
      SmallVector<int64_t> basis;
      for (const Digit &digit : llvm::reverse(digits))
        basis.push_back(digit.size);
      auto op = affine::AffineDelinearizeIndexOp::create(
          atEntry(), location, id(wanted.axis), basis, /*hasOuterBound=*/exact);
      for (Value result : llvm::reverse(op.getResults()))
        known.push_back(result);
    }
  }
  for (auto [at, digit] : llvm::enumerate(digits))
    if (digit.stride == wanted.stride)
      return known[at];
  llvm_unreachable("the digit is one of its chain");
}

Value HardwareIds::bit(const IdBit &bit) {
  Key key = keyOf(9, Digit{bit.axis, bit.size, bit.stride});
  key.push_back(bit.bit);
  if (auto known = values.find(key); known != values.end())
    return known->second;
  Value number = id(bit.axis);
  int64_t mask = int64_t(1) << bit.bit;
  if (llvm::isPowerOf2_64(bit.size) && llvm::isPowerOf2_64(bit.stride)) {
    mask *= bit.stride;
  } else {
    AffineExpr digit = builder.getAffineSymbolExpr(0).floorDiv(bit.stride);
    number = affine::makeComposedAffineApply(
        atEntry(), location, AffineMap::get(0, 1, digit % bit.size), {number});
  }
  Value zero = constant(0), wanted = constant(mask);
  Value part = arith::AndIOp::create(atEntry(), location, number, wanted);
  return values[key] = arith::CmpIOp::create(
             atEntry(), location, arith::CmpIPredicate::ne, part, zero);
}

Value HardwareIds::once(std::vector<int64_t> key,
                        llvm::function_ref<Value()> emit) {
  if (auto known = formulas.find(key); known != formulas.end())
    return known->second;
  Value made = emit();
  return formulas[std::move(key)] = made;
}

Value HardwareIds::base(const Placement &placement, int64_t dim) {
  SmallVector<Digit> digits(placement.layout.digits(dim));
  // Registers outside the outermost hardware digit contribute nothing here.
  auto isRegister = [](const Digit &d) { return d.axis == Axis::Register; };
  digits.erase(digits.begin(), llvm::find_if_not(digits, isRegister));
  if (digits.empty())
    return constant(0);

  std::vector<int64_t> key = keyOf(1, digits);
  SmallVector<Digit> subgroups = placement.digitsOn(Axis::Subgroup);
  SmallVector<Digit> lanes = placement.digitsOn(Axis::Lane);
  for (ArrayRef<Digit> chain : {ArrayRef(subgroups), ArrayRef(lanes)})
    for (const ChainDigit &c : fillGaps(chain))
      llvm::append_range(key, keyOf(2, c.digit));
  Value &known = values[key];
  if (known)
    return known;

  SmallVector<Value> parts;
  SmallVector<int64_t> sizes;
  for (const Digit &d : digits) {
    parts.push_back(isRegister(d)
                        ? constant(0)
                        : digit(d, d.axis == Axis::Lane ? lanes : subgroups));
    sizes.push_back(d.size);
  }
  Value result = parts.front();
  if (parts.size() > 1)
    result = affine::AffineLinearizeIndexOp::create(atEntry(), location, parts,
                                                    sizes, /*disjoint=*/true);
  return values[key] = result;
}

Value HardwareIds::offset(OpBuilder &b, Location loc, Value index,
                          int64_t offset) {
  if (offset == 0)
    return index;
  if (matchPattern(index, m_Zero()))
    return constant(offset);
  return arith::AddIOp::create(b, loc, index, constant(offset));
}

Value HardwareIds::number(ArrayRef<Digit> digits, ArrayRef<Digit> chain) {
  if (digits.empty())
    return constant(0);
  SmallVector<Value> parts;
  SmallVector<int64_t> sizes;
  for (const Digit &d : digits) {
    parts.push_back(digit(d, chain));
    sizes.push_back(d.size);
  }
  if (parts.size() == 1)
    return parts.front();
  return affine::AffineLinearizeIndexOp::create(atEntry(), location, parts,
                                                sizes,
                                                /*disjoint=*/true);
}

Value HardwareIds::step(OpBuilder &b, Location loc, Value index, Value digit,
                        int64_t stride) {
  AffineExpr s0, s1;
  bindSymbols(b.getContext(), s0, s1);
  OpFoldResult folded = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(0, 2, s0 + s1 * stride),
      {getAsOpFoldResult(index), getAsOpFoldResult(digit)});
  return getValueOrCreateConstantIndexOp(b, loc, folded);
}

Value HardwareIds::canonical(ArrayRef<Digit> chain, ArrayRef<Digit> without) {
  AffineExpr sum = builder.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> values;
  for (const Digit &d : chain) {
    if (llvm::any_of(without,
                     [&](const Digit &w) { return w.stride == d.stride; }))
      continue;
    sum = sum + builder.getAffineSymbolExpr(values.size()) * d.stride;
    values.push_back(digit(d, chain));
  }
  if (values.empty())
    return constant(0);
  auto map = AffineMap::get(0, values.size(), sum);
  OpFoldResult folded =
      affine::makeComposedFoldedAffineApply(atEntry(), location, map, values);
  return getValueOrCreateConstantIndexOp(atEntry(), location, folded);
}

Value HardwareIds::isCanonical(Axis axis, ArrayRef<Digit> chain) {
  if (coversAll(chain, count(axis)))
    return nullptr;
  Value &known = values[keyOf(4 + int64_t(axis), chain)];
  if (known)
    return known;
  SmallVector<ChainDigit> filled = fillGaps(chain);
  bool gapless =
      llvm::all_of(filled, [](const ChainDigit &c) { return c.read; });
  auto predicate = arith::CmpIPredicate::eq;
  Value bound;
  if (chain.empty()) {
    bound = constant(0);
  } else if (gapless) {
    predicate = arith::CmpIPredicate::ult;
    bound = constant(span(filled));
  } else {
    bound = canonical(chain);
  }
  Value result =
      arith::CmpIOp::create(atEntry(), location, predicate, id(axis), bound);
  return values[keyOf(4 + int64_t(axis), chain)] = result;
}

int64_t distaff::productOf(ArrayRef<Digit> digits) {
  int64_t product = 1;
  for (const Digit &digit : digits)
    product *= digit.size;
  return product;
}

Value HardwareIds::isCanonical(ArrayRef<Digit> subgroups,
                               ArrayRef<Digit> lanes) {
  Value subgroup = isCanonical(Axis::Subgroup, subgroups);
  Value lane = isCanonical(Axis::Lane, lanes);
  Value both = subgroup ? subgroup : lane;
  if (subgroup && lane) {
    std::vector<int64_t> key = keyOf(7, subgroups);
    llvm::append_range(key, keyOf(8, lanes));
    Value &known = values[key];
    if (!known)
      known = arith::AndIOp::create(atEntry(), location, subgroup, lane);
    both = known;
  }
  if (both)
    holders[both] = {productOf(subgroups),
                     productOf(subgroups) * productOf(lanes)};
  return both;
}

std::optional<Population> HardwareIds::holdersIf(Value condition) const {
  auto found = holders.find(condition);
  return found == holders.end() ? std::nullopt
                                : std::optional<Population>(found->second);
}
