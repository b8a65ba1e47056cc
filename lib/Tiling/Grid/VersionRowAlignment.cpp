//===- VersionRowAlignment.cpp - Kernel versioning by row alignment -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes copy a tile of a product's operand by accesses of 16 bytes where each
// row begins on a multiple of them. For rows of dynamic length that is not
// known, and elements are loaded one by one, and packed into words again. So
// the body is versioned (VX-251): the lengths are compared once before the loop
// over workgroups, and the version for rows that are multiples has strides that
// show this,
//
//   %n8 = affine.apply (s0 floordiv 8) * 8 [%n]
//   memref.reinterpret_cast %a to offset: [0], sizes: [%m, %n8],
//                                 strides: [%n8, 1]
//
// from which every later stage derives it (AccessWidth.h). The other version is
// the original body without the loop over whole steps (TileSplit.cpp), which
// would be a fourth copy of the step: the split point moves to the begin, so
// that the loop with boundary checks runs all steps (VX-251). Where elements
// are loaded one by one, the saved checks matter little.
//
// A target whose accesses begin at any element needs no versions: its arguments
// are marked, and lanes read them by wide accesses (VX-289).
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {
#define GEN_PASS_DEF_VERSIONROWALIGNMENT
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
/// A ragged argument is an argument with rows of dynamic length.
struct RaggedArgument {
  BlockArgument memref;
  int64_t perAccess; // elements of the widest access

  int64_t rowDim() const {
    return cast<MemRefType>(memref.getType()).getRank() - 1;
  }
};
} // namespace

/// Returns whether a contraction multiplies a value, directly or after
/// elementwise ops.
static bool feedsContraction(Value value) {
  llvm::SmallSetVector<Value, 8> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (isa<vector::ContractionOp>(user))
        return true;
      bool passesOn = isa<vector_ext::ToLayoutOp>(user) ||
                      OpTrait::hasElementwiseMappableTraits(user);
      if (passesOn && user->getNumResults() == 1)
        reached.insert(user->getResult(0));
    }
  return false;
}

/// Returns whether all uses of a memref are reads, of it and of its subviews;
/// sets `isFactor` if one of them reads a factor of a product.
static bool isOnlyRead(Value memref, bool &isFactor) {
  return llvm::all_of(memref.getUsers(), [&](Operation *user) {
    if (isa<memref::DimOp>(user))
      return true;
    if (auto view = dyn_cast<memref::SubViewOp>(user))
      return isOnlyRead(view, isFactor);
    auto read = dyn_cast<vector::TransferReadOp>(user);
    isFactor |= read && feedsContraction(read);
    return bool(read);
  });
}

static SmallVector<RaggedArgument> findRagged(func::FuncOp function,
                                              const Target &target) {
  SmallVector<RaggedArgument> found;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || type.getRank() < 2 || !type.getLayout().isIdentity() ||
        !type.isDynamicDim(type.getRank() - 1) ||
        gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
        !type.getElementType().isIntOrFloat() ||
        !fillsItsBytes(type.getElementType()))
      continue;
    int64_t perAccess =
        widestAccessBits(type, target) / type.getElementTypeBitWidth();
    bool isFactor = false;
    if (perAccess > 1 && isOnlyRead(argument, isFactor) && isFactor)
      found.push_back({argument, perAccess});
  }
  return found;
}

/// Returns the length of the rows as a multiple of the width of an access.
static Value wholeLength(OpBuilder &b, Location loc, const RaggedArgument &of,
                         Value length) {
  AffineExpr s = b.getAffineSymbolExpr(0);
  return affine::AffineApplyOp::create(
      b, loc,
      AffineMap::get(0, 1, s.floorDiv(of.perAccess) * of.perAccess,
                     b.getContext()),
      length);
}

/// Returns a view of the argument with contiguous rows of that length.
static Value viewOf(OpBuilder &b, Location loc, const RaggedArgument &of,
                    Value length) {
  auto type = cast<MemRefType>(of.memref.getType());
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, of.memref);
  sizes.back() = length;
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> named(type.getRank(), ShapedType::kDynamic);
  named.back() = 1;
  AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
  for (int64_t dim = of.rowDim() - 1; dim >= 0; --dim)
    strides[dim] = affine::makeComposedFoldedAffineApply(
        b, loc, product, {strides[dim + 1], sizes[dim + 1]});
  auto layout = StridedLayoutAttr::get(b.getContext(), 0, named);
  return memref::ReinterpretCastOp::create(
      b, loc,
      MemRefType::get(type.getShape(), type.getElementType(), layout,
                      type.getMemorySpace()),
      of.memref, b.getIndexAttr(0), sizes, strides);
}

