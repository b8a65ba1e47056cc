//===- SplitCuts.cpp - Parts of each value that a cluster needs -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SplitCuts.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::pcf;

static std::string getText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static bool isPhaseBody(Block *block) {
  return isa<RunClusterOp>(block->getParentOp());
}

/// Returns whether the value is defined in a phase.
static bool isInPhase(Value value) {
  Operation *around = value.getParentRegion()->getParentOp();
  return isa<RunClusterOp>(around) || around->getParentOfType<RunClusterOp>();
}

int64_t pcf::getPartSize(int64_t size, Cut cut, int64_t number) {
  assert(!cut.isWhole() && cut.extent >= 0 && number >= 0 &&
         "only what is cut has parts");
  return std::clamp<int64_t>(size - number * cut.extent, 0, cut.extent);
}

Type SplitCuts::getPartType(Type type, Cut cut, int64_t number) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (cut.isWhole() || tensor.isDynamicDim(cut.dim))
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  shape[cut.dim] = getPartSize(shape[cut.dim], cut, number);
  return tensor.clone(shape);
}

SmallVector<Type> SplitCuts::getPartPayload(Value handle) const {
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(getPayload(handle.getType())))
    types.push_back(getPartType(type,
                                state.classes.lookup(classes.of(PayloadField{
                                    handle, static_cast<unsigned>(i)})),
                                /*number=*/0));
  return types;
}

ArrayRef<Cut> SplitCuts::of(Value value) const {
  auto it = state.needs.find(value);
  return it == state.needs.end() ? ArrayRef<Cut>() : ArrayRef(it->second);
}

LogicalResult SplitCuts::refuse(Operation *op, const Twine &reason) {
  why = reason.str();
  where = op;
  return failure();
}

//===----------------------------------------------------------------------===//
// Operands of ops
//===----------------------------------------------------------------------===//

std::optional<Cut> SplitCuts::getIteratorCut(linalg::LinalgOp op,
                                             unsigned result, Cut cut) {
  if (cut.isWhole())
    return whole;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  auto iterator = dyn_cast<AffineDimExpr>(map.getResult(cut.dim));
  if (!iterator)
    return std::nullopt;
  int64_t number = iterator.getPosition();
  if (op.getIteratorTypesArray()[number] != mlir::utils::IteratorType::parallel)
    return std::nullopt;
  return Cut{number, cut.extent};
}

std::optional<Cut> SplitCuts::getCut(linalg::LinalgOp op, OpOperand &operand,
                                     Cut iterator) {
  Cut cut = whole;
  if (iterator.isWhole() || !isa<ShapedType>(operand.get().getType()))
    return cut;
  for (auto [dim, term] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    if (!term.isFunctionOfDim(iterator.dim))
      continue;
    if (!isa<AffineDimExpr>(term) || !cut.isWhole())
      return std::nullopt;
    cut = {static_cast<int64_t>(dim), iterator.extent};
  }
  return cut;
}

/// Returns the tile of a loop that an op's configuration gives each subgroup,
/// or 0.
static int64_t getSubgroupTile(linalg::LinalgOp op, int64_t loop) {
  auto config = op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  SmallVector<int64_t> tiles;
  if (config)
    tiles = config.getInts("subgroup");
  return tiles.size() == op.getNumLoops() ? tiles[loop] : 0;
}

