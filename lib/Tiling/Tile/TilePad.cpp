//===- TilePad.cpp - Padding to multiples of tiles ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of exponentials of rows of 1000, 64 at a time:
//
//   %p = tensor.pad %x high[0, 24] { 0 }                : tensor<8x1024xf32>
//   linalg.generic ins(%p) {
//     %inside = arith.cmpi slt, (linalg.index 1), 1000
//     %term = arith.select %inside, (math.exp %in), -0.0
//     arith.addf %out, %term
//   }
//
// A reduction that combines neutral elements by its padding has no select
// (NeutralPads.h). Ops without reductions need no mask: no valid result depends
// on elements past the end.
//
//===----------------------------------------------------------------------===//
#include "TilePad.h"
#include "../BodyParts.h"
#include "NeutralPads.h"
#include "TileExtents.h"
#include "distaff/Analysis/Access/ComputedReads.h"
#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Rewrite/NeutralPadding.h"
#include "distaff/Target/Target.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

OpFoldResult PaddedAxis::extentAt(OpBuilder &b, Location loc) const {
  if (!ShapedType::isDynamic(extent))
    return b.getIndexAttr(extent);
  return dim ? tensor::getMixedSize(b, loc, of, *dim) : of;
}

namespace {
class Padder {
public:
  Padder(RewriterBase &rewriter, func::FuncOp kernel, FusedGroup &group,
         ArrayRef<int64_t> workgroupTiles, ArrayRef<int64_t> serialTiles)
      : rewriter(rewriter), kernel(kernel), group(group),
        workgroupTiles(workgroupTiles), serialTiles(serialTiles),
        places(kernel, group) {}

  FailureOr<PaddedKernel> run();

private:
  SmallVector<int64_t> findInstructionGranules() const;
  void findExtents();
  void padOp(const GroupOp &groupOp);
  Value padOperand(Value operand, AffineMap map, const GroupOp &groupOp);
  int64_t paddedDim(AffineExpr expr, int64_t extent,
                    const GroupOp &groupOp) const;
  RankedTensorType paddedType(Value value, AffineMap map,
                              const GroupOp &groupOp) const;
  Value extentOf(const GroupOp &groupOp, unsigned loop) const;
  Value insideOf(OpBuilder &b, const GroupOp &groupOp,
                 ArrayRef<unsigned> loops) const;
  SmallVector<unsigned> cutLoops(const GroupOp &groupOp) const;
  SmallVector<unsigned> cutLoopsOf(const GroupOp &groupOp,
                                   tensor::ExtractOp read);
  void guardReads(const GroupOp &groupOp);
  void guardDivisors(const GroupOp &groupOp);
  SmallVector<unsigned> cutReductions(const GroupOp &groupOp) const;
  bool isCut(const GroupOp &groupOp, unsigned operand) const;
  void maskReduction(const GroupOp &groupOp);
  void padReduced();
  void maskFactors(const GroupOp &groupOp, const ContractionBody &body);
  void maskFactor(const GroupOp &groupOp, unsigned operand, TypedAttr outside);
  bool padFactors(const GroupOp &groupOp);

  RewriterBase &rewriter;
  func::FuncOp kernel;
  FusedGroup &group;
  ArrayRef<int64_t> workgroupTiles, serialTiles; // per axis
  AxisPlaces places;
  DenseMap<std::pair<Value, Type>, Value> pads;
  PaddedKernel result;
};
} // namespace

/// Returns a multiple of `granule` that is larger than any extent.
static int64_t boundOf(int64_t granule, size_t axis) {
  return granule * (largestExtent + int64_t(axis));
}

/// Returns, per axis, the K steps of the root's MMA instruction where another
/// contraction of the group, such as that of an attention's scores, reduces the
/// whole axis.
SmallVector<int64_t> Padder::findInstructionGranules() const {
  SmallVector<int64_t> granules(group.axes().size(), 1);
  auto config = group.root()->op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  iree::MmaLayoutAttr kind = config ? config.getMmaKind() : nullptr;
  for (const GroupOp &groupOp : group.ops()) {
    if (!kind || !groupOp.contracts || &groupOp == group.root())
      continue;
    for (auto [axis, iterator] :
         llvm::zip_equal(groupOp.axes, groupOp.iterators))
      if (iterator == utils::IteratorType::reduction &&
          !group.root()->loopOf(axis) && !group.axes()[axis].isEmpty)
        granules[axis] = kind.getRow()->k;
  }
  return granules;
}

