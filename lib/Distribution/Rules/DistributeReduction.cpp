//===- DistributeReduction.cpp - vector.multi_reduction and reduction -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements a reduction in stages (specification 6.4, VX-82 .. VX-88):
//
//   1 masked-out elements become the identity
//   2 each lane reduces its registers, from the identity
//   3 lanes, 4 subgroups: LaneExchange.h
//   5 the accumulator is combined, once
//
// Where the order of a sum or product of floats must be kept, the accumulator
// comes first and combines one element after the other (OrderedReduction.h,
// VX-87).
//
//===----------------------------------------------------------------------===//
#include "../Exchange/OrderedReduction.h"
#include "../Records.h"
#include "Combine.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <map>

using namespace distaff;
using vector::CombiningKind;

namespace {
struct ReductionPlan {
  Operation *op;
  CombiningKind kind;
  Type element, combined; // element type of the source; type of the stages
  const Placement *source, *result; // no result placement: a scalar
  SmallVector<bool> reduced;        // by dim of the source
  Reach reach;
  bool inOrder; // strictly, as the index
};
} // namespace

static FailureOr<ReductionPlan> planReduction(Operation *op, CombiningKind kind,
                                              OpOperand &source, Value result,
                                              ArrayRef<bool> reduced,
                                              Distributor &out) {
  ReductionPlan plan;
  plan.op = op;
  plan.kind = kind;
  plan.element = cast<VectorType>(source.get().getType()).getElementType();
  plan.combined = typeToCombineIn(kind, plan.element);
  plan.source = out.placementOf(source);
  plan.result = out.placementOf(result);
  plan.reduced.assign(reduced.begin(), reduced.end());
  plan.reach = reachOf(*plan.source, plan.reduced, plan.result);
  if (failed(requireReach(op, plan.reach, out)))
    return failure();
  plan.inOrder = out.options.strictFp && dependsOnOrder(kind, plan.element);
  return plan;
}

/// Stage 2: returns the registers that remain, still in the source's order.
static Value reduceRegisters(OpBuilder &b, const ReductionPlan &plan,
                             Value source) {
  SmallVector<bool> dims =
      llvm::map_to_vector(plan.source->registers, [&](const RegisterDim &r) {
        return bool(plan.reduced[r.dim]);
      });
  Location loc = plan.op->getLoc();
  if (llvm::none_of(dims, [](bool reduced) { return reduced; }))
    return plan.result ? source : toScalars(b, loc, source).front();
  SmallVector<int64_t> kept;
  for (auto [r, reduced] : llvm::zip_equal(plan.source->registers, dims))
    if (!reduced)
      kept.push_back(r.size);
  Type type = plan.combined;
  if (!kept.empty())
    type = VectorType::get(kept, plan.combined);
  Value identity = splat(b, loc, type, identityOf(plan.kind, plan.combined));
  Value partial = vector::MultiDimReductionOp::create(b, loc, source, identity,
                                                      dims, plan.kind);
  // A rank-0 result is a vector nevertheless.
  if (plan.result && !isa<VectorType>(partial.getType()))
    return fromScalars(b, loc, partial, plan.result->type(plan.combined));
  return partial;
}

/// Returns the remaining registers in the result's order.
static Value toResultOrder(OpBuilder &b, const ReductionPlan &plan,
                           Value partial) {
  if (!plan.result)
    return partial;
  std::map<SmallVector<int64_t>, int64_t> keptAt;
  for (int64_t reg = 0; reg < plan.source->numRegisters(); ++reg) {
    SmallVector<int64_t> kept;
    bool first = true;
    for (auto [dim, offset] : llvm::enumerate(plan.source->offsetOf(reg))) {
      if (plan.reduced[dim])
        first &= offset == 0;
      else
        kept.push_back(offset);
    }
    if (first)
      keptAt.insert({kept, int64_t(keptAt.size())});
  }
  SmallVector<int64_t> sourceOf;
  for (int64_t reg = 0; reg < plan.result->numRegisters(); ++reg)
    sourceOf.push_back(keptAt.at(plan.result->offsetOf(reg)));
  return renameRegisters(b, plan.op->getLoc(), partial, sourceOf,
                         plan.result->shape());
}

