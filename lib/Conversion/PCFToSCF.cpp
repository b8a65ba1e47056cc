//===- PCFToSCF.cpp - Lowering of pcf to scf ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every worker runs this code, so `pcf.generic` is replaced by its body with
// the ids of the scope, and `pcf.loop` by a loop over every count-th iteration.
// Ops that may not be lowered are reported before the IR is changed.
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/Passes.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace distaff {
#define GEN_PASS_DEF_PCFLOWERSTRUCTURAL
#include "distaff/Conversion/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Legality checks
//===----------------------------------------------------------------------===//

static bool isReturn(Operation *op) {
  return op->hasTrait<::mlir::OpTrait::ReturnLike>() &&
         isa<FunctionOpInterface>(op->getParentOp());
}

static bool hasEffects(Operation &op) {
  // The caller reads a tensor that is returned.
  if (isa<bufferization::ToTensorOp>(op) &&
      llvm::all_of(op.getUsers(), isReturn))
    return false;
  return !isMemoryEffectFree(&op);
}

/// Returns whether a region may run more than once per run of its op.
static bool isRepeated(Region &region) {
  Operation *op = region.getParentOp();
  if (isa<LoopOp, LoopLikeOpInterface>(op))
    return true;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return branch && branch.isRepetitiveRegion(region.getRegionNumber());
}

static bool haveEffectsAfter(Operation *op) {
  Block *block = op->getBlock();
  for (Operation &later :
       llvm::make_range(std::next(op->getIterator()), block->end()))
    if (hasEffects(later))
      return true;
  SmallVector<Block *> blocks(block->getSuccessors());
  DenseSet<Block *> seen;
  while (!blocks.empty()) {
    Block *next = blocks.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (llvm::any_of(*next, hasEffects))
      return true;
    llvm::append_range(blocks, next->getSuccessors());
  }
  return false;
}

/// Returns whether the kernel may access memory after the op, on any path.
static bool mayTouchMemoryAfter(Operation *op) {
  while (op && !isa<FunctionOpInterface>(op)) {
    if (haveEffectsAfter(op))
      return true;
    Region *region = op->getParentRegion();
    if (!region)
      return false;
    // The next iteration runs the op and its predecessors again.
    if (isRepeated(*region))
      return true;
    op = region->getParentOp();
  }
  return false;
}

static LogicalResult checkWorkgroupBarrier(Operation *op, Attribute scope) {
  if (isa<iree::WorkgroupScopeAttr>(scope) && mayTouchMemoryAfter(op))
    return op->emitOpError() << "workgroup-scope synchronization is only "
                                "available at the end of a kernel";
  return success();
}

static LogicalResult checkOwner(RefOwnerOpInterface op) {
  if (isa<SharedExecutorOp>(op))
    return op->emitOpError() << "is collective; resolve clusters first";
  if (!op.getIsReadonly().empty() || op.getInitializerOrNull())
    return op->emitOpError()
           << "refs and results must be converted to memrefs first";
  return op.getSyncOnReturn() ? checkWorkgroupBarrier(op, op.getScope())
                              : success();
}

static LogicalResult checkBarrier(BarrierOp op) {
  if (!op.getClusters().empty())
    return op.emitOpError() << "waits for clusters; resolve them first";
  if (llvm::any_of(op.getRefs().getTypes(), llvm::IsaPred<SRefType>))
    return op.emitOpError()
           << "refs and results must be converted to memrefs first";
  return checkWorkgroupBarrier(op, op.getScope());
}

static LogicalResult check(Operation *op) {
  if (auto owner = dyn_cast<RefOwnerOpInterface>(op))
    return checkOwner(owner);
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return checkBarrier(barrier);
  if (isa<YieldOp, ReturnOp, CondReturnOp>(op) ||
      op->getDialect() != op->getContext()->getLoadedDialect<PCFDialect>())
    return success();
  if (isa<TileGroupOp, RunClusterOp, RunThreadOp, ClusterYieldOp>(op))
    return op->emitOpError() << "is collective; resolve clusters first";
  return op->emitOpError()
         << "refs and results must be converted to memrefs first";
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static SmallVector<Attribute> getSpaces(ValueRange values) {
  llvm::SetVector<Attribute> spaces;
  for (Value value : values)
    if (auto type = dyn_cast<BaseMemRefType>(value.getType()))
      spaces.insert(type.getMemorySpace());
  return spaces.takeVector();
}

static LogicalResult addBarrier(OpBuilder &builder, Operation *op,
                                Attribute scope, ArrayRef<Attribute> spaces) {
  if (failed(cast<ScopeAttrInterface>(scope).addBarrier(builder, op->getLoc(),
                                                        spaces)))
    return op->emitOpError() << "scope " << scope << " has no barrier";
  return success();
}

static LogicalResult lowerBarrier(BarrierOp op) {
  OpBuilder builder(op);
  if (failed(addBarrier(builder, op, op.getScope(), getSpaces(op.getRefs()))))
    return failure();
  op.erase();
  return success();
}

/// Adds a barrier of all workers after the op, if it synchronizes on return.
/// The memory that its body shares with others is what it captures.
static LogicalResult addFinalBarrier(RefOwnerOpInterface op) {
  if (!op.getSyncOnReturn())
    return success();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getExecute(), captured);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  return addBarrier(builder, op, op.getScope(),
                    getSpaces(captured.getArrayRef()));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Inlines a block without arguments, except its terminator, at the builder's
/// point.
static void inlineBody(Block &body, OpBuilder &builder) {
  body.getTerminator()->erase();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations());
}

/// Lowers a body with branches. It is wrapped in a region because the parent
/// block cannot be split inside `scf`.
static void lowerBranches(GenericOp op, OpBuilder &builder) {
  auto region = scf::ExecuteRegionOp::create(builder, op.getLoc(), TypeRange());
  region.getRegion().takeBody(op.getExecute());
  Block *end = nullptr;
  SmallVector<Block *> blocks = llvm::map_to_vector(
      region.getRegion(), [](Block &block) { return &block; });
  for (Block *block : blocks) {
    Operation *terminator = block->getTerminator();
    builder.setInsertionPoint(terminator);
    if (isa<ReturnOp>(terminator)) {
      scf::YieldOp::create(builder, terminator->getLoc());
      terminator->erase();
    } else if (auto branch = dyn_cast<CondReturnOp>(terminator)) {
      if (!end) {
        OpBuilder::InsertionGuard guard(builder);
        end =
            builder.createBlock(&region.getRegion(), region.getRegion().end());
        scf::YieldOp::create(builder, op.getLoc());
      }
      cf::CondBranchOp::create(builder, branch.getLoc(), branch.getCondition(),
                               end, ValueRange(), branch.getDest(),
                               branch.getDestOperands());
      branch.erase();
    }
  }
}

static LogicalResult lowerGeneric(GenericOp op) {
  if (failed(addFinalBarrier(op)))
    return failure();
  OpBuilder builder(op);
  auto scope = cast<ScopeAttrInterface>(op.getScope());
  if (int64_t n = op.getNumIds()) {
    auto replace = [](ValueRange arguments, ValueRange values) {
      for (auto [argument, value] : llvm::zip_equal(arguments, values))
        argument.replaceAllUsesWith(value);
    };
    replace(op.getIds(), scope.getWorkerIDs(builder, op.getLoc(), n));
    replace(op.getCounts(), scope.getWorkerCounts(builder, op.getLoc(), n));
    op.getExecute().front().eraseArguments(0, 2 * n);
  }
  if (op.getExecute().hasOneBlock())
    inlineBody(op.getExecute().front(), builder);
  else
    lowerBranches(op, builder);
  op.erase();
  return success();
}

static SmallVector<OpFoldResult> reversed(ValueRange values) {
  SmallVector<OpFoldResult> result = getAsOpFoldResult(values);
  std::reverse(result.begin(), result.end());
  return result;
}

/// Lowers a loop to a strided round robin: worker `w` of `n` runs iterations w,
/// w + n, w + 2n, ... along every dimension. Dimensions of `scf.forall` go
/// slowest first.
static LogicalResult lowerLoop(LoopOp op) {
  if (failed(addFinalBarrier(op)))
    return failure();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto scope = cast<ScopeAttrInterface>(op.getScope());
  int64_t n = op.getCounts().size();
  SmallVector<Value> ids = scope.getWorkerIDs(builder, loc, n);
  SmallVector<Value> counts = scope.getWorkerCounts(builder, loc, n);
  auto loop = scf::ForallOp::create(
      builder, loc, reversed(ids), reversed(op.getCounts()), reversed(counts),
      /*outputs=*/ValueRange(), /*mapping=*/std::nullopt);
  for (auto [id, iteration] :
       llvm::zip_equal(op.getIds(), llvm::reverse(loop.getInductionVars())))
    id.replaceAllUsesWith(iteration);
  op.getBody()->eraseArguments(0, n);
  builder.setInsertionPointToStart(loop.getBody());
  inlineBody(*op.getBody(), builder);
  op.erase();
  return success();
}

LogicalResult distaff::lowerStructural(Operation *root) {
  SmallVector<Operation *> ops;
  WalkResult walked = root->walk([&](Operation *op) {
    if (failed(check(op)))
      return WalkResult::interrupt();
    if (isa<GenericOp, LoopOp, BarrierOp>(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (Operation *op : ops) {
    LogicalResult lowered = success();
    if (auto generic = dyn_cast<GenericOp>(op))
      lowered = lowerGeneric(generic);
    else if (auto loop = dyn_cast<LoopOp>(op))
      lowered = lowerLoop(loop);
    else
      lowered = lowerBarrier(cast<BarrierOp>(op));
    if (failed(lowered))
      return failure();
  }
  return success();
}

namespace {
struct LowerStructural final
    : distaff::impl::PCFLowerStructuralBase<LowerStructural> {
  void getDependentDialects(DialectRegistry &registry) const override {
    PCFLowerStructuralBase::getDependentDialects(registry);
    registerScopeDialects<&PCFConversionDialectInterface::
                              loadStructuralLoweringDependentDialects>(
        registry);
  }

  void runOnOperation() override {
    if (failed(lowerStructural(getOperation())))
      signalPassFailure();
  }
};
} // namespace
