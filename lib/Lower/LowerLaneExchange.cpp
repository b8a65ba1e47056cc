//===- LowerLaneExchange.cpp - Lane shuffles of 32-bit words --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shuffle moves one 32-bit word. A `gpu.shuffle` or a round of a
// `gpu.subgroup_reduce` moves a list of elements per lane: narrow ones share
// words, wide ones take several. A combination itself happens in the element's
// own type.
//
// `gpu.subgroup_reduce` over a cluster of 2^r lanes with stride s is a
// butterfly reduction of r rounds: in round i every lane combines its values
// with those of the lane whose id differs in bit i of its digit, that is `lane
// xor (s << i)`. Afterwards every lane of the cluster holds the result, the
// same bits in each: both partners of a round combine the same two numbers, and
// every combining kind commutes; the partner may also be another lane that
// holds the same values. That is a reassociation; strict floats combine the
// lanes one by one instead.
//
// Where all lanes of a subgroup reduce integers of up to 32 bits, the target
// may have one instruction for it (laneReductionCost), which is used if the
// rounds cost more. It stays a `gpu.subgroup_reduce`, marked as uniform.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERLANEEXCHANGE
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

constexpr unsigned kWordBits = 32;

/// Describes one verified reduction: all that emission needs.
struct Butterfly {
  vector::CombiningKind kind;
  int64_t size;   // lanes per result
  int64_t stride; // between them
  int64_t width;  // lanes per subgroup
};

/// Returns the lanes per subgroup as the function is launched, or failure.
FailureOr<int64_t> subgroupSizeOf(gpu::SubgroupReduceOp op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  LaunchSizes sizes = launchSizesOf(function);
  if (!sizes.subgroup)
    return op.emitOpError("needs to know the subgroup size, and its function "
                          "has no translation_info with a subgroup_size; "
                          "give it one");
  return *sizes.subgroup;
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
  return Butterfly{gpu::convertReductionKind(op.getOp()), size, stride, *width};
}

/// Returns the elements of a scalar or a 1-D vector.
SmallVector<Value> elementsOf(OpBuilder &builder, Location loc, Value value) {
  if (!isa<VectorType>(value.getType()))
    return {value};
  return llvm::to_vector_of<Value>(
      vector::ToElementsOp::create(builder, loc, value).getElements());
}

/// Moves the elements of one type as 32-bit words.
class WordExchange {
public:
  /// Moves one word, an i32 or a 32-bit float.
  using MoveWord = function_ref<Value(Value)>;

  WordExchange(OpBuilder &builder, Location loc, Type element)
      : builder(builder), loc(loc), element(element),
        bits(element.getIntOrFloatBitWidth()) {}