void Padder::findExtents() {
  SmallVector<int64_t> granules = findInstructionGranules();
  for (auto [axis, info] : llvm::enumerate(group.axes())) {
    PaddedAxis padded;
    padded.extent = padded.padded = info.extent;
    if (!info.isOfFillsOnly) {
      int64_t granule = workgroupTiles[axis] != info.whole()
                            ? workgroupTiles[axis]
                            : serialTiles[axis];
      if (!info.isDynamic && granule == info.whole())
        granule = std::max<int64_t>(llvm::alignTo(granule, granules[axis]),
                                    sharedWhole(group, axis));
      padded.padded = info.isDynamic ? boundOf(granule, axis)
                                     : llvm::alignTo(info.extent, granule);
    }
    if (info.isDynamic && !info.isOfFillsOnly) {
      const AxisPlace &at = places.of(axis).front();
      padded.extent = ShapedType::kDynamic;
      padded.of = at.tensor;
      padded.dim = at.dim;
      if (Value size = sizeOf(rewriter, at)) {
        padded.of = size;
        padded.dim.reset();
      }
    }
    padded.held = workgroupTiles[axis] != info.whole() ? workgroupTiles[axis]
                                                       : padded.padded;
    padded.isWalked =
        serialTiles[axis] != info.whole() && serialTiles[axis] < padded.held;
    if (info.isEmpty)
      padded.extent = 0;
    result.axes.push_back(padded);
  }
}

/// Returns the extent of a dim that is accessed by `expr` after the loops are
/// padded.
int64_t Padder::paddedDim(AffineExpr expr, int64_t extent,
                          const GroupOp &groupOp) const {
  auto loop = dyn_cast<AffineDimExpr>(expr);
  return loop ? result.axes[groupOp.axes[loop.getPosition()]].padded : extent;
}

RankedTensorType Padder::paddedType(Value value, AffineMap map,
                                    const GroupOp &groupOp) const {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), type.getShape()))
    shape.push_back(paddedDim(expr, extent, groupOp));
  return RankedTensorType::get(shape, type.getElementType());
}

Value Padder::padOperand(Value operand, AffineMap map, const GroupOp &groupOp) {
  auto fill = operand.getDefiningOp<linalg::FillOp>();
  if (!isa<RankedTensorType>(operand.getType()) ||
      (group.find(operand.getDefiningOp()) && !fill))
    return operand; // a scalar, or padded already
  RankedTensorType type = paddedType(operand, map, groupOp);
  if (type == operand.getType())
    return operand;
  Value &padded = pads[{operand, type}];
  if (padded)
    return padded;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(groupOp.op);
  Location loc = operand.getLoc();
  if (operand.getDefiningOp<tensor::EmptyOp>())
    return padded = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                            type.getElementType());
  if (fill) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    return padded = linalg::FillOp::create(rewriter, loc, fill.value(), empty)
                        .getResult(0);
  }
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return padded = tensor::createPadHighOp(type, operand, zero, /*nofold=*/false,
                                          loc, rewriter);
}

/// Returns the reduced loops whose axis has been padded.
SmallVector<unsigned> Padder::cutReductions(const GroupOp &groupOp) const {
  SmallVector<unsigned> loops;
  for (auto [loop, axis] : llvm::enumerate(groupOp.axes))
    if (groupOp.iterators[loop] == utils::IteratorType::reduction &&
        result.axes[axis].isCut())
      loops.push_back(loop);
  return loops;
}

/// Returns the extent of a loop before padding, computed in front of the op.
Value Padder::extentOf(const GroupOp &groupOp, unsigned loop) const {
  OpBuilder b(groupOp.op);
  Location loc = groupOp.op->getLoc();
  const PaddedAxis &axis = result.axes[groupOp.axes[loop]];
  return getValueOrCreateConstantIndexOp(b, loc, axis.extentAt(b, loc));
}

/// Returns whether the position is inside the extents along all `loops`.
Value Padder::insideOf(OpBuilder &b, const GroupOp &groupOp,
                       ArrayRef<unsigned> loops) const {
  Value inside;
  Location loc = groupOp.op->getLoc();
  for (unsigned loop : loops) {
    Value position = linalg::IndexOp::create(b, loc, loop);
    Value along = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        position, extentOf(groupOp, loop));
    inside = inside ? arith::AndIOp::create(b, loc, inside, along).getResult()
                    : along;
  }
  return inside;
}

/// Returns whether an operand is padded along a reduced loop.
bool Padder::isCut(const GroupOp &groupOp, unsigned operand) const {
  return llvm::any_of(cutReductions(groupOp), [&](unsigned loop) {
    return groupOp.operandMaps[operand].isFunctionOfDim(loop);
  });
}

/// Returns the loops whose axis has been padded.
SmallVector<unsigned> Padder::cutLoops(const GroupOp &groupOp) const {
  SmallVector<unsigned> loops;
  for (auto [loop, axis] : llvm::enumerate(groupOp.axes))
    if (result.axes[axis].isCut())
      loops.push_back(loop);
  return loops;
}