/// Returns whether a body reads tensors other than element by element.
static bool takesTensor(Region &body) {
  return body
      .walk([](Operation *nested) {
        return llvm::any_of(nested->getOperandTypes(),
                            llvm::IsaPred<ShapedType>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult SplitCuts::needLinalg(linalg::LinalgOp op, unsigned result,
                                    Cut cut) {
  if (!op.hasPureTensorSemantics())
    return refuse(op, "it is not on tensors only");
  std::optional<Cut> iterator = getIteratorCut(op, result, cut);
  if (!iterator)
    return refuse(op, "dimension " + Twine(cut.dim) +
                          " of its result is no loop of its own that is "
                          "parallel");
  // Subgroups of a cluster have whole tiles.
  if (!iterator->isWhole())
    if (int64_t tile = getSubgroupTile(op, iterator->dim);
        tile > 0 && cut.extent % tile != 0)
      return refuse(op, "a part of " + Twine(cut.extent) + " of its loop " +
                            Twine(iterator->dim) +
                            " is no multiple of its `subgroup` tile " +
                            Twine(tile));
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    std::optional<Cut> part = getCut(op, operand, *iterator);
    bool isInit = op.isDpsInit(&operand);
    if (!part || (isInit && !iterator->isWhole() && part->isWhole()))
      return refuse(op, "operand " + Twine(operand.getOperandNumber()) +
                            " is not cut as its result is");
    if (failed(need(operand.get(), *part, op)))
      return failure();
  }
  if (takesTensor(op->getRegion(0)))
    return refuse(op, "its body takes a tensor from outside");
  // The op computes its other results, too.
  for (unsigned other : llvm::seq(op->getNumResults())) {
    std::optional<Cut> part =
        getCut(op, *op.getDpsInitOperand(other), *iterator);
    SmallVector<Cut> &needs = state.needs[op->getResult(other)];
    if (!llvm::is_contained(needs, *part))
      needs.push_back(*part);
  }
  return success();
}

/// Returns whether a slice starts at its source's first element of a dimension,
/// with stride 1.
static bool isLeadingIn(tensor::ExtractSliceOp slice, int64_t dim) {
  return slice.getType().getRank() == slice.getSourceType().getRank() &&
         isConstantIntValue(slice.getMixedOffsets()[dim], 0) &&
         isConstantIntValue(slice.getMixedStrides()[dim], 1);
}

/// Returns whether a dimension has a static extent after padding, and is padded
/// only after the source.
static bool isPaddedBehind(tensor::PadOp pad, int64_t dim) {
  return !pad.getType().isDynamicDim(dim) &&
         isConstantIntValue(pad.getMixedLowPad()[dim], 0);
}

LogicalResult SplitCuts::needOperands(OpResult result, Cut cut) {
  Operation *op = result.getOwner();
  if (isa<ReadSliceOp, tensor::EmptyOp>(op))
    return isa<RankedTensorType>(result.getType())
               ? success()
               : refuse(op, "it is no tensor");
  DenseElementsAttr constant;
  if (matchPattern(result, m_Constant(&constant)))
    return cut.isWhole() || constant.isSplat()
               ? success()
               : refuse(op, "it is a constant whose elements differ");
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return needLinalg(linalgOp, result.getResultNumber(), cut);
  auto needAll = [&] {
    for (Value operand : op->getOperands())
      if (isa<ShapedType>(operand.getType()) && failed(need(operand, cut, op)))
        return failure();
    return success();
  };
  if (mlir::OpTrait::hasElementwiseMappableTraits(op) &&
      op->getNumResults() == 1)
    return needAll();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && !cut.isWhole() && isLeadingIn(slice, cut.dim))
    return need(slice.getSource(), cut, op);
  if (auto pad = dyn_cast<tensor::PadOp>(op);
      pad && (cut.isWhole() || isPaddedBehind(pad, cut.dim)))
    return takesTensor(pad.getRegion())
               ? refuse(op, "its body takes a tensor from outside")
               : need(pad.getSource(), cut, op);
  if (cut.isWhole() && op->getNumRegions() == 0 && isPure(op))
    return needAll();
  return refuse(op, "there is no rule to cut it");
}

LogicalResult SplitCuts::needArgument(BlockArgument argument, Cut cut,
                                      Operation *user) {
  if (!isPhaseBody(argument.getOwner()))
    return refuse(user, "it takes a tensor that a loop in the phase carries");
  if (auto type = dyn_cast<RankedTensorType>(argument.getType());
      !cut.isWhole() && type.getDimSize(cut.dim) != parts * cut.extent)
    return refuse(user, "dimension " + Twine(cut.dim) +
                            " of a payload of type " + getText(type) +
                            " is not " + Twine(parts) + " parts of " +
                            Twine(cut.extent));
  unsigned cls = classes.of(argument);
  auto [it, isNew] = state.classes.try_emplace(cls, cut);
  if (it->second != cut) {
    auto name = [](Cut cut) {
      return cut.isWhole() ? std::string("whole")
                           : "cut along dimension " + std::to_string(cut.dim);
    };
    return refuse(user, "it needs a payload of type " +
                            getText(argument.getType()) + " " + name(cut) +
                            ", which another phase needs " + name(it->second));
  }
  if (!isNew)
    return success();
  state.fixers[cls] = user;
  for (OpOperand *yield : classes.yields(cls))
    if (failed(need(yield->get(), cut, yield->getOwner())))
      return failure();
  return success();
}

LogicalResult SplitCuts::need(Value value, Cut cut, Operation *user) {
  SmallVector<Cut> &needs = state.needs[value];
  if (llvm::is_contained(needs, cut))
    return success();
  needs.push_back(cut);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!cut.isWhole() && !type)
    return refuse(user, getText(value.getType()) + " is no tensor");
  if (!cut.isWhole() && type.getDimSize(cut.dim) > parts * cut.extent)
    return refuse(user, "dimension " + Twine(cut.dim) + " of " + getText(type) +
                            " has more than " + Twine(parts) + " parts of " +
                            Twine(cut.extent));
  auto argument = dyn_cast<BlockArgument>(value);
  if (!isInPhase(value) &&
      (argument ||
       !isa<tensor::EmptyOp, arith::ConstantOp>(value.getDefiningOp())))
    return refuse(user, "it captures a tensor; pass it as payload");
  if (argument)
    return needArgument(argument, cut, user);
  return needOperands(cast<OpResult>(value), cut);
}

//===----------------------------------------------------------------------===//
// All phases
//===----------------------------------------------------------------------===//

/// Returns whether a value is computed from payload of earlier phases.
static bool isOfPayload(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isPhaseBody(argument.getOwner());
  return isInPhase(value) &&
         llvm::any_of(value.getDefiningOp()->getOperands(), isOfPayload);
}

/// Returns the largest extent that a tensor may have in a dimension, as far as
/// the ops that compute it determine it: that of the tile of which it has a
/// part.
static std::optional<int64_t> getLargestExtent(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  std::optional<int64_t> extent;
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    if (isLeadingIn(slice, dim))
      extent = getLargestExtent(slice.getSource(), dim);
  } else if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op)) {
    unsigned result = cast<OpResult>(value).getResultNumber();
    std::optional<Cut> iterator =
        SplitCuts::getIteratorCut(linalgOp, result, {dim, 0});
    for (OpOperand &operand : linalgOp->getOpOperands()) {
      if (!iterator || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      std::optional<Cut> cut = SplitCuts::getCut(linalgOp, operand, *iterator);
      if (cut && !cut->isWhole())
        extent = std::max(extent, getLargestExtent(operand.get(), cut->dim));
    }
  } else if (op && mlir::OpTrait::hasElementwiseMappableTraits(op)) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        extent = std::max(extent, getLargestExtent(operand, dim));
  }
  auto type = cast<RankedTensorType>(value.getType());
  if (!extent && !type.isDynamicDim(dim))
    extent = type.getDimSize(dim);
  return extent;
}