  /// Returns, for values of the element's type, those of the lane that `move`
  /// reads.
  SmallVector<Value> exchange(ArrayRef<Value> values, MoveWord move) {
    if (bits == kWordBits)
      return llvm::map_to_vector(values, move);
    if (bits > kWordBits)
      return llvm::map_to_vector(
          values, [&](Value value) { return exchangeWide(value, move); });
    SmallVector<Value> result;
    for (size_t begin = 0, share = kWordBits / bits; begin < values.size();
         begin += share)
      exchangeWord(values.slice(begin).take_front(share), move, result);
    return result;
  }

private:
  Type integer(unsigned width) { return builder.getIntegerType(width); }
  Value amount(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value bitcast(Type type, Value value) {
    return builder.createOrFold<arith::BitcastOp>(loc, type, value);
  }
  Value extend(Type to, Value value) {
    return builder.createOrFold<arith::ExtUIOp>(loc, to, value);
  }
  Value truncate(Type to, Value value) {
    return to == value.getType()
               ? value
               : arith::TruncIOp::create(builder, loc, to, value).getResult();
  }
  Value shiftRight(Value value, int64_t by) {
    return by == 0 ? value
                   : arith::ShRUIOp::create(builder, loc, value,
                                            amount(value.getType(), by))
                         .getResult();
  }
  /// Returns `low | part << by`; a null `low` is 0.
  Value placeAbove(Value low, Value part, int64_t by) {
    if (!low)
      return part;
    part =
        arith::ShLIOp::create(builder, loc, part, amount(part.getType(), by));
    return arith::OrIOp::create(builder, loc, low, part);
  }

  /// Moves several elements in one word, the first lowest.
  void exchangeWord(ArrayRef<Value> values, MoveWord move,
                    SmallVectorImpl<Value> &result) {
    if (fillWord(values)) {
      llvm::append_range(result, unpack(move(pack(values)), values.size()));
      return;
    }
    Type narrow = integer(bits), word = integer(kWordBits);
    Value packed;
    for (auto [i, value] : llvm::enumerate(values))
      packed =
          placeAbove(packed, extend(word, bitcast(narrow, value)), i * bits);
    Value moved = move(packed);
    for (size_t i = 0; i < values.size(); ++i)
      result.push_back(
          bitcast(element, truncate(narrow, shiftRight(moved, i * bits))));
  }

  /// Returns whether bytes or halves fill a register of the machine.
  bool fillWord(ArrayRef<Value> values) const {
    return (bits == 8 || bits == 16) && values.size() * bits == kWordBits;
  }
  Value pack(ArrayRef<Value> values) {
    Value parts = vector::FromElementsOp::create(
        builder, loc, VectorType::get(int64_t(values.size()), element), values);
    Value word = vector::BitCastOp::create(
        builder, loc, VectorType::get(1, integer(kWordBits)), parts);
    return elementsOf(builder, loc, word).front();
  }
  SmallVector<Value> unpack(Value word, int64_t count) {
    Value whole = vector::FromElementsOp::create(
        builder, loc, VectorType::get(1, word.getType()), word);
    Value parts = vector::BitCastOp::create(
        builder, loc, VectorType::get(count, element), whole);
    return elementsOf(builder, loc, parts);
  }

  /// Moves one element in several words, the first lowest.
  Value exchangeWide(Value value, MoveWord move) {
    Type word = integer(kWordBits);
    Type whole = integer(llvm::alignTo(bits, kWordBits));
    Value source = bitcast(integer(bits), value);
    if (source.getType() != whole)
      source = extend(whole, source);
    Value moved;
    for (unsigned at = 0; at < bits; at += kWordBits) {
      Value part = move(truncate(word, shiftRight(source, at)));
      moved = placeAbove(moved, extend(whole, part), at);
    }
    return bitcast(element, truncate(integer(bits), moved));
  }

  OpBuilder &builder;
  Location loc;
  Type element;
  unsigned bits;
};

Value joinElements(OpBuilder &builder, Location loc, Type type,
                   ArrayRef<Value> elements) {
  if (!isa<VectorType>(type))
    return elements.front();
  return vector::FromElementsOp::create(builder, loc, cast<VectorType>(type),
                                        elements);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Combines the cluster's lanes in ascending order.
void combineInOrder(OpBuilder &builder, Location loc,
                    const Butterfly &butterfly, WordExchange &words,
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
    SmallVector<Value> next = words.exchange(own, [&](Value value) -> Value {
      return gpu::ShuffleOp::create(builder, loc, value, source,
                                    constant(butterfly.width),
                                    gpu::ShuffleMode::IDX)
          .getShuffleResult();
    });
    for (auto [value, taken] : llvm::zip_equal(values, next))
      value = at == 0 ? taken
                      : vector::makeArithReduction(builder, loc, butterfly.kind,
                                                   value, taken);
  }
}

void emitButterfly(gpu::SubgroupReduceOp op, const Butterfly &butterfly,
                   const Target &machine, bool strictFp) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType());
  SmallVector<Value> values = elementsOf(builder, loc, op.getValue());
  WordExchange words(builder, loc, element);
  bool inOrder = strictFp && dependsOnOrder(butterfly.kind, element);
  if (inOrder)
    combineInOrder(builder, loc, butterfly, words, values);
  for (int64_t offset = butterfly.stride;
       !inOrder && offset < butterfly.stride * butterfly.size; offset *= 2) {
    // Neighbours that were reduced hold the same values.
    int64_t distance =
        butterfly.stride == 1 ? machine.partnerAmongAlike(offset) : offset;
    SmallVector<Value> others = words.exchange(values, [&](Value value) {
      return gpu::ShuffleOp::create(builder, loc, value, distance,
                                    butterfly.width, gpu::ShuffleMode::XOR)
          .getShuffleResult();
    });
    for (auto [value, other] : llvm::zip_equal(values, others))
      value = vector::makeArithReduction(builder, loc, butterfly.kind, value,
                                         other);
  }
  op.replaceAllUsesWith(joinElements(builder, loc, op.getType(), values));
  op.erase();
}

