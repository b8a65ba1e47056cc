//===- ExtentBounds.cpp - Upper bounds of dynamic extents -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ExtentBounds.h"

#include "CarriedValues.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace distaff;
using namespace distaff::pcf;

static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static bool isDynamicTensor(Value value) {
  RankedTensorType type = getTensorType(value);
  return type && !type.hasStaticShape();
}

unsigned ExtentBounds::nodeOf(Dim dim) {
  auto [it, isNew] = nodes.insert({dim, nodes.size()});
  if (isNew) {
    sources.emplace_back();
    classes.grow(nodes.size());
  }
  return it->second;
}

/// Joins two dimensions. If one of them is static, its extent bounds the other.
void ExtentBounds::join(Dim a, Dim b) {
  int64_t ofA = getTensorType(a.first).getDimSize(a.second),
          ofB = getTensorType(b.first).getDimSize(b.second);
  if (ShapedType::isDynamic(ofA) && ShapedType::isDynamic(ofB))
    classes.join(nodeOf(a), nodeOf(b));
  else if (ShapedType::isDynamic(ofA))
    bound(a, ofB);
  else if (ShapedType::isDynamic(ofB))
    bound(b, ofA);
}

void ExtentBounds::join(Value a, Value b) {
  if (!getTensorType(a) || !getTensorType(b))
    return;
  for (unsigned dim : llvm::seq<unsigned>(0, getTensorType(a).getRank()))
    join({a, dim}, {b, dim});
}

void ExtentBounds::bound(Dim dim, std::optional<int64_t> most) {
  sources[nodeOf(dim)].add(most);
}

/// Joins the dimensions that one loop of the op indexes.
LogicalResult ExtentBounds::visitLinalg(Operation *op) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<std::optional<Dim>> loops(linalgOp.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!getTensorType(operand.get()))
      continue;
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation())
      return op->emitOpError("has a dynamic extent and indexes a tensor by "
                             "more than loops, outside of phases; give it "
                             "extents that are known");
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = cast<AffineDimExpr>(expr).getPosition();
      Dim own(operand.get(), dim);
      if (loops[loop])
        join(*loops[loop], own);
      else
        loops[loop] = own;
    }
    if (linalgOp.isDpsInit(&operand))
      join(operand.get(), linalgOp.getTiedOpResult(&operand));
  }
  return success();
}

/// Records that the extents of a product's loops are multiples of the matrix
/// instruction's.
void ExtentBounds::addGranules(Operation *op) {
  auto config = op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  iree::MmaLayoutAttr kind = config ? config.getMmaKind() : nullptr;
  std::optional<ContractionBody> body = matchContraction(op);
  if (!kind || !kind.getRow() || !body)
    return;
  const MmaRow &row = *kind.getRow();
  auto add = [&](ArrayRef<unsigned> loops, int64_t granule) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] : llvm::enumerate(
               linalgOp.getMatchingIndexingMap(&operand).getResults()))
        if (llvm::is_contained(loops,
                               cast<AffineDimExpr>(expr).getPosition()) &&
            getTensorType(operand.get()).isDynamicDim(dim)) {
          int64_t &known =
              sources[nodeOf({operand.get(), static_cast<unsigned>(dim)})]
                  .granule;
          known = std::lcm(known, granule);
        }
  };
  // The instruction may multiply the transposed matrices.
  add(body->m, std::lcm(row.m, row.n));
  add(body->n, std::lcm(row.m, row.n));
  add(body->k, row.k);
}

LogicalResult ExtentBounds::visitReshape(Operation *op) {
  SmallVector<ReassociationIndices> groups =
      isa<tensor::CollapseShapeOp>(op)
          ? cast<tensor::CollapseShapeOp>(op).getReassociationIndices()
          : cast<tensor::ExpandShapeOp>(op).getReassociationIndices();
  Value wide = op->getOperand(0), narrow = op->getResult(0);
  if (isa<tensor::ExpandShapeOp>(op))
    std::swap(wide, narrow);
  for (auto [dim, group] : llvm::enumerate(groups)) {
    ReassociationIndices others(group);
    llvm::erase_if(others, [&](int64_t each) {
      return getTensorType(wide).getDimSize(each) == 1;
    });
    if (others.size() == 1)
      join({wide, others.front()}, {narrow, dim});
    else if (getTensorType(narrow).isDynamicDim(dim))
      return op->emitOpError("has a dynamic extent that is a product, outside "
                             "of phases; reshape along dimensions of extent 1 "
                             "alone");
  }
  return success();
}

/// Bounds a slice by its source.
void ExtentBounds::visitSlice(Operation *op, NumberBounds &numbers) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  Value result = op->getResult(0);
  auto source = cast<ShapedType>(op->getOperand(0).getType());
  llvm::SmallBitVector dropped(source.getRank());
  if (auto cut = dyn_cast<tensor::ExtractSliceOp>(op))
    dropped = cut.getDroppedDims();
  unsigned own = 0;
  for (auto [dim, size, stride] :
       llvm::enumerate(slice.getMixedSizes(), slice.getMixedStrides())) {
    if (dropped.test(dim))
      continue;
    Dim mine(result, own++);
    if (!getTensorType(result).isDynamicDim(mine.second))
      continue;
    std::optional<int64_t> most = numbers.get(size);
    int64_t extent = source.getDimSize(dim);
    if (ShapedType::isStatic(extent)) {
      int64_t step =
          std::max<int64_t>(getConstantIntValue(stride).value_or(1), 1);
      int64_t room = llvm::divideCeil(extent, step);
      most = std::min(most.value_or(room), room);
    } else if (!most && isa<tensor::ExtractSliceOp>(op)) {
      // The slice's extent is at most that of its source.
      join(mine, {op->getOperand(0), static_cast<unsigned>(dim)});
      continue;
    }
    bound(mine, most);
  }
}