/// Returns whether a condition compares the sizes of tiles with their maximum.
static bool isWholeTile(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isWholeTile(both.getLhs()) && isWholeTile(both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  auto size = compare.getLhs().getDefiningOp<affine::AffineMinOp>();
  std::optional<int64_t> whole = getConstantIntValue(compare.getRhs());
  return size && whole &&
         llvm::is_contained(size.getMap().getResults(),
                            getAffineConstantExpr(*whole, size.getContext()));
}

/// Returns the condition under which a loop before `steps` runs the steps of a
/// whole tile, which are else left to `steps`; null for another loop.
static Value splitCondition(scf::ForOp steps) {
  auto whole = steps.getLowerBound().getDefiningOp<affine::AffineApplyOp>();
  if (!whole || whole->getNumOperands() != 1)
    return {};
  auto end = whole->getOperand(0).getDefiningOp<arith::SelectOp>();
  bool goesOn = llvm::any_of(steps.getInitArgs(), [&](Value init) {
    auto before = init.getDefiningOp<scf::ForOp>();
    return before && before.getUpperBound() == steps.getLowerBound() &&
           before.getInits().size() == steps.getInits().size() && end &&
           end.getFalseValue() == before.getLowerBound() &&
           end.getTrueValue() == steps.getUpperBound();
  });
  return goesOn && isWholeTile(end.getCondition()) ? end.getCondition()
                                                   : Value();
}

/// Moves all steps of a body to its loops for boundary tiles.
static void mergeSteps(Block *body) {
  bool isMerged = false;
  for (scf::ForOp steps : llvm::to_vector(body->getOps<scf::ForOp>())) {
    Value condition = splitCondition(steps);
    if (!condition)
      continue;
    isMerged = true;
    OpBuilder b(condition.getContext());
    b.setInsertionPointAfterValue(condition);
    condition.replaceAllUsesWith(
        arith::ConstantIntOp::create(b, steps.getLoc(), 0, 1));
  }
  if (!isMerged)
    return;
  MLIRContext *context = body->getParentOp()->getContext();
  RewritePatternSet patterns(context);
  arith::SelectOp::getCanonicalizationPatterns(patterns, context);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  (void)applyPatternsGreedily(*body->getParent(), guarded(std::move(patterns)));
}

/// Adds a version of the loop's body for `arguments` with aligned rows, next to
/// the original body.
static void version(scf::ForallOp loop, ArrayRef<RaggedArgument> arguments) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  IRMapping aligned;
  Value all;
  for (const RaggedArgument &argument : arguments) {
    Value length =
        memref::DimOp::create(b, loc, argument.memref, argument.rowDim());
    Value width = arith::ConstantIndexOp::create(b, loc, argument.perAccess);
    Value rest = arith::RemUIOp::create(b, loc, length, width);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isWhole =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, zero);
    all =
        all ? arith::AndIOp::create(b, loc, all, isWhole).getResult() : isWhole;
    Value whole = wholeLength(b, loc, argument, length);
    aligned.map(argument.memref, viewOf(b, loc, argument, whole));
    for (Operation *user : argument.memref.getUsers())
      if (auto dim = dyn_cast<memref::DimOp>(user);
          dim && dim.getConstantIndex() == argument.rowDim())
        aligned.map(dim.getResult(), whole);
  }
  Block *body = loop.getBody();
  b.setInsertionPointToStart(body);
  auto versions = scf::IfOp::create(b, loc, all, /*withElseRegion=*/true);
  Block *otherwise = versions.elseBlock();
  otherwise->getOperations().splice(otherwise->begin(), body->getOperations(),
                                    std::next(versions->getIterator()),
                                    std::prev(body->end()));
  b.setInsertionPointToStart(versions.thenBlock());
  for (Operation &op : otherwise->without_terminator())
    b.clone(op, aligned);
  mergeSteps(otherwise);
}

namespace {
struct VersionRowAlignment final
    : distaff::impl::VersionRowAlignmentBase<VersionRowAlignment> {
  using VersionRowAlignmentBase::VersionRowAlignmentBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation().getLoc(), target);
    if (!machine)
      return signalPassFailure();
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    if (loops.size() != 1 || loops.front().getNumResults() != 0)
      return;
    SmallVector<RaggedArgument> ragged = findRagged(getOperation(), *machine);
    if (ragged.empty())
      return;
    if (!machine->globalMemory.takesUnaligned)
      return version(loops.front(), ragged);
    for (const RaggedArgument &argument : ragged)
      getOperation().setArgAttr(argument.memref.getArgNumber(),
                                kUnalignedRowsAttrName,
                                UnitAttr::get(&getContext()));
  }
};
} // namespace
