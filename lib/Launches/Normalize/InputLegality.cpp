//===- InputLegality.cpp - Input legality ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is linalg on tensors, or vectors on memrefs. A kernel that is
// neither is refused here, at the op that makes it so, before a later stage
// fails on it.
//
//===----------------------------------------------------------------------===//
#include "InputLegality.h"
#include "../PreparedLaunch.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Legality/ExternalFunctions.h"
#include "distaff/Analysis/Legality/NoCode.h"
#include "distaff/Analysis/Legality/ParameterTypes.h"
#include "distaff/Analysis/Legality/ScalableVectors.h"
#include "distaff/Analysis/Linalg/ArgReduction.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;

static bool mentionsTensor(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>) ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
}

/// Refuses ops that no target has code for, at their location in the source;
/// default bodies of ops such as linalg.matmul have no location.
static LogicalResult checkCode(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) -> WalkResult {
    std::optional<std::string> why = whyNoCode(op);
    if (!why)
      return WalkResult::advance();
    while (isa<UnknownLoc>(op->getLoc()) && !isa<func::FuncOp>(op))
      op = op->getParentOp();
    return op->emitOpError("has code on no target: ") << *why;
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkRank(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !isa<MemRefType>(type) && !shaped.hasRank())
    return op->emitOpError() << type << " has no rank; give it one";
  return success();
}

static bool isEmpty(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && llvm::is_contained(shaped.getShape(), 0);
}

/// Checks shapes. Phases split a reduction of any length, of a result that has
/// elements.
static LogicalResult checkShapes(func::FuncOp kernel, const Target &target,
                                 bool isTiledByPhases) {
  if (isTiledByPhases)
    for (Type type : kernel.getResultTypes())
      if (isEmpty(type))
        return kernel.emitOpError("returns ")
               << type << ", which has no elements, so there is nothing to "
               << "compute; do not launch it, or let an extent that is not "
                  "always 0 be dynamic";
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (failed(checkRank(op, type)))
        return WalkResult::interrupt();
    return WalkResult(checkFixedSizes(op, target));
  });
  return failure(result.wasInterrupted());
}

/// Returns whether a type is a buffer in workgroup memory with a row stride.
static bool isPlacedInside(MemRefType type) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) &&
         hasApartRows(type);
}

static LogicalResult checkBorder(func::FuncOp kernel) {
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes())) {
    if (failed(checkParameterType(kernel, type)))
      return failure();
    if (auto memref = dyn_cast<MemRefType>(type);
        memref && !memref.getLayout().isIdentity() && !isPlacedInside(memref))
      return kernel.emitOpError("has an argument of type ")
             << type
             << "; arguments are row-major with offset 0, rows apart "
                "only in workgroup memory";
  }
  if (llvm::any_of(kernel.getResultTypes(), llvm::IsaPred<MemRefType>))
    return kernel.emitOpError("returns a memref; write the result into an "
                              "argument instead");
  return success();
}

/// Checks indexing maps. The loops of the op index the elements of an operand's
/// tile as a vector; sums and multiples of loops have no such vector.
static LogicalResult checkMaps(linalg::LinalgOp op) {
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInDims=*/true))
      return op->emitOpError("has the indexing map ")
             << AffineMapAttr::get(map)
             << ", whose results are not different loops or 0; sums and "
                "multiples of loops, as in convolutions, are not supported "
                "yet";
  return success();
}

/// Checks that a reduced result has each of the parallel loops, and no other:
/// upstream's vectors are reduced along all reduction loops.
static LogicalResult checkReducedLoops(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [d, type] : llvm::enumerate(types)) {
      bool isParallel = type == utils::IteratorType::parallel;
      bool follows = map.isFunctionOfDim(d);
      if (follows == isParallel || map.isPermutation())
        continue;
      return op->emitOpError("has result ")
             << init.getOperandNumber() - op.getNumDpsInputs()
             << " with the indexing map " << AffineMapAttr::get(map)
             << (follows ? ", along loop d" : ", not along loop d") << d
             << ", which is " << utils::stringifyIteratorType(type)
             << "; a result is reduced along all loops called reduction and no "
                "other one: "
             << (isParallel ? "call the loop reduction, or give the result "
                              "its dimension"
                            : "compute the result by an op of its own");
    }
  }
  return success();
}

