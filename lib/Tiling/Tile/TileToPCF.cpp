//===- TileToPCF.cpp - Tiling of a contraction to a pcf.loop --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage tile of the run-cluster pipeline (stage 2 of chapter 8 of the pcf
// specification). The tensors of a kernel enter a `pcf.loop` over workgroups as
// memory that is read, its results leave it as memory that is written:
//
//   %r = pcf.loop scope(workgroups) count(%n ceildiv 128, %m ceildiv 256)
//       execute(%a <- %A, %b <- %B, %c = %C)[%in, %im] {
//     %at = pcf.read_slice %a[%im * 256, 0] [%sm, %K]   // sm = what is left
//     %bt = pcf.read_slice %b[0, %in * 128] [%K, %sn]
//     %ft = linalg.fill ins(%zero)
//     %mt = linalg.matmul ins(%at, %bt) outs(%ft)
//     pcf.write_slice %mt into %c[%im * 256, %in * 128] [%sm, %sn]
//   }
//
// Where there may be more tiles than `resident` workgroups, the loop has one
// id: that many workgroups iterate over all tiles, in the order in which a grid
// with a workgroup per tile would start them.
//
//   %r = pcf.loop scope(workgroups) count(%tn * %tm) execute(...)[%i] {
//     %im, %in = affine.delinearize_index %i into (%tm, %tn)
//
// Upstream's tiling would create extract_slice and insert_slice of captured
// tensors, which would have to be removed again; the ops of a kernel of this
// pipeline (ContractionKernel.h) are few enough to be created directly.
//
//===----------------------------------------------------------------------===//
#include "TileGrid.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Linalg/ContractionKernel.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace distaff {
#define GEN_PASS_DEF_TILETOPCF
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

using Sizes = SmallVector<OpFoldResult>;

namespace {
/// A tiled loop describes the tile of one workgroup along a loop.
struct TiledLoop {
  int64_t tile = 0;          // 0: all of it
  OpFoldResult extent;       // of the loop
  OpFoldResult offset, size; // of this workgroup's part
};

class ClusterTiler {
public:
  ClusterTiler(IRRewriter &rewriter, func::FuncOp kernel,
               const ContractionKernel &parts, const Target &target)
      : rewriter(rewriter), kernel(kernel), parts(parts), target(target),
        loc(parts.contraction->getLoc()) {}

  LogicalResult readTiles();
  void run();

  /// Returns the number of workgroups that share the tiles; none where each has
  /// one.
  std::optional<int64_t> sharing() const { return resident; }

private:
  void findExtents();
  SmallVector<unsigned> gridLoops() const;
  void decideSharing(ArrayRef<unsigned> grid);
  OpFoldResult countTiles(unsigned loop);
  pcf::LoopOp createLoop(ArrayRef<unsigned> grid);
  Value resultInit(Value result, llvm::SmallPtrSetImpl<Value> &taken);
  void placeWorkgroup(pcf::LoopOp loop, ArrayRef<unsigned> grid);
  Value read(const LoopedTensor &at);
  void compute(const ContractionKernel::Step &step);
  Value tileOf(const LoopedTensor &at) const;
  void remember(LoopedTensor at, Value tile) {
    tiles.push_back({std::move(at), tile});
  }
  Value value(OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, index);
  }
  Sizes offsetsOf(ArrayRef<unsigned> along) const {
    return llvm::map_to_vector(along,
                               [&](unsigned i) { return loops[i].offset; });
  }
  Sizes sizesOf(ArrayRef<unsigned> along) const {
    return llvm::map_to_vector(along,
                               [&](unsigned i) { return loops[i].size; });
  }

  IRRewriter &rewriter;
  func::FuncOp kernel;
  const ContractionKernel &parts;
  const Target &target;
  Location loc;
  std::optional<int64_t> resident;
  SmallVector<TiledLoop> loops;
  llvm::MapVector<Value, Value> refs; // of the tensors that are read
  SmallVector<std::pair<LoopedTensor, Value>> tiles;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles and extents
//===----------------------------------------------------------------------===//

LogicalResult ClusterTiler::readTiles() {
  linalg::LinalgOp op = parts.contraction;
  auto config = op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  if (!config)
    return op.emitOpError("has no lowering_config; configure gives it one");
  resident = config.getResident();
  SmallVector<int64_t> sizes = config.getWorkgroupTiles();
  if (sizes.size() != op.getNumLoops())
    return op.emitOpError("needs a workgroup tile for each of ")
           << op.getNumLoops() << " loops in its lowering_config, has "
           << sizes.size();
  for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduced = iterator == utils::IteratorType::reduction;
    if (isReduced && sizes[i] > 0)
      return op.emitOpError("has a workgroup tile for loop ")
             << i << ", which it reduces; a workgroup takes all of it in the "
             << "steps that `reduction` says";
    if (!isReduced && sizes[i] <= 0)
      return op.emitOpError("has no workgroup tile for loop ")
             << i << " in its lowering_config";
    loops.push_back({sizes[i], {}, {}, {}});
  }
  return success();
}

