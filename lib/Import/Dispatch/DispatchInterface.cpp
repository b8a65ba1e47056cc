//===- DispatchInterface.cpp - Interface of a dispatch --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace distaff;
using namespace distaff::dispatch;

bool DispatchInterface::isIn(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa<HALDialect, TensorExtDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Removes assumptions. Those on integers are not needed, and hide that values
/// are equal. Those on addresses hold only for IREE's buffers. Fusion and the
/// order of instructions are decided here.
static void stripAssumptions(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (isa<amdgpu::SchedBarrierOp>(op))
      return op->erase();
    if (!isa<AssumeIntOp, iree::IndexHintOp, iree::FusionBarrierOp,
             memref::AssumeAlignmentOp>(op))
      return;
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
}

/// Merges equal values, so that equal extents, offsets and constants are one
/// value.
static void mergeEqual(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

void DispatchInterface::takeWorkload() {
  function.walk([&](DispatchWorkloadOrdinalOp part) {
    workload.try_emplace(part.getOrdinal().getSExtValue(), part.getOperand());
    part.replaceAllUsesWith(part.getOperand());
    part.erase();
  });
}

/// Returns the type of the array that the launch passes; null for no array.
static ShapedType arrayTypeOf(Type type) {
  if (auto tensor = dyn_cast<DispatchTensorType>(type))
    return tensor.getBound();
  if (auto memref = dyn_cast<MemRefType>(type))
    return MemRefType::get(memref.getShape(), memref.getElementType());
  return {};
}

ShapedType DispatchInterface::arrayTypeOf(InterfaceBindingSubspanOp op) {
  return ::arrayTypeOf(op.getResult().getType());
}

/// Returns whether both types have the same bytes, in the same order.
static bool isReshaped(ShapedType a, ShapedType b) {
  return a.getElementType() == b.getElementType() && a.hasStaticShape() &&
         b.hasStaticShape() && a.getNumElements() == b.getNumElements();
}

static OpFoldResult offsetOf(InterfaceBindingSubspanOp op) {
  Value offset = op.getByteOffset();
  return offset ? getAsOpFoldResult(offset)
                : OpFoldResult(Builder(op.getContext()).getIndexAttr(0));
}

/// Returns the bytes of a binding that an array is known to take, as a begin
/// and an end; none if its offset or its extents are known only at launch.
static std::optional<std::pair<int64_t, int64_t>> bytesOf(OpFoldResult offset,
                                                          ShapedType type) {
  std::optional<int64_t> begin = getConstantIntValue(offset);
  if (!begin || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  return std::pair(*begin, *begin + llvm::divideCeil(bits, 8));
}

/// Checks that spans do not overlap: arrays of a kernel share no memory.
static LogicalResult verifyApart(InterfaceBindingSubspanOp op,
                                 OpFoldResult offset, ShapedType type,
                                 DispatchSpan &other) {
  auto own = bytesOf(offset, type), others = bytesOf(other.offset, other.type);
  if (!own || !others || own->second <= others->first ||
      others->second <= own->first)
    return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError("takes bytes ")
      << own->first << " to " << own->second << " of binding " << other.binding
      << ", of which another array has bytes " << others->first << " to "
      << others->second
      << "; arrays of a kernel share no memory, so let one array be both";
  diagnostic.attachNote(other.ops.front()->getLoc()) << "the other array";
  return diagnostic;
}

LogicalResult DispatchInterface::gather(InterfaceBindingSubspanOp op) {
  ShapedType type = ::arrayTypeOf(op.getResult().getType());
  if (!type)
    return op.emitOpError("is of type ")
           << op.getResult().getType()
           << "; a binding is read as a dispatch.tensor or as a memref";
  if (!type.getElementType().isIntOrIndexOrFloat())
    return op.emitOpError("holds elements of ")
           << type.getElementType()
           << "; a kernel's arrays are of integers, floats or index";
  int64_t binding = op.getBinding().getSExtValue();
  OpFoldResult offset = offsetOf(op);
  auto known = llvm::find_if(spans, [&](const DispatchSpan &span) {
    return span.binding == binding && span.offset == offset;
  });
  if (known == spans.end()) {
    for (DispatchSpan &span : spans)
      if (span.binding == binding &&
          failed(verifyApart(op, offset, type, span)))
        return failure();
    spans.push_back({binding, offset, type, {op}, op.getDynamicDims()});
    return success();
  }
  if (isReshaped(known->type, type) ||
      (known->type == type && llvm::equal(known->dims, op.getDynamicDims()))) {
    known->ops.push_back(op);
    return success();
  }
  InFlightDiagnostic diagnostic = op.emitOpError("is ")
                                  << type << ", and " << known->type
                                  << " elsewhere; an array of a kernel has one "
                                     "type";
  diagnostic.attachNote(known->ops.front().getLoc()) << "the other one";
  return diagnostic;
}

FailureOr<DispatchInterface> DispatchInterface::get(func::FuncOp function) {
  DispatchInterface interface;
  interface.function = function;
  stripAssumptions(function);
  mergeEqual(function);
  interface.takeWorkload();
  SmallVector<InterfaceBindingSubspanOp> ops;
  function.walk([&](InterfaceBindingSubspanOp op) { ops.push_back(op); });
  for (InterfaceBindingSubspanOp op : ops)
    if (failed(interface.gather(op)))
      return failure();
  llvm::stable_sort(interface.spans,
                    [](const DispatchSpan &a, const DispatchSpan &b) {
                      return a.binding < b.binding;
                    });
  return interface;
}

DispatchSpan &DispatchInterface::spanOf(InterfaceBindingSubspanOp op) {
  return *llvm::find_if(spans, [&](const DispatchSpan &span) {
    return llvm::is_contained(span.ops, op);
  });
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

bool DispatchInterface::isKnown(Value value, const DenseSet<Value> &known) {
  if (known.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && !isa<InterfaceConstantLoadOp>(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnown(operand, known); });
}

void DispatchInterface::nameExtents(DispatchSpan &span,
                                    DenseSet<Value> &known) {
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(span.type.getShape())) {
    if (!ShapedType::isDynamic(extent))
      continue;
    Value value = span.dims[next++];
    if (!isKnown(value, {}) && known.insert(value).second)
      extents.push_back({value, &span, dim});
  }
}

void DispatchInterface::addArray(DispatchSpan &span) {
  unsigned number = function.getNumArguments();
  Location loc = span.ops.front().getLoc();
  (void)function.insertArgument(number, span.type, {}, loc);
  span.argument = span.current = function.getArgument(number);
}

void DispatchInterface::addArrays() {
  DenseSet<Value> known;
  for (DispatchSpan &span : spans)
    if (span.isArgument)
      nameExtents(span, known);
  for (DispatchSpan &span : spans) {
    bool isDetermined =
        llvm::all_of(span.dims, [&](Value dim) { return isKnown(dim, known); });
    if (span.isArgument || isDetermined)
      continue;
    span.isArgument = true;
    nameExtents(span, known);
  }
  for (DispatchSpan &span : spans)
    if (span.isArgument)
      addArray(span);
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (auto [value, span, dim] : extents) {
    Location loc = value.getLoc();
    Value extent =
        isa<MemRefType>(span->type)
            ? memref::DimOp::create(b, loc, span->argument, dim).getResult()
            : tensor::DimOp::create(b, loc, span->argument, dim).getResult();
    for (auto &[ordinal, part] : workload)
      if (part == value)
        part = extent;
    for (DispatchSpan &other : spans)
      llvm::replace(other.dims, value, extent);
    value.replaceAllUsesWith(extent);
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {
/// A number of the launch: one constant, or two that are the words of one.
struct LaunchNumber {
  InterfaceConstantLoadOp low, high; // high is null for one
  Value value;
};
} // namespace

static InterfaceConstantLoadOp wordOf(Value value) {
  auto extended = value.getDefiningOp<arith::ExtUIOp>();
  return extended ? extended.getIn().getDefiningOp<InterfaceConstantLoadOp>()
                  : InterfaceConstantLoadOp();
}

/// Matches IREE's 64-bit constants, `extui(low) | extui(high) << 32`.
static std::optional<LaunchNumber> matchWords(arith::OrIOp op) {
  auto shifted = op.getRhs().getDefiningOp<arith::ShLIOp>();
  InterfaceConstantLoadOp low = wordOf(op.getLhs());
  if (!shifted || !low || getConstantIntValue(shifted.getRhs()) != 32 ||
      !op.getType().isInteger(64))
    return std::nullopt;
  InterfaceConstantLoadOp high = wordOf(shifted.getLhs());
  return high ? std::optional(LaunchNumber{low, high, op}) : std::nullopt;
}

/// Replaces the constants of a number by an argument: an index if all its uses
/// are casts to one.
static void addNumber(func::FuncOp function, LaunchNumber number) {
  unsigned position = function.getNumArguments();
  auto isIndex = [](Operation *user) {
    return isa<arith::IndexCastUIOp, arith::IndexCastOp>(user) &&
           user->getResult(0).getType().isIndex();
  };
  SmallVector<Operation *> users(number.value.getUsers());
  bool isAllIndex = llvm::all_of(users, isIndex);
  Type type = isAllIndex ? IndexType::get(function.getContext())
                         : number.value.getType();
  (void)function.insertArgument(position, type, {}, number.value.getLoc());
  Value argument = function.getArgument(position);
  if (!isAllIndex)
    return number.value.replaceAllUsesWith(argument);
  for (Operation *user : users) {
    user->getResult(0).replaceAllUsesWith(argument);
    user->erase();
  }
}

void DispatchInterface::addConstants() {
  SmallVector<LaunchNumber> numbers;
  llvm::SmallPtrSet<Operation *, 8> words;
  function.walk([&](arith::OrIOp op) {
    std::optional<LaunchNumber> number = matchWords(op);
    if (!number)
      return;
    numbers.push_back(*number);
    // A word with other uses is also another argument.
    for (InterfaceConstantLoadOp word : {number->low, number->high})
      if (word->hasOneUse() && (*word->user_begin())->hasOneUse())
        words.insert(word);
  });
  function.walk([&](InterfaceConstantLoadOp load) {
    if (!words.contains(load) && !load.use_empty())
      numbers.push_back({load, {}, load});
  });
  llvm::stable_sort(numbers, [](const LaunchNumber &a, const LaunchNumber &b) {
    return InterfaceConstantLoadOp(a.low).getOrdinal().ult(
        InterfaceConstantLoadOp(b.low).getOrdinal());
  });
  for (const LaunchNumber &number : numbers)
    addNumber(function, number);
}
