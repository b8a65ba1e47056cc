//===- Boxes.cpp - Boxes of elements that ops access ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Boxes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::async_copies;

/// The limit of the bits that a swizzle flips; memory is not larger.
static constexpr int64_t mostFlips = int64_t(1) << 31;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {

/// A sum is a list of terms, each with a factor, and a constant.
struct Sum {
  llvm::MapVector<AffineExpr, int64_t> terms;
  int64_t constant = 0;

  static Sum of(AffineExpr expr);

  void add(const Sum &other, int64_t factor) {
    for (auto [term, count] : other.terms)
      terms[term] += count * factor;
    constant += other.constant * factor;
    terms.remove_if([](const auto &entry) { return entry.second == 0; });
  }

  /// Builds one expression for equal sums, in any order of their terms.
  AffineExpr build(MLIRContext *context) const {
    SmallVector<std::pair<AffineExpr, int64_t>> ordered(terms.begin(),
                                                        terms.end());
    llvm::sort(ordered, [](const auto &lhs, const auto &rhs) {
      return lhs.first.getAsOpaquePointer() < rhs.first.getAsOpaquePointer();
    });
    AffineExpr expr = getAffineConstantExpr(constant, context);
    for (auto [term, factor] : ordered)
      expr = expr + term * factor;
    return expr;
  }
};

} // namespace

/// Returns x floordiv d or x mod d as a sum, with the multiples of d moved out
/// of x: (2 i + j + 3) floordiv 2 is i + 1 + (j + 1) floordiv 2.
static Sum ofDivision(AffineBinaryOpExpr expr) {
  MLIRContext *context = expr.getContext();
  int64_t by = cast<AffineConstantExpr>(expr.getRHS()).getValue();
  Sum dividend = Sum::of(expr.getLHS()), rest, quotient;
  for (auto [term, factor] : dividend.terms)
    if (factor % by == 0)
      quotient.terms[term] = factor / by;
    else
      rest.terms[term] = factor;
  quotient.constant = llvm::divideFloorSigned(dividend.constant, by);
  rest.constant = dividend.constant - quotient.constant * by;
  bool isMod = expr.getKind() == AffineExprKind::Mod;
  if (isMod) {
    quotient = Sum();
    for (auto &[term, factor] : rest.terms)
      factor -= llvm::divideFloorSigned(factor, by) * by;
  }
  if (rest.terms.empty()) {
    quotient.constant += isMod ? rest.constant : 0;
    return quotient;
  }
  AffineExpr left = rest.build(context);
  quotient.terms[isMod ? left % by : left.floorDiv(by)] += 1;
  return quotient;
}

Sum Sum::of(AffineExpr expr) {
  Sum sum;
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    sum.constant = number.getValue();
    return sum;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto right = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                      : AffineConstantExpr();
  if (binary && expr.getKind() == AffineExprKind::Add) {
    sum = of(binary.getLHS());
    sum.add(of(binary.getRHS()), 1);
  } else if (right && expr.getKind() == AffineExprKind::Mul) {
    sum.add(of(binary.getLHS()), right.getValue());
  } else if (right && right.getValue() > 0 &&
             (expr.getKind() == AffineExprKind::Mod ||
              expr.getKind() == AffineExprKind::FloorDiv)) {
    sum = ofDivision(binary);
  } else {
    sum.terms[expr] = 1;
  }
  return sum;
}

AffineExpr IndexSums::simplified(AffineExpr expr) {
  return Sum::of(expr).build(context);
}

//===----------------------------------------------------------------------===//
// From values
//===----------------------------------------------------------------------===//

AffineExpr IndexSums::leaf(Value value) {
  leaves.push_back(value);
  return getAffineDimExpr(leaves.size() - 1, context);
}

AffineExpr IndexSums::of(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return getAffineConstantExpr(*constant, context);
  Value value = cast<Value>(number);
  if (AffineExpr expr = known.lookup(value))
    return expr;
  Operation *op = value.getDefiningOp();
  AffineExpr expr = op && value.getType().isIndex() ? ofOperation(op) : nullptr;
  if (!expr)
    expr = leaf(value);
  return known[value] = simplified(expr);
}

