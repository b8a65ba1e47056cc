//===- NativeVector.cpp - A user's vectors as tiles of tensors ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NativeVector.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using iree::LoweringConfigAttr;

namespace {
/// The loops of an op that sizes apply to, outermost first, and their extents.
struct SizedLoops {
  linalg::LinalgOp op;
  SmallVector<unsigned> loops;

  /// Returns all loops of an op.
  static SizedLoops allOf(linalg::LinalgOp op) {
    return {op, llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()))};
  }
  /// Returns the loops of the result's dims.
  static SizedLoops ofResult(linalg::LinalgOp op) {
    SizedLoops sized = {op, {}};
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        sized.loops.push_back(dim.getPosition());
    return sized;
  }

  /// Returns the size of each loop, 1 for other loops; sizes larger than the
  /// extent become the extent.
  SmallVector<int64_t> fit(ArrayRef<int64_t> sizes) const {
    SmallVector<int64_t> extents = linalg::LinalgOp(op).getStaticLoopRanges();
    SmallVector<int64_t> fitted(loops.size(), 1);
    if (sizes.size() > loops.size())
      sizes = sizes.take_back(loops.size());
    for (auto [i, size] : llvm::enumerate(sizes)) {
      size_t at = loops.size() - sizes.size() + i;
      int64_t extent = extents[loops[at]];
      fitted[at] =
          ShapedType::isDynamic(extent) ? size : std::min(size, extent);
    }
    return fitted;
  }
};
} // namespace

/// Formats sizes for messages.
static std::string withCrosses(ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return "single elements";
  return llvm::join(
      llvm::map_range(sizes, [](int64_t size) { return llvm::itostr(size); }),
      "x");
}

/// Applies sizes; `owner` is the op or the function that has them.
static LogicalResult applySizes(Operation *owner, ArrayRef<int64_t> sizes,
                                const SizedLoops &sized) {
  linalg::LinalgOp op = sized.op;
  constexpr StringRef name = LoweringConfigAttr::attributeName;
  auto config = op->getAttrOfType<LoweringConfigAttr>(name);
  NamedAttrList entries;
  if (config)
    entries = config.getAttributes();
  for (StringRef key : {"workgroup", "reduction", "partial_reduction"})
    if (entries.get(key))
      return owner->emitOpError("has a native_vector, and ")
             << "'" << op->getName() << "' has `" << key
             << "` tiles, which are its vectors; leave one of them out";
  SmallVector<int64_t> fitted = sized.fit(sizes);
  SmallVector<int64_t> asked(
      sizes.size() < fitted.size() ? fitted.size() - sizes.size() : 0, 1);
  llvm::append_range(asked, sizes);
  if (asked != fitted)
    owner->emitWarning("'")
        << owner->getName() << "' op has the native_vector "
        << withCrosses(sizes) << ", which '" << op->getName()
        << "' is smaller than; it is computed by " << withCrosses(fitted);
  SmallVector<int64_t> workgroup(op.getNumLoops(), 0), reduction = workgroup;
  bool reduces = false;
  for (auto [loop, size] : llvm::zip_equal(sized.loops, fitted)) {
    bool isParallel =
        op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
    (isParallel ? workgroup : reduction)[loop] = size;
    reduces |= !isParallel;
  }
  Builder b(op->getContext());
  entries.set("native_vector", b.getI64ArrayAttr(sizes));
  entries.set("workgroup", b.getI64ArrayAttr(workgroup));
  if (reduces)
    entries.set("reduction", b.getI64ArrayAttr(reduction));
  op->setAttr(name, LoweringConfigAttr::get(
                        b.getContext(), entries.getDictionary(b.getContext())));
  return success();
}

LogicalResult distaff::refuseNativeVectors(func::FuncOp kernel, StringRef why) {
  WalkResult walked = kernel->walk([&](Operation *op) -> WalkResult {
    if (core::nativeVectorOf(op).empty())
      return WalkResult::advance();
    return op->emitOpError("has a native_vector, ") << why;
  });
  return failure(walked.wasInterrupted());
}

static LogicalResult refuseOwner(Operation *owner, Operation *computes) {
  InFlightDiagnostic diagnostic =
      owner->emitOpError("has a native_vector, and ");
  if (isa_and_nonnull<linalg::SoftmaxOp>(computes))
    return diagnostic << "'" << computes->getName()
                      << "' is computed by several ops, of other loops; leave "
                         "it out, or write the softmax as a maximum, "
                         "exponentials and their sum";
  return diagnostic << "computes no linalg op on tensors whose tiles it could "
                       "be";
}

/// Returns whether an op or a function computes only tensors without elements,
/// for which no vector is needed.
static bool computesNothing(TypeRange results) {
  return !results.empty() && llvm::all_of(results, [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  });
}

LogicalResult
distaff::withNativeVectors(func::FuncOp kernel,
                           function_ref<LogicalResult()> prepare) {
  auto ownersIn = [&] {
    SmallVector<Operation *> owners;
    kernel->walk([&](Operation *op) {
      if (op != kernel && !core::nativeVectorOf(op).empty())
        owners.push_back(op);
    });
    return owners;
  };
  SmallVector<std::pair<Location, OperationName>> before;
  for (Operation *owner : ownersIn()) {
    if (!isa<linalg::LinalgOp>(owner))
      return refuseOwner(owner, owner);
    if (!computesNothing(owner->getResultTypes()))
      before.push_back({owner->getLoc(), owner->getName()});
  }
  if (failed(prepare()))
    return failure();
  size_t left = ownersIn().size();
  if (left >= before.size())
    return success();
  auto [loc, name] = before.front();
  return emitError(loc) << "'" << name
                        << "' op has a native_vector, and is computed by "
                           "another op, of other loops; give the native_vector "
                           "to the function, of whose result it then is";
}

LogicalResult distaff::applyNativeVectors(func::FuncOp kernel,
                                          Operation *root) {
  SmallVector<Operation *> owners;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!core::nativeVectorOf(op).empty())
      owners.push_back(op);
  });
  for (Operation *owner : owners) {
    ArrayRef<int64_t> sizes = core::nativeVectorOf(owner);
    bool isFunction = owner == kernel;
    Operation *sized = isFunction ? root : owner;
    // An op's own native vector overrides that of its function.
    bool isOverridden =
        isFunction && root && !core::nativeVectorOf(root).empty();
    auto op = dyn_cast_if_present<linalg::LinalgOp>(sized);
    bool isEmpty = isFunction ? computesNothing(kernel.getResultTypes())
                              : computesNothing(owner->getResultTypes());
    if (!op && !isEmpty)
      return refuseOwner(owner, sized);
    if (op && !isOverridden &&
        failed(applySizes(owner, sizes,
                          isFunction ? SizedLoops::ofResult(op)
                                     : SizedLoops::allOf(op))))
      return failure();
  }
  for (Operation *owner : owners)
    owner->removeAttr(core::nativeVectorAttributeName);
  return success();
}