/// Returns the padded loops that the positions of a read depend on.
SmallVector<unsigned> Padder::cutLoopsOf(const GroupOp &groupOp,
                                         tensor::ExtractOp read) {
  BodyParts parts(rewriter, cast<linalg::LinalgOp>(groupOp.op));
  llvm::SmallBitVector used(groupOp.axes.size());
  for (Value position : read.getIndices())
    used |= parts.loopsOf(position);
  SmallVector<unsigned> loops = cutLoops(groupOp);
  llvm::erase_if(loops, [&](unsigned loop) { return !used.test(loop); });
  return loops;
}

/// Guards reads at computed positions past the end, where a position may be
/// invalid. The guard covers only the loops of the positions; else the read
/// would have an element per point of all loops.
void Padder::guardReads(const GroupOp &groupOp) {
  auto op = cast<linalg::LinalgOp>(groupOp.op);
  Location loc = op.getLoc();
  for (auto read :
       llvm::to_vector(op.getBlock()->getOps<tensor::ExtractOp>())) {
    SmallVector<unsigned> loops = cutLoopsOf(groupOp, read);
    if (loops.empty())
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(op.getBlock());
    Value inside = insideOf(b, groupOp, loops);
    Value none = arith::ConstantIndexOp::create(b, loc, 0);
    b.setInsertionPoint(read);
    for (OpOperand &position : read.getIndicesMutable())
      position.set(
          arith::SelectOp::create(b, loc, inside, position.get(), none));
    b.setInsertionPointAfter(read);
    Type type = read.getType();
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    auto kept = arith::SelectOp::create(b, loc, inside, read, zero);
    read.getResult().replaceAllUsesExcept(kept, kept);
  }
}

/// Replaces integer divisors past the end, which may be zero, by one, and makes
/// checks hold there.
void Padder::guardDivisors(const GroupOp &groupOp) {
  auto op = cast<linalg::LinalgOp>(groupOp.op);
  SmallVector<Operation *> divisions;
  SmallVector<core::CheckOp> checks(op.getBlock()->getOps<core::CheckOp>());
  for (Operation &inner : *op.getBlock())
    if (dividesIntegers(&inner))
      divisions.push_back(&inner);
  SmallVector<unsigned> loops = cutLoops(groupOp);
  if ((divisions.empty() && checks.empty()) || loops.empty())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(op.getBlock());
  Value inside = insideOf(b, groupOp, loops);
  pcf::maskDivisors(b, divisions, inside);
  for (core::CheckOp check : checks) {
    b.setInsertionPoint(check);
    Value yes = arith::ConstantOp::create(b, op.getLoc(), b.getBoolAttr(true));
    check.getConditionMutable().assign(arith::SelectOp::create(
        b, op.getLoc(), inside, check.getCondition(), yes));
  }
}

void Padder::maskReduction(const GroupOp &groupOp) {
  auto op = cast<linalg::LinalgOp>(groupOp.op);
  PaddedReduction reduction{op, cutReductions(groupOp)};
  llvm::SmallBitVector neutral(op.getNumDpsInits());
  for (unsigned number = 0; number < neutral.size(); ++number)
    neutral[number] = reduction.isNeutralBehind(number);
  if (neutral.all())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(op.getBlock());
  pcf::maskReducedTerms(b, op, insideOf(b, groupOp, reduction.loops), neutral);
}

/// Pads inputs with the neutral elements of the reductions that read them.
void Padder::padReduced() {
  SmallVector<PaddedReduction> reductions;
  for (const GroupOp &groupOp : group.ops())
    if (SmallVector<unsigned> loops = cutReductions(groupOp); !loops.empty())
      if (auto op = dyn_cast<linalg::LinalgOp>(groupOp.op))
        reductions.push_back({op, loops});
  padNeutrally(rewriter, reductions);
}

/// Replaces an operand of a product by `outside` where it is padded along a
/// reduced loop.
void Padder::maskFactor(const GroupOp &groupOp, unsigned operand,
                        TypedAttr outside) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(groupOp.op);
  Value value = groupOp.op->getOperand(operand);
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap map = groupOp.operandMaps[operand];
  Location loc = groupOp.op->getLoc();
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  auto masked = linalg::GenericOp::create(
      rewriter, loc, type, value, empty,
      ArrayRef<AffineMap>{identity, identity},
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value inside;
        for (unsigned loop : cutReductions(groupOp)) {
          auto dim = map.getResultPosition(rewriter.getAffineDimExpr(loop));
          if (!dim)
            continue;
          Value along = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::slt,
              linalg::IndexOp::create(b, loc, *dim), extentOf(groupOp, loop));
          inside =
              inside ? arith::AndIOp::create(b, loc, inside, along).getResult()
                     : along;
        }
        Value other = arith::ConstantOp::create(b, loc, outside);
        Value kept =
            arith::SelectOp::create(b, loc, inside, args.front(), other);
        linalg::YieldOp::create(b, loc, kept);
      });
  rewriter.modifyOpInPlace(groupOp.op, [&] {
    groupOp.op->setOperand(operand, masked.getResult(0));
  });
}

