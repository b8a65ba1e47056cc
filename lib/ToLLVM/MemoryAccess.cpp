//===- MemoryAccess.cpp - Address computation of accesses -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of one tile differ by constants. Keeping the constant part of an
// address apart, as a second getelementptr, lets all of them share the first
// and puts the constant into the instruction's offset field:
//
//   memref.load %m[%i, %j + 8]   =>   gep(gep(base, i * stride + j), 8)
//
// The first getelementptr may be outside of the buffer if i or j is negative,
// so neither of two is marked inbounds.
//
// If an index is selected from two, both offsets from the base are computed and
// one is selected, rather than indices that are then multiplied by strides: the
// products of neighbouring rows are sums.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {

/// Splits `value` into the sum of a value (null for none) and a constant.
std::pair<Value, int64_t> splitConstant(Value value) {
  int64_t constant = 0;
  APInt number;
  while (true) {
    if (matchPattern(value, m_ConstantInt(&number)))
      return {Value(), constant + number.getSExtValue()};
    auto sum = value.getDefiningOp<arith::AddIOp>();
    if (!sum || !matchPattern(sum.getRhs(), m_ConstantInt(&number)))
      return {value, constant};
    constant += number.getSExtValue();
    value = sum.getLhs();
  }
}

/// Computes the address of one access.
class AddressBuilder {
public:
  AddressBuilder(ConversionPatternRewriter &rewriter, Location loc,
                 const LLVMTypeConverter &converter)
      : rewriter(rewriter), loc(loc), converter(converter) {}

  Value address(MemRefType type, Value descriptorValue, ValueRange indices) {
    MemRefDescriptor descriptor(descriptorValue);
    Offset offset;
    if (Value condition = conditionOf(indices)) {
      auto distance = [&](bool holds) {
        return whole(
            offsetOf(type, descriptor, chosen(indices, condition, holds)));
      };
      Value own = distance(true), other = distance(false);
      offset.variable = LLVM::SelectOp::create(
          rewriter, loc, rewriter.getRemappedValue(condition), own, other);
    } else {
      offset = offsetOf(type, descriptor, indices);
    }
    Value pointer = descriptor.alignedPtr(rewriter, loc);
    Type element = converter.convertType(type.getElementType());
    auto [variable, constant] = offset;
    auto flags = variable && constant ? LLVM::GEPNoWrapFlags::none
                                      : LLVM::GEPNoWrapFlags::inbounds;
    if (variable)
      pointer = LLVM::GEPOp::create(rewriter, loc, pointer.getType(), element,
                                    pointer, LLVM::GEPArg(variable), flags);
    // A constant in the op has fewer bits than its type.
    if (constant)
      pointer = LLVM::GEPOp::create(
          rewriter, loc, pointer.getType(), element, pointer,
          llvm::isInt<LLVM::kGEPConstantBitWidth>(constant)
              ? LLVM::GEPArg(int32_t(constant))
              : LLVM::GEPArg(integer(constant)),
          flags);
    return pointer;
  }

private:
  /// An offset in elements: the sum of a value, null for none, and a constant.
  struct Offset {
    Value variable;
    int64_t constant = 0;
  };

  /// Returns the condition that selects one of the indices, or null.
  static Value conditionOf(ValueRange indices) {
    for (Value index : indices)
      if (auto choice = index.getDefiningOp<arith::SelectOp>())
        return choice.getCondition();
    return {};
  }

  /// Returns the indices if a condition holds, or if it does not.
  static SmallVector<Value> chosen(ValueRange indices, Value condition,
                                   bool holds) {
    return llvm::map_to_vector(indices, [&](Value index) {
      auto choice = index.getDefiningOp<arith::SelectOp>();
      if (!choice || choice.getCondition() != condition)
        return index;
      return holds ? choice.getTrueValue() : choice.getFalseValue();
    });
  }