/// Returns whether a narrow integer is sign-extended to reduce like one of 32
/// bits.
bool comparesSigned(vector::CombiningKind kind) {
  return kind == vector::CombiningKind::MINSI ||
         kind == vector::CombiningKind::MAXSI;
}

/// Returns whether one instruction reduces these values over all lanes, for
/// less than rounds of shuffles cost.
bool isOneInstruction(gpu::SubgroupReduceOp op, const Butterfly &butterfly,
                      const Target &machine) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
  if (machine.laneReductionCost == 0 || !element ||
      element.getWidth() > kWordBits ||
      butterfly.kind == vector::CombiningKind::MUL ||
      butterfly.size != butterfly.width ||
      butterfly.width != machine.subgroupSize)
    return false;
  auto vectorType = dyn_cast<VectorType>(op.getType());
  int64_t values = vectorType ? vectorType.getNumElements() : 1;
  int64_t words = llvm::divideCeil(values, kWordBits / element.getWidth());
  int64_t perRound = words * machine.costs.shuffle + values;
  return values * machine.laneReductionCost <
         llvm::Log2_64(butterfly.size) * perRound;
}

void emitInstruction(gpu::SubgroupReduceOp op, const Butterfly &butterfly) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType()),
       word = builder.getI32Type();
  SmallVector<Value> values = elementsOf(builder, loc, op.getValue());
  for (Value &value : values) {
    if (element != word)
      value = comparesSigned(butterfly.kind)
                  ? arith::ExtSIOp::create(builder, loc, word, value).getOut()
                  : arith::ExtUIOp::create(builder, loc, word, value).getOut();
    value = gpu::SubgroupReduceOp::create(builder, loc, value, op.getOp(),
                                          /*uniform=*/true);
    if (element != word)
      value = arith::TruncIOp::create(builder, loc, element, value);
  }
  op.replaceAllUsesWith(joinElements(builder, loc, op.getType(), values));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Returns whether the op is a shuffle that the target has.
bool movesOneWord(gpu::ShuffleOp op) {
  Type type = op.getValue().getType();
  return !isa<VectorType>(type) && type.getIntOrFloatBitWidth() == kWordBits;
}

void emitWords(gpu::ShuffleOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  Value valid; // the same for all words
  SmallVector<Value> moved =
      WordExchange(builder, loc, getElementTypeOrSelf(type))
          .exchange(elementsOf(builder, loc, op.getValue()), [&](Value word) {
            auto shuffle =
                gpu::ShuffleOp::create(builder, loc, word, op.getOffset(),
                                       op.getWidth(), op.getMode());
            valid = shuffle.getValid();
            return shuffle.getShuffleResult();
          });
  op.getShuffleResult().replaceAllUsesWith(
      joinElements(builder, loc, type, moved));
  op.getValid().replaceAllUsesWith(valid);
  op.erase();
}

struct LowerLaneExchange final
    : distaff::impl::LowerLaneExchangeBase<LowerLaneExchange> {
  using LowerLaneExchangeBase::LowerLaneExchangeBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    if (failed(verifyLaneVectors(getOperation(), *machine)) ||
        failed(lowerReductions(*machine)))
      return signalPassFailure();
    lowerShuffles();
  }

private:
  LogicalResult lowerReductions(const Target &machine) {
    SmallVector<gpu::SubgroupReduceOp> ops;
    getOperation().walk([&](gpu::SubgroupReduceOp op) { ops.push_back(op); });
    for (gpu::SubgroupReduceOp op : ops) {
      FailureOr<Butterfly> butterfly = planButterfly(op);
      if (failed(butterfly))
        return failure();
      if (isOneInstruction(op, *butterfly, machine))
        emitInstruction(op, *butterfly);
      else
        emitButterfly(op, *butterfly, machine, strictFp);
    }
    return success();
  }

  void lowerShuffles() {
    SmallVector<gpu::ShuffleOp> ops;
    getOperation().walk([&](gpu::ShuffleOp op) {
      if (!movesOneWord(op))
        ops.push_back(op);
    });
    llvm::for_each(ops, emitWords);
  }
};

} // namespace
