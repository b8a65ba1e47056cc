//===- ExpandShape.cpp - pcf.expand_shape ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "distaff/CheckedSize.h"
#include "distaff/Dialect/AttributeDictionary.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace distaff;
using namespace distaff::pcf;

void ExpandShapeOp::build(OpBuilder &builder, OperationState &state,
                          SRefType result, Value source,
                          ArrayRef<ReassociationIndices> reassociation,
                          ArrayRef<OpFoldResult> outputShape) {
  auto [statics, dynamics] = decomposeMixedValues(outputShape);
  build(builder, state, result, source,
        getReassociationIndicesAttribute(builder, reassociation), dynamics,
        result.hasStaticShape() ? DenseI64ArrayAttr()
                                : builder.getDenseI64ArrayAttr(statics));
}

ParseResult ExpandShapeOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  ArrayAttr reassociation;
  SRefType sourceType, resultType;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseOperand(source) || parser.parseAttribute(reassociation))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("output_shape"))) {
    DenseI64ArrayAttr statics;
    if (parseDynamicIndexList(parser, extents, statics))
      return failure();
    properties.static_output_shape = statics;
  }
  properties.reassociation = reassociation;
  if (parseAttributeDictionary(parser, result.attributes,
                               result.name.getStringRef(), {}) ||
      parser.parseColonType(sourceType) || parser.parseKeyword("into") ||
      parser.parseType(resultType) ||
      parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperands(extents, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  result.addTypes(resultType);
  return success();
}

void ExpandShapeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource() << ' ' << getReassociation();
  if (getStaticOutputShape()) {
    printer << " output_shape ";
    printDynamicIndexList(printer, *this, getOutputShape(),
                          *getStaticOutputShape());
  }
  printAttributeDictionary(printer, *this,
                           (*this)->getDiscardableAttrDictionary().getValue());
  printer << " : " << getSource().getType() << " into "
          << getResult().getType();
}

SmallVector<ReassociationIndices> ExpandShapeOp::getReassociationIndices() {
  return llvm::map_to_vector(
      getReassociation().getAsRange<ArrayAttr>(), [](ArrayAttr group) {
        return llvm::map_to_vector<2>(
            group.getAsRange<IntegerAttr>(),
            [](IntegerAttr dim) { return dim.getInt(); });
      });
}

SmallVector<OpFoldResult> ExpandShapeOp::getMixedOutputShape() {
  Builder builder(getContext());
  ArrayRef<int64_t> extents = getStaticOutputShape()
                                  ? *getStaticOutputShape()
                                  : getResult().getType().getShape();
  return getMixedValues(extents, getOutputShape(), builder);
}

Value ExpandShapeOp::getViewSource() { return getSource(); }

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Verifies that the groups are 0, 1, ... in order, one per source dimension.
static LogicalResult verifyGroups(ExpandShapeOp op) {
  SRefType source = op.getSource().getType(), result = op.getResult().getType();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  if (static_cast<int64_t>(groups.size()) != source.getRank())
    return op.emitOpError() << "expected " << source.getRank()
                            << " reassociation groups, got " << groups.size();
  int64_t next = 0;
  bool inOrder = true;
  for (const ReassociationIndices &group : groups) {
    inOrder &= !group.empty();
    for (int64_t dim : group)
      inOrder &= dim == next++;
  }
  // A scalar becomes any number of dimensions of extent 1.
  bool isScalar =
      groups.empty() &&
      llvm::all_of(result.getShape(), [](int64_t e) { return e == 1; });
  if (inOrder && (next == result.getRank() || isScalar))
    return success();
  return op.emitOpError() << "reassociation must cover result dims 0.."
                          << result.getRank() - 1 << " in order";
}

/// Verifies that the product of every group is the source's extent; a dynamic
/// extent needs a dynamic factor.
static LogicalResult verifyProducts(ExpandShapeOp op) {
  SRefType source = op.getSource().getType(), result = op.getResult().getType();
  for (auto [g, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t product = 1;
    for (int64_t dim : group) {
      int64_t extent = result.getDimSize(dim);
      product = ShapedType::isDynamic(extent) || ShapedType::isDynamic(product)
                    ? ShapedType::kDynamic
                    : saturatingProduct(product, extent);
    }
    int64_t extent = source.getDimSize(g);
    if (product == extent)
      continue;
    auto text = [](int64_t extent) {
      return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
    };
    return op.emitOpError()
           << "group " << g << " has product " << text(product)
           << " but source dim " << g << " is " << text(extent);
  }
  return success();
}

LogicalResult ExpandShapeOp::verify() {
  SRefType source = getSource().getType(), result = getResult().getType();
  if (source.getScope() != result.getScope() ||
      source.getSyncScope() != result.getSyncScope() ||
      source.getElementType() != result.getElementType())
    return emitOpError()
           << "view must keep scope, element type and synchronization";
  if (failed(verifyGroups(*this)) || failed(verifyProducts(*this)))
    return failure();
  if (result.hasStaticShape()) {
    if (getStaticOutputShape() || !getOutputShape().empty())
      return emitOpError() << "'output_shape' is for a dynamic result";
    return success();
  }
  if (!getStaticOutputShape())
    return emitOpError() << "expected 'output_shape' for a dynamic result";
  if (*getStaticOutputShape() != result.getShape())
    return emitOpError() << "output_shape [" << *getStaticOutputShape()
                         << "] does not match the result's ["
                         << result.getShape() << "]";
  if (getOutputShape().size() != result.getNumDynamicDims())
    return emitOpError() << "expected " << result.getNumDynamicDims()
                         << " dynamic extents, got " << getOutputShape().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult ExpandShapeOp::fold(FoldAdaptor) {
  // The ranks are equal, so every group is one dimension.
  return getSource().getType() == getResult().getType() ? getSource() : Value();
}

namespace {
/// Composes two consecutive splits into one, by the groups of the groups.
struct ComposeExpandShapes final : OpRewritePattern<ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ExpandShapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the source is not expanded");
    SmallVector<ReassociationIndices> outer = op.getReassociationIndices();
    SmallVector<ReassociationIndices> groups;
    for (const ReassociationIndices &group : inner.getReassociationIndices()) {
      ReassociationIndices &joined = groups.emplace_back();
      for (int64_t dim : group)
        llvm::append_range(joined, outer[dim]);
    }
    rewriter.replaceOpWithNewOp<ExpandShapeOp>(op, op.getResult().getType(),
                                               inner.getSource(), groups,
                                               op.getMixedOutputShape());
    return success();
  }
};
} // namespace

void ExpandShapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<ComposeExpandShapes>(context);
}
