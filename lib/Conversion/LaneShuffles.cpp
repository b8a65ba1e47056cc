//===- LaneShuffles.cpp - Shuffles and unsigned reductions ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes below `width` exchange values; the other lanes of a subgroup receive
// none, but execute the op as well.
//
// On NVIDIA the instruction's mask names all lanes: its effect in a lane that
// is not named is undefined (PTX ISA, shfl.sync). Upstream's lowering names
// only the lanes below the width, and clamps `up` to the upper lanes; it is
// right if the width is that of the subgroup and the offset is below it: of a
// larger offset the instruction takes five bits. On AMD upstream's lowering
// treats a lane before the first one, and an xor partner with the sign bit, as
// valid, and repeats the lanes below the width in those above.
//
// Upstream does not lower unsigned reductions by one instruction.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {

constexpr unsigned kShuffleBenefit =
    10; // over upstream's pattern of the same op

bool isWidth(gpu::ShuffleOp op, int64_t lanes) {
  APInt width;
  return matchPattern(op.getWidth(), m_ConstantInt(&width)) && width == lanes;
}

bool isWord(Type type) { return type.isInteger(32) || type.isF32(); }

Value integer(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

NVVM::ShflKind kindOf(gpu::ShuffleMode mode) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return NVVM::ShflKind::bfly;
  case gpu::ShuffleMode::UP:
    return NVVM::ShflKind::up;
  case gpu::ShuffleMode::DOWN:
    return NVVM::ShflKind::down;
  case gpu::ShuffleMode::IDX:
    return NVVM::ShflKind::idx;
  }
  llvm_unreachable("unknown mode");
}

struct LowerNarrowShuffle final : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  explicit LowerNarrowShuffle(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<gpu::ShuffleOp>(converter, kShuffleBenefit) {}

  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = adaptor.getValue().getType();
    bool isWhole = isWidth(op, /*lanes=*/32);
    std::optional<int64_t> offset = getConstantIntValue(op.getOffset());
    bool isNear = offset && *offset >= 0 && *offset < 32;
    if (isWhole && (isNear || op.getValid().use_empty()))
      return rewriter.notifyMatchFailure(op, "all lanes exchange values");
    if (!isWord(type))
      return rewriter.notifyMatchFailure(op, "moves no word of 32 bits");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    auto constant = [&](int64_t value) {
      return integer(rewriter, loc, value);
    };
    Value width = adaptor.getWidth();
    // The clamp is the last lane that is read, for `up` the first one.
    Value clamp = op.getMode() == gpu::ShuffleMode::UP
                      ? constant(0)
                      : LLVM::SubOp::create(rewriter, loc, width, constant(1));
    auto pair = LLVM::LLVMStructType::getLiteral(rewriter.getContext(),
                                                 {type, rewriter.getI1Type()});
    Value moved =
        NVVM::ShflOp::create(rewriter, loc, pair, constant(-1),
                             adaptor.getValue(), adaptor.getOffset(), clamp,
                             kindOf(op.getMode()), rewriter.getUnitAttr());
    Value value = LLVM::ExtractValueOp::create(rewriter, loc, moved, 0),
          isThere = LLVM::ExtractValueOp::create(rewriter, loc, moved, 1);
    auto isBelow = [&](Value number, Value limit) {
      return LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult,
                                  number, limit);
    };
    Value valid = isThere;
    if (!isWhole)
      valid = LLVM::AndOp::create(
          rewriter, loc, valid,
          isBelow(NVVM::LaneIdOp::create(rewriter, loc, i32), width));
    // The instruction takes five bits of the offset.
    if (!isNear)
      valid = LLVM::AndOp::create(rewriter, loc, valid,
                                  isBelow(adaptor.getOffset(), constant(32)));
    rewriter.replaceOp(op, {value, valid});
    return success();
  }
};

struct LowerUnsignedReduction final
    : ConvertOpToLLVMPattern<gpu::SubgroupReduceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::SubgroupReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = adaptor.getValue().getType();
    if (!op.getUniform() || op.getClusterSize() || !type.isInteger(32))
      return rewriter.notifyMatchFailure(op, "is not one instruction");
    NVVM::ReduxKind kind;
    if (op.getOp() == gpu::AllReduceOperation::MINUI)
      kind = NVVM::ReduxKind::UMIN;
    else if (op.getOp() == gpu::AllReduceOperation::MAXUI)
      kind = NVVM::ReduxKind::UMAX;
    else
      return rewriter.notifyMatchFailure(op, "is upstream's");
    rewriter.replaceOpWithNewOp<NVVM::ReduxOp>(
        op, type, adaptor.getValue(), kind, integer(rewriter, op.getLoc(), -1));
    return success();
  }
};

/// Returns the lane that a lane reads; it may not exist.
Value sourceLane(OpBuilder &builder, Location loc, gpu::ShuffleMode mode,
                 Value lane, Value offset) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return LLVM::XOrOp::create(builder, loc, lane, offset);
  case gpu::ShuffleMode::UP:
    return LLVM::SubOp::create(builder, loc, lane, offset);
  case gpu::ShuffleMode::DOWN:
    return LLVM::AddOp::create(builder, loc, lane, offset);
  case gpu::ShuffleMode::IDX:
    return offset;
  }
  llvm_unreachable("unknown mode");
}

struct LowerPermutation final : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  explicit LowerPermutation(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<gpu::ShuffleOp>(converter, kShuffleBenefit) {}

  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = adaptor.getValue().getType();
    if (!isWord(type))
      return rewriter.notifyMatchFailure(op, "moves no word of 32 bits");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    Value all = integer(rewriter, loc, -1), zero = integer(rewriter, loc, 0);
    Value low = ROCDL::MbcntLoOp::create(rewriter, loc, i32, all, zero,
                                         /*arg_attrs=*/nullptr,
                                         /*res_attrs=*/nullptr);
    Value lane = ROCDL::MbcntHiOp::create(rewriter, loc, i32, all, low,
                                          /*arg_attrs=*/nullptr,
                                          /*res_attrs=*/nullptr);
    Value source =
        sourceLane(rewriter, loc, op.getMode(), lane, adaptor.getOffset());
    // The comparison is unsigned: a lane before the first one is a large
    // number.
    auto isBelowWidth = [&](Value number) {
      return LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult,
                                  number, adaptor.getWidth());
    };
    Value valid = LLVM::AndOp::create(rewriter, loc, isBelowWidth(source),
                                      isBelowWidth(lane));
    Value read = LLVM::SelectOp::create(rewriter, loc, valid, source, lane);
    // Lanes are addressed by bytes.
    Value place =
        LLVM::ShlOp::create(rewriter, loc, read, integer(rewriter, loc, 2));
    Value word = adaptor.getValue();
    if (!type.isInteger())
      word = LLVM::BitcastOp::create(rewriter, loc, i32, word);
    Value moved = ROCDL::DsBpermuteOp::create(rewriter, loc, i32, place, word);
    if (!type.isInteger())
      moved = LLVM::BitcastOp::create(rewriter, loc, type, moved);
    rewriter.replaceOp(op, {moved, valid});
    return success();
  }
};

} // namespace

void distaff::populatePermutationPatterns(const LLVMTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerPermutation>(converter);
}

void distaff::populateNarrowShufflePatterns(const LLVMTypeConverter &converter,
                                            RewritePatternSet &patterns) {
  patterns.add<LowerNarrowShuffle>(converter);
}

void distaff::populateUnsignedReductionPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerUnsignedReduction>(converter);
}
