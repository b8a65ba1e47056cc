//===- StageContracts.cpp - Stage contracts as verifiers ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StageContracts.h"
#include "ContractChecks.h"
#include "distaff/Analysis/Access/PackedMemory.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/IREE/InheritedConfig.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
LogicalResult
forEachKernel(ModuleOp module,
              llvm::function_ref<LogicalResult(FunctionOpInterface)> check) {
  bool ok = true;
  for (FunctionOpInterface kernel : findKernels(module))
    ok &= succeeded(check(kernel));
  return success(ok);
}

LogicalResult forbid(FunctionOpInterface kernel, const Twine &message,
                     llvm::function_ref<bool(Operation *)> isForbidden) {
  bool ok = true;
  kernel->walk([&](Operation *op) {
    if (op == kernel.getOperation() || !isForbidden(op))
      return;
    op->emitOpError(message);
    ok = false;
  });
  return success(ok);
}

bool contains(FunctionOpInterface kernel,
              llvm::function_ref<bool(Operation *)> isWanted) {
  return kernel
      ->walk([&](Operation *op) {
        return isWanted(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isLinalg(Operation *op) {
  return isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
         !isa<linalg::YieldOp, linalg::IndexOp>(op);
}

static bool isWorkgroupLoop(scf::ForallOp loop) {
  std::optional<ArrayAttr> mapping = loop.getMapping();
  return mapping &&
         llvm::all_of(*mapping, llvm::IsaPred<gpu::GPUBlockMappingAttr>);
}

/// Returns whether an op may compute or view tensors in a kernel that is one
/// launch.
static bool isOfLaunch(Operation *op) {
  return isLinalg(op) || op->hasTrait<mlir::OpTrait::ConstantLike>() ||
         isa<tensor::EmptyOp, tensor::ExtractSliceOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::CastOp, tensor::PadOp,
             bufferization::ToTensorOp>(op);
}

static LogicalResult verifyBorder(FunctionOpInterface kernel, StringRef stage) {
  if (llvm::any_of(kernel.getArgumentTypes(), llvm::IsaPred<VectorType>) ||
      llvm::any_of(kernel.getResultTypes(),
                   [](Type type) { return !isa<TensorType>(type); }))
    return kernel.emitOpError(
               "has a vector argument or a result that is no tensor after ")
           << stage;
  return success();
}

LogicalResult verifyLaunchesFormed(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    for (StringRef name :
         {iree::inheritedConfigName, iree::LoweringConfigAttr::launchesName})
      if (kernel->hasAttr(name))
        return kernel.emitOpError("has `")
               << name << "` after form-launches, which reads it";
    if (failed(verifyBorder(kernel, "form-launches")))
      return failure();
    auto source = dyn_cast<func::FuncOp>(*kernel);
    if (!source || !mentionsTensors(source) || comesTiled(source) ||
        startsWorkers(kernel))
      return success();
    bool ok = true;
    for (Operation &op : source.getBody().front())
      if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>) &&
          !isOfLaunch(&op)) {
        op.emitOpError("computes a tensor in a launch after form-launches");
        ok = false;
      }
    return success(ok);
  });
}

LogicalResult verifyConfigured(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    LaunchSizes sizes = launchSizesOf(kernel);
    if (!sizes.workgroup || !sizes.subgroup)
      return kernel.emitOpError(
          "has no translation_info with workgroup_size and subgroup_size "
          "after configure");
    return verifyBorder(kernel, "configure");
  });
}

/// Checks that the grid function returns the extents of the kernel's loop.
static LogicalResult verifyGridOfLoop(FunctionOpInterface kernel) {
  scf::ForallOp loop = findWorkgroupLoop(kernel);
  std::array<int64_t, 3> one = {1, 1, 1};
  auto looped = loop ? countWorkgroups(loop) : one;
  auto returned = fixedGridOf(kernel);
  if (!looped || !returned || *looped == *returned)
    return success();
  InFlightDiagnostic error = kernel.emitOpError("has a loop over ")
                             << ArrayRef(*looped)
                             << " workgroups, and a grid function that returns "
                             << ArrayRef(*returned);
  error.attachNote(findGridFunction(kernel).getLoc()) << "the grid function";
  return error;
}

LogicalResult verifyTiled(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    if (!findGridFunction(kernel))
      return kernel.emitOpError("has no grid function after tile");
    int64_t loops = 0;
    kernel->walk([&](scf::ForallOp loop) { loops += isWorkgroupLoop(loop); });
    if (loops > 1)
      return kernel.emitOpError("has ")
             << loops << " workgroup-mapped loops after tile, one is allowed";
    if (failed(verifyGridOfLoop(kernel)))
      return failure();
    // A single workgroup has no loop.
    return forbid(kernel, "is outside the workgroup-mapped loop after tile",
                  [&](Operation *op) {
                    return loops && isLinalg(op) &&
                           !op->getParentOfType<scf::ForallOp>();
                  });
  });
}

