//===- AccessWidth.cpp - Widths of memory accesses ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace distaff;

static int64_t elementBits(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

int64_t distaff::bytesInMemory(Type element) {
  return llvm::PowerOf2Ceil(llvm::divideCeil(elementBits(element), 8));
}

bool distaff::fillsItsBytes(Type element) {
  return elementBits(element) == 8 * bytesInMemory(element);
}

bool distaff::isConstantMemory(Value memref) {
  Value root = memref::skipViewLikeOps(cast<MemrefValue>(memref));
  auto table = root.getDefiningOp<memref::GetGlobalOp>();
  auto global = table ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                            table, table.getNameAttr())
                      : memref::GlobalOp();
  return global && global.getConstant();
}

int64_t distaff::bitsInMemory(Value memref) {
  Type element = getElementTypeOrSelf(memref.getType());
  return isPackedMemory(memref) ? elementBits(element)
                                : 8 * bytesInMemory(element);
}

bool distaff::hasNoGaps(Value memref) {
  return fillsItsBytes(getElementTypeOrSelf(memref.getType())) ||
         isPackedMemory(memref);
}

int64_t distaff::widestAccessBits(MemRefType type, const Target &target) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type)
             ? 8 * target.banks.maxAccessBytes
             : target.globalMemory.maxAccessBits;
}

/// Returns gcd(divisor, factor * other), whose product may wrap.
static int64_t gcdWithProduct(int64_t divisor, int64_t factor, int64_t other) {
  return std::gcd(divisor, (factor % divisor) * (other % divisor));
}

static int64_t orOne(int64_t number) {
  return ShapedType::isDynamic(number) ? 1 : std::abs(number);
}

static int64_t divisorOf(OpFoldResult number, IndexFacts &facts) {
  if (auto value = dyn_cast<Value>(number))
    return facts.divisor(value);
  return std::abs(*getConstantIntValue(number));
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> divisorsOfStrides(Value memref, IndexFacts &facts);

/// Returns divisors of the distances of elements along dims of these extents;
/// the distance along the last dim is `innermost`.
static SmallVector<int64_t> rowMajorDivisors(ArrayRef<int64_t> extents,
                                             int64_t innermost) {
  SmallVector<int64_t> divisors(extents.size(), innermost);
  for (size_t dim = extents.size(); dim-- > 1;)
    divisors[dim - 1] = divisorOfProduct(divisors[dim], extents[dim]);
  return divisors;
}

static SmallVector<int64_t> ofSubview(memref::SubViewOp op, IndexFacts &facts) {
  SmallVector<int64_t> divisors;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, stride, step] : llvm::enumerate(
           divisorsOfStrides(op.getSource(), facts), op.getMixedStrides()))
    if (!dropped.test(dim))
      divisors.push_back(divisorOfProduct(stride, divisorOf(step, facts)));
  return divisors;
}

static SmallVector<int64_t> ofExpansion(memref::ExpandShapeOp op,
                                        IndexFacts &facts) {
  SmallVector<int64_t> divisors, sizes;
  for (OpFoldResult size : op.getMixedOutputShape())
    sizes.push_back(divisorOf(size, facts));
  for (auto [stride, group] : llvm::zip_equal(
           divisorsOfStrides(op.getSrc(), facts), op.getReassociationIndices()))
    llvm::append_range(
        divisors,
        rowMajorDivisors(ArrayRef(sizes).slice(group.front(), group.size()),
                         stride));
  return divisors;
}

/// A group of dims becomes one, whose stride is that of one of them.
static SmallVector<int64_t> ofCollapse(memref::CollapseShapeOp op,
                                       IndexFacts &facts) {
  SmallVector<int64_t> divisors, source = divisorsOfStrides(op.getSrc(), facts);
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    int64_t divisor = 0;
    for (int64_t dim : group)
      divisor = std::gcd(divisor, source[dim]);
    divisors.push_back(divisor);
  }
  return divisors;
}

/// Returns divisors of the strides of a memref from the op that defines it;
/// nullopt for other ops.
static std::optional<SmallVector<int64_t>> divisorsByMaker(Operation *op,
                                                           IndexFacts &facts) {
  return llvm::TypeSwitch<Operation *, std::optional<SmallVector<int64_t>>>(op)
      .Case([&](memref::SubViewOp view) { return ofSubview(view, facts); })
      .Case([&](memref::ExpandShapeOp it) { return ofExpansion(it, facts); })
      .Case([&](memref::CollapseShapeOp it) { return ofCollapse(it, facts); })
      .Case([&](memref::ReinterpretCastOp view) {
        return llvm::map_to_vector(
            view.getMixedStrides(),
            [&](OpFoldResult stride) { return divisorOf(stride, facts); });
      })
      .Case([&](memref::AssumeAlignmentOp same) {
        return divisorsOfStrides(same.getMemref(), facts);
      })
      .Case([&](memref::CastOp cast) -> std::optional<SmallVector<int64_t>> {
        if (!isa<MemRefType>(cast.getSource().getType()))
          return std::nullopt;
        return divisorsOfStrides(cast.getSource(), facts);
      })
      .Default(std::nullopt);
}

