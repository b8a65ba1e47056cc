//===- LowerSubgroupReduce.cpp - Reductions over lanes as butterflies -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `gpu.subgroup_reduce` over a cluster of 2^r lanes with stride s is r rounds:
// in round i every lane combines its value with that of the lane whose id
// differs in bit i of its digit, that is `lane xor (s << i)`. Afterwards every
// lane of the cluster holds the result, the same bits in each: both partners of
// a round combine the same two numbers, and every combining kind commutes. That
// is a reassociation; strict floats take the lanes one by one instead.
//
// A shuffle moves one 32-bit word. Narrower elements share a word; the
// combination itself happens in the element's own type. 64-bit shuffles, those
// made here and those that come in, are split into two.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/LiveRegisters.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERSUBGROUPREDUCE
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

constexpr unsigned kWordBits = 32;

/// One reduction, checked: everything emission needs.
struct Butterfly {
  vector::CombiningKind kind;
  int64_t size;   // lanes per result
  int64_t stride; // between them
  int64_t width;  // lanes per subgroup
};

/// Lanes per subgroup as the function is launched, or failure.
FailureOr<int64_t> subgroupSizeOf(gpu::SubgroupReduceOp op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto info = function->getAttrOfType<compat::TranslationInfoAttr>(
      compat::TranslationInfoAttr::attributeName);
  if (!info || info.getSubgroupSize() == 0)
    return op.emitOpError("needs to know the subgroup size, and its function "
                          "has no translation_info with a subgroup_size");
  return info.getSubgroupSize();
}

FailureOr<Butterfly> planButterfly(gpu::SubgroupReduceOp op) {
  FailureOr<int64_t> width = subgroupSizeOf(op);
  if (failed(width))
    return failure();
  int64_t size = op.getClusterSize().value_or(*width);
  int64_t stride = op.getClusterStride();
  if (!llvm::isPowerOf2_64(size) || !llvm::isPowerOf2_64(stride) ||
      size * stride > *width)
    return op.emitOpError("reduces ")
           << size << " lanes at stride " << stride
           << ", needed powers of two within the subgroup's " << *width
           << " lanes";
  unsigned bits = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
  if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return op.emitOpError("reduces elements of ")
           << bits << " bits, needed 1, 8, 16, 32 or 64";
  return Butterfly{gpu::convertReductionKind(op.getOp()), size, stride, *width};
}

/// Moves scalars between lanes, narrow ones packed into 32-bit words.
class WordShuffler {
public:
  WordShuffler(OpBuilder &builder, Location loc, Type elementType,
               int64_t width)
      : builder(builder), loc(loc), elementType(elementType),
        bits(elementType.getIntOrFloatBitWidth()), width(width) {}

  /// What each value is on the lane whose id differs by `offset`'s bits.
  SmallVector<Value> exchange(ArrayRef<Value> values, int64_t offset) {
    if (bits > kWordBits)
      return llvm::map_to_vector(
          values, [&](Value value) { return shuffle(value, offset); });
    SmallVector<Value> result;
    for (size_t begin = 0; begin < values.size(); begin += perWord())
      exchangeWord(values.slice(begin).take_front(perWord()), offset, result);
    return result;
  }

  /// What each value is on lane `source` (i32).
  SmallVector<Value> from(ArrayRef<Value> values, Value source) {
    Type carrier = bits < kWordBits ? word() : elementType;
    return llvm::map_to_vector(values, [&](Value value) -> Value {
      if (bits < kWordBits)
        value = arith::ExtUIOp::create(
            builder, loc, word(), bitcast(builder.getIntegerType(bits), value));
      Value lanes = amount(word(), width);
      value =
          gpu::ShuffleOp::create(builder, loc, carrier, builder.getI1Type(),
                                 value, source, lanes, gpu::ShuffleMode::IDX)
              .getShuffleResult();
      if (bits < kWordBits)
        value = bitcast(elementType,
                        arith::TruncIOp::create(
                            builder, loc, builder.getIntegerType(bits), value));
      return value;
    });
  }

private:
  size_t perWord() const { return kWordBits / bits; }
  Type word() { return builder.getI32Type(); }