LogicalResult verifyVectorized(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    if (failed(verifyGridOfLoop(kernel)))
      return failure();
    return forbid(kernel, "is left after vectorize", isLinalg);
  });
}

/// Returns whether the layout of an op's copy is still to be assigned.
static bool isPromoted(Operation *op) {
  auto toLayout = dyn_cast<vector_ext::ToLayoutOp>(op);
  auto promotion =
      toLayout ? dyn_cast_if_present<vector_ext::PromotionAttrInterface>(
                     toLayout.getSharedMemoryConversionAttr())
               : vector_ext::PromotionAttrInterface();
  return promotion && !promotion.isAsynchronous();
}

LogicalResult verifyLayoutsAssigned(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    if (failed(verifyGridOfLoop(kernel)) ||
        failed(forbid(kernel, "mentions a tensor after assign-layouts",
                      mentions<TensorType>)) ||
        failed(forbid(
            kernel, "has a lowering_config after assign-layouts",
            [](Operation *op) { return op->hasAttr("lowering_config"); })) ||
        failed(forbid(kernel, "has a promotion attribute after assign-layouts",
                      isPromoted)))
      return failure();
    return LogicalResult(propagateLayouts(kernel));
  });
}

LogicalResult verifyDistributed(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) {
    return forbid(kernel, "is left after distribute", [](Operation *op) {
      return isa<vector_ext::ToLayoutOp, vector_ext::ToSimdOp,
                 vector_ext::ToSimtOp>(op);
    });
  });
}

/// Returns whether a vector of registers may occur at an op after lower. A
/// from_elements of one scalar folds to its broadcast, of none to poison. A
/// value that is loaded under a condition leaves its branches as it was loaded.
/// The induction variable of a loop indexes registers (VX-290).
static bool handlesVectors(Operation *op) {
  bool isBranch = isa<scf::IfOp>(op) ||
                  (isa<scf::YieldOp>(op) && isa<scf::IfOp>(op->getParentOp()));
  auto read = dyn_cast<vector::ExtractOp>(op);
  bool isNumbered = read && read.hasDynamicPosition() &&
                    read.getSourceVectorType().getRank() == 1;
  return isBranch || isNumbered ||
         isa<vector::LoadOp, vector::StoreOp, vector::FromElementsOp,
             vector::BroadcastOp, vector::ToElementsOp, vector::BitCastOp,
             nvgpu::LdMatrixOp, core::StMatrixOp, amdgpu::TransposeLoadOp,
             core::GlobalTransposeLoadOp, core::TargetOpOp, iree::InnerTiledOp,
             arith::ConstantOp, ub::PoisonOp>(op);
}

LogicalResult verifyLowered(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    if (failed(forbid(kernel, "is left after lower",
                      [](Operation *op) {
                        // A uniform reduction is one instruction.
                        auto reduction = dyn_cast<gpu::SubgroupReduceOp>(op);
                        return isa_and_present<affine::AffineDialect>(
                                   op->getDialect()) ||
                               isa<scf::ForallOp>(op) ||
                               (reduction && !reduction.getUniform());
                      })) ||
        failed(checkPackedStores(kernel)))
      return failure();
    return forbid(kernel, "still computes with a vector after lower",
                  [](Operation *op) {
                    return mentions<VectorType>(op) && !handlesVectors(op);
                  });
  });
}

static bool isLayout(Operation *op) {
  return isa<vector_ext::ToLayoutOp, vector_ext::ToSimdOp,
             vector_ext::ToSimtOp>(op);
}

LogicalResult verifyBufferized(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    if (failed(verifyGridOfLoop(kernel)) ||
        failed(forbid(kernel, "mentions a tensor after bufferize",
                      mentions<TensorType>)))
      return failure();
    return forbid(kernel, "is left after bufferize", isLayout);
  });
}

bool isBufferized(FunctionOpInterface kernel) {
  return isVectorized(kernel) && !mentionsTensors(kernel) &&
         !contains(kernel, isLayout);
}

LogicalResult verifyHostLowered(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    if (failed(verifyGridOfLoop(kernel)) || failed(checkPackedStores(kernel)))
      return failure();
    return forbid(
        kernel, "has a vector of several dims after lower", [](Operation *op) {
          return llvm::any_of(llvm::concat<const Type>(op->getOperandTypes(),
                                                       op->getResultTypes()),
                              [](Type type) {
                                auto vector = dyn_cast<VectorType>(type);
                                return vector && vector.getRank() != 1;
                              });
        });
  });
}

} // namespace distaff
