//===- ImportDispatches.cpp - Import of IREE's dispatches -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatch is dumped as a function inside of an executable:
//
//   hal.executable private @add_dispatch_0 {
//     hal.executable.variant public @cuda target(<"cuda", ...>) {
//       hal.executable.export public @add ... count(...) {...}
//       builtin.module {
//         func.func @add() {...}
//
// The function becomes a kernel of the module itself, with the launch
// parameters that it reads as arguments; the ops around it are removed
// (VX-161).
//
//===----------------------------------------------------------------------===//
#include "distaff/Import/Dispatch/ImportDispatches.h"
#include "DispatchInterface.h"
#include "DispatchLanes.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Import/Passes.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_IMPORTDISPATCHES
#include "distaff/Import/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::dispatch;

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

static LogicalResult checkVariants(ExecutableOp executable) {
  auto variants = llvm::to_vector(executable.getOps<ExecutableVariantOp>());
  if (variants.size() <= 1)
    return success();
  InFlightDiagnostic diagnostic =
      executable.emitOpError("is compiled for ")
      << variants.size()
      << " devices; dump it for one, or keep one hal.executable.variant";
  for (ExecutableVariantOp variant : variants)
    diagnostic.attachNote(variant.getLoc()) << "for " << variant.getTarget();
  return diagnostic;
}

/// Returns the functions of a module's executables, and those directly in the
/// module.
static SmallVector<func::FuncOp> findDispatches(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) {
    if (DispatchInterface::isIn(function))
      functions.push_back(function);
  });
  return functions;
}

/// Returns whether an op is an executable, a variant or a module between them.
static bool isWrapper(Operation *op) {
  return isa<ExecutableOp, ExecutableVariantOp>(op) ||
         (isa<ModuleOp>(op) && op->getParentOp());
}

/// Moves the contents of executables to the module itself.
static LogicalResult unwrap(ModuleOp module) {
  SmallVector<Operation *> wrappers, moved;
  for (Operation &top : *module.getBody())
    if (isWrapper(&top))
      wrappers.push_back(&top);
  for (Operation *wrapper : wrappers)
    wrapper->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isWrapper(op))
        return WalkResult::advance();
      if (!isa<ExecutableExportOp, iree::DispatchConfigOp>(op))
        moved.push_back(op);
      return WalkResult::skip();
    });
  SymbolTable symbols(module);
  for (Operation *op : moved) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    Operation *other = symbol ? symbols.lookup(symbol.getName()) : nullptr;
    if (other) {
      InFlightDiagnostic diagnostic = op->emitOpError("@")
                                      << symbol.getName()
                                      << " is defined twice; dump one dispatch "
                                         "at a time";
      diagnostic.attachNote(other->getLoc()) << "the other one";
      return diagnostic;
    }
    op->moveBefore(module.getBody(), module.getBody()->end());
    if (symbol)
      symbols.insert(op);
  }
  for (Operation *wrapper : wrappers)
    wrapper->erase();
  // A dump of one function has its grid in a separate op.
  for (auto config :
       llvm::make_early_inc_range(module.getOps<iree::DispatchConfigOp>()))
    config.erase();
  for (auto exported :
       llvm::make_early_inc_range(module.getOps<ExecutableExportOp>()))
    exported.erase();
  return success();
}

/// Returns the extents of threads from the bounds of their ids; empty if an id
/// has none.
static SmallVector<int64_t> sizesOfIds(func::FuncOp function) {
  SmallVector<int64_t> sizes;
  WalkResult walked = function.walk([&](gpu::ThreadIdOp id) {
    sizes.resize(3, 1);
    if (!id.getUpperBound())
      return WalkResult::interrupt();
    sizes[static_cast<int>(id.getDimension())] =
        id.getUpperBound()->getSExtValue();
    return WalkResult::advance();
  });
  return walked.wasInterrupted() ? SmallVector<int64_t>() : sizes;
}

/// Returns sizes that are written as an array, of index or integers.
static SmallVector<int64_t> sizesOf(ArrayAttr sizes) {
  return llvm::map_to_vector(sizes.getAsRange<IntegerAttr>(),
                             [](IntegerAttr size) { return size.getInt(); });
}