void ClusterTiler::findExtents() {
  for (auto [loop, places] : llvm::zip_equal(loops, parts.placesOfLoops())) {
    assert(!places.empty() && "a loop walks an argument or what is empty");
    auto isStatic = [](const LoopPlace &at) {
      return !cast<RankedTensorType>(at.tensor.getType()).isDynamicDim(at.dim);
    };
    auto it = llvm::find_if(places, isStatic);
    const LoopPlace &at = it == places.end() ? places.front() : *it;
    loop.extent = tensor::getMixedSize(rewriter, loc, at.tensor, at.dim);
    loop.offset = rewriter.getIndexAttr(0);
    loop.size = loop.extent;
  }
}

/// Returns the loops that may have several tiles, the fastest varying first.
SmallVector<unsigned> ClusterTiler::gridLoops() const {
  SmallVector<unsigned> grid;
  for (size_t i = loops.size(); i-- > 0;) {
    std::optional<int64_t> extent = getConstantIntValue(loops[i].extent);
    if (loops[i].tile > 0 && !(extent && *extent <= loops[i].tile))
      grid.push_back(i);
  }
  return grid;
}

/// Gives each tile a workgroup of its own if there are never more than
/// `resident` tiles, and the target can launch such a grid.
void ClusterTiler::decideSharing(ArrayRef<unsigned> grid) {
  int64_t tiles = 1;
  std::array<int64_t, 3> launched = {1, 1, 1};
  for (auto [dim, loop] : llvm::enumerate(grid)) {
    std::optional<int64_t> count = getConstantIntValue(countTiles(loop));
    if (!count)
      return;
    size_t at = std::min<size_t>(dim, 2);
    launched[at] = saturatingProduct(launched[at], *count);
    if (launched[at] > target.maxGrid[at])
      return;
    tiles = saturatingProduct(tiles, *count);
  }
  if (resident && tiles <= *resident)
    resident = std::nullopt;
}

OpFoldResult ClusterTiler::countTiles(unsigned loop) {
  AffineExpr extent = rewriter.getAffineSymbolExpr(0);
  return affine::makeComposedFoldedAffineApply(
      rewriter, loc, extent.ceilDiv(loops[loop].tile), {loops[loop].extent});
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Returns the init of a result: the tensor that the user wrote it to, unless
/// another result has it. Every element is written, so that the init's content
/// is irrelevant.
Value ClusterTiler::resultInit(Value result,
                               llvm::SmallPtrSetImpl<Value> &taken) {
  Value init = result;
  while (auto op = init.getDefiningOp<linalg::LinalgOp>())
    init = op.getTiedOpOperand(cast<OpResult>(init))->get();
  bool isRead = refs.contains(init);
  if (init.getType() == result.getType() && !isRead &&
      (isa<BlockArgument>(init) || init.getDefiningOp<tensor::EmptyOp>()) &&
      taken.insert(init).second)
    return init;
  const LoopedTensor &at = *llvm::find_if(
      parts.results, [&](const auto &each) { return each.tensor == result; });
  Sizes extents = llvm::map_to_vector(
      at.loops, [&](unsigned loop) { return loops[loop].extent; });
  auto type = cast<RankedTensorType>(result.getType());
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, extents, type.getElementType());
  return empty.getType() == type
             ? empty
             : tensor::CastOp::create(rewriter, loc, type, empty).getResult();
}

pcf::LoopOp ClusterTiler::createLoop(ArrayRef<unsigned> grid) {
  MLIRContext *context = rewriter.getContext();
  Attribute scope = iree::WorkgroupScopeAttr::get(context, false);
  pcf::RefOwnerParts owner{scope, /*syncOnReturn=*/false, {}};
  auto addRef = [&](Value tensor, Attribute sync) -> pcf::RefOwnerParts::Ref & {
    auto type = cast<RankedTensorType>(tensor.getType());
    owner.refs.push_back(
        {pcf::SRefType::get(type.getShape(), type.getElementType(), scope,
                            sync),
         {},
         tensor,
         {},
         !sync});
    return owner.refs.back();
  };
  for (const ContractionKernel::Step &step : parts.steps)
    if (!step.op && refs.insert({step.tensor.tensor, {}}).second)
      addRef(step.tensor.tensor, {});
  llvm::SmallPtrSet<Value, 4> taken;
  for (const LoopedTensor &result : parts.results)
    addRef(resultInit(result.tensor, taken),
           pcf::SyncOnReturnAttr::get(context))
        .result = result.tensor.getType();
  // The hardware has three ids; the slowest loops share the last one.
  SmallVector<Value> counts;
  size_t mostIds = resident ? 1 : 3;
  for (auto [i, loop] : llvm::enumerate(grid)) {
    Value count = value(countTiles(loop));
    if (i < mostIds)
      counts.push_back(count);
    else
      counts.back() =
          arith::MulIOp::create(rewriter, loc, counts.back(), count);
  }
  if (counts.empty())
    counts.push_back(arith::ConstantIndexOp::create(rewriter, loc, 1));
  auto loop = pcf::LoopOp::create(rewriter, loc, owner, counts);
  for (auto [entry, ref] : llvm::zip(refs, loop.getRefArgs()))
    entry.second = ref;
  return loop;
}