/// Returns a divisor of the stride of each dim: the stride in the type or, if
/// that is dynamic, a divisor from the extents and the views in between. The
/// rows of memref<?x6x?x4xf32> are 4 elements long, so all of its strides but
/// the last one are multiples of 4.
static SmallVector<int64_t> divisorsOfStrides(Value memref, IndexFacts &facts) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return SmallVector<int64_t>(type.getRank(), 1);
  SmallVector<int64_t> divisors(llvm::map_range(strides, orOne));
  if (!llvm::is_contained(strides, ShapedType::kDynamic))
    return divisors;
  SmallVector<int64_t> known(type.getRank(), 1);
  if (type.getLayout().isIdentity())
    known = rowMajorDivisors(
        SmallVector<int64_t>(llvm::map_range(type.getShape(), orOne)), 1);
  else if (Operation *maker = memref.getDefiningOp())
    known = divisorsByMaker(maker, facts).value_or(known);
  for (auto [divisor, stride, better] :
       llvm::zip_equal(divisors, strides, known))
    if (ShapedType::isDynamic(stride))
      divisor = better;
  return divisors;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Returns a divisor of the base of a memref, including its own offset; at most
/// `most` elements, which `alignment` bytes hold.
static int64_t baseDivisor(Value memref, int64_t most, int64_t alignment,
                           IndexFacts &facts) {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(memref.getType());
  if (isa<BlockArgument>(memref)) {
    if (!isFunctionArgument(memref) ||
        failed(type.getStridesAndOffset(strides, offset)))
      return 1;
    return std::gcd(most, orOne(offset));
  }
  Operation *op = memref.getDefiningOp();
  if (isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op))
    return succeeded(type.getStridesAndOffset(strides, offset))
               ? std::gcd(most, orOne(offset))
               : 1;
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return isa<MemRefType>(cast.getSource().getType())
               ? baseDivisor(cast.getSource(), most, alignment, facts)
               : 1;
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    bool isAligned =
        facts.divisor(view.getByteShift()) % alignment == 0 &&
        baseDivisor(view.getSource(), alignment, alignment, facts) == alignment;
    return isAligned ? most : 1;
  }
  // These ops keep the base of their source.
  if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp,
          memref::AssumeAlignmentOp>(op))
    return baseDivisor(op->getOperand(0), most, alignment, facts);
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return std::gcd(baseDivisor(view.getSource(), most, alignment, facts),
                    divisorOf(view.getMixedOffsets().front(), facts));
  auto subview = dyn_cast<memref::SubViewOp>(op);
  if (!subview)
    return 1;
  int64_t divisor = baseDivisor(subview.getSource(), most, alignment, facts);
  for (auto [stride, at] :
       llvm::zip_equal(divisorsOfStrides(subview.getSource(), facts),
                       subview.getMixedOffsets()))
    divisor = gcdWithProduct(divisor, stride, divisorOf(at, facts));
  return divisor;
}

static int64_t divisorOfBase(Value memref, IndexFacts &facts,
                             int64_t alignment) {
  int64_t most = 8 * alignment / bitsInMemory(memref);
  return most < 1 ? 1 : baseDivisor(memref, most, alignment, facts);
}

static int64_t baseAlignmentOf(const Target &target) {
  return target.globalMemory.baseAlignmentBytes;
}

int64_t distaff::divisorOfBase(Value memref, IndexFacts &facts,
                               const Target &target) {
  return ::divisorOfBase(memref, facts, baseAlignmentOf(target));
}

static int64_t divisorOfAddress(Value memref, ValueRange indices,
                                IndexFacts &facts, int64_t alignment) {
  if (!cast<MemRefType>(memref.getType()).isStrided())
    return 1;
  int64_t divisor = divisorOfBase(memref, facts, alignment);
  for (auto [stride, index] :
       llvm::zip_equal(divisorsOfStrides(memref, facts), indices))
    divisor = gcdWithProduct(divisor, stride, facts.divisor(index));
  return divisor;
}

int64_t distaff::divisorOfAddress(Value memref, ValueRange indices,
                                  IndexFacts &facts, const Target &target) {
  return ::divisorOfAddress(memref, indices, facts, baseAlignmentOf(target));
}

bool distaff::beginsOnByte(Value memref, ValueRange indices) {
  IndexFacts facts;
  int64_t perByte = 8 / bitsInMemory(memref);
  return ::divisorOfAddress(memref, indices, facts, /*alignment=*/1) %
             perByte ==
         0;
}

