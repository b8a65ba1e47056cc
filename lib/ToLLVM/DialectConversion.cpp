//===- DialectConversion.cpp - The dialect conversion to LLVM -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;

/// Upstream cannot lower a reshape into several dynamic extents, so no other
/// use of it may be left.
void distaff::resolveExpandedDims(func::FuncOp kernel) {
  SmallVector<memref::ExpandShapeOp> reshapes;
  kernel.walk([&](memref::ExpandShapeOp op) { reshapes.push_back(op); });
  for (memref::ExpandShapeOp op : llvm::reverse(reshapes)) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto dim = dyn_cast<memref::DimOp>(user);
          dim && dim.getConstantIndex()) {
        OpBuilder b(dim);
        OpFoldResult size = op.getMixedOutputShape()[*dim.getConstantIndex()];
        dim.replaceAllUsesWith(
            getValueOrCreateConstantIndexOp(b, dim.getLoc(), size));
        dim.erase();
      }
    if (op->use_empty())
      op.erase();
  }
}

void distaff::placeConstants(ModuleOp module, const Target &target) {
  Builder builder(module.getContext());
  for (auto global : module.getOps<memref::GlobalOp>()) {
    MemRefType type = global.getType();
    if (!type.getMemorySpace())
      global.setType(MemRefType::get(
          type.getShape(), type.getElementType(), type.getLayout(),
          gpu::AddressSpaceAttr::get(module.getContext(),
                                     gpu::AddressSpace::Global)));
    global.setAlignment(
        std::max<int64_t>(target.globalMemory.baseAlignmentBytes,
                          global.getAlignment().value_or(1)));
  }
}

static SmallVector<Operation *> findControlFlow(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect()) &&
        !op->hasTrait<::mlir::OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

/// Lowering an op splits its block, which moves all ops after it; from the last
/// op to the first, each op is moved once.
LogicalResult distaff::lowerControlFlow(ModuleOp module,
                                        RewriterBase::Listener *listener) {
  MLIRContext *context = module.getContext();
  RewritePatternSet set(context);
  populateSCFToControlFlowConversionPatterns(set);
  FrozenRewritePatternSet patterns = guarded(std::move(set));
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(context);
  rewriter.setListener(listener);
  // Some become others first.
  for (SmallVector<Operation *> ops = findControlFlow(module); !ops.empty();
       ops = findControlFlow(module))
    for (Operation *op : llvm::reverse(ops)) {
      rewriter.setInsertionPoint(op);
      if (failed(applicator.matchAndRewrite(op, rewriter)))
        return op->emitOpError("has no form as blocks and branches");
    }
  return success();
}

/// LLVM's NVPTX printer writes an i24 of a table as 3 bytes where loads step by
/// 4: an element gets the width that it takes in memory, low bytes first, so
/// loads of 24 bits find theirs.
static void fillCellsOfTables(ModuleOp module) {
  for (auto table : module.getOps<LLVM::GlobalOp>()) {
    auto values =
        dyn_cast_if_present<DenseIntElementsAttr>(table.getValueOrNull());
    auto element = dyn_cast_if_present<IntegerType>(
        values ? values.getElementType() : Type());
    if (!element) // index is as wide as its cell
      continue;
    unsigned bytes = llvm::divideCeil(element.getWidth(), 8);
    unsigned cell = 8 * llvm::PowerOf2Ceil(bytes);
    if (cell == 8 * bytes)
      continue;
    auto wide = IntegerType::get(module.getContext(), cell);
    table.setValueAttr(values.mapValues(
        wide, [&](const APInt &value) { return value.zext(cell); }));
    SmallVector<unsigned> extents;
    Type inner = table.getGlobalType();
    for (; auto array = dyn_cast<LLVM::LLVMArrayType>(inner);
         inner = array.getElementType())
      extents.push_back(array.getNumElements());
    Type type = wide;
    for (unsigned extent : llvm::reverse(extents))
      type = LLVM::LLVMArrayType::get(type, extent);
    table.setGlobalType(type);
  }
}

LogicalResult distaff::convertDialects(ModuleOp module, const Target &machine,
                                       const DialectConversion &vendor) {
  if (failed(lowerControlFlow(module)))
    return failure();

  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  // After applyKernelABI every memref argument has a static shape.
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(64);
  // Of a CPU; on GPUs all memory is placed by now.
  options.allocLowering = LowerToLLVMOptions::AllocLowering::AlignedAlloc;
  LLVMTypeConverter converter(context, options);
  populateGpuMemorySpaceAttributeConversions(converter, vendor.addressSpace);

  RewritePatternSet patterns(context);
  populateMemoryAccessPatterns(converter, patterns);
  populateAtomicSwapPatterns(converter, machine, patterns);
  // Not upstream's maximum, for which the order of zeros is that of operands.
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  // Above the vendor's patterns, which would call a device library.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/10);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  // Views of dynamic extents are addressed by products of these.
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  vendor.populatePatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
  target.addLegalOp<ModuleOp>();
  // What is left is refused in our words.
  if (failed(applyPartialConversion(module, target, std::move(patterns))) ||
      failed(checkConverted(module, target, machine)))
    return failure();
  fillCellsOfTables(module);
  return success();
}