/// Checks that ops with reduced loops combine each element with the partial
/// result by one op, for which the order of elements does not matter.
static LogicalResult checkCombiners(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || matchProduct(op) ||
      matchArgReduction(op))
    return success();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (op.getMatchingIndexingMap(&init).isPermutation())
      continue;
    unsigned result = init.getOperandNumber() - op.getNumDpsInputs();
    SmallVector<Operation *> combiners;
    if (matchReduction(op.getRegionOutputArgs(), result, combiners) &&
        combiners.size() == 1 && linalg::getCombinerOpKind(combiners.front()))
      continue;
    BlockArgument soFar = op.getRegionOutputArgs()[result];
    Operation *last =
        op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
    bool isOneOp = soFar.hasOneUse() && *soFar.user_begin() == last;
    InFlightDiagnostic diagnostic =
        op->emitOpError("reduces its result ")
        << result << " by "
        << (isOneOp ? "an op that is no known combiner"
                    : "more or less than one op")
        << "; known are sum, product, minimum, maximum, and, or and xor of "
           "the result so far and a new value (write a difference as the sum "
           "of negated values, and math.fma as arith.mulf and arith.addf)";
    // For example, the value and the position of the largest.
    if (op.getNumDpsInits() > 1 &&
        llvm::any_of(*op.getBlock(), [](Operation &in) {
          return isa<arith::CmpFOp, arith::CmpIOp>(in);
        }))
      diagnostic << "; what a comparison picks, with its position, is two "
                    "arith.select by one comparison of the new value and the "
                    "result so far, or a minimum or maximum and one "
                    "arith.select, along one loop";
    if (isOneOp && !isa<UnknownLoc>(last->getLoc()))
      diagnostic.attachNote(last->getLoc()) << "combined here";
    return diagnostic;
  }
  return success();
}

/// Functions of the module have been inlined; others may be linked.
static LogicalResult checkCall(CallOpInterface call, const Target &target) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  auto direct = dyn_cast<func::CallOp>(*call);
  if (callee && callee.isExternal() && direct && isa<func::FuncOp>(callee))
    return checkExternalCall(direct, cast<func::FuncOp>(callee), target);
  return call->emitOpError("calls a function; inline it into the kernel");
}

static LogicalResult checkDim(tensor::DimOp dim) {
  std::optional<int64_t> number = dim.getConstantIndex();
  if (!number)
    return dim->emitOpError("asks for an extent by a computed number; the "
                            "dimensions of dynamic tensors are constants");
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  if (!type || *number < 0 || *number >= type.getRank())
    return dim->emitOpError("asks for extent ")
           << *number << " of " << dim.getSource().getType();
  return success();
}

/// Checks that an op of a tensor kernel can be tiled.
static LogicalResult checkTensorOp(Operation *op, const Target &target) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
      softmax &&
      !isa<FloatType>(softmax.getInputOperandType().getElementType()))
    return op->emitOpError("is of ")
           << softmax.getInputOperandType().getElementType()
           << ", which has no exponential; extend it to a float before";
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return checkDim(dim);
  // A scalar in memory is read where it is used.
  if (isa<linalg::SoftmaxOp, tensor::EmptyOp, func::ReturnOp, tensor::ExtractOp,
          tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp>(op))
    return success();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.hasPureTensorSemantics())
      return success(succeeded(checkMaps(linalgOp)) &&
                     succeeded(checkReducedLoops(linalgOp)) &&
                     succeeded(checkCombiners(linalgOp)));
    return op->emitOpError("works on memrefs; linalg kernels work on tensors, "
                           "results become out-arguments by themselves");
  }
  if (preparedLaunchOf(op))
    return success();
  if (auto call = dyn_cast<CallOpInterface>(op))
    return checkCall(call, target);
  if (!mentionsTensor(op))
    return op->getNumRegions() == 0
               ? success()
               : op->emitOpError("with a region cannot stand beside linalg ops "
                                 "on tensors; write the kernel on vectors");
  if (OpTrait::hasElementwiseMappableTraits(op))
    return success();
  // A splat is filled; other data are part of the code.
  DenseElementsAttr value;
  if (matchPattern(op->getResult(0), m_Constant(&value)))
    return success();
  return op->emitOpError(
      "is not supported on tensors; a tensor kernel is made of linalg ops, "
      "elementwise ops, tensor.empty, splat and generate, of what moves data: "
      "tensor.pad, concat, gather, scatter, extract, insert_slice, "
      "extract_slice, expand_shape and collapse_shape, linalg.pack and unpack, "
      "and of scf.for, scf.while, scf.if and scf.index_switch around "
      "these");
}

/// Returns whether `op` writes memory that all workgroups see.
static bool writesOutsideLoop(Operation *op) {
  return isa<vector::TransferWriteOp, vector::StoreOp, vector::MaskedStoreOp,
             vector::ScatterOp, memref::StoreOp>(op);
}

