//===- AtomicSwaps.cpp - Atomic loads and compare-and-swap ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the forms of memref.generic_atomic_rmw that distaff-lower-atomics
// leaves, with the memory order that upstream gives memref.atomic_rmw.
// Upstream's pattern would make a loop of each, which begins with a plain load.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Kernel/AtomicForm.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace distaff;

/// Emits a compare-and-swap and returns the old bit pattern. LLVM's NVPTX
/// backend has a compare-and-swap of 16 bits only as an intrinsic of relaxed
/// order: it expands `cmpxchg` to a loop over 32 bits, which begins with a
/// plain load.
static Value emitSwap(OpBuilder &b, Location loc, Value at, Value expected,
                      Value desired, const Target &target) {
  using Ordering = LLVM::AtomicOrdering;
  if (target.family != Family::NVPTX || !expected.getType().isInteger(16)) {
    Value swap = LLVM::AtomicCmpXchgOp::create(
        b, loc, at, expected, desired, Ordering::acq_rel, Ordering::monotonic);
    return LLVM::ExtractValueOp::create(b, loc, swap, 0);
  }
  Type anywhere = LLVM::LLVMPointerType::get(b.getContext());
  if (at.getType() != anywhere)
    at = LLVM::AddrSpaceCastOp::create(b, loc, anywhere, at);
  LLVM::FenceOp::create(b, loc, Ordering::release, StringRef());
  auto call = LLVM::CallIntrinsicOp::create(
      b, loc, expected.getType(),
      b.getStringAttr("llvm.nvvm.atomic.cas.gen.i.sys"),
      ValueRange{at, expected, desired});
  LLVM::FenceOp::create(b, loc, Ordering::acquire, StringRef());
  return call.getResult(0);
}

namespace {
struct ConvertAtomicForm final
    : ConvertOpToLLVMPattern<memref::GenericAtomicRMWOp> {
  ConvertAtomicForm(const LLVMTypeConverter &converter, const Target &target)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2), target(target) {}

  LogicalResult
  matchAndRewrite(memref::GenericAtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<AtomicForm> form = AtomicForm::of(op);
    if (!form)
      return rewriter.notifyMatchFailure(op, "is a loop");
    auto memory = cast<MemRefType>(op.getMemref().getType());
    Type element = memory.getElementType();
    Type pattern = rewriter.getIntegerType(element.getIntOrFloatBitWidth());
    Type type = getTypeConverter()->convertType(element);
    Location loc = op.getLoc();
    auto as = [&](Type wanted, Value value) -> Value {
      return value.getType() == wanted
                 ? value
                 : LLVM::BitcastOp::create(rewriter, loc, wanted, value);
    };
    unsigned alignment = bytesInMemory(element);
    Value at = getStridedElementPtr(rewriter, loc, memory, adaptor.getMemref(),
                                    adaptor.getIndices());
    if (form->isLoad()) {
      Value loaded = LLVM::LoadOp::create(
          rewriter, loc, pattern, at, alignment, /*isVolatile=*/false,
          /*isNonTemporal=*/false, /*isInvariant=*/false,
          /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
      rewriter.replaceOp(op, as(type, loaded));
      return success();
    }
    Value seen =
        emitSwap(rewriter, loc, at, rewriter.getRemappedValue(form->expected),
                 as(pattern, rewriter.getRemappedValue(form->desired)), target);
    rewriter.replaceOp(op, as(type, seen));
    return success();
  }

private:
  const Target &target;
};
} // namespace

void distaff::populateAtomicSwapPatterns(const LLVMTypeConverter &converter,
                                         const Target &target,
                                         RewritePatternSet &patterns) {
  patterns.add<ConvertAtomicForm>(converter, target);
}