/// Returns x xor `flips`, as a sum: a flipped bit that is 0 adds its weight,
/// one that is 1 subtracts it.
static AffineExpr flipped(AffineExpr x, int64_t flips) {
  AffineExpr sum = x;
  for (uint64_t left = flips; left; left &= left - 1) {
    int64_t weight = int64_t(1) << llvm::countr_zero(left);
    sum = sum + weight - x.floorDiv(weight) % 2 * (2 * weight);
  }
  return sum;
}

/// Returns null where the op is not arithmetic of sums. Unsigned quotients are
/// floored ones of values that are not negative.
AffineExpr IndexSums::ofOperation(Operation *op) {
  auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
  auto divisor = [&]() -> std::optional<int64_t> {
    std::optional<int64_t> by = getConstantIntValue(op->getOperand(1));
    return by && *by > 0 && facts.isNonNegative(op->getOperand(0))
               ? by
               : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](arith::AddIOp) { return operand(0) + operand(1); })
      .Case([&](arith::SubIOp) { return operand(0) - operand(1); })
      .Case([&](arith::MulIOp) -> AffineExpr {
        for (unsigned i : {0, 1})
          if (auto factor = getConstantIntValue(op->getOperand(i)))
            return operand(1 - i) * *factor;
        return nullptr;
      })
      .Case([&](arith::XOrIOp) -> AffineExpr {
        for (unsigned i : {0, 1})
          if (auto flips = getConstantIntValue(op->getOperand(i)))
            if (*flips >= 0 && *flips < mostFlips &&
                facts.isNonNegative(op->getOperand(1 - i)))
              return flipped(operand(1 - i), *flips);
        return nullptr;
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) -> AffineExpr {
        auto by = divisor();
        return by ? operand(0) % *by : AffineExpr();
      })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [&](auto) -> AffineExpr {
            auto by = divisor();
            return by ? operand(0).floorDiv(*by) : AffineExpr();
          })
      .Case([&](affine::AffineApplyOp apply) -> AffineExpr {
        AffineMap map = apply.getAffineMap();
        SmallVector<AffineExpr> operands;
        for (Value value : apply.getMapOperands())
          operands.push_back(of(value));
        ArrayRef<AffineExpr> all(operands);
        return map.getResult(0).replaceDimsAndSymbols(
            all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
      })
      .Default([](Operation *) { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Dependence on loops and lanes
//===----------------------------------------------------------------------===//

AffineExpr IndexSums::later(AffineExpr expr, scf::ForOp loop, scf::ForOp now,
                            int64_t iterations) {
  AffineExpr counter = of(OpFoldResult(loop.getInductionVar()));
  AffineExpr start = of(OpFoldResult(now.getInductionVar()));
  AffineExpr step = of(OpFoldResult(now.getStep()));
  return simplified(expr.replace(counter, start + step * iterations));
}

std::optional<int64_t> IndexSums::factorOf(AffineExpr expr, scf::ForOp loop) {
  AffineExpr counter = of(loop.getInductionVar());
  Sum sum = Sum::of(expr);
  int64_t factor = sum.terms.lookup(counter);
  sum.terms.erase(counter);
  bool isChanged = false;
  sum.build(context).walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (!dim)
      return;
    Value value = leaves[dim.getPosition()];
    isChanged |= !loop.isDefinedOutsideOfLoop(value);
  });
  return isChanged ? std::nullopt : std::optional(factor);
}

bool IndexSums::isUniform(AffineExpr expr) {
  bool all = true;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      all &= isUniform(leaves[dim.getPosition()]);
  });
  return all;
}

bool IndexSums::isUniform(Value value) {
  auto [it, isNew] = uniform.try_emplace(value, false);
  if (!isNew)
    return it->second;
  bool answer = false;
  auto areUniform = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return isUniform(v); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    answer = (isa<FunctionOpInterface>(parent) &&
              argument.getOwner()->isEntryBlock()) ||
             (loop && argument == loop.getInductionVar() &&
              areUniform({loop.getLowerBound(), loop.getUpperBound(),
                          loop.getStep()}));
  } else {
    Operation *op = value.getDefiningOp();
    if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp,
            gpu::NumSubgroupsOp>(op))
      answer = true;
    else if (isa_and_present<arith::ArithDialect, affine::AffineDialect>(
                 op->getDialect()) ||
             isa<memref::DimOp>(op))
      answer = op->getNumRegions() == 0 && areUniform(op->getOperands());
  }
  return uniform[value] = answer;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static memref::SubViewOp unitStridesView(Value memref) {
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  return view && view.hasUnitStride() ? view : memref::SubViewOp();
}