/// Computes the offset of this workgroup's tile, and its size inside the
/// tensors.
void ClusterTiler::placeWorkgroup(pcf::LoopOp loop, ArrayRef<unsigned> grid) {
  SmallVector<Value> ids(loop.getIds());
  if (grid.size() > ids.size()) {
    Sizes counts;
    for (unsigned slow : llvm::reverse(grid.drop_front(ids.size() - 1)))
      counts.push_back(countTiles(slow));
    auto digits = affine::AffineDelinearizeIndexOp::create(
        rewriter, loc, ids.pop_back_val(), counts);
    for (Value digit : llvm::reverse(digits.getResults()))
      ids.push_back(digit);
  }
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  for (auto [number, id] : llvm::zip(grid, ids)) {
    TiledLoop &tiled = loops[number];
    std::optional<int64_t> extent = getConstantIntValue(tiled.extent);
    Value offset =
        tiled.tile == 1
            ? id
            : arith::MulIOp::create(rewriter, loc, id,
                                    value(rewriter.getIndexAttr(tiled.tile)))
                  .getResult();
    tiled.offset = offset;
    tiled.size = rewriter.getIndexAttr(tiled.tile);
    // Every tile has at least one element of the extent.
    if (tiled.tile == 1 || (extent && *extent % tiled.tile == 0))
      continue;
    AffineExpr zero = rewriter.getAffineConstantExpr(0);
    Value left =
        extent
            ? affine::AffineMaxOp::create(
                  rewriter, loc,
                  AffineMap::get(0, 1, {*extent - s0, zero}, zero.getContext()),
                  offset)
                  .getResult()
            : affine::AffineMaxOp::create(
                  rewriter, loc,
                  AffineMap::get(0, 2, {s0 - s1, zero}, zero.getContext()),
                  ValueRange{cast<Value>(tiled.extent), offset})
                  .getResult();
    tiled.size =
        arith::MinSIOp::create(rewriter, loc, left,
                               value(rewriter.getIndexAttr(tiled.tile)))
            .getResult();
  }
}

//===----------------------------------------------------------------------===//
// The body of a workgroup
//===----------------------------------------------------------------------===//

Value ClusterTiler::tileOf(const LoopedTensor &at) const {
  auto it =
      llvm::find_if(tiles, [&](const auto &tile) { return tile.first == at; });
  assert(it != tiles.end() && "steps are in order");
  return it->second;
}

Value ClusterTiler::read(const LoopedTensor &at) {
  Sizes sizes = sizesOf(at.loops);
  Sizes ones(sizes.size(), rewriter.getIndexAttr(1));
  auto type = RankedTensorType::get(
      decomposeMixedValues(sizes).first,
      cast<RankedTensorType>(at.tensor.getType()).getElementType());
  return pcf::ReadSliceOp::create(rewriter, loc, type, refs.lookup(at.tensor),
                                  offsetsOf(at.loops), sizes, ones);
}

void ClusterTiler::compute(const ContractionKernel::Step &step) {
  linalg::LinalgOp op = step.op;
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands()) {
    Value old = operand.get();
    auto type = dyn_cast<RankedTensorType>(old.getType());
    if (!type) {
      operands.push_back(old);
      continue;
    }
    LoopedTensor at = ContractionKernel::along(
        old, op.getMatchingIndexingMap(&operand), step.opLoops);
    bool isRead =
        !op.isDpsInit(&operand) || op.payloadUsesValueFromOperand(&operand);
    operands.push_back(isRead ? tileOf(at)
                              : tensor::EmptyOp::create(rewriter, op.getLoc(),
                                                        sizesOf(at.loops),
                                                        type.getElementType())
                                    .getResult());
    if (op.isDpsInit(&operand))
      types.push_back(operands.back().getType());
  }
  Operation *tile = mlir::clone(rewriter, op, types, operands);
  // Positions count from the beginning of the tensors.
  if (auto tiled = cast<linalg::LinalgOp>(tile); tiled.hasIndexSemantics())
    linalg::offsetIndices(rewriter, tiled, offsetsOf(step.opLoops));
  for (OpResult result : op->getResults())
    remember(ContractionKernel::along(
                 result, op.getIndexingMapMatchingResult(result), step.opLoops),
             tile->getResult(result.getResultNumber()));
}

