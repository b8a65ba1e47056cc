//===- OwnerRefs.cpp - Rebuilding an op with other refs -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OwnerRefs.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::pcf;

/// Creates an op of the same kind with these refs; its regions are empty.
static RefOwnerOpInterface createLike(RewriterBase &rewriter,
                                      RefOwnerOpInterface op,
                                      const RefOwnerParts &parts) {
  Location loc = op.getLoc();
  SmallVector<Type> leading = llvm::map_to_vector(
      op.getLeadingArgs(), [](BlockArgument arg) { return arg.getType(); });
  RefOwnerOpInterface copy;
  if (auto generic = dyn_cast<GenericOp>(*op))
    copy =
        GenericOp::create(rewriter, loc, parts, generic.getNumIds(), leading);
  else if (auto loop = dyn_cast<LoopOp>(*op))
    copy = LoopOp::create(rewriter, loc, parts, loop.getCounts());
  else
    copy = SharedExecutorOp::create(rewriter, loc, parts, leading);
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (Region &region : copy->getRegions())
    while (!region.empty())
      rewriter.eraseBlock(&region.back());
  return copy;
}

/// Replaces the refs among the arguments of the body by those of `parts`.
static void changeArguments(RewriterBase &rewriter, Block &body, unsigned first,
                            const RefOwnerParts &parts,
                            const llvm::BitVector &kept, Location loc) {
  for (unsigned ref = kept.size(); ref-- > 0;)
    if (!kept[ref])
      body.eraseArgument(first + ref);
  for (auto [i, ref] : llvm::enumerate(parts.refs)) {
    if (i >= kept.count())
      body.insertArgument(first + i, ref.type, loc);
    else
      body.getArgument(first + i).setType(ref.type);
  }
}

RefOwnerOpInterface pcf::rebuildWithRefs(RewriterBase &rewriter,
                                         RefOwnerOpInterface op,
                                         const RefOwnerParts &parts,
                                         const llvm::BitVector &kept) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  RefOwnerOpInterface copy = createLike(rewriter, op, parts);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), copy->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.end());
  unsigned first = copy.getNumLeadingArgs();
  rewriter.modifyOpInPlace(copy, [&] {
    changeArguments(rewriter, copy.getExecute().front(), first, parts, kept,
                    op.getLoc());
  });
  unsigned next = 0;
  for (unsigned ref : llvm::seq<unsigned>(0, kept.size())) {
    if (op.getIsReadonly()[ref])
      continue;
    Value old = op->getResult(*op.getResultOfRef(ref));
    if (!kept[ref])
      continue;
    Value result = copy->getResult(next++);
    if (old.getType() == result.getType())
      rewriter.replaceAllUsesWith(old, result);
  }
  return copy;
}

RefOwnerOpInterface pcf::rebuildWithRefs(RewriterBase &rewriter,
                                         RefOwnerOpInterface op,
                                         const RefOwnerParts &parts) {
  return rebuildWithRefs(rewriter, op, parts,
                         llvm::BitVector(op.getIsReadonly().size(), true));
}

RefOwnerParts::Ref &pcf::getRefOfResult(RefOwnerParts &parts, unsigned result) {
  for (RefOwnerParts::Ref &ref : parts.refs)
    if (!ref.isReadonly && result-- == 0)
      return ref;
  llvm_unreachable("an op has one writable ref per result");
}

SmallVector<OpFoldResult> pcf::getExtents(OpBuilder &builder, Location loc,
                                          const RefOwnerParts::Ref &ref) {
  if (ref.source && isa<TensorType>(ref.source.getType()))
    return tensor::getMixedSizes(builder, loc, ref.source);
  if (ref.source)
    return memref::getMixedSizes(builder, loc, ref.source);
  return getMixedValues(ref.type.getShape(), ref.dims, builder);
}