static void readExport(ExecutableExportOp exported, DispatchLaunch &launch) {
  if (!exported.getWorkgroupCount().empty() && !launch.workgroupCount)
    launch.workgroupCount = &exported.getWorkgroupCount();
  if (std::optional<ArrayAttr> sizes = exported.getWorkgroupSize())
    launch.workgroupSize = sizesOf(*sizes);
  if (std::optional<APInt> size = exported.getSubgroupSize())
    launch.subgroupSize = size->getSExtValue();
}

static void readConfig(iree::DispatchConfigOp config, DispatchLaunch &launch) {
  launch.workgroupCount = &config.getBody();
  if (std::optional<ArrayAttr> sizes = config.getWorkgroupSize())
    launch.workgroupSize = sizesOf(*sizes);
  if (std::optional<uint64_t> size = config.getSubgroupSize())
    launch.subgroupSize = *size;
}

DispatchLaunch DispatchLaunch::of(func::FuncOp function) {
  DispatchLaunch launch;
  Operation *root = function;
  while (root->getParentOp())
    root = root->getParentOp();
  root->walk([&](Operation *op) {
    if (auto config = dyn_cast<iree::DispatchConfigOp>(op)) {
      if (config.getFunction() == function.getName() &&
          config->getParentOp() == function->getParentOp())
        readConfig(config, launch);
    } else if (auto exported = dyn_cast<ExecutableExportOp>(op)) {
      if (exported.getSymName() == function.getName())
        readExport(exported, launch);
    }
  });
  auto info = function->getAttrOfType<iree::TranslationInfoAttr>(
      iree::TranslationInfoAttr::attributeName);
  if (info && !info.getWorkgroupSize().empty()) {
    launch.workgroupSize = llvm::to_vector(info.getWorkgroupSize());
    if (info.getSubgroupSize())
      launch.subgroupSize = info.getSubgroupSize();
  }
  if (auto known = function->getAttrOfType<DenseI32ArrayAttr>(
          gpu::GPUDialect::KnownBlockSizeAttrHelper::getNameStr()))
    launch.workgroupSize.assign(known.asArrayRef().begin(),
                                known.asArrayRef().end());
  if (launch.workgroupSize.empty())
    launch.workgroupSize = sizesOfIds(function);
  return launch;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns whether an op needs the lanes of its function: a vector's layout, or
/// a loop over workgroups whose tiles belong to lanes.
static bool needsLanes(Operation *op) {
  if (auto layout = dyn_cast<vector_ext::ToLayoutOp>(op))
    return isa<VectorType>(layout.getType());
  auto loop = dyn_cast<scf::ForallOp>(op);
  return loop && loop.getMapping() &&
         llvm::any_of(*loop.getMapping(),
                      llvm::IsaPred<iree::WorkgroupMappingAttr>);
}

/// Imports the configuration. Once IREE has tiled, only the lanes of a
/// workgroup are kept, since its tiling choices have no use in later stages.
/// Before that, they are followed.
static void importConfiguration(func::FuncOp function) {
  bool isTiled = function
                     .walk([](Operation *op) {
                       return needsLanes(op) ? WalkResult::interrupt()
                                             : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (!isTiled)
    return inheritConfiguration(function);
  StringRef infoName = iree::TranslationInfoAttr::attributeName;
  auto info = function->getAttrOfType<iree::TranslationInfoAttr>(infoName);
  function->removeAttr(infoName);
  if (info) {
    bool isOfCore = info.getWorkgroupSize().empty();
    static constexpr int64_t oneLane[] = {1, 1, 1};
    function->setAttr(
        infoName, iree::TranslationInfoAttr::get(
                      function.getContext(), /*pipeline=*/nullptr,
                      isOfCore ? ArrayRef(oneLane) : info.getWorkgroupSize(),
                      isOfCore ? 1 : info.getSubgroupSize(),
                      /*configuration=*/nullptr));
  }
  function.walk([](Operation *op) {
    op->removeAttr(iree::LoweringConfigAttr::attributeName);
  });
}

static void eraseDead(func::FuncOp function,
                      function_ref<bool(Operation *)> isMeant) {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isMeant(op) && isOpTriviallyDead(op))
      op->erase();
  });
}