Value async_copies::arrayBehind(Value memref) {
  while (memref::SubViewOp view = unitStridesView(memref))
    memref = view.getSource();
  return memref;
}

Address async_copies::addressOf(Value memref, ValueRange indices) {
  Address address{memref, {}, {}};
  for (auto [dim, index] : llvm::enumerate(indices)) {
    address.indices.push_back({OpFoldResult(index)});
    address.dims.push_back(dim);
  }
  while (memref::SubViewOp view = unitStridesView(address.array)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<SmallVector<OpFoldResult, 2>> outer;
    SmallVector<unsigned> kept;
    for (auto [dim, offset] : llvm::enumerate(view.getMixedOffsets())) {
      outer.push_back({offset});
      if (dropped.test(dim))
        continue;
      llvm::append_range(outer.back(), address.indices[kept.size()]);
      kept.push_back(dim);
    }
    for (unsigned &dim : address.dims)
      dim = kept[dim];
    address.indices = std::move(outer);
    address.array = view.getSource();
  }
  return address;
}

namespace {
/// Climbs from a memref to the array that its views refer to.
class BoxClimber {
public:
  BoxClimber(Value memref, ValueRange indices, ArrayRef<int64_t> extents,
             IndexSums &sums)
      : box{memref, {}, SmallVector<int64_t>(extents)}, sums(sums) {
    for (Value index : indices)
      box.first.push_back(sums.of(OpFoldResult(index)));
  }

  Box climb() {
    while (Operation *view = box.array.getDefiningOp())
      if (!llvm::TypeSwitch<Operation *, bool>(view)
               .Case<memref::SubViewOp, memref::ExpandShapeOp,
                     memref::CollapseShapeOp>(
                   [&](auto op) { return through(op); })
               .Default(false))
        break;
    return box;
  }

private:
  void set(Value array, ArrayRef<AffineExpr> first, ArrayRef<int64_t> extents) {
    box = {array, SmallVector<AffineExpr>(first),
           SmallVector<int64_t>(extents)};
  }

  bool through(memref::SubViewOp view) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<AffineExpr> first;
    SmallVector<int64_t> extents;
    unsigned kept = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
      std::optional<int64_t> step = getConstantIntValue(stride);
      if (!step || *step < 1)
        return false;
      first.push_back(sums.of(offset));
      extents.push_back(1);
      if (dropped.test(dim))
        continue;
      first.back() = sums.simplified(first.back() + box.first[kept] * *step);
      extents.back() = (box.extents[kept++] - 1) * *step + 1;
    }
    set(view.getSource(), first, extents);
    return true;
  }

  /// Handles groups whose dims are digits of the source's dim.
  bool through(memref::ExpandShapeOp view) {
    SmallVector<AffineExpr> first;
    SmallVector<int64_t> extents;
    ArrayRef<int64_t> shape = view.getResultType().getShape();
    for (ArrayRef<int64_t> group : view.getReassociationIndices()) {
      AffineExpr sum = sums.of(
          OpFoldResult(IntegerAttr::get(IndexType::get(view.getContext()), 0)));
      int64_t last = 0, stride = 1;
      for (int64_t dim : llvm::reverse(group)) {
        if (ShapedType::isDynamic(stride))
          return false;
        sum = sum + box.first[dim] * stride;
        last += (box.extents[dim] - 1) * stride;
        stride = ShapedType::isDynamic(shape[dim]) ? ShapedType::kDynamic
                                                   : stride * shape[dim];
      }
      first.push_back(sums.simplified(sum));
      extents.push_back(last + 1);
    }
    set(view.getSrc(), first, extents);
    return true;
  }

  /// Handles groups of one dim and others of extent 1.
  bool through(memref::CollapseShapeOp view) {
    ArrayRef<int64_t> shape = view.getSrcType().getShape();
    SmallVector<AffineExpr> first(shape.size(),
                                  sums.of(OpFoldResult(IntegerAttr::get(
                                      IndexType::get(view.getContext()), 0))));
    SmallVector<int64_t> extents(shape.size(), 1);
    for (auto [dim, group] : llvm::enumerate(view.getReassociationIndices())) {
      if (llvm::count_if(group, [&](int64_t d) { return shape[d] != 1; }) > 1)
        return false;
      auto *wide =
          llvm::find_if(group, [&](int64_t d) { return shape[d] != 1; });
      int64_t of = wide == group.end() ? group.front() : *wide;
      first[of] = box.first[dim];
      extents[of] = box.extents[dim];
    }
    set(view.getSrc(), first, extents);
    return true;
  }

  Box box;
  IndexSums &sums;
};
} // namespace