  Offset offsetOf(MemRefType type, MemRefDescriptor &descriptor,
                  ValueRange indices) {
    SmallVector<int64_t> strides;
    int64_t offset;
    (void)type.getStridesAndOffset(strides, offset);
    Value variable, steps;
    int64_t constant = 0;
    if (ShapedType::isDynamic(offset))
      variable = descriptor.offset(rewriter, loc);
    else
      constant = offset;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      auto [part, number] = splitConstant(index);
      int64_t stride = strides[dim];
      if (!ShapedType::isDynamic(stride)) {
        constant += number * stride;
        if (part)
          variable = add(variable, scale(rewriter.getRemappedValue(part),
                                         integer(stride), stride == 1));
        continue;
      }
      Value rows = descriptor.stride(rewriter, loc, dim);
      if (part)
        variable = add(variable, scale(rewriter.getRemappedValue(part), rows));
      if (number || !part)
        steps = add(steps, scale(integer(number), rows));
    }
    // Steps are added last, so that neighbouring rows share the sum before
    // them.
    return {add(variable, steps), constant};
  }

  Value whole(Offset offset) {
    if (!offset.variable)
      return integer(offset.constant);
    return offset.constant ? add(offset.variable, integer(offset.constant))
                           : offset.variable;
  }
  Value integer(int64_t value) {
    return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                    value);
  }
  Value add(Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return LLVM::AddOp::create(rewriter, loc, lhs, rhs,
                               LLVM::IntegerOverflowFlags::nsw);
  }
  Value scale(Value value, Value stride, bool isOne = false) {
    return isOne ? value
                 : Value(LLVM::MulOp::create(rewriter, loc, value, stride,
                                             LLVM::IntegerOverflowFlags::nsw));
  }

  ConversionPatternRewriter &rewriter;
  Location loc;
  const LLVMTypeConverter &converter;
};

/// Returns the bytes that the address is a multiple of.
template <typename Op> unsigned alignmentOf(Op op, MemRefType type) {
  if (std::optional<uint64_t> alignment = op.getAlignment())
    return *alignment;
  return bytesInMemory(type.getElementType());
}

bool isOneAccess(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return !vector || vector.getRank() == 1;
}

MemRefType memoryOf(memref::LoadOp op) { return op.getMemRefType(); }
MemRefType memoryOf(memref::StoreOp op) { return op.getMemRefType(); }
MemRefType memoryOf(vector::LoadOp op) { return op.getMemRefType(); }
MemRefType memoryOf(vector::StoreOp op) { return op.getMemRefType(); }
Value baseOf(memref::LoadOp::Adaptor op) { return op.getMemref(); }
Value baseOf(memref::StoreOp::Adaptor op) { return op.getMemref(); }
Value baseOf(vector::LoadOp::Adaptor op) { return op.getBase(); }
Value baseOf(vector::StoreOp::Adaptor op) { return op.getBase(); }
Value storedBy(memref::StoreOp::Adaptor op) { return op.getValue(); }
Value storedBy(vector::StoreOp::Adaptor op) { return op.getValueToStore(); }

constexpr unsigned kAccessBenefit =
    10; // over upstream's pattern of the same op

template <typename Op> struct LowerLoad final : ConvertOpToLLVMPattern<Op> {
  explicit LowerLoad(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<Op>(converter, kAccessBenefit) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getResult().getType();
    if (!isOneAccess(type))
      return rewriter.notifyMatchFailure(op, "is more than one access");
    AddressBuilder builder(rewriter, op.getLoc(), *this->getTypeConverter());
    MemRefType memory = memoryOf(op);
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(
        op, this->getTypeConverter()->convertType(type),
        builder.address(memory, baseOf(adaptor), op.getIndices()),
        alignmentOf(op, memory));
    return success();
  }
};

template <typename Op> struct LowerStore final : ConvertOpToLLVMPattern<Op> {
  explicit LowerStore(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<Op>(converter, kAccessBenefit) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value value = storedBy(adaptor);
    if (!isOneAccess(value.getType()))
      return rewriter.notifyMatchFailure(op, "is more than one access");
    AddressBuilder builder(rewriter, op.getLoc(), *this->getTypeConverter());
    MemRefType memory = memoryOf(op);
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
        op, value, builder.address(memory, baseOf(adaptor), op.getIndices()),
        alignmentOf(op, memory));
    return success();
  }
};

} // namespace

void distaff::populateMemoryAccessPatterns(const LLVMTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<LowerLoad<memref::LoadOp>, LowerLoad<vector::LoadOp>,
               LowerStore<memref::StoreOp>, LowerStore<vector::StoreOp>>(
      converter);
}
