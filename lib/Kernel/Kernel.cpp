//===- Kernel.cpp - Signature and launch of kernels -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/Kernel.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace distaff {

//===----------------------------------------------------------------------===//
// Kernels and their grid functions
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral gridSuffix = "__grid";

static bool isHostFunction(func::FuncOp function) {
  return function->hasAttr(hostAttributeName);
}

bool isGridFunction(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  return function && isHostFunction(function) &&
         function.getName().ends_with(gridSuffix);
}

bool isFunctionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

bool isKernel(Operation *op) {
  if (auto function = dyn_cast<gpu::GPUFuncOp>(op))
    return function.isKernel() && !function.isExternal();
  if (isConvertedKernel(op))
    return true;
  auto function = dyn_cast<func::FuncOp>(op);
  return function && !function.isExternal() && !isHostFunction(function);
}

SmallVector<FunctionOpInterface> findKernels(ModuleOp module) {
  SmallVector<FunctionOpInterface> kernels;
  auto add = [&](Operation &op) {
    if (isKernel(&op))
      kernels.push_back(cast<FunctionOpInterface>(op));
  };
  for (Operation &op : *module.getBody()) {
    add(op);
    if (auto lanes = dyn_cast<gpu::GPUModuleOp>(op))
      llvm::for_each(*lanes.getBody(), add);
  }
  return kernels;
}

FunctionOpInterface findKernel(ModuleOp module, StringRef name) {
  SmallVector<FunctionOpInterface> kernels = findKernels(module);
  if (name.empty() && kernels.size() == 1)
    return kernels.front();
  SmallVector<FunctionOpInterface> named(
      llvm::make_filter_range(kernels, [&](FunctionOpInterface kernel) {
        return kernel.getName() == name;
      }));
  if (named.size() == 1)
    return named.front();
  if (named.size() > 1) {
    InFlightDiagnostic diagnostic =
        named[1]->emitOpError("has a name that another kernel has, and a "
                              "launch goes by names; rename one");
    diagnostic.attachNote(named[0].getLoc()) << "the other one";
    return nullptr;
  }

  if (kernels.empty()) {
    module.emitError("has no kernel: a kernel is a func.func with a body, or "
                     "for one lane a gpu.func kernel in a gpu.module");
    return nullptr;
  }
  InFlightDiagnostic diagnostic =
      name.empty() ? module.emitError("has several kernels, name one with "
                                      "--func:")
                   : module.emitError("has no kernel @") << name << ", it has";
  for (FunctionOpInterface kernel : kernels)
    diagnostic << " @" << kernel.getName();
  return nullptr;
}

std::string gridFunctionName(StringRef kernel) {
  return (kernel + gridSuffix).str();
}

func::FuncOp findGridFunction(FunctionOpInterface kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto grid = module ? module.lookupSymbol<func::FuncOp>(
                           gridFunctionName(kernel.getName()))
                     : nullptr;
  return grid && isGridFunction(grid) ? grid : nullptr;
}

LogicalResult verifyGridName(FunctionOpInterface kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  Operation *other = module.lookupSymbol(gridFunctionName(kernel.getName()));
  if (!other || isGridFunction(other))
    return success();
  InFlightDiagnostic error =
      other->emitOpError("has the name of the grid function of @")
      << kernel.getName() << " and is no function with the attribute '"
      << hostAttributeName << "'; add it or rename this one";
  error.attachNote(kernel.getLoc()) << "the kernel";
  return error;
}

//===----------------------------------------------------------------------===//
// Levels of a body
//===----------------------------------------------------------------------===//

StringRef stringOf(Level level) {
  switch (level) {
  case Level::Grid:
    return "grid";
  case Level::Workgroup:
    return "workgroup";
  case Level::Lane:
    return "lane";
  }
  llvm_unreachable("unknown level");
}