Box async_copies::boxAt(Value memref, ValueRange indices,
                        ArrayRef<int64_t> extents, IndexSums &sums) {
  return BoxClimber(memref, indices, extents, sums).climb();
}

/// Returns the box along the innermost dims of the memref.
static Box innermost(Value memref, ValueRange indices, ArrayRef<int64_t> shape,
                     IndexSums &sums) {
  SmallVector<int64_t> extents(indices.size() - shape.size(), 1);
  llvm::append_range(extents, shape);
  return boxAt(memref, indices, extents, sums);
}

std::optional<Box> async_copies::boxOf(Operation *op, IndexSums &sums) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
    if (!isa<MemRefType>(transfer.getShapedType()))
      return std::nullopt;
    SmallVector<int64_t> extents(transfer.getIndices().size(), 1);
    for (auto [expr, extent] :
         llvm::zip_equal(transfer.getPermutationMap().getResults(),
                         transfer.getVectorType().getShape()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        extents[dim.getPosition()] = extent;
    return boxAt(transfer.getBase(), transfer.getIndices(), extents, sums);
  }
  return llvm::TypeSwitch<Operation *, std::optional<Box>>(op)
      .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
        if (isa<VectorType>(access.getMemRefType().getElementType()))
          return std::optional<Box>();
        return std::optional<Box>(
            innermost(access.getBase(), access.getIndices(),
                      access.getVectorType().getShape(), sums));
      })
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        return innermost(access.getMemRef(), access.getIndices(), {}, sums);
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns whether `holds` is true for every value of a distance whose terms
/// are bits, as in addresses that a swizzle has flipped. The number of values
/// is limited.
static bool holdsOfAll(AffineExpr distance,
                       llvm::function_ref<bool(int64_t)> holds) {
  Sum sum = Sum::of(distance);
  SmallVector<int64_t> values = {sum.constant};
  for (auto [term, factor] : sum.terms) {
    auto bit = dyn_cast<AffineBinaryOpExpr>(term);
    auto by = bit ? dyn_cast<AffineConstantExpr>(bit.getRHS()) : nullptr;
    constexpr size_t mostValues = 64;
    if (!by || term.getKind() != AffineExprKind::Mod || by.getValue() != 2 ||
        values.size() >= mostValues)
      return false;
    for (size_t i = 0, end = values.size(); i < end; ++i)
      values.push_back(values[i] + factor);
  }
  return llvm::all_of(values, holds);
}

/// Returns whether two slots of one ring are different.
static bool areOtherSlots(AffineExpr lhs, AffineExpr rhs, IndexSums &sums) {
  auto left = dyn_cast<AffineBinaryOpExpr>(lhs);
  auto right = dyn_cast<AffineBinaryOpExpr>(rhs);
  if (!left || !right || lhs.getKind() != AffineExprKind::Mod ||
      rhs.getKind() != AffineExprKind::Mod || left.getRHS() != right.getRHS())
    return false;
  AffineExpr distance =
      sums.simplified((left.getLHS() - right.getLHS()) % left.getRHS());
  auto slots = dyn_cast<AffineConstantExpr>(distance);
  return slots && slots.getValue() != 0;
}

bool async_copies::areApart(const Box &lhs, const Box &rhs, IndexSums &sums,
                            llvm::function_ref<bool(AffineExpr)> isSeen) {
  for (auto [left, right, leftExtent, rightExtent] :
       llvm::zip_equal(lhs.first, rhs.first, lhs.extents, rhs.extents)) {
    if (!isSeen(left) || !isSeen(right))
      continue;
    int64_t below = leftExtent, above = rightExtent;
    if (holdsOfAll(right - left, [&](int64_t distance) {
          return distance >= below || -distance >= above;
        }))
      return true;
    if (leftExtent == 1 && rightExtent == 1 && areOtherSlots(left, right, sums))
      return true;
  }
  return false;
}
