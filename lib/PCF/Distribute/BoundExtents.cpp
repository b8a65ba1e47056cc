//===- BoundExtents.cpp - Replacing dynamic extents by upper bounds -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members hold tensors in registers, whose number is static. So a tensor of
// collective code gets the largest extents that it may have,
//
//   %a = pcf.read_slice %p[..] [%s, 32]   %a = pcf.read_slice %p[..] [%s, 32]
//                                         %b = tensor.pad %a high[256 - %s, 0]
//   %e = linalg.exp ins(%a) ...           %e = linalg.exp ins(%b) ...
//   pcf.write_slice %e ... [%s, 32]       %c = extract_slice %e[0, 0] [%s, 32]
//                                         pcf.write_slice %c ... [%s, 32]
//
// and its elements past its own extents are unspecified. Reductions replace
// them by neutral elements, and integer divisions replace such divisors.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Form/ScopeOption.h"
#include "CarriedValues.h"
#include "CollectiveOps.h"
#include "DynamicExtents.h"
#include "ExtentBounds.h"
#include "distaff/Analysis/Access/ComputedReads.h"
#include "distaff/Rewrite/NeutralPadding.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace distaff {
#define GEN_PASS_DEF_PCFBOUNDEXTENTS
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
class ExtentBounder {
public:
  ExtentBounder(SharedExecutorOp executor, IRRewriter &rewriter)
      : executor(executor), rewriter(rewriter) {}

  LogicalResult run(NumberBounds &numbers);

private:
  void collectTypes(const ExtentBounds &bounds);
  LogicalResult collectEnds(DynamicExtents &extents);
  LogicalResult collectEnds(linalg::LinalgOp op, DynamicExtents &extents);
  LogicalResult replaceDims(DynamicExtents &extents);
  void changeTypes();
  void rewriteSource(Operation *op);
  void rewriteUse(Operation *op);
  void rewriteShape(Operation *op);
  void rewriteSlice(ReadSliceOp op);
  void rewriteWrite(WriteSliceOp op);
  SmallVector<OpFoldResult> clampSizes(OffsetSizeAndStrideOpInterface slice,
                                       ArrayRef<int64_t> bounds);
  void rewritePad(tensor::PadOp op);
  void rewriteLinalg(linalg::LinalgOp op);
  void maskDivisor(Operation *op);
  Value resize(Value tensor, ArrayRef<int64_t> shape);
  bool isBounded(Value value) const { return types.contains(value); }

  SharedExecutorOp executor;
  IRRewriter &rewriter;
  SmallVector<Operation *> ops;
  /// The new types of tensors.
  llvm::MapVector<Value, RankedTensorType> types;
  /// The ends of the loops of each op, or of the dimensions of its operand.
  llvm::DenseMap<Operation *, Ends> ends;
};
} // namespace

static bool isDynamic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape();
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

void ExtentBounder::collectTypes(const ExtentBounds &bounds) {
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (isDynamic(value))
        types.insert({value, bounds.typeOf(value)});
  };
  CarriedValues carried(isDynamic);
  for (Operation *op : ops) {
    add(op->getResults());
    carried.addOp(op);
  }
  add(carried.values);
}

/// Records the extents of loops whose op would use the added elements of larger
/// tensors.
LogicalResult ExtentBounder::collectEnds(linalg::LinalgOp op,
                                         DynamicExtents &extents) {
  Ends own(op.getNumLoops());
  bool divides = llvm::any_of(
      *op.getBlock(), [](Operation &inner) { return dividesIntegers(&inner); });
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isDynamic(operand.get()))
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (own[loop] ||
          !cast<RankedTensorType>(operand.get().getType()).isDynamicDim(dim) ||
          (iterators[loop] != utils::IteratorType::reduction && !divides))
        continue;
      FailureOr<OpFoldResult> end = extents.get(operand.get(), dim, op);
      if (failed(end))
        return failure();
      own[loop] = *end;
    }
  }
  ends[op] = own;
  return success();
}