/// Bounds an extent by its number, or joins it with that of another tensor.
void ExtentBounds::visitEmpty(tensor::EmptyOp op, NumberBounds &numbers) {
  for (auto [at, size] : llvm::enumerate(op.getMixedSizes())) {
    if (!op.getType().isDynamicDim(at))
      continue;
    Dim own(op, at);
    auto other = cast<Value>(size).getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> dim =
        other ? other.getConstantIndex() : std::nullopt;
    if (dim)
      join(own, {other.getSource(), static_cast<unsigned>(*dim)});
    else
      bound(own, numbers.get(size));
  }
}

LogicalResult ExtentBounds::visit(Operation *op, NumberBounds &numbers) {
  forEachHandedOn(op, [&](Value from, Value to) { join(from, to); });
  if (llvm::none_of(op->getOperands(), isDynamicTensor) &&
      llvm::none_of(op->getResults(), isDynamicTensor))
    return success();
  if (handsOnValues(op) || op->hasTrait<mlir::OpTrait::IsTerminator>() ||
      isa<WriteSliceOp, tensor::DimOp>(op))
    return success();
  if (isa<linalg::LinalgOp>(op)) {
    if (failed(visitLinalg(op)))
      return failure();
    addGranules(op);
    return success();
  }
  if (isa<ReadSliceOp>(op)) {
    visitSlice(op, numbers);
    return success();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && slice.hasUnitStride() &&
      llvm::all_of(slice.getMixedOffsets(), isZeroInteger) &&
      slice.getType().getRank() == slice.getSourceType().getRank()) {
    visitSlice(op, numbers);
    return success();
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    visitEmpty(empty, numbers);
    return success();
  }
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return visitReshape(op);
  if (isa<tensor::CastOp>(op) ||
      mlir::OpTrait::hasElementwiseMappableTraits(op)) {
    for (Value operand : op->getOperands())
      join(operand, op->getResult(0));
    return success();
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op);
      pad && pad.getResultType().hasStaticShape() &&
      pad.getConstantPaddingValue() && pad.hasZeroLowPad()) {
    for (unsigned dim : llvm::seq<unsigned>(0, pad.getType().getRank()))
      if (pad.getSourceType().isDynamicDim(dim))
        (void)nodeOf({pad.getSource(), dim});
    return success();
  }
  return op->emitOpError("has a tensor of a dynamic extent, outside of phases, "
                         "and no rule for an upper bound of it; give it "
                         "extents that are known");
}

LogicalResult ExtentBounds::verifyBounded() const {
  for (const auto &[dim, node] : nodes)
    if (!bounds.lookup(classes[node]).most)
      return emitError(dim.first.getLoc())
             << "extent " << dim.second << " of a " << dim.first.getType()
             << " has no known upper bound, which says how many registers hold "
                "it; take the smaller of the extent and a number, by "
                "arith.minui or affine.min, where it is computed";
  return success();
}

FailureOr<ExtentBounds> ExtentBounds::compute(ArrayRef<Operation *> ops,
                                              NumberBounds &numbers) {
  ExtentBounds extents;
  for (Operation *op : ops)
    if (failed(extents.visit(op, numbers)))
      return failure();
  extents.classes.compress();
  for (auto [node, source] : llvm::enumerate(extents.sources)) {
    Sources &all = extents.bounds[extents.classes[node]];
    if (!source.isNone)
      all.add(source.most);
    all.granule = std::lcm(all.granule, source.granule);
  }
  if (failed(extents.verifyBounded()))
    return failure();
  return extents;
}

/// Rounds an extent up so that members can divide it, or a matrix instruction
/// take it, with little padding.
static int64_t roundUp(int64_t bound) {
  constexpr int64_t granule = 16;
  if (bound >= granule)
    return llvm::alignTo(bound, granule);
  // An extent that is always 0 still is one of a vector.
  return llvm::PowerOf2Ceil(std::max<int64_t>(bound, 1));
}

RankedTensorType ExtentBounds::typeOf(Value tensor) const {
  RankedTensorType type = getTensorType(tensor);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(extent))
      continue;
    unsigned node = nodes.lookup({tensor, static_cast<unsigned>(dim)});
    const Sources &sources = bounds.find(classes[node])->second;
    extent = llvm::alignTo(roundUp(*sources.most), sources.granule);
  }
  return type.clone(shape);
}

std::optional<unsigned> ExtentBounds::classOf(Value tensor,
                                              unsigned dim) const {
  auto found = nodes.find({tensor, dim});
  return found == nodes.end() ? std::nullopt
                              : std::optional(classes[found->second]);
}

int64_t ExtentBounds::mostOf(unsigned extent) const {
  return *bounds.find(extent)->second.most;
}

int64_t ExtentBounds::granuleOf(unsigned extent) const {
  return bounds.find(extent)->second.granule;
}