static LogicalResult checkVectorKernel(func::FuncOp kernel,
                                       const Target &target) {
  auto loops =
      llvm::to_vector(kernel.getBody().front().getOps<scf::ForallOp>());
  if (loops.size() > 1) {
    InFlightDiagnostic diagnostic = loops[1].emitOpError(
        "is a second loop over workgroups, and a kernel of vectors is one "
        "launch; put both bodies into one loop or make two kernels");
    diagnostic.attachNote(loops[0].getLoc()) << "the first one";
    return diagnostic;
  }
  auto check = [&](Operation *op) -> WalkResult {
    if (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()))
      return op->emitOpError(
          "works on memrefs; linalg kernels work on tensors, "
          "results become out-arguments by themselves");
    if (auto call = dyn_cast<CallOpInterface>(op))
      return checkCall(call, target);
    if (auto loop = dyn_cast<scf::ForallOp>(op);
        loop && loop->getParentOp() != kernel)
      return op->emitOpError("is a loop over workgroups inside another op; it "
                             "must stand at the top of the kernel");
    if (!loops.empty() && !loops[0]->isAncestor(op) && writesOutsideLoop(op)) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("writes outside the loop over workgroups, so every "
                          "workgroup would; move it into the loop");
      diagnostic.attachNote(loops[0].getLoc()) << "the loop over workgroups";
      return diagnostic;
    }
    return WalkResult::advance();
  };
  return failure(kernel.walk<WalkOrder::PreOrder>(check).wasInterrupted());
}

/// Checks that outside of an author's own loop over workgroups tensors are only
/// moved.
static LogicalResult checkOwnLoop(func::FuncOp kernel, scf::ForallOp loop) {
  WalkResult walked = kernel.walk([&](Operation *op) {
    if (op == kernel || !mentionsTensor(op) ||
        isa<tensor::EmptyOp, tensor::DimOp, tensor::ExtractSliceOp,
            tensor::InsertSliceOp, tensor::ParallelInsertSliceOp,
            tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
            scf::ForallOp, scf::ForOp, scf::IfOp, scf::WhileOp,
            VectorTransferOpInterface, vector::GatherOp,
            vector_ext::TransferGatherOp, vector_ext::TransferScatterOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitOpError(
        "computes with tensors beside a loop over workgroups, where only "
        "vectors may; leave the loop away, then tiles are chosen");
    diagnostic.attachNote(loop.getLoc()) << "the loop over workgroups";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Checks the ops of a kernel on tensors, and where tensors have layouts also
/// those in loops, which stay loops.
static LogicalResult checkTensorOps(Block &block, const Target &target,
                                    bool isTiledByPhases, bool keepsLoops) {
  for (Operation &op : block) {
    bool laysOut = isa<vector_ext::ToLayoutOp>(op);
    if (laysOut && isTiledByPhases)
      return op.emitOpError("lays out a tensor, which phases cut into tiles; "
                            "--pipeline=vector-distribute keeps it whole");
    if (keepsLoops && isa<scf::ForOp>(op)) {
      for (Region &region : op.getRegions())
        if (!region.empty() && failed(checkTensorOps(region.front(), target,
                                                     isTiledByPhases, true)))
          return failure();
      continue;
    }
    if (!laysOut && !isa<scf::YieldOp>(op) &&
        failed(checkTensorOp(&op, target)))
      return failure();
  }
  return success();
}

static LogicalResult checkTensorKernel(func::FuncOp kernel,
                                       const Target &target,
                                       bool isTiledByPhases) {
  if (llvm::any_of(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>))
    return kernel.emitOpError("mixes memref arguments with tensors; use either "
                              "linalg on tensors or vectors on memrefs");
  if (!isTiledByPhases)
    for (Operation &op : kernel.getBody().front())
      if (isa_and_nonnull<pcf::PCFDialect>(op.getDialect()))
        return op.emitOpError(
            "starts workers, which the pipeline vector-distribute "
            "does not; take --pipeline=run-cluster");
  for (Type type : kernel.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return kernel.emitOpError("returns ")
             << type
             << " beside computing tensors; return a tensor, or write the "
                "kernel on memrefs and put it there";
  if (scf::ForallOp loop = findWorkgroupLoop(kernel))
    return success(succeeded(checkOwnLoop(kernel, loop)) &&
                   succeeded(checkVectorKernel(kernel, target)));
  return checkTensorOps(kernel.getBody().front(), target, isTiledByPhases,
                        laysOutTensors(kernel));
}

LogicalResult distaff::checkForm(func::FuncOp kernel, const Target &target,
                                 bool isTiledByPhases) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("has several basic blocks; use scf.if, scf.for "
                              "and scf.while for control flow");
  if (failed(checkBorder(kernel)) || failed(checkCode(kernel)) ||
      failed(checkShapes(kernel, target, isTiledByPhases)))
    return failure();
  return mentionsTensors(kernel)
             ? checkTensorKernel(kernel, target, isTiledByPhases)
             : checkVectorKernel(kernel, target);
}
