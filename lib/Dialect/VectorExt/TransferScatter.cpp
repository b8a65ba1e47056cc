//===- TransferScatter.cpp - Writes through index vectors -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// transfer_scatter: text, verifier, effects and canonicalization.
//
//===----------------------------------------------------------------------===//
#include "IndexedAccess.h"

#include "distaff/Dialect/AttributeDictionary.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vector_ext;

SmallVector<AffineMap> TransferScatterOp::getIndexingMapsArray() {
  return llvm::to_vector(getIndexingMaps().getAsValueRange<AffineMapAttr>());
}

SmallVector<bool> TransferScatterOp::getInBoundsArray() {
  return vector_ext::getInBounds(getInBounds(), getVectorType().getRank());
}

void vector_ext::setMaps(TransferScatterOp op, const IndexedAccess &access) {
  Builder builder(op.getContext());
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(access.maps));
  op.setInBoundsAttr(getInBoundsAttr(builder, access.inBounds));
}

/// Verifies that maps use each dim of extent above 1: otherwise its elements
/// would be written to one address.
static LogicalResult verifyDimsAreUsed(TransferScatterOp op,
                                       const IndexedAccess &access) {
  llvm::SmallBitVector used(access.vector.getRank());
  ArrayRef<AffineMap> maps(access.maps);
  for (AffineMap map : access.mask ? maps.drop_back() : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        used.set(dim.getPosition());
  for (auto [dim, extent] : llvm::enumerate(access.vector.getShape()))
    if (!used.test(dim) && extent != 1)
      return op.emitOpError() << "dim " << dim << " of extent " << extent
                              << " is in no map: its elements would be written "
                                 "to one address";
  return success();
}

LogicalResult TransferScatterOp::verify() {
  Type base = getBase().getType();
  if (isa<RankedTensorType>(base) && !getResult())
    return emitOpError() << "into a tensor needs a result of type " << base;
  if (getResult() && getResult().getType() != base)
    return emitOpError() << "has a result of type " << getResult().getType()
                         << (isa<MemRefType>(base)
                                 ? ", into a memref it has none"
                                 : ", into a tensor it has its type");
  IndexedAccess access = getAccess(*this);
  if (failed(verifyAccess(*this, access)))
    return failure();
  return verifyDimsAreUsed(*this, access);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult TransferScatterOp::parse(OpAsmParser &parser,
                                     OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  OpAsmParser::UnresolvedOperand vector, base;
  SmallVector<OpAsmParser::UnresolvedOperand> offsets, mask;
  SmallVector<TypedOperand> indices;
  SmallVector<Type> maskType;
  Type vectorType, baseType, resultType;
  if (parser.parseOperand(vector) || parser.parseKeyword("into") ||
      parser.parseOperand(base) ||
      parser.parseOperandList(offsets, AsmParser::Delimiter::Square) ||
      parseIndexList(parser, indices))
    return failure();
  if (succeeded(parser.parseOptionalComma()) &&
      parser.parseOperand(mask.emplace_back()))
    return failure();
  if (parseAttributeDictionary(parser, result.attributes, getOperationName(),
                               {"indexing_maps", "in_bounds"}) ||
      parser.parseColonType(vectorType) || parser.parseComma() ||
      parser.parseType(baseType))
    return failure();
  if (!mask.empty() &&
      (parser.parseComma() || parser.parseType(maskType.emplace_back())))
    return failure();
  if (succeeded(parser.parseOptionalArrow()) &&
      (parser.parseType(resultType) ||
       parser.addTypeToList(resultType, result.types)))
    return failure();

  dropTrueInBounds(result.attributes, vectorType);
  if (parser.resolveOperand(vector, vectorType, result.operands) ||
      parser.resolveOperand(base, baseType, result.operands) ||
      parser.resolveOperands(offsets, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  for (const TypedOperand &entry : indices) {
    if (!entry.operand)
      return parser.emitError(loc) << "'None' is of the classic form of "
                                      "transfer_gather, which this op has not";
    if (parser.resolveOperand(*entry.operand, entry.type, result.operands))
      return failure();
  }
  if (parser.resolveOperands(mask, maskType, loc, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, 1, int32_t(offsets.size()), int32_t(indices.size()),
      int32_t(mask.size())};
  return success();
}

void TransferScatterOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getVector() << " into " << getBase() << '[' << getOffsets()
          << ']';
  printIndexList(printer, getIndexVecs());
  if (getMask())
    printer << ", " << getMask();
  printAccessAttributes(printer, *this, getAccess(*this));
  printer << " : " << getVectorType() << ", " << getBase().getType();
  if (getMask())
    printer << ", " << getMask().getType();
  if (getResult())
    printer << " -> " << getResult().getType();
}

//===----------------------------------------------------------------------===//
// Effects and canonicalization
//===----------------------------------------------------------------------===//

void TransferScatterOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBaseEffect(getBaseMutable(), MemoryEffects::Write::get(), effects);
}

/// G2: removes a write of no elements.
void vector_ext::replaceMasked(TransferScatterOp op,
                               PatternRewriter &rewriter) {
  if (op.getResult())
    rewriter.replaceOp(op, op.getBase());
  else
    rewriter.eraseOp(op);
}

LogicalResult vector_ext::replaceByTransfer(TransferScatterOp op, AffineMap map,
                                            ArrayAttr inBounds,
                                            PatternRewriter &rewriter) {
  // A broadcast would write one address several times.
  if (!map.isProjectedPermutation())
    return rewriter.notifyMatchFailure(op, "needs more than a transfer");
  rewriter.replaceOpWithNewOp<vector::TransferWriteOp>(
      op, op.getVector(), op.getBase(), op.getOffsets(),
      AffineMapAttr::get(map), op.getMask(), inBounds);
  return success();
}

void vector_ext::replaceByAccess(TransferScatterOp op,
                                 const IndexedAccess &access,
                                 PatternRewriter &rewriter) {
  Value vector = vector::ShapeCastOp::create(rewriter, op.getLoc(),
                                             access.vector, op.getVector());
  rewriter.replaceOpWithNewOp<TransferScatterOp>(
      op, op->getResultTypes(), vector, op.getBase(), access.offsets,
      access.indices, access.mask, rewriter.getAffineMapArrayAttr(access.maps),
      getInBoundsAttr(rewriter, access.inBounds));
}

void TransferScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  populateAccessFolds(patterns, TransferScatterOp());
}