/// Reduces all elements one by one, starting from `initial`.
static Value reduceInOrder(OpBuilder &b, const ReductionPlan &plan,
                           Value source, Value initial, Distributor &out) {
  Location loc = plan.op->getLoc();
  SmallVector<Value> elements = toScalars(b, loc, source);
  RegisterMap registers(*plan.source);
  SmallVector<SmallVector<int64_t>> kept; // by register of the result
  for (int64_t reg = 0, e = plan.result ? plan.result->numRegisters() : 1;
       reg < e; ++reg)
    kept.push_back(plan.result ? plan.result->offsetOf(reg)
                               : SmallVector<int64_t>());
  auto step = [&](OpBuilder &b, ArrayRef<int64_t> offset,
                  OrderedReductionState &state) {
    for (auto [sum, keptOffset] : llvm::zip_equal(state.passed.front(), kept)) {
      SmallVector<int64_t> index(offset);
      ArrayRef<int64_t> next = keptOffset;
      for (auto [dim, reduced] : llvm::enumerate(plan.reduced))
        if (!reduced) {
          index[dim] = next.front();
          next = next.drop_front();
        }
      sum = combine(b, loc, plan.kind, sum, elements[registers.at(index)]);
    }
  };
  OrderedReductionState state;
  state.passed.push_back(toScalars(b, loc, initial));
  runOrderedReduction(
      b, loc, orderedReductionAlong(*plan.source, plan.reduced, plan.reach),
      state, step, out);
  return fromScalars(b, loc, state.passed.front(), initial.getType());
}

static void record(const ReductionPlan &plan, const Distributor &out) {
  SmallVector<int64_t> dims;
  int64_t folded = 1;
  for (auto [dim, isReduced] : llvm::enumerate(plan.reduced))
    if (isReduced)
      dims.push_back(dim);
  for (const RegisterDim &registers : plan.source->registers)
    folded *= plan.reduced[registers.dim] ? registers.size : 1;
  std::optional<int64_t> rounds;
  if (!plan.inOrder)
    rounds = roundsOf(plan.reach, out.options.subgroupSize);
  recordReduction(plan.op, stringifyCombiningKind(plan.kind), dims, folded,
                  plan.reach, rounds, out);
}

static LogicalResult emitReduction(const ReductionPlan &plan, OpOperand &source,
                                   OpOperand *mask, OpOperand *accumulator,
                                   Distributor &out) {
  record(plan, out);
  OpBuilder b(plan.op);
  Location loc = plan.op->getLoc();
  Value value = convertFloat(b, loc, out.get(b, source), plan.combined);
  if (mask) {
    Value identity =
        splat(b, loc, value.getType(), identityOf(plan.kind, plan.combined));
    value = arith::SelectOp::create(b, loc, out.get(b, *mask), value, identity);
  }
  if (plan.inOrder) {
    Type type = plan.combined;
    if (plan.result)
      type = plan.result->type(plan.combined);
    Value initial =
        accumulator
            ? convertFloat(b, loc, out.get(b, *accumulator), plan.combined)
            : splat(b, loc, type, identityOf(plan.kind, plan.combined));
    Value sum = reduceInOrder(b, plan, value, initial, out);
    out.replace(plan.op, convertFloat(b, loc, sum, plan.element));
    return success();
  }
  Value partial = toResultOrder(b, plan, reduceRegisters(b, plan, value));
  partial = reduceAcross(b, loc, plan.kind, partial, plan.reach, out);
  if (accumulator) {
    Value initial =
        convertFloat(b, loc, out.get(b, *accumulator), plan.combined);
    partial = combine(b, loc, plan.kind, partial, initial);
  }
  out.replace(plan.op, convertFloat(b, loc, partial, plan.element));
  return success();
}

LogicalResult distaff::distribute(vector::MultiDimReductionOp op,
                                  OpOperand *mask, Distributor &out) {
  FailureOr<ReductionPlan> plan =
      planReduction(op, op.getKind(), op.getSourceMutable(), op.getResult(),
                    op.getReductionMask(), out);
  if (failed(plan))
    return failure();
  return emitReduction(*plan, op.getSourceMutable(), mask, &op.getAccMutable(),
                       out);
}

LogicalResult distaff::distribute(vector::ReductionOp op, OpOperand *mask,
                                  Distributor &out) {
  FailureOr<ReductionPlan> plan = planReduction(
      op, op.getKind(), op.getVectorMutable(), op.getResult(), {true}, out);
  if (failed(plan))
    return failure();
  MutableOperandRange accumulator = op.getAccMutable();
  return emitReduction(*plan, op.getVectorMutable(), mask,
                       accumulator.empty() ? nullptr : &accumulator[0], out);
}