/// Masks factors of a product: inputs that are padded with zero multiply to
/// zero, if the chains before the product keep zeros. A value that the group
/// computes may be anything past the end.
void Padder::maskFactors(const GroupOp &groupOp, const ContractionBody &body) {
  for (unsigned operand : {0u, 1u})
    if (Operation *maker = groupOp.op->getOperand(operand).getDefiningOp();
        maker && !isa<tensor::PadOp>(maker) && isCut(groupOp, operand))
      maskFactor(groupOp, operand,
                 rewriter.getZeroAttr(getElementTypeOrSelf(
                     groupOp.op->getOperand(operand).getType())));
  if (llvm::all_of(body.lhsChain, keepsZero) &&
      llvm::all_of(body.rhsChain, keepsZero))
    return;
  maskReduction(groupOp);
}

/// Pads the inputs of a product over another semiring with numbers for which
/// the product is neutral, for example min(c, inf + inf); returns whether it
/// did.
bool Padder::padFactors(const GroupOp &groupOp) {
  auto op = dyn_cast<linalg::LinalgOp>(groupOp.op);
  std::optional<SemiringBody> body;
  if (!op || !groupOp.contracts || !(body = matchSemiring(op)))
    return false;
  std::optional<TypedAttr> neutral = body->neutral();
  if (!neutral)
    return false;
  auto factors = neutralFactors(op, *body, *neutral);
  if (!factors)
    return false;
  for (auto [operand, outside] :
       llvm::enumerate(ArrayRef{factors->first, factors->second})) {
    if (!isCut(groupOp, operand))
      continue;
    auto pad = op->getOperand(operand).getDefiningOp<tensor::PadOp>();
    if (!pad) {
      maskFactor(groupOp, operand, outside);
      continue;
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    Value value = arith::ConstantOp::create(rewriter, op.getLoc(), outside);
    Value padded =
        tensor::createPadHighOp(pad.getResultType(), pad.getSource(), value,
                                /*nofold=*/false, op.getLoc(), rewriter);
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(operand, padded); });
  }
  return true;
}

void Padder::padOp(const GroupOp &groupOp) {
  auto op = cast<DestinationStyleOpInterface>(groupOp.op);
  rewriter.modifyOpInPlace(op, [&] {
    for (auto [number, map] : llvm::enumerate(groupOp.operandMaps))
      op->setOperand(number, padOperand(op->getOperand(number), map, groupOp));
    for (OpOperand &init : op.getDpsInitsMutable())
      if (OpResult made = op.getTiedOpResult(&init))
        made.setType(init.get().getType());
  });
}

FailureOr<PaddedKernel> Padder::run() {
  for (auto [axis, info] : llvm::enumerate(group.axes()))
    if (info.isDynamic && !info.isOfFillsOnly && places.of(axis).empty())
      return group.root()->op->emitOpError(
          "walks a dynamic extent that no tensor of the kernel has");
  findExtents();
  SmallVector<int64_t> extents;
  for (const PaddedAxis &axis : result.axes)
    extents.push_back(axis.extent);
  auto requirements = places.findRequirements(extents);
  if (failed(requirements))
    return failure();
  result.requirements = std::move(*requirements);
  // Fills are padded where they are read, differently for each reader.
  for (const GroupOp &groupOp : group.ops())
    if (!isReadFill(groupOp))
      padOp(groupOp);
  for (auto [axis, padded] : llvm::enumerate(result.axes))
    group.setExtent(axis, padded.padded);
  padReduced();
  for (const GroupOp &groupOp : group.ops()) {
    guardReads(groupOp);
    guardDivisors(groupOp);
    if (cutReductions(groupOp).empty())
      continue;
    if (std::optional<ContractionBody> body = matchContraction(groupOp.op))
      maskFactors(groupOp, *body);
    else if (!padFactors(groupOp))
      maskReduction(groupOp);
  }
  return std::move(result);
}

FailureOr<PaddedKernel> distaff::padToTiles(RewriterBase &rewriter,
                                            func::FuncOp kernel,
                                            FusedGroup &group,
                                            ArrayRef<int64_t> workgroupTiles,
                                            ArrayRef<int64_t> serialTiles) {
  assert(workgroupTiles.size() == group.axes().size() &&
         serialTiles.size() == group.axes().size() && "each axis has its tile");
  return Padder(rewriter, kernel, group, workgroupTiles, serialTiles).run();
}
