//===- DispatchGrid.cpp - Workgroups of a dispatch ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatch that is dumped late identifies its workgroup by ids or by a loop
// over workgroups; their number is specified outside of the function:
//
//   hal.executable.export ... count(%device: !hal.device, %n: index) ... {
//     %x = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%n]
//   func.func @f() {
//     %id = hal.interface.workgroup.id[0] : index
//
// A function on a workgroup's vectors becomes a loop over %x on the grid.
// A function that has been distributed to lanes becomes a gpu.func, and its
// grid is the function @f__grid of the extents that the workload is computed
// from.
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

using namespace distaff;
using namespace distaff::dispatch;

namespace {
/// Workgroups along x, y and z, as values of the function.
using WorkgroupCounts = SmallVector<Value, 3>;

class GridImporter {
public:
  GridImporter(func::FuncOp function, const DispatchLaunch &launch,
               const DispatchInterface &interface)
      : function(function), launch(launch), interface(interface),
        b(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult checkLoops();
  LogicalResult replaceSizes();
  bool isTiled();
  void mapLoops();
  bool readsIds();
  FailureOr<WorkgroupCounts> findCounts();
  FailureOr<WorkgroupCounts> countsOfRegion();
  FailureOr<WorkgroupCounts> countsOfBounds();
  WorkgroupCounts countsOfHint(iree::WorkgroupCountHintOp hint);
  WorkgroupCounts countsOfLoop(scf::ForallOp loop);
  void replaceIds(ValueRange ids, ValueRange counts);
  LogicalResult wrapInLoop(const WorkgroupCounts &counts);
  void inlineLoop(scf::ForallOp loop, ValueRange ids);
  LogicalResult makeLaneKernel();
  LogicalResult addGridFunction(const WorkgroupCounts &counts);

  func::FuncOp function;
  const DispatchLaunch &launch;
  const DispatchInterface &interface;
  OpBuilder b;
  SmallVector<scf::ForallOp> loops; // over workgroups
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops over workgroups
//===----------------------------------------------------------------------===//

static bool isWorkgroupMapping(Attribute attribute) {
  return isa<iree::WorkgroupMappingAttr>(attribute);
}

LogicalResult GridImporter::checkLoops() {
  function.walk([&](scf::ForallOp loop) {
    std::optional<ArrayAttr> mapping = loop.getMapping();
    if (mapping && llvm::any_of(*mapping, isWorkgroupMapping))
      loops.push_back(loop);
  });
  for (scf::ForallOp loop : loops) {
    ArrayAttr mapping = *loop.getMapping();
    for (Attribute attribute : mapping)
      if (!isWorkgroupMapping(attribute) ||
          cast<iree::WorkgroupMappingAttr>(attribute).getPart() != 0)
        return loop.emitOpError("is mapped to ")
               << mapping
               << ", and a grid has x, y and z; give it the dispatch as it is "
                  "dumped before its workgroups are distributed";
  }
  return success();
}

/// Returns whether ops of linalg compute the tiles of one loop over workgroups.
/// With a grid function such a function is past the stage that tiles.
bool GridImporter::isTiled() {
  return loops.size() == 1 && loops.front()->getParentOp() == function &&
         loops.front()
             .walk([](linalg::LinalgOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

/// Replaces `#iree_codegen.workgroup_mapping<y>` by `#gpu.block<y>`.
void GridImporter::mapLoops() {
  for (scf::ForallOp loop : loops) {
    auto blocks =
        llvm::map_to_vector(*loop.getMapping(), [](Attribute attribute) {
          auto mapping = cast<iree::WorkgroupMappingAttr>(attribute);
          auto id = static_cast<gpu::MappingId>(mapping.getMappingId());
          return Attribute(
              gpu::GPUBlockMappingAttr::get(attribute.getContext(), id));
        });
    loop.setMappingAttr(b.getArrayAttr(blocks));
  }
}

/// Returns (upper - lower) ceildiv step.
static Value countOf(OpBuilder &b, Location loc, OpFoldResult lower,
                     OpFoldResult upper, OpFoldResult step) {
  AffineExpr s0, s1, s2;
  bindSymbols(b.getContext(), s0, s1, s2);
  OpFoldResult count = affine::makeComposedFoldedAffineApply(
      b, loc, (s1 - s0).ceilDiv(s2), {lower, upper, step});
  return getValueOrCreateConstantIndexOp(b, loc, count);
}

WorkgroupCounts GridImporter::countsOfLoop(scf::ForallOp loop) {
  b.setInsertionPoint(loop);
  Value one = arith::ConstantIndexOp::create(b, loop.getLoc(), 1);
  WorkgroupCounts counts(3, one);
  for (auto [lower, upper, step, mapping] :
       llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                       loop.getMixedStep(), *loop.getMapping()))
    counts[cast<iree::WorkgroupMappingAttr>(mapping).getMappingId()] =
        countOf(b, loop.getLoc(), lower, upper, step);
  return counts;
}

/// Replaces a loop, whose iterations are workgroups, by its body with these
/// ids.
void GridImporter::inlineLoop(scf::ForallOp loop, ValueRange ids) {
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  AffineExpr s0, s1, s2;
  bindSymbols(b.getContext(), s0, s1, s2);
  for (auto [iv, lower, step, mapping] :
       llvm::zip_equal(loop.getInductionVars(), loop.getMixedLowerBound(),
                       loop.getMixedStep(), *loop.getMapping())) {
    Value id = ids[cast<iree::WorkgroupMappingAttr>(mapping).getMappingId()];
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        b, loc, s0 + s1 * s2, {lower, id, step});
    iv.replaceAllUsesWith(getValueOrCreateConstantIndexOp(b, loc, index));
  }
  Block *body = loop.getBody();
  loop->getBlock()->getOperations().splice(loop->getIterator(),
                                           body->getOperations(), body->begin(),
                                           std::prev(body->end()));
  loop.erase();
}

//===----------------------------------------------------------------------===//
// Ids and counts
//===----------------------------------------------------------------------===//

bool GridImporter::readsIds() {
  return function
      .walk([](Operation *op) {
        return isa<InterfaceWorkgroupIDOp, InterfaceWorkgroupCountOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<WorkgroupCounts> GridImporter::countsOfRegion() {
  IRMapping map;
  Block &block = launch.workgroupCount->front();
  int64_t next = 0;
  for (BlockArgument argument : block.getArguments()) {
    if (isa<DeviceType>(argument.getType()))
      continue;
    Value part = interface.getWorkload().lookup(next);
    if (part)
      map.map(argument, part);
    else if (!argument.use_empty())
      return function.emitOpError("is launched on a grid of part ")
             << next
             << " of its workload, which the function does not have; give it "
                "the dispatch as it is dumped earlier";
    ++next;
  }
  for (Operation &op : block.without_terminator()) {
    if (isa<DispatchWorkgroupCountFromSliceOp>(op))
      return function.emitOpError(
          "knows its workgroup, and its grid is not chosen yet; dump it with "
          "--mlir-print-ir-module-scope, after ReconcileTranslationInfo");
    b.clone(op, map);
  }
  WorkgroupCounts counts;
  for (Value count : block.getTerminator()->getOperands())
    counts.push_back(map.lookupOrDefault(count));
  return counts;
}

FailureOr<WorkgroupCounts> GridImporter::countsOfBounds() {
  SmallVector<int64_t> bounds(3, 1);
  WalkResult walked = function.walk([&](InterfaceWorkgroupIDOp id) {
    if (!id.getUpperBound())
      return WalkResult::interrupt();
    bounds[id.getDimension().getZExtValue()] =
        id.getUpperBound()->getSExtValue();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return function.emitOpError(
        "knows its workgroup, and nothing says how many there are; dump it "
        "with "
        "--mlir-print-ir-module-scope, so that its hal.executable.export is "
        "there");
  WorkgroupCounts counts;
  for (int64_t bound : bounds)
    counts.push_back(
        arith::ConstantIndexOp::create(b, function.getLoc(), bound));
  return counts;
}

WorkgroupCounts GridImporter::countsOfHint(iree::WorkgroupCountHintOp hint) {
  SmallVector<OpFoldResult> sizes = hint.getMixedSizes();
  sizes.resize(3, b.getIndexAttr(1));
  // Constants precede any op that uses them.
  b.setInsertionPointToStart(&function.getBody().front());
  return llvm::map_to_vector(sizes, [&](OpFoldResult size) -> Value {
    return getValueOrCreateConstantIndexOp(b, hint.getLoc(), size);
  });
}

/// Returns the first op of the function that is, or contains, an op of hal for
/// workgroups, or its terminator.
static Operation *findFirstUse(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (op.walk([](Operation *inner) {
            return isa<InterfaceWorkgroupIDOp, InterfaceWorkgroupCountOp>(inner)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted())
      return &op;
  return function.getBody().front().getTerminator();
}

FailureOr<WorkgroupCounts> GridImporter::findCounts() {
  iree::WorkgroupCountHintOp hint;
  function.walk([&](iree::WorkgroupCountHintOp op) { hint = op; });
  if (hint)
    return countsOfHint(hint);
  b.setInsertionPoint(findFirstUse(function));
  return launch.workgroupCount ? countsOfRegion() : countsOfBounds();
}

void GridImporter::replaceIds(ValueRange ids, ValueRange counts) {
  function.walk([&](Operation *op) {
    if (auto id = dyn_cast<InterfaceWorkgroupIDOp>(op))
      id.replaceAllUsesWith(ids[id.getDimension().getZExtValue()]);
    else if (auto count = dyn_cast<InterfaceWorkgroupCountOp>(op))
      count.replaceAllUsesWith(counts[count.getDimension().getZExtValue()]);
  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Wraps the program of a workgroup in a loop over all of them. Its ops follow
/// those that compute the counts.
LogicalResult GridImporter::wrapInLoop(const WorkgroupCounts &counts) {
  Location loc = function.getLoc();
  Operation *first = findFirstUse(function);
  DominanceInfo dominance(function);
  for (Value count : counts)
    if (!dominance.properlyDominates(count, first))
      return first->emitOpError(
          "knows its workgroup before the function has computed how many there "
          "are; give it the dispatch as it is dumped earlier");
  b.setInsertionPoint(first);
  SmallVector<OpFoldResult> bounds;
  SmallVector<Attribute> mapping;
  for (int64_t dim : {2, 1, 0}) {
    bounds.push_back(getAsOpFoldResult(counts[dim]));
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        b.getContext(), static_cast<gpu::MappingId>(dim)));
  }
  auto loop = scf::ForallOp::create(b, loc, bounds, /*outputs=*/ValueRange(),
                                    b.getArrayAttr(mapping));
  Block &from = function.getBody().front();
  loop.getBody()->getOperations().splice(
      loop.getBody()->begin(), from.getOperations(),
      std::next(loop->getIterator()), std::prev(from.end()));
  SmallVector<Value> ids(llvm::reverse(loop.getInductionVars()));
  replaceIds(ids, counts);
  function.walk([](iree::WorkgroupCountHintOp hint) { hint.erase(); });
  return success();
}

/// Adds `@f__grid`, which computes the counts from the extents of the launch.
LogicalResult GridImporter::addGridFunction(const WorkgroupCounts &counts) {
  OpBuilder outside(function);
  Type index = b.getIndexType();
  SmallVector<std::pair<unsigned, int64_t>> extents;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<ShapedType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          extents.push_back({argument.getArgNumber(), dim});
  auto grid = func::FuncOp::create(
      outside, function.getLoc(), gridFunctionName(function.getName()),
      b.getFunctionType(SmallVector<Type>(extents.size(), index),
                        {index, index, index}));
  grid->setAttr(hostAttributeName, b.getUnitAttr());
  Block *body = grid.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  IRMapping map;
  bool isOfExtents = true;
  std::function<Value(Value)> copy = [&](Value value) -> Value {
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    isOfExtents &= !isa<InterfaceConstantLoadOp>(op);
    std::optional<int64_t> dim;
    if (isa<memref::DimOp, tensor::DimOp>(op))
      dim = getConstantIntValue(op->getOperand(1));
    for (auto [argument, extent] :
         llvm::zip_equal(body->getArguments(), extents))
      if (dim && op->getOperand(0) == function.getArgument(extent.first) &&
          *dim == extent.second)
        return argument;
    for (Value operand : op->getOperands())
      map.map(operand, copy(operand));
    return inside.clone(*op, map)->getResult(
        cast<OpResult>(value).getResultNumber());
  };
  SmallVector<Value> results = llvm::map_to_vector(counts, copy);
  func::ReturnOp::create(inside, function.getLoc(), results);
  if (!isOfExtents)
    return function.emitOpError(
        "has a grid that depends on a constant of its launch which is no "
        "extent "
        "of an array; a kernel's grid is a function of extents");
  return success();
}

LogicalResult GridImporter::makeLaneKernel() {
  if (launch.workgroupSize.empty())
    return function.emitOpError(
        "is the program of one lane, and nothing says how many there are; it "
        "needs a workgroup_size in its translation_info or its export");
  if (loops.size() > 1)
    return loops[1].emitOpError("is a second loop over workgroups; one launch "
                                "has one grid");
  FailureOr<WorkgroupCounts> counts =
      loops.empty() ? findCounts()
                    : FailureOr<WorkgroupCounts>(countsOfLoop(loops.front()));
  if (!loops.empty() && loops.front()->getParentOp() != function)
    return loops.front().emitOpError("is not the function's outermost loop");
  if (failed(counts) || failed(addGridFunction(*counts)))
    return failure();
  function.walk([](iree::WorkgroupCountHintOp hint) { hint.erase(); });
  b.setInsertionPointToStart(&function.getBody().front());
  SmallVector<Value> ids, dims;
  for (gpu::Dimension dim :
       {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z}) {
    ids.push_back(gpu::BlockIdOp::create(b, function.getLoc(), dim));
    dims.push_back(gpu::GridDimOp::create(b, function.getLoc(), dim));
  }
  replaceIds(ids, dims);
  if (!loops.empty())
    inlineLoop(loops.front(), ids);
  return success();
}

LogicalResult GridImporter::replaceSizes() {
  SmallVector<InterfaceWorkgroupSizeOp> ops;
  function.walk([&](InterfaceWorkgroupSizeOp op) { ops.push_back(op); });
  SmallVector<int64_t> sizes = launch.workgroupSize;
  if (!ops.empty() && sizes.empty())
    return ops.front().emitOpError(
        "reads the size of a workgroup, which nothing says; it needs a "
        "workgroup_size in the function's translation_info or its export");
  sizes.resize(3, 1);
  for (InterfaceWorkgroupSizeOp op : ops) {
    b.setInsertionPoint(op);
    op.replaceAllUsesWith(
        arith::ConstantIndexOp::create(b, op.getLoc(),
                                       sizes[op.getDimension().getZExtValue()])
            .getResult());
    op.erase();
  }
  return success();
}

LogicalResult GridImporter::run() {
  if (failed(checkLoops()) || failed(replaceSizes()))
    return failure();
  if (findLaneOp(function))
    return makeLaneKernel();
  if (isTiled() && failed(addGridFunction(countsOfLoop(loops.front()))))
    return failure();
  mapLoops();
  if (!readsIds())
    return success();
  if (function.getNumResults() != 0 || !loops.empty())
    return function.emitOpError("knows its workgroup and returns tensors; give "
                                "it the dispatch as it is "
                                "dumped before its workgroups are distributed");
  if (!function.getBody().hasOneBlock())
    return function.emitOpError(
        "knows its workgroup in several blocks; give it "
        "the dispatch as it is dumped before "
        "SCFToControlFlow");
  FailureOr<WorkgroupCounts> counts = findCounts();
  if (failed(counts))
    return failure();
  return wrapInLoop(*counts);
}

LogicalResult distaff::importGrid(func::FuncOp function,
                                  const DispatchLaunch &launch,
                                  const DispatchInterface &interface) {
  return GridImporter(function, launch, interface).run();
}

//===----------------------------------------------------------------------===//
// A lane's kernel
//===----------------------------------------------------------------------===//

FunctionOpInterface distaff::moveToLane(func::FuncOp function,
                                        const DispatchLaunch &launch) {
  OpBuilder b(function);
  Location loc = function.getLoc();
  auto module =
      gpu::GPUModuleOp::create(b, loc, (function.getName() + "_lane").str());
  b.setInsertionPointToStart(module.getBody());
  auto kernel = gpu::GPUFuncOp::create(b, loc, function.getName(),
                                       function.getFunctionType());
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  SmallVector<int32_t> size(3, 1);
  llvm::copy(launch.workgroupSize, size.begin());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(size));
  // Ops that combine the lanes of a subgroup read its size from this attribute.
  if (launch.subgroupSize)
    kernel->setAttr(iree::TranslationInfoAttr::attributeName,
                    iree::TranslationInfoAttr::get(
                        b.getContext(), /*pipeline=*/nullptr,
                        /*workgroupSize=*/{}, *launch.subgroupSize,
                        /*configuration=*/nullptr));
  kernel.getBody().takeBody(function.getBody());
  for (Block &block : kernel.getBody())
    if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      b.setInsertionPoint(end);
      gpu::ReturnOp::create(b, end.getLoc());
      end.erase();
    }
  function.erase();
  return cast<FunctionOpInterface>(*kernel);
}
