//===- PackedDots.cpp - Dot products of packed operands -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's intrinsics have 128, 256 and 512 bits: longer vectors are split, and
// shorter ones are padded with undefined words. The intrinsics of x86 are named
// by bits, those of Arm by types: `vpdpbusd.256`, `sdot.v4i32.v16i8`.
//
//===----------------------------------------------------------------------===//
#include "HostConversion.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace distaff;

namespace {
struct ConvertPackedDot final : ConvertOpToLLVMPattern<core::PackedDotOp> {
  ConvertPackedDot(const LLVMTypeConverter &converter, const Target &host)
      : ConvertOpToLLVMPattern(converter), host(host) {}

  LogicalResult
  matchAndRewrite(core::PackedDotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  const PackedDot *rowOf(core::PackedDotOp op) const;

  const Target &host;
};

/// Splits vectors of `words` words into those of one instruction.
struct Cutting {
  OpBuilder &b;
  Location loc;
  int64_t words, native; // 1 for a scalar; of the widest instruction

  int64_t countAt(int64_t first) const {
    return std::min(native, words - first);
  }
  /// Returns the words of the instruction that takes those from `first` on.
  int64_t widthAt(int64_t first) const {
    constexpr int64_t least = 4;
    return std::max<int64_t>(least, llvm::PowerOf2Ceil(countAt(first)));
  }
  Value shuffle(Value first, Value second, ArrayRef<int32_t> mask) const {
    return LLVM::ShuffleVectorOp::create(b, loc, first, second, mask);
  }
  Value take(Value from, int64_t first) const;
  Value put(Value into, Value part, int64_t first) const;
};
} // namespace

Value Cutting::take(Value from, int64_t first) const {
  int64_t width = widthAt(first);
  auto type = dyn_cast<VectorType>(from.getType());
  if (!type) {
    Value none =
        LLVM::PoisonOp::create(b, loc, VectorType::get(width, from.getType()));
    Value place = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 0);
    return LLVM::InsertElementOp::create(b, loc, none, from, place);
  }
  if (width == words)
    return from;
  SmallVector<int32_t> mask(width, -1);
  for (int64_t i = 0; i < countAt(first); ++i)
    mask[i] = first + i;
  return shuffle(from, from, mask);
}

/// Returns `into`, null at first, with the words of a part inserted.
Value Cutting::put(Value into, Value part, int64_t first) const {
  if (words == 1) {
    Value place = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 0);
    return LLVM::ExtractElementOp::create(b, loc, part, place);
  }
  if (widthAt(first) == words)
    return part;
  SmallVector<int32_t> spread(words, -1), mask(words);
  for (int64_t i = 0; i < words; ++i) {
    bool isOfPart = i >= first && i < first + countAt(first);
    if (isOfPart)
      spread[i] = i - first;
    mask[i] = isOfPart ? words + i : i;
  }
  Value whole = shuffle(part, part, spread);
  return into ? shuffle(into, whole, mask) : whole;
}

/// Returns the row for the types of the result and the parts; parts of bf16 are
/// already bits.
const PackedDot *ConvertPackedDot::rowOf(core::PackedDotOp op) const {
  Type result = getElementTypeOrSelf(op.getType());
  for (const PackedDot &dot : host.simd.packedDots)
    if (!dot.intrinsic.empty() && isInteger(dot.result) == result.isInteger() &&
        isPart(op.getLhsPart(), dot.lhs) && isPart(op.getRhsPart(), dot.rhs))
      return &dot;
  return nullptr;
}

/// Returns the intrinsic for a number of words.
static std::string intrinsicOf(const PackedDot &dot, int64_t words) {
  if (dot.intrinsic.starts_with("llvm.x86."))
    return (dot.intrinsic + Twine(32 * words)).str();
  auto vectorOf = [](int64_t count, ScalarKind kind) {
    return "v" + std::to_string(count) + elementNameOf(kind).str();
  };
  return dot.intrinsic.str() + vectorOf(words, dot.result) + "." +
         vectorOf(words * dot.partsPerWord(), dot.lhs);
}

LogicalResult
ConvertPackedDot::matchAndRewrite(core::PackedDotOp op, OpAdaptor adaptor,
                                  ConversionPatternRewriter &rewriter) const {
  const PackedDot *row = rowOf(op);
  if (!row)
    return rewriter.notifyMatchFailure(op, "no instruction for these parts");
  Location loc = op.getLoc();
  Type type = getTypeConverter()->convertType(op.getType());
  Type element = getElementTypeOrSelf(type);
  Type part = isInteger(row->lhs)
                  ? Type(rewriter.getIntegerType(bitWidthOf(row->lhs)))
                  : rewriter.getBF16Type();
  auto vector = dyn_cast<VectorType>(type);
  Cutting cutting{rewriter, loc, vector ? vector.getNumElements() : 1,
                  host.simd.vectorBits / 32};
  Value whole;
  for (int64_t first = 0; first < cutting.words; first += cutting.native) {
    int64_t width = cutting.widthAt(first);
    auto sums = VectorType::get(width, element);
    auto parts = VectorType::get(width * row->partsPerWord(), part);
    auto partsOf = [&](Value words) -> Value {
      return LLVM::BitcastOp::create(rewriter, loc, parts,
                                     cutting.take(words, first));
    };
    Value acc = adaptor.getAcc()
                    ? cutting.take(adaptor.getAcc(), first)
                    : LLVM::ZeroOp::create(rewriter, loc, sums).getResult();
    std::string name = intrinsicOf(*row, width);
    auto call = LLVM::CallIntrinsicOp::create(
        rewriter, loc, sums, rewriter.getStringAttr(name),
        ValueRange{acc, partsOf(adaptor.getLhs()), partsOf(adaptor.getRhs())});
    whole = cutting.put(whole, call.getResult(0), first);
  }
  rewriter.replaceOp(op, whole);
  return success();
}

void distaff::populatePackedDotPatterns(const LLVMTypeConverter &converter,
                                        const Target &host,
                                        RewritePatternSet &patterns) {
  patterns.add<ConvertPackedDot>(converter, host);
}