bool mentionsTensors(FunctionOpInterface function) {
  auto anyTensor = [](auto &&types) {
    return llvm::any_of(types, llvm::IsaPred<TensorType>);
  };
  return anyTensor(function.getArgumentTypes()) ||
         anyTensor(function.getResultTypes()) ||
         function
             ->walk([&](Operation *op) {
               return anyTensor(op->getResultTypes()) ||
                              anyTensor(op->getOperandTypes())
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

bool startsWorkers(FunctionOpInterface function) {
  return function
      ->walk([](pcf::RefOwnerOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

scf::ForallOp findWorkgroupLoop(FunctionOpInterface function) {
  scf::ForallOp found;
  function->walk([&](scf::ForallOp loop) {
    std::optional<ArrayAttr> mapping = loop.getMapping();
    if (!mapping || mapping->empty() ||
        !llvm::all_of(*mapping, llvm::IsaPred<gpu::GPUBlockMappingAttr>))
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

Level levelOf(FunctionOpInterface function) {
  if (isa<gpu::GPUFuncOp>(function) || isConvertedKernel(function))
    return Level::Lane;
  return mentionsTensors(function) || findWorkgroupLoop(function)
             ? Level::Grid
             : Level::Workgroup;
}

/// Returns whether all ops of the op's dialect are instructions of one lane or
/// one subgroup.
static bool isOfVendor(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return llvm::is_contained({"nvgpu", "nvvm", "amdgpu", "rocdl"}, dialect);
}

static bool isLaneOp(Operation *op) {
  if (auto tiled = dyn_cast<iree::InnerTiledOp>(op))
    return isa<VectorType>(tiled.getResult().getType());
  auto isFragment = llvm::IsaPred<gpu::MMAMatrixType>;
  return isa<gpu::ThreadIdOp, gpu::GlobalIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp,
             gpu::ShuffleOp, gpu::RotateOp, gpu::SubgroupBroadcastOp,
             gpu::SubgroupReduceOp, gpu::AllReduceOp, gpu::BarrierOp,
             gpu::WarpExecuteOnLane0Op, iree::GlobalSubgroupBarrierOp,
             iree::LaneBarrierOp, iree::FenceOp>(op) ||
         llvm::any_of(op->getResultTypes(), isFragment) ||
         llvm::any_of(op->getOperandTypes(), isFragment) || isOfVendor(op);
}

/// Returns whether the op's body is the program of a subgroup or of a lane.
static bool opensScopeInWorkgroup(Operation *op) {
  auto owner = dyn_cast<pcf::RefOwnerOpInterface>(op);
  return owner &&
         isa<iree::SubgroupScopeAttr, iree::LaneScopeAttr>(owner.getScope());
}

Operation *findLaneOp(FunctionOpInterface function) {
  Operation *found = nullptr;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (opensScopeInWorkgroup(op))
      return WalkResult::skip();
    if (!isLaneOp(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static LogicalResult verifyBlock(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> known = kernel.getKnownBlockSize();
  if (!known)
    return kernel.emitOpError("has no known_block_size, the lanes of its "
                              "workgroups along x, y and z");
  if (llvm::any_of(*known, [](int32_t size) { return size < 1; }))
    return kernel.emitOpError("has a known_block_size of ")
           << *known << ", needed positive numbers";
  if (!checkedElements(*known, mostIds))
    return kernel.emitOpError("has a known_block_size of ")
           << *known << ", which is more than " << mostIds << " lanes";
  return success();
}

/// Verifies that a grid function and a known grid size do not contradict.
static LogicalResult verifyGrid(FunctionOpInterface lane,
                                std::optional<ArrayRef<int32_t>> known) {
  std::string gridName = gridFunctionName(lane.getName());
  if (Operation *grid =
          SymbolTable::lookupSymbolIn(lane->getParentOp(), gridName))
    return grid->emitOpError("is a grid function inside a gpu.module, where "
                             "no launch looks for it; move it out");
  if (failed(verifyGridName(lane)))
    return failure();
  if (!known)
    return success();
  if (!checkedElements(*known))
    return lane.emitOpError("has a known_grid_size of ")
           << *known << ", which is no number of workgroups";
  std::optional<std::array<int64_t, 3>> computed = fixedGridOf(lane);
  func::FuncOp grid = findGridFunction(lane);
  if (!grid || (computed && llvm::equal(*computed, *known)))
    return success();
  InFlightDiagnostic error =
      lane.emitOpError("has a known_grid_size of ")
      << *known << ", and a grid function that may return something else";
  error.attachNote(grid.getLoc()) << "the grid function";
  return error;
}

static LogicalResult verifyLane(gpu::GPUFuncOp kernel) {
  if (failed(verifyBlock(kernel)) ||
      failed(verifyGrid(kernel, kernel.getKnownGridSize())))
    return failure();
  if (kernel.getKnownClusterSizeAttr())
    return kernel.emitOpError("has a known_cluster_size; launches of clusters "
                              "of workgroups are not emitted yet");
  if (mentionsTensors(kernel))
    return kernel.emitOpError("is the program of one lane and has tensors; "
                              "take memrefs");
  auto info = kernel->getAttrOfType<iree::TranslationInfoAttr>(
      iree::TranslationInfoAttr::attributeName);
  if (info && !info.getWorkgroupSize().empty())
    return kernel.emitOpError("has a workgroup_size in its translation_info; "
                              "one lane's program has it as known_block_size");
  if (kernel.getNumWorkgroupAttributions() ||
      kernel.getNumPrivateAttributions())
    return kernel.emitOpError("declares buffers in its signature; allocate "
                              "them in its body, by memref.alloc");
  if (scf::ForallOp loop = findWorkgroupLoop(kernel))
    return loop.emitOpError("is a loop over workgroups in the program of one "
                            "lane; use gpu.block_id and known_grid_size");
  return success();
}

LogicalResult verifyLevel(FunctionOpInterface kernel, Level level) {
  Level found = levelOf(kernel);
  if (found != Level::Lane)
    if (Operation *op = findLaneOp(kernel))
      return op->emitOpError(kLaneOpOutsideLane);
  bool fits =
      found == level || (found == Level::Workgroup && level == Level::Grid);
  if (!fits)
    return kernel.emitOpError("is the program of one ")
           << stringOf(found) << ", needed that of one " << stringOf(level);
  if (found != Level::Lane)
    return success();
  if (auto lane = dyn_cast<gpu::GPUFuncOp>(*kernel))
    return verifyLane(lane);
  std::optional<ArrayRef<int32_t>> known;
  if (DenseI32ArrayAttr sizes = convertedGridSize(kernel))
    known = sizes.asArrayRef();
  if (failed(verifyConvertedKernel(kernel)))
    return failure();
  return verifyGrid(kernel, known);
}

} // namespace distaff