  Value shuffle(Value value, int64_t offset) {
    return gpu::ShuffleOp::create(builder, loc, value, offset, width,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  }
  Value bitcast(Type type, Value value) {
    return builder.createOrFold<arith::BitcastOp>(loc, type, value);
  }
  Value amount(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  void exchangeWord(ArrayRef<Value> values, int64_t offset,
                    SmallVectorImpl<Value> &result) {
    if (bits == kWordBits) {
      result.push_back(shuffle(values.front(), offset));
      return;
    }
    Type narrow = builder.getIntegerType(bits);
    Value packed;
    for (auto [i, value] : llvm::enumerate(values)) {
      Value part =
          arith::ExtUIOp::create(builder, loc, word(), bitcast(narrow, value));
      if (i > 0) {
        part =
            arith::ShLIOp::create(builder, loc, part, amount(word(), i * bits));
        part = arith::OrIOp::create(builder, loc, packed, part);
      }
      packed = part;
    }
    Value moved = shuffle(packed, offset);
    for (size_t i = 0; i < values.size(); ++i) {
      Value part = moved;
      if (i > 0)
        part = arith::ShRUIOp::create(builder, loc, part,
                                      amount(word(), i * bits));
      part = arith::TruncIOp::create(builder, loc, narrow, part);
      result.push_back(bitcast(elementType, part));
    }
  }

  OpBuilder &builder;
  Location loc;
  Type elementType;
  unsigned bits;
  int64_t width;
};

/// Takes the cluster's lanes in ascending order.
void combineInOrder(OpBuilder &builder, Location loc,
                    const Butterfly &butterfly, WordShuffler &shuffler,
                    SmallVectorImpl<Value> &values) {
  Type word = builder.getI32Type();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value lane = arith::IndexCastOp::create(
      builder, loc, word, gpu::LaneIdOp::create(builder, loc, IntegerAttr()));
  // The bits of the digit that numbers the cluster's lanes.
  int64_t digit = (butterfly.size - 1) * butterfly.stride;
  Value first = arith::AndIOp::create(builder, loc, lane, constant(~digit));
  SmallVector<Value> own(values.begin(), values.end());
  for (int64_t at = 0; at < butterfly.size; ++at) {
    Value source = arith::OrIOp::create(builder, loc, first,
                                        constant(at * butterfly.stride));
    for (auto [value, next] :
         llvm::zip_equal(values, shuffler.from(own, source)))
      value = at == 0 ? next
                      : vector::makeArithReduction(builder, loc, butterfly.kind,
                                                   value, next);
  }
}

bool dependsOnOrder(vector::CombiningKind kind, Type type) {
  return isa<FloatType>(type) && (kind == vector::CombiningKind::ADD ||
                                  kind == vector::CombiningKind::MUL);
}

void emitButterfly(gpu::SubgroupReduceOp op, const Butterfly &butterfly,
                   bool strictFp) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto vectorType = dyn_cast<VectorType>(op.getType());
  SmallVector<Value> values = {op.getValue()};
  if (vectorType) {
    auto elements = vector::ToElementsOp::create(builder, loc, op.getValue());
    values.assign(elements.result_begin(), elements.result_end());
  }
  WordShuffler shuffler(builder, loc, getElementTypeOrSelf(op.getType()),
                        butterfly.width);
  bool inOrder = strictFp && dependsOnOrder(butterfly.kind,
                                            getElementTypeOrSelf(op.getType()));
  if (inOrder)
    combineInOrder(builder, loc, butterfly, shuffler, values);
  for (int64_t offset = butterfly.stride;
       !inOrder && offset < butterfly.stride * butterfly.size; offset *= 2)
    for (auto [value, other] : llvm::zip_equal(
             values, shuffler.exchange(SmallVector<Value>(values), offset)))
      value = vector::makeArithReduction(builder, loc, butterfly.kind, value,
                                         other);
  Value result = values.front();
  if (vectorType)
    result = vector::FromElementsOp::create(builder, loc, vectorType, values);
  op.replaceAllUsesWith(result);
  op.erase();
}

struct LowerSubgroupReduce final
    : distaff::impl::LowerSubgroupReduceBase<LowerSubgroupReduce> {
  using LowerSubgroupReduceBase::LowerSubgroupReduceBase;

  void runOnOperation() override {
    if (failed(verifyLaneVectors(getOperation())))
      return signalPassFailure();
    SmallVector<gpu::SubgroupReduceOp> ops;
    getOperation().walk([&](gpu::SubgroupReduceOp op) { ops.push_back(op); });
    for (gpu::SubgroupReduceOp op : ops) {
      FailureOr<Butterfly> butterfly = planButterfly(op);
      if (failed(butterfly))
        return signalPassFailure();
      emitButterfly(op, *butterfly, strictFp);
    }
    RewritePatternSet patterns(&getContext());
    populateGpuShufflePatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
