//===- AnchorEncodings.cpp - Layouts in tensor types to to_layout ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type of a tensor may have a layout as its encoding. All values of the
// type have that layout, so that each is anchored where it is defined (VX-142):
//
//   %y = linalg.exp ins(%x : tensor<16x16xf32, #a>) ...
//                   -> tensor<16x16xf32, #a>
//   %z = tensor.cast %y : tensor<16x16xf32, #a> to tensor<16x16xf32, #b>
//   =>
//   %y = linalg.exp ins(%x : tensor<16x16xf32>) ... -> tensor<16x16xf32>
//   %l = to_layout %y to #a
//   %z = to_layout %l to #b
//
// All types lose their encodings at once, so that no op uses two types of one
// tensor. An op that moves elements of an argument reads memory, which no lane
// holds, and uses the argument itself (VX-182).
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Layouts/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace distaff {
#define GEN_PASS_DEF_VECTOREXTANCHORENCODINGS
#include "distaff/Layouts/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

static Attribute encodingOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : Attribute();
}

/// Returns whether lanes can hold elements of a tensor. The shared outputs of a
/// `scf.forall` are memory, which iterations write in slices.
static bool holdsElements(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && isa<scf::ForallOp>(argument.getOwner()->getParentOp()))
    return false;
  return !value.getDefiningOp<tensor::EmptyOp>() &&
         !llvm::is_contained(cast<ShapedType>(value.getType()).getShape(), 0);
}

/// Returns whether an op reads elements of a kernel's argument at its own
/// positions: from memory, and not from the lanes of the argument's layout.
static bool readsMemory(OpOperand &use) {
  auto argument = dyn_cast<BlockArgument>(use.get());
  if (!argument ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return false;
  // A cast between static and dynamic extents is of memory, too (VX-213).
  if (auto cast = dyn_cast<tensor::CastOp>(use.getOwner()))
    return cast.getSource().getType() != cast.getType();
  return isa<tensor::PadOp, tensor::ConcatOp, tensor::GatherOp,
             tensor::ExtractOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::DimOp,
             linalg::PackOp, linalg::UnPackOp>(use.getOwner());
}

static RankedTensorType withoutEncoding(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

namespace {
/// An encoded value is a value whose type has a layout.
struct EncodedValue {
  Value value;
  VectorLayoutInterface layout;
};

/// Collects the values of a module whose types have layouts, and whether any
/// type has an encoding.
class EncodedValues {
public:
  /// Collects the values; fails, with an error, where an encoding is no layout.
  LogicalResult collect(ModuleOp module);

  /// Anchors each value where it is defined; types have no encodings by now.
  void anchor() const;

  /// Whether any type has an encoding, also types without values, as of
  /// declarations.
  bool hasEncodings = false;

private:
  LogicalResult check(Operation *at, Type type);
  LogicalResult add(Operation *at, Value value);

  SmallVector<EncodedValue> values;
};
} // namespace

LogicalResult EncodedValues::check(Operation *at, Type type) {
  Attribute encoding = encodingOf(type);
  if (!encoding)
    return success();
  hasEncodings = true;
  if (isa<VectorLayoutInterface>(encoding))
    return success();
  return at->emitOpError("has a tensor of type ")
         << type << ", whose encoding " << encoding
         << " is no layout; encode the type by a nested_layout or a "
            "digit_layout of iree_vector_ext, or leave the encoding away";
}

LogicalResult EncodedValues::add(Operation *at, Value value) {
  if (failed(check(at, value.getType())))
    return failure();
  if (auto layout = dyn_cast_if_present<VectorLayoutInterface>(
          encodingOf(value.getType())))
    values.push_back({value, layout});
  return success();
}

LogicalResult EncodedValues::collect(ModuleOp module) {
  WalkResult walked = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                                function.getResultTypes()))
        if (failed(check(op, type)))
          return WalkResult::interrupt();
    for (Value result : op->getResults())
      if (failed(add(op, result)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (failed(add(op, argument)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

void EncodedValues::anchor() const {
  // In reverse order each op is inserted right after the definition, before
  // those of later values.
  for (auto [value, layout] : llvm::reverse(values)) {
    if (value.use_empty() || !holdsElements(value))
      continue;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto anchor = ToLayoutOp::create(builder, value.getLoc(), value, layout);
    value.replaceUsesWithIf(anchor.getOutput(), [&](OpOperand &use) {
      return use.getOwner() != anchor && !readsMemory(use);
    });
  }
}

/// Removes the encodings of all types, also of constants.
static void eraseEncodings(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](RankedTensorType type) -> std::optional<Type> {
    if (!type.getEncoding())
      return std::nullopt;
    return withoutEncoding(type);
  });
  replacer.addReplacement(
      [](DenseElementsAttr value) -> std::optional<Attribute> {
        if (!encodingOf(value.getType()))
          return std::nullopt;
        return value.reshape(
            withoutEncoding(cast<RankedTensorType>(value.getType())));
      });
  replacer.addReplacement(
      [](DenseResourceElementsAttr value) -> std::optional<Attribute> {
        if (!encodingOf(value.getType()))
          return std::nullopt;
        return DenseResourceElementsAttr::get(
            withoutEncoding(cast<RankedTensorType>(value.getType())),
            value.getRawHandle());
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Erases casts that only changed the encoding.
static void eraseEqualCasts(ModuleOp module) {
  module.walk([](tensor::CastOp cast) {
    if (cast.getSource().getType() != cast.getType())
      return;
    cast.replaceAllUsesWith(cast.getSource());
    cast.erase();
  });
}

namespace {
struct AnchorEncodingsPass final
    : distaff::impl::VectorExtAnchorEncodingsBase<AnchorEncodingsPass> {
  void runOnOperation() override {
    EncodedValues values;
    if (failed(values.collect(getOperation())))
      return signalPassFailure();
    if (!values.hasEncodings)
      return markAllAnalysesPreserved();
    eraseEncodings(getOperation());
    values.anchor();
    eraseEqualCasts(getOperation());
  }
};
} // namespace