int64_t distaff::divisorOfRows(Value memref, const llvm::SmallBitVector &dims,
                               IndexFacts &facts) {
  if (!cast<MemRefType>(memref.getType()).isStrided())
    return 1;
  int64_t divisor = 0;
  SmallVector<int64_t> strides = divisorsOfStrides(memref, facts);
  for (auto [dim, stride] : llvm::enumerate(ArrayRef(strides).drop_back()))
    if (dims[dim])
      divisor = std::gcd(divisor, stride);
  return divisor;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

int64_t distaff::divisorOfRowLength(Value memref, IndexFacts &facts) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(type.getRank() - 1))
    return type.getShape().back();
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    return divisorOf(view.getMixedSizes().back(), facts);
  auto subview = memref.getDefiningOp<memref::SubViewOp>();
  if (!subview)
    return 1;
  // The last dim is not dropped: it is dynamic.
  unsigned last = subview.getSourceType().getRank() - 1;
  while (subview.getDroppedDims().test(last))
    --last;
  return divisorOf(subview.getMixedSizes()[last], facts);
}

bool distaff::hasUnalignedRows(Value memref, const Target &target) {
  if (!target.globalMemory.takesUnaligned)
    return false;
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument || !isFunctionArgument(argument))
    return false;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function &&
         function.getArgAttr(argument.getArgNumber(), kUnalignedRowsAttrName);
}

/// Returns the widest power of two of elements up to `most` that divides
/// `divisor`. An access covers whole bytes.
static int64_t widestOf(int64_t most, int64_t divisor, int64_t bits) {
  int64_t width = 1;
  while (2 * width <= most && divisor % (2 * width) == 0)
    width *= 2;
  return width * bits < 8 ? 1 : width;
}

/// Returns the most elements of this memory in one access; 1 if each is
/// accessed by itself.
static int64_t mostElements(Value base, const Target &target) {
  auto shaped = cast<ShapedType>(base.getType());
  Type element = shaped.getElementType();
  if (!element.isIntOrIndexOrFloat() || !hasNoGaps(base))
    return 1;
  auto type = dyn_cast<MemRefType>(shaped);
  int64_t bits =
      type ? widestAccessBits(type, target) : target.globalMemory.maxAccessBits;
  return std::max<int64_t>(1, bits / elementBits(element));
}

static bool hasContiguousRows(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getRank() != 0 &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

int64_t distaff::widestRowAccess(Value base, ValueRange indices,
                                 VectorType vector, AffineMap map,
                                 IndexFacts &facts, const Target &target) {
  auto type = cast<MemRefType>(base.getType());
  if (!hasContiguousRows(type))
    return 1;
  llvm::SmallBitVector moves(type.getRank());
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      moves[dim.getPosition()] = vector.getDimSize(i) > 1;
  return widestOf(mostElements(base, target),
                  std::gcd(divisorOfAddress(base, indices, facts, target),
                           divisorOfRows(base, moves, facts)),
                  bitsInMemory(base));
}

int64_t distaff::widestAccess(VectorTransferOpInterface op, IndexFacts &facts,
                              const Target &target) {
  auto type = dyn_cast<MemRefType>(op.getShapedType());
  int64_t most = mostElements(op.getBase(), target);
  if (!type)
    return most;
  // Every lane tests its own bits of a mask.
  if (most == 1 || (op.getMask() && !matchPattern(op.getMask(), m_Constant())))
    return 1;
  if (hasUnalignedRows(op.getBase(), target) && hasContiguousRows(type))
    return most;
  AffineMap map = op.getPermutationMap();
  int64_t width = widestRowAccess(op.getBase(), op.getIndices(),
                                  op.getVectorType(), map, facts, target);
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    // Accesses must not cross the edge of the memory.
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() + 1 == type.getRank() && !op.isDimInBounds(i))
      width = widestOf(width,
                       std::gcd(divisorOfRowLength(op.getBase(), facts),
                                facts.divisor(op.getIndices().back())),
                       bitsInMemory(op.getBase()));
  return width;
}

bool distaff::hasAlignedRows(VectorTransferOpInterface op, int64_t bytes,
                             int64_t baseAlignment) {
  auto type = cast<MemRefType>(op.getShapedType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() == 0 ||
      failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return false;
  llvm::SmallBitVector moves(type.getRank());
  for (AffineExpr result : op.getPermutationMap().getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      moves.set(dim.getPosition());
  IndexFacts facts;
  int64_t divisor = std::gcd(
      ::divisorOfAddress(op.getBase(), op.getIndices(), facts, baseAlignment),
      divisorOfRows(op.getBase(), moves, facts));
  return divisor * bytesInMemory(type.getElementType()) % bytes == 0;
}
