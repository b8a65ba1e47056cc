//===- DeferLaneReductions.cpp - Lane sums hoisted after a loop -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries a sum l, and in every step scales it and adds a sum over
// lanes,
//
//   l' = l * u + sum over lanes of p
//
// carries each lane's partial sum instead, l' = l * u + p, and sums these over
// lanes once, after the loop. The conditions are that l starts from zero and
// has no other use in the loop, and that u is uniform in all lanes of the sum.
// The running sum of online softmax, whose factor derives from the row's
// maximum, is an example, and so is a plain sum. It is a reassociation.
//
//===----------------------------------------------------------------------===//
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_DEFERLANEREDUCTIONS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Finds values that are uniform in each cluster of a reduction.
class ClusterUniformity {
public:
  explicit ClusterUniformity(gpu::SubgroupReduceOp reduction)
      : reduction(reduction) {}

  bool isUniform(Value value);

private:
  bool isUniform(BlockArgument argument);
  bool isUniform(Operation *op);
  bool isSameCluster(gpu::SubgroupReduceOp op) {
    return op.getClusterSize() == reduction.getClusterSize() &&
           op.getClusterStride() == reduction.getClusterStride();
  }

  gpu::SubgroupReduceOp reduction;
  /// Values being analyzed count as uniform: a carried value is uniform if its
  /// initial value and each yielded value are.
  DenseMap<Value, bool> known;
};

bool ClusterUniformity::isUniform(Value value) {
  if (auto [it, isNew] = known.try_emplace(value, true); !isNew)
    return it->second;
  bool result = isa<BlockArgument>(value)
                    ? isUniform(cast<BlockArgument>(value))
                    : isUniform(value.getDefiningOp());
  if (!result)
    known[value] = false;
  return result;
}

bool ClusterUniformity::isUniform(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
  if (argument == loop.getInductionVar())
    return isUniform(loop.getLowerBound()) && isUniform(loop.getStep());
  return isUniform(loop.getTiedLoopInit(argument)->get()) &&
         isUniform(loop.getTiedLoopYieldedValue(argument)->get());
}

bool ClusterUniformity::isUniform(Operation *op) {
  if (auto other = dyn_cast<gpu::SubgroupReduceOp>(op))
    return isSameCluster(other);
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp>(op))
    return true;
  // Ops whose results depend on their operands alone.
  bool isElementwise =
      isa_and_present<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      isa<vector::ShapeCastOp, vector::BroadcastOp, vector::ExtractOp,
          vector::FromElementsOp, vector::ToElementsOp, vector::TransposeOp>(
          op);
  return isElementwise && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isUniform(operand);
         });
}

/// Describes a carried sum to which a loop adds a sum over lanes.
struct CarriedSum {
  Value result; ///< a result of the loop
  gpu::SubgroupReduceOp reduction;
};

template <typename... Ops> Operation *definedBy(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<Ops...>(op) ? op : nullptr;
}

/// Returns the operand of an op that changes only its shape; null for another
/// op.
Value unshaped(Operation *op) {
  auto isSingle = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.getNumElements() == 1;
  };
  if (isa_and_nonnull<vector::ShapeCastOp>(op))
    return op->getOperand(0);
  if (auto parts = dyn_cast_or_null<vector::FromElementsOp>(op);
      parts && isSingle(parts.getType()))
    return parts.getElements()[0];
  if (auto part = dyn_cast_or_null<vector::ExtractOp>(op);
      part && isSingle(part.getSourceVectorType()))
    return part.getSource();
  return {};
}

/// Returns the reduction that computes a value, up to its shape, if the value
/// has no other use.
gpu::SubgroupReduceOp reductionOf(Value value) {
  for (; value.hasOneUse(); value = unshaped(value.getDefiningOp())) {
    if (auto reduction = value.getDefiningOp<gpu::SubgroupReduceOp>())
      return reduction;
    if (!unshaped(value.getDefiningOp()))
      break;
  }
  return {};
}

/// Returns a value in another shape of as many elements.
Value reshaped(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  Type element = getElementTypeOrSelf(type);
  if (!isa<VectorType>(value.getType()))
    value = vector::FromElementsOp::create(
        b, loc, VectorType::get({1}, element), value);
  auto shape = isa<VectorType>(type) ? cast<VectorType>(type)
                                     : VectorType::get({1}, element);
  if (value.getType() != shape)
    value = vector::ShapeCastOp::create(b, loc, shape, value);
  return isa<VectorType>(type)
             ? value
             : vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{0})
                   .getResult();
}

/// Returns whether a value is the carried one, or a product of it and a factor
/// that is uniform in each cluster.
bool isScaled(Value value, Value carried, ClusterUniformity &uniformity) {
  if (value == carried)
    return true;
  Operation *product = definedBy<arith::MulFOp, arith::MulIOp>(value);
  if (!product || !value.hasOneUse())
    return false;
  Value first = product->getOperand(0), second = product->getOperand(1);
  return (first == carried && uniformity.isUniform(second)) ||
         (second == carried && uniformity.isUniform(first));
}

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

std::optional<CarriedSum> matchCarriedSum(scf::ForOp loop, unsigned number) {
  BlockArgument carried = loop.getRegionIterArg(number);
  Value next = loop.getYieldedValues()[number];
  Operation *sum = definedBy<arith::AddFOp, arith::AddIOp>(next);
  if (!sum || !next.hasOneUse() || !carried.hasOneUse() ||
      sum->getBlock() != loop.getBody() || !isZero(loop.getInits()[number]))
    return std::nullopt;
  for (unsigned at : {0, 1}) {
    gpu::SubgroupReduceOp reduction = reductionOf(sum->getOperand(at));
    if (!reduction || reduction.getOp() != gpu::AllReduceOperation::ADD ||
        reduction->getBlock() != loop.getBody())
      continue;
    ClusterUniformity uniformity(reduction);
    if (isScaled(sum->getOperand(1 - at), carried, uniformity))
      return CarriedSum{loop.getResult(number), reduction};
  }
  return std::nullopt;
}

/// Makes each lane carry its partial sum, and sums over lanes after the loop.
void defer(const CarriedSum &sum) {
  Value result = sum.result;
  gpu::SubgroupReduceOp reduction = sum.reduction;
  OpBuilder b(result.getContext());
  b.setInsertionPointAfterValue(result);
  Location loc = reduction.getLoc();
  Type reduced = reduction.getType(), type = result.getType();
  SmallVector<OpOperand *> uses = llvm::map_to_vector(
      result.getUses(), [](OpOperand &use) { return &use; });
  Value part = reshaped(b, loc, result, reduced);
  auto total = cast<gpu::SubgroupReduceOp>(b.clone(*reduction));
  total.getValueMutable().assign(part);
  Value whole = reshaped(b, loc, total.getResult(), type);
  for (OpOperand *use : uses)
    use->set(whole);
  reduction.getResult().replaceAllUsesWith(reduction.getValue());
  reduction.erase();
}

struct DeferLaneReductions final
    : distaff::impl::DeferLaneReductionsBase<DeferLaneReductions> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
        if (std::optional<CarriedSum> sum = matchCarriedSum(loop, number))
          defer(*sum);
  }
};

} // namespace