void ClusterTiler::run() {
  Operation *terminator = kernel.getBody().front().getTerminator();
  rewriter.setInsertionPoint(terminator);
  findExtents();
  SmallVector<unsigned> grid = gridLoops();
  decideSharing(grid);
  pcf::LoopOp loop = createLoop(grid);
  rewriter.setInsertionPointToEnd(loop.getBody());
  auto end = pcf::ReturnOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  placeWorkgroup(loop, grid);
  for (const ContractionKernel::Step &step : parts.steps) {
    if (step.op)
      compute(step);
    else
      remember(step.tensor, read(step.tensor));
    rewriter.setInsertionPoint(end);
  }
  for (auto [result, ref] : llvm::zip_equal(
           parts.results, loop.getRefArgs().take_back(parts.results.size()))) {
    Sizes sizes = sizesOf(result.loops);
    Sizes ones(sizes.size(), rewriter.getIndexAttr(1));
    pcf::WriteSliceOp::create(rewriter, loc, tileOf(result), ref,
                              offsetsOf(result.loops), sizes, ones);
  }
  rewriter.modifyOpInPlace(terminator,
                           [&] { terminator->setOperands(loop.getResults()); });
  // The ops that the loop replaces are dead; the last one is erased first.
  SmallVector<Operation *> rest;
  for (Operation &op : kernel.getBody().front().without_terminator())
    rest.push_back(&op);
  for (Operation *op : llvm::reverse(rest))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// Requirements on the launch
//===----------------------------------------------------------------------===//

static std::string describe(const LoopPlace &at) {
  std::string text = "dimension " + std::to_string(at.dim) + " of ";
  if (auto argument = dyn_cast<BlockArgument>(at.tensor))
    return text + "arg" + std::to_string(argument.getArgNumber());
  return text + "the result";
}

/// Returns the requirements that dims of different tensors along one loop are
/// equal.
static FailureOr<SmallVector<ExtentRequirement>>
requirementsOf(const ContractionKernel &parts, func::FuncOp kernel) {
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return failure();
  SmallVector<ExtentRequirement> requirements;
  for (ArrayRef<LoopPlace> places : parts.placesOfLoops()) {
    SmallVector<AffineExpr> seen;
    for (const LoopPlace &at : places) {
      AffineExpr formula = formulas->extentOf(at.tensor, at.dim);
      if (!formula) {
        InFlightDiagnostic diagnostic =
            parts.contraction->emitOpError("has an extent, ")
            << describe(at)
            << ", that is no sum, product or quotient of its arguments' "
               "extents";
        diagnostic.attachNote(at.tensor.getLoc()) << "the tensor";
        return diagnostic;
      }
      if (llvm::is_contained(seen, formula))
        continue;
      if (!seen.empty())
        requirements.push_back(
            {seen.front(), formula,
             describe(places.front()) + " and " + describe(at) +
                 " are one loop of " +
                 parts.contraction->getName().getStringRef().str() +
                 ", their extents differ"});
      seen.push_back(formula);
    }
  }
  return requirements;
}

/// Replaces extents of computed values by those of arguments, so that no value
/// is computed for its extent.
static LogicalResult resolveExtents(func::FuncOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  // Constants stay in place.
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  if (failed(
          applyPatternsGreedily(kernel, guarded(std::move(patterns)), config)))
    return kernel.emitOpError("has extents that do not settle");
  return success();
}

static LogicalResult tile(func::FuncOp kernel, const Target &target) {
  // A user's own loop over workgroups is kept.
  if (startsWorkers(kernel))
    return createGridFunction(kernel, target);
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("has several basic blocks; use scf.if, scf.for "
                              "and scf.while for control flow");
  if (failed(resolveExtents(kernel)))
    return failure();
  FailureOr<ContractionKernel> parts = ContractionKernel::match(kernel);
  if (failed(parts))
    return failure();
  FailureOr<SmallVector<ExtentRequirement>> requirements =
      requirementsOf(*parts, kernel);
  IRRewriter rewriter(kernel.getContext());
  ClusterTiler tiler(rewriter, kernel, *parts, target);
  if (failed(requirements) || failed(tiler.readTiles()))
    return failure();
  tiler.run();
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  return createGridFunction(kernel, target, *requirements, tiler.sharing());
}

namespace {
struct TileToPCF final : distaff::impl::TileToPCFBase<TileToPCF> {
  using TileToPCFBase::TileToPCFBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    for (func::FuncOp kernel :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isKernel(kernel) && failed(tile(kernel, *machine)))
        return signalPassFailure();
  }
};
} // namespace