/// Replaces `tensor.dim` by the number that the tensor was created with.
LogicalResult ExtentBounder::replaceDims(DynamicExtents &extents) {
  SmallVector<tensor::DimOp> dims;
  for (Operation *op : ops)
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      dims.push_back(dim);
  for (tensor::DimOp op : dims) {
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!dim || !isDynamic(op.getSource()) ||
        !executor.getExecute().isAncestor(op.getSource().getParentRegion()))
      continue;
    FailureOr<OpFoldResult> extent = extents.get(op.getSource(), *dim, op);
    if (failed(extent))
      return failure();
    llvm::erase(ops, op.getOperation());
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), *extent));
  }
  return success();
}

LogicalResult ExtentBounder::collectEnds(DynamicExtents &extents) {
  for (Operation *op : ops) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (failed(collectEnds(linalgOp, extents)))
        return failure();
      continue;
    }
    Value tensor;
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      tensor = pad.getSource();
    else if (op->getNumOperands() == 2 && dividesIntegers(op))
      tensor = op->getOperand(1);
    if (!tensor || !isDynamic(tensor))
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    Ends own(type.getRank());
    for (auto [dim, end] : llvm::enumerate(own)) {
      // Dimensions of static extent need padding, too.
      if (type.getDimSize(dim) ==
              cast<RankedTensorType>(op->getResult(0).getType())
                  .getDimSize(dim) &&
          !type.isDynamicDim(dim))
        continue;
      FailureOr<OpFoldResult> found = extents.get(tensor, dim, op);
      if (failed(found))
        return failure();
      end = *found;
    }
    ends[op] = own;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Resizes a tensor: cuts elements off the end or pads with zeros there.
Value ExtentBounder::resize(Value tensor, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Location loc = tensor.getLoc();
  SmallVector<int64_t> common;
  for (auto [own, wanted] : llvm::zip_equal(type.getShape(), shape))
    common.push_back(std::min(own, wanted));
  SmallVector<OpFoldResult> zeros(shape.size(), rewriter.getIndexAttr(0)),
      ones(shape.size(), rewriter.getIndexAttr(1));
  if (ArrayRef(common) != type.getShape())
    tensor = tensor::ExtractSliceOp::create(
        rewriter, loc, tensor, zeros,
        getAsIndexOpFoldResult(rewriter.getContext(), common), ones);
  if (ArrayRef(common) == shape)
    return tensor;
  SmallVector<OpFoldResult> high;
  for (auto [own, wanted] : llvm::zip_equal(common, shape))
    high.push_back(rewriter.getIndexAttr(wanted - own));
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(rewriter, loc, type.clone(shape), tensor, zeros,
                               high, zero);
}

/// Clamps the sizes of a slice to their bounds, so that later stages can
/// compute the range of a size.
SmallVector<OpFoldResult>
ExtentBounder::clampSizes(OffsetSizeAndStrideOpInterface slice,
                          ArrayRef<int64_t> bounds) {
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  for (auto [size, bound] : llvm::zip_equal(sizes, bounds)) {
    FailureOr<int64_t> known = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, size, /*stopCondition=*/nullptr,
        /*closedUB=*/true);
    if (failed(known) || *known > bound)
      size = affine::makeComposedFoldedAffineMin(
          rewriter, slice.getLoc(),
          AffineMap::get(0, 1, {s0, rewriter.getAffineConstantExpr(bound)},
                         rewriter.getContext()),
          {size});
  }
  return sizes;
}

/// Pads the slice with zeros up to its bounds.
void ExtentBounder::rewriteSlice(ReadSliceOp op) {
  auto own = cast<RankedTensorType>(op.getResult().getType());
  RankedTensorType type = types.lookup(op.getResult());
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes = clampSizes(op, type.getShape());
  auto read =
      ReadSliceOp::create(rewriter, loc, own, op.getSource(),
                          op.getMixedOffsets(), sizes, op.getMixedStrides());
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> zeros(type.getRank(), rewriter.getIndexAttr(0)),
      high;
  for (auto [extent, size] : llvm::zip_equal(type.getShape(), sizes))
    high.push_back(affine::makeComposedFoldedAffineApply(rewriter, loc,
                                                         extent - s0, {size}));
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  rewriter.replaceOpWithNewOp<tensor::PadOp>(op, type, read.getResult(), zeros,
                                             high, zero);
}