/// Returns the cut of a dimension of a written value into equal parts.
std::optional<Cut> SplitCuts::getWriteCut(WriteSliceOp write,
                                          int64_t dim) const {
  auto type = cast<RankedTensorType>(write.getSource().getType());
  if (dim >= type.getRank())
    return std::nullopt;
  std::optional<int64_t> extent = getLargestExtent(write.getSource(), dim);
  if (!extent || *extent < parts || *extent % parts != 0)
    return std::nullopt;
  return Cut{dim, *extent / parts};
}

/// Cuts a write along the first dimension for which that is possible.
LogicalResult SplitCuts::cutWrite(WriteSliceOp write, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(write.getSource().getType());
  if (!type)
    return write.emitOpError("writes no tensor; there is no rule to split it");
  bool isGiven = dim >= 0 && isOfPayload(write.getSource());
  SmallVector<Cut> cuts;
  for (int64_t tried : llvm::seq<int64_t>(0, type.getRank()))
    if (!isGiven || tried == dim)
      if (std::optional<Cut> cut = getWriteCut(write, tried))
        cuts.push_back(*cut);
  (void)refuse(write, isGiven
                          ? "dimension " + Twine(dim) + " of " + getText(type) +
                                " is not a multiple of " + Twine(parts)
                          : "no dimension of " + getText(type) +
                                " is a multiple of " + Twine(parts));
  for (Cut cut : cuts) {
    State before = state;
    state.writes[write] = cut;
    if (succeeded(need(write.getSource(), cut, write)))
      return success();
    state = std::move(before);
  }
  InFlightDiagnostic error =
      write.emitOpError("cannot be split among the clusters: ");
  error << why;
  if (where != write)
    error.attachNote(where->getLoc()) << "at this '" << where->getName() << "'";
  return error;
}

