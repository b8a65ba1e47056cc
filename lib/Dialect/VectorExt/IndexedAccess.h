//===- IndexedAccess.h - Accesses of gather and scatter ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transfer_gather or transfer_scatter as a struct: the offsets into the base,
// the index values, and the maps from the vector to all of them. Verifier,
// folds and conversions work on this struct; `update` writes it back.
//
//   maps[0]      (vector dims)[index values] -> address, relative to offsets
//   maps[1 + k]  (vector dims)[index values] -> position in index value k
//   maps.back()  (vector dims)[index values] -> position in the mask, if any
//
//===----------------------------------------------------------------------===//
#ifndef LIB_DISTAFF_DIALECT_VECTOREXT_INDEXEDACCESS_H
#define LIB_DISTAFF_DIALECT_VECTOREXT_INDEXEDACCESS_H

#include "distaff/Dialect/VectorExt/VectorExt.h"

#include "mlir/IR/PatternMatch.h"

namespace distaff::vector_ext {

struct IndexedAccess {
  ShapedType base;
  VectorType vector;
  SmallVector<Value> offsets, indices;
  Value mask;
  SmallVector<AffineMap> maps;
  /// Per vector dim: whether the addresses that it determines lie in the base.
  SmallVector<bool> inBounds;

  MLIRContext *getContext() const { return vector.getContext(); }
  AffineMap &indexMap(unsigned index) { return maps[1 + index]; }

  /// Returns the base dims along which an address may lie outside the base.
  llvm::SmallBitVector getCheckedDims() const;

  /// Removes an index value and replaces its symbol by `replacement`, in the
  /// numbering before the removal.
  void dropIndex(unsigned index, AffineExpr replacement);

  /// Removes a dim of extent 1 from the vector's type and from the maps, where
  /// 0 replaces it. Index values and mask keep their shapes.
  void dropUnitDim(unsigned dim);
};

/// Emits an error on `op` unless its access is well formed.
LogicalResult verifyAccess(Operation *op, const IndexedAccess &access);

/// Returns the shape of an operand that `map` addresses from a vector of
/// `shape`; a constant result is a unit dim.
SmallVector<int64_t> applyToShape(AffineMap map, ArrayRef<int64_t> shape);

/// Returns the flag of each vector dim; all true if the attribute is absent.
SmallVector<bool> getInBounds(std::optional<ArrayAttr> attr, int64_t rank);
/// Returns null if all are true.
ArrayAttr getInBoundsAttr(Builder &builder, ArrayRef<bool> inBounds);

template <typename OpTy> IndexedAccess getAccess(OpTy op) {
  return {op.getBaseType(),
          op.getVectorType(),
          llvm::to_vector(op.getOffsets()),
          llvm::to_vector(op.getIndexVecs()),
          op.getMask(),
          op.getIndexingMapsArray(),
          op.getInBoundsArray()};
}

/// Sets the unified attributes of a gather and removes the classic ones.
void setMaps(TransferGatherOp op, const IndexedAccess &access);
void setMaps(TransferScatterOp op, const IndexedAccess &access);

/// Makes `op` the given access; base and vector must be unchanged.
template <typename OpTy>
void update(OpTy op, const IndexedAccess &access, PatternRewriter &rewriter) {
  rewriter.modifyOpInPlace(op, [&] {
    op.getOffsetsMutable().assign(access.offsets);
    op.getIndexVecsMutable().assign(access.indices);
    if (!access.mask)
      op.getMaskMutable().clear();
    else
      op.getMaskMutable().assign(access.mask);
    setMaps(op, access);
  });
}

/// Replaces an op whose mask is all false.
void replaceMasked(TransferGatherOp op, PatternRewriter &rewriter);
void replaceMasked(TransferScatterOp op, PatternRewriter &rewriter);

/// Replaces `op` by the vector.transfer_read or transfer_write of that
/// permutation map, or fails if there is none.
LogicalResult replaceByTransfer(TransferGatherOp op, AffineMap map,
                                ArrayAttr inBounds, PatternRewriter &rewriter);
LogicalResult replaceByTransfer(TransferScatterOp op, AffineMap map,
                                ArrayAttr inBounds, PatternRewriter &rewriter);

/// Replaces `op` by the same op with `access`, whose vector has the elements of
/// that of `op` in another shape.
void replaceByAccess(TransferGatherOp op, const IndexedAccess &access,
                     PatternRewriter &rewriter);
void replaceByAccess(TransferScatterOp op, const IndexedAccess &access,
                     PatternRewriter &rewriter);

/// Adds the folds G1 to G10.
void populateAccessFolds(RewritePatternSet &patterns, TransferGatherOp);
void populateAccessFolds(RewritePatternSet &patterns, TransferScatterOp);

/// Adds the effect on memory if the base is a memref.
void addBaseEffect(
    OpOperand &base, MemoryEffects::Effect *effect,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects);

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A parsed operand with its type; no operand for `None`.
struct TypedOperand {
  std::optional<OpAsmParser::UnresolvedOperand> operand;
  Type type;
};

/// Parses `[%i : vector<4xindex>, None, ...]`, if it is there.
ParseResult parseIndexList(OpAsmParser &parser,
                           SmallVectorImpl<TypedOperand> &indices);
void printIndexList(OpAsmPrinter &printer, ValueRange indices);

/// Removes in_bounds if it is true for every dim of the vector, as this is the
/// default.
void dropTrueInBounds(NamedAttrList &attributes, Type vector);

/// Prints the maps, in_bounds unless all true, and discardable attributes.
void printAccessAttributes(OpAsmPrinter &printer, Operation *op,
                           const IndexedAccess &access);

} // namespace distaff::vector_ext

#endif // LIB_DISTAFF_DIALECT_VECTOREXT_INDEXEDACCESS_H