/// Returns whether an op describes the place of a binding; ops that compute
/// extents are needed for the grid, even if the function does not use them.
static bool isOfBinding(Operation *op) {
  return op->getNumResults() == 1 &&
         isa<MemRefType, DispatchTensorType>(op->getResult(0).getType());
}

static bool isAny(Operation *) { return true; }

/// Returns whether a vector covers the tensor that it is written to.
static bool writesAll(vector::TransferWriteOp write) {
  auto type = dyn_cast<RankedTensorType>(write.getShapedType());
  return type && !write.getMask() && write.getPermutationMap().isIdentity() &&
         write.getVectorType().getShape() == type.getShape() &&
         llvm::all_of(write.getIndices(),
                      [](Value index) { return isConstantIntValue(index, 0); });
}

/// Removes overwritten writes: IREE writes a result before it is computed, and
/// writes it again; no op reads the first, and the memory of a new result is
/// undefined.
static void skipOverwritten(func::FuncOp function) {
  function.walk([](vector::TransferWriteOp write) {
    auto before = write.getBase().getDefiningOp<vector::TransferWriteOp>();
    if (before && writesAll(write) && writesAll(before))
      write.getBaseMutable().set(before.getBase());
  });
}

static LogicalResult importFunction(func::FuncOp function) {
  if (function.getNumArguments() != 0 || function.getNumResults() != 0)
    return function.emitOpError("reads what its launch passes by ops of IREE, "
                                "and has arguments or results, too");
  DispatchLaunch launch = DispatchLaunch::of(function);
  if (failed(importLaneLoops(function, launch)) ||
      failed(lowerTilePacks(function)))
    return failure();
  FailureOr<DispatchInterface> interface = DispatchInterface::get(function);
  if (failed(interface))
    return failure();
  importConfiguration(function);
  skipOverwritten(function);
  narrowReductions(function);
  raiseCopies(function);
  if (failed(accessesTensors(function) ? importTensors(function, *interface)
                                       : importBuffers(function, *interface)))
    return failure();
  eraseDead(function, isOfBinding);
  if (failed(importGrid(function, launch, *interface)))
    return failure();
  eraseDead(function, isAny);
  interface->addConstants();
  eraseDead(function, isAny);
  if (findLaneOp(function)) {
    lowerLaneOps(function);
    moveToLane(function, launch);
  }
  return success();
}

/// Loads the dialects of kernels, which a dump need not mention.
static void loadDialects(MLIRContext *context) {
  context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                       iree::IREECodegenDialect, gpu::GPUDialect,
                       memref::MemRefDialect, scf::SCFDialect,
                       tensor::TensorDialect>();
}

LogicalResult distaff::importDispatches(ModuleOp module) {
  SmallVector<func::FuncOp> functions = findDispatches(module);
  auto executables = llvm::to_vector(module.getOps<ExecutableOp>());
  for (ExecutableOp executable : executables)
    if (failed(checkVariants(executable)))
      return failure();
  if (!executables.empty() && functions.empty())
    return module.emitError("holds executables of IREE without the function of "
                            "a dispatch; dump it before code is made of it, as "
                            "by --compile-to=executable-sources");
  if (failed(lowerLinalgExt(module)) || failed(importInnerTiles(module)))
    return failure();
  if (functions.empty())
    return success();
  loadDialects(module.getContext());
  for (func::FuncOp function : functions)
    if (failed(importFunction(function)))
      return failure();
  return unwrap(module);
}

namespace {
struct ImportDispatchesPass final
    : distaff::impl::ImportDispatchesBase<ImportDispatchesPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ImportDispatchesBase::getDependentDialects(registry);
    registerDispatchBufferization(registry);
  }

  void runOnOperation() override {
    if (failed(importDispatches(getOperation())))
      signalPassFailure();
  }
};
} // namespace