/// Returns whether an op's region computes an element of its result.
static bool isWithOwnBody(Operation *op) {
  return isa<linalg::LinalgOp, tensor::PadOp>(op);
}

/// Checks that an op of a phase can be split.
static LogicalResult verifyBodyOp(Operation *op) {
  if (isa<ReadSliceOp, WriteSliceOp, ClusterYieldOp, scf::YieldOp>(op))
    return success();
  if (isa<scf::IfOp, scf::ForOp>(op) && op->getNumResults() == 0)
    return success();
  bool isKnown = isPure(op) && (op->getNumRegions() == 0 || isWithOwnBody(op));
  return isKnown ? success()
                 : op->emitOpError("in a phase has no rule to split it");
}

static LogicalResult verifyBody(RunClusterOp phase) {
  return failure(phase.getBody()
                     .walk<WalkOrder::PreOrder>([](Operation *op) {
                       if (failed(verifyBodyOp(op)))
                         return WalkResult::interrupt();
                       return isWithOwnBody(op) ? WalkResult::skip()
                                                : WalkResult::advance();
                     })
                     .wasInterrupted());
}

FailureOr<SplitCuts> SplitCuts::compute(SharedExecutorOp executor,
                                        int64_t parts, int64_t dim) {
  FailureOr<PayloadClasses> classes = PayloadClasses::compute(executor);
  if (failed(classes))
    return failure();
  SplitCuts cuts(std::move(*classes), parts);
  SmallVector<RunClusterOp> phases;
  SmallVector<WriteSliceOp> writes;
  executor.getExecute().walk([&](RunClusterOp op) { phases.push_back(op); });
  executor.getExecute().walk([&](WriteSliceOp op) { writes.push_back(op); });
  for (RunClusterOp phase : phases)
    if (failed(verifyBody(phase)))
      return failure();
  for (WriteSliceOp write : writes)
    if (failed(cuts.cutWrite(write, dim)))
      return failure();
  // All clusters have the numbers, and tensors from which no written value is
  // computed.
  auto needWhole = [&](Value value, Operation *user) -> LogicalResult {
    if (succeeded(cuts.need(value, whole, user)))
      return success();
    return user->emitOpError("cannot be split among the clusters: ")
           << cuts.why;
  };
  for (RunClusterOp phase : phases) {
    WalkResult walked =
        phase.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isWithOwnBody(op))
            return WalkResult::skip();
          if (op->getNumResults() == 0 ||
              llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>))
            return WalkResult::advance();
          for (Value operand : op->getOperands())
            if (isa<ShapedType>(operand.getType()) &&
                failed(needWhole(operand, op)))
              return WalkResult::interrupt();
          return WalkResult::advance();
        });
    if (walked.wasInterrupted())
      return failure();
  }
  for (unsigned cls : llvm::seq(cuts.classes.numClasses())) {
    if (!cuts.state.classes.try_emplace(cls, whole).second)
      continue;
    for (OpOperand *yield : cuts.classes.yields(cls))
      if (isa<ShapedType>(yield->get().getType()) &&
          failed(needWhole(yield->get(), yield->getOwner())))
        return failure();
  }
  return cuts;
}