void ExtentBounder::rewriteWrite(WriteSliceOp op) {
  Location loc = op.getLoc();
  Value source = op.getSource();
  auto type = cast<RankedTensorType>(source.getType());
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> zeros(type.getRank(), rewriter.getIndexAttr(0)),
      ones(type.getRank(), rewriter.getIndexAttr(1)),
      sizes = clampSizes(op, type.getShape());
  Value corner =
      tensor::ExtractSliceOp::create(rewriter, loc, source, zeros, sizes, ones);
  rewriter.replaceOpWithNewOp<WriteSliceOp>(op, corner, op.getDest(),
                                            op.getMixedOffsets(), sizes,
                                            op.getMixedStrides());
}

/// Pads a tensor from its own extents on, which its type does not show any
/// more.
void ExtentBounder::rewritePad(tensor::PadOp op) {
  rewriter.setInsertionPoint(op);
  Value value = resize(op.getSource(), op.getResultType().getShape());
  rewriter.replaceOp(op,
                     maskTensor(rewriter, op.getLoc(), value, ends.lookup(op),
                                op.getConstantPaddingValue()));
}

/// Resizes tensors along one loop to one extent: the largest of their extents.
void ExtentBounder::rewriteLinalg(linalg::LinalgOp op) {
  SmallVector<int64_t> extents(op.getNumLoops(), 0);
  auto forEachTensor = [&](auto visit) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
        visit(operand, type, op.getMatchingIndexingMap(&operand));
  };
  forEachTensor([&](OpOperand &, RankedTensorType type, AffineMap map) {
    for (auto [extent, expr] :
         llvm::zip_equal(type.getShape(), map.getResults())) {
      int64_t &known = extents[cast<AffineDimExpr>(expr).getPosition()];
      known = std::max(known, extent);
    }
  });
  forEachTensor([&](OpOperand &operand, RankedTensorType, AffineMap map) {
    SmallVector<int64_t> shape =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
          return extents[cast<AffineDimExpr>(expr).getPosition()];
        });
    rewriter.setInsertionPoint(op);
    Value resized = resize(operand.get(), shape);
    rewriter.modifyOpInPlace(op, [&] { operand.set(resized); });
    if (!op.isDpsInit(&operand))
      return;
    OpResult result = op.getTiedOpResult(&operand);
    RankedTensorType wanted = isBounded(result)
                                  ? types.lookup(result)
                                  : cast<RankedTensorType>(result.getType());
    rewriter.modifyOpInPlace(op, [&] { result.setType(resized.getType()); });
    if (wanted == resized.getType())
      return;
    rewriter.setInsertionPointAfter(op);
    Value cut = resize(result, wanted.getShape());
    rewriter.replaceAllUsesExcept(result, cut, cut.getDefiningOp());
  });
  maskLoops(rewriter, op, ends.lookup(op));
}

/// Replaces divisors past the end by 1.
void ExtentBounder::maskDivisor(Operation *op) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  Value divisor = op->getOperand(1);
  Value one = arith::ConstantOp::create(
      rewriter, loc, rewriter.getOneAttr(getElementTypeOrSelf(divisor)));
  Value masked = maskTensor(rewriter, loc, divisor, ends.lookup(op), one);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(1, masked); });
}

/// Returns the type of a tensor of known extents with added dimensions of
/// extent 1.
static RankedTensorType expandedType(tensor::ExpandShapeOp op) {
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  RankedTensorType result = op.getResultType();
  SmallVector<int64_t> shape(result.getShape());
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
    for (int64_t each : group)
      if (result.isDynamicDim(each))
        shape[each] = source.getDimSize(dim);
  return result.clone(shape);
}

