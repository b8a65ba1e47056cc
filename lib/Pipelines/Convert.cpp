//===- Convert.cpp - Lowered kernels to the LLVM dialect ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend's conversion makes a module of LLVM functions, without their
// launch. Emission takes that module; the stage puts it into a gpu.module,
// beside the grid functions, with the attributes of what the kernels' authors
// pass.
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Convert.h"
#include "EmitSteps.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/Containment.h"
#include "distaff/Target/Target.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Input of emission
//===----------------------------------------------------------------------===//

static bool areConverted(ModuleOp module) {
  return llvm::all_of(findKernels(module), isConvertedKernel);
}

/// Reduces a converted module to the ops that LLVM takes.
static void unwrap(ModuleOp module) {
  for (auto lanes :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
    for (Operation &op : llvm::make_early_inc_range(*lanes.getBody())) {
      if (isConvertedKernel(&op))
        eraseConvertedMarks(cast<FunctionOpInterface>(op));
      op.moveBefore(lanes);
    }
    lanes.erase();
  }
  // The caller computes the grid.
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    function.erase();
}

static LogicalResult convert(ModuleOp module, const Target &target,
                             const Backend &backend) {
  PassManager passes(module.getContext());
  backend.addConversion(passes, target);
  return passes.run(module);
}

FailureOr<OwningOpRef<ModuleOp>> distaff::convertCopy(ModuleOp module,
                                                      const Target &target,
                                                      const Backend &backend) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (areConverted(*copy)) {
    unwrap(*copy);
    return copy;
  }
  LogicalResult converted = failure();
  if (std::optional<std::string> why =
          runContained([&] { converted = convert(*copy, target, backend); })) {
    (void)copy.release();
    return emitError(module.getLoc(), "MLIR does not convert this for ")
           << target.name << ": " << *why;
  }
  if (failed(converted))
    return failure();
  return copy;
}

int64_t distaff::launchedWorkgroupMemory(FunctionOpInterface kernel,
                                         const Target &target) {
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>(kWorkgroupBytesAttrName))
    return bytes.getInt();
  return dynamicWorkgroupMemory(kernel, target);
}

//===----------------------------------------------------------------------===//
// The stage
//===----------------------------------------------------------------------===//

/// Copies the launch of a source kernel to a converted kernel.
static LogicalResult mark(FunctionOpInterface source, Operation *converted,
                          const Target &target) {
  FailureOr<KernelSignature> signature = KernelSignature::get(source);
  if (failed(signature))
    return failure();
  Builder builder(source.getContext());
  markConvertedKernel(cast<FunctionOpInterface>(converted), *signature);
  if (auto lane = dyn_cast<gpu::GPUFuncOp>(*source))
    if (auto grid = lane.getKnownGridSize())
      converted->setAttr(kGridSizeAttrName,
                         builder.getDenseI32ArrayAttr(*grid));
  if (int64_t bytes = dynamicWorkgroupMemory(source, target))
    converted->setAttr(kWorkgroupBytesAttrName, builder.getIndexAttr(bytes));
  return success();
}

/// Replaces the lanes' code by the converted functions, in a gpu.module of the
/// same name.
static void wrap(ModuleOp module, ModuleOp converted) {
  std::string name = "kernels";
  for (auto lanes :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
    name = lanes.getName().str();
    lanes.erase();
  }
  // The converted module has its own copies of constant arrays.
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (!isa<func::FuncOp>(op))
      op.erase();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto lanes = gpu::GPUModuleOp::create(builder, module.getLoc(), name);
  for (Operation &op : llvm::make_early_inc_range(*converted.getBody()))
    op.moveBefore(lanes.getBody(), lanes.getBody()->end());
}

static LogicalResult convertStageOf(ModuleOp module, const Target &target) {
  const Backend *backend = lookupBackend(target);
  if (!backend)
    return emitError(module.getLoc(), "no backend converts kernels for ")
           << target.name;
  FailureOr<OwningOpRef<ModuleOp>> converted =
      convertCopy(module, target, *backend);
  if (failed(converted))
    return failure();
  for (FunctionOpInterface kernel : findKernels(module)) {
    std::string symbol = emittedSymbol(kernel.getName());
    auto code = (*converted)->lookupSymbol<LLVM::LLVMFuncOp>(symbol);
    if (!code)
      return kernel.emitOpError("is not in the module that the conversion to "
                                "LLVM made");
    if (failed(mark(kernel, code, target)))
      return failure();
    if (func::FuncOp grid = findGridFunction(kernel))
      grid.setName(gridFunctionName(symbol));
  }
  wrap(module, **converted);
  return success();
}

/// Refuses arguments in workgroup memory: the machine fills such memory, a
/// launch does not.
static std::optional<std::string> whyNotConverted(FunctionOpInterface kernel) {
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (auto memref = dyn_cast<MemRefType>(type);
        memref && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref))
      return "argument " + std::to_string(number) +
             " lies in workgroup memory, which no launch can fill";
  return std::nullopt;
}

namespace {
struct ConvertPass final : PassWrapper<ConvertPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertPass)

  explicit ConvertPass(const Target &target) : target(&target) {}

  StringRef getName() const final { return "ConvertPass"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, index::IndexDialect,
                    LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                    NVVM::NVVMDialect, ROCDL::ROCDLDialect, scf::SCFDialect,
                    ub::UBDialect, vector::VectorDialect>();
  }

  void runOnOperation() final {
    if (failed(convertStageOf(getOperation(), *target)))
      signalPassFailure();
  }

private:
  const Target *target;
};
} // namespace

static LogicalResult verifyConverted(ModuleOp module) {
  for (FunctionOpInterface kernel : findKernels(module)) {
    if (!isConvertedKernel(kernel))
      return kernel.emitOpError("is not converted: after convert kernels are "
                                "llvm.func ops that a GPU starts");
    WalkResult walk = kernel->walk([](Operation *op) -> WalkResult {
      if (isa<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect>(
              op->getDialect()))
        return WalkResult::advance();
      return op->emitOpError("is left after convert");
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

const Stage distaff::convertStage = {
    .name = "convert",
    .contract = "every kernel is an llvm.func in a gpu.module, with ops of the "
                "dialects llvm, nvvm and rocdl; it takes what a launch passes, "
                "and says what that is",
    .before = Level::Lane,
    .after = Level::Lane,
    .add =
        [](OpPassManager &pipeline, const PipelineOptions &options) {
          pipeline.addPass(std::make_unique<ConvertPass>(*options.target));
        },
    .verify = verifyConverted,
    .isBehind =
        [](FunctionOpInterface kernel) { return isConvertedKernel(kernel); },
    .isOnRequest = true,
    .whyNot = whyNotConverted};