/// Rewrites an op whose result has the same elements in another shape, or
/// fewer.
void ExtentBounder::rewriteShape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  RankedTensorType type = types.contains(result)
                              ? types.lookup(result)
                              : cast<RankedTensorType>(result.getType());
  rewriter.setInsertionPoint(op);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    source = tensor::CollapseShapeOp::create(
        rewriter, op->getLoc(), source, collapse.getReassociationIndices());
  else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    source = tensor::ExpandShapeOp::create(rewriter, op->getLoc(),
                                           expandedType(expand), source,
                                           expand.getReassociationIndices());
  rewriter.replaceOp(op, resize(source, type.getShape()));
}

/// Changes the types of the results of control flow and of elementwise ops:
/// their types are those of their operands.
void ExtentBounder::changeTypes() {
  for (auto &[value, type] : types) {
    Operation *op = value.getDefiningOp();
    if (!op || handsOnValues(op) || isa<linalg::LinalgOp>(op) ||
        mlir::OpTrait::hasElementwiseMappableTraits(op))
      value.setType(type);
  }
}

void ExtentBounder::rewriteSource(Operation *op) {
  if (auto read = dyn_cast<ReadSliceOp>(op))
    return rewriteSlice(read);
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  if (!empty)
    return;
  RankedTensorType type = types.lookup(empty);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, type.getShape(),
                                               type.getElementType());
}

void ExtentBounder::rewriteUse(Operation *op) {
  if (auto write = dyn_cast<WriteSliceOp>(op))
    rewriteWrite(write);
  else if (auto pad = dyn_cast<tensor::PadOp>(op))
    rewritePad(pad);
  else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    rewriteLinalg(linalgOp);
  else if (isa<tensor::CastOp, tensor::ExtractSliceOp, tensor::CollapseShapeOp,
               tensor::ExpandShapeOp>(op))
    rewriteShape(op);
  else if (ends.contains(op))
    maskDivisor(op);
}

LogicalResult ExtentBounder::run(NumberBounds &numbers) {
  walkCollectiveCode(executor.getExecute(),
                     [&](Operation *op) { ops.push_back(op); });
  DynamicExtents extents(executor->getParentOfType<FunctionOpInterface>(), ops);
  if (failed(replaceDims(extents)))
    return failure();
  FailureOr<ExtentBounds> bounds = ExtentBounds::compute(ops, numbers);
  if (failed(bounds))
    return failure();
  collectTypes(*bounds);
  if (types.empty())
    return success();
  if (failed(collectEnds(extents)))
    return failure();
  SmallVector<Operation *> uses, made;
  for (Operation *op : ops) {
    if (isa<ReadSliceOp, tensor::EmptyOp>(op)) {
      if (isDynamic(op->getResult(0)))
        made.push_back(op);
    } else if (llvm::any_of(op->getOperands(), isDynamic) ||
               llvm::any_of(op->getResults(), isDynamic)) {
      uses.push_back(op);
    }
  }
  changeTypes();
  llvm::for_each(made, [&](Operation *op) { rewriteSource(op); });
  llvm::for_each(uses, [&](Operation *op) { rewriteUse(op); });
  return success();
}

namespace {
struct BoundExtents final : distaff::impl::PCFBoundExtentsBase<BoundExtents> {
  using PCFBoundExtentsBase::PCFBoundExtentsBase;

  // Ranges of sizes are computed by interfaces of the ops that compute them.
  void getDependentDialects(DialectRegistry &registry) const override {
    PCFBoundExtentsBase::getDependentDialects(registry);
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    FailureOr<Attribute> wanted = parseOptionalScope(scope, &getContext());
    if (failed(wanted))
      return signalPassFailure();
    SmallVector<SharedExecutorOp> executors =
        collectUnformed(getOperation(), *wanted);
    if (executors.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors) {
      NumberBounds numbers(executor->getParentOfType<FunctionOpInterface>());
      if (failed(ExtentBounder(executor, rewriter).run(numbers)))
        return signalPassFailure();
    }
  }
};
} // namespace
