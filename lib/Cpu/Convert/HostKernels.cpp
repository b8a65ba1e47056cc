//===- HostKernels.cpp - Kernels as CPU functions -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over workgroups becomes one over a range of them, which one thread
// runs:
//
//   func @k(%a: memref<64xf32>, %s: f32) { scf.forall (%x) in (8) {...} }
//   =>  void k(ptr a, float s, i64 begin, i64 end)
//       void k__task(ptr frame, i64 begin, i64 end)   // k(frame[0], ...)
//
//===----------------------------------------------------------------------===//
#include "CpuInstructions.h"
#include "ExternalCalls.h"
#include "HostConversion.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/PackedMemory.h"
#include "distaff/CheckedSize.h"
#include "distaff/Cpu/MatrixUnit.h"
#include "distaff/Cpu/Passes.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/HostTask.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/Transforms.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

namespace distaff {
#define GEN_PASS_DEF_CONVERTTOHOST
#include "distaff/Cpu/Passes.h.inc"
} // namespace distaff

using namespace distaff;

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

/// Runs a kernel without a loop, a single workgroup, unless the range is empty.
static void runIfAny(func::FuncOp kernel, Value begin, Value end) {
  Block &body = kernel.front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Location loc = kernel.getLoc();
  Value some =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, begin, end);
  auto branch = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  Block *inside = branch.thenBlock();
  inside->getOperations().splice(inside->begin(), body.getOperations(),
                                 std::next(Block::iterator(branch)),
                                 Block::iterator(body.getTerminator()));
}

/// Returns the dims of the loop over workgroups, the fastest varying first.
static SmallVector<unsigned> dimsFromX(scf::ForallOp grid) {
  SmallVector<std::pair<int64_t, unsigned>> dims;
  for (auto [i, attribute] : llvm::enumerate(*grid.getMapping()))
    dims.push_back(
        {cast<gpu::GPUBlockMappingAttr>(attribute).getMappingId(), i});
  llvm::sort(dims);
  return llvm::map_to_vector(dims, [](auto dim) { return dim.second; });
}

/// Replaces the loop over workgroups by one from `begin` to `end`.
static void takeRange(func::FuncOp kernel, Value begin, Value end) {
  scf::ForallOp grid = findWorkgroupLoop(kernel);
  if (!grid)
    return runIfAny(kernel, begin, end);
  OpBuilder b(grid);
  Location loc = grid.getLoc();
  auto value = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(b, loc, bound);
  };
  SmallVector<Value> lower, steps, counts;
  for (auto [from, to, step] :
       llvm::zip_equal(grid.getMixedLowerBound(), grid.getMixedUpperBound(),
                       grid.getMixedStep())) {
    lower.push_back(value(from));
    steps.push_back(value(step));
    Value span = b.createOrFold<arith::SubIOp>(loc, value(to), lower.back());
    counts.push_back(
        b.createOrFold<arith::CeilDivSIOp>(loc, span, steps.back()));
  }
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto range = scf::ForOp::create(b, loc, begin, end, one);
  b.setInsertionPointToStart(range.getBody());
  Value number = range.getInductionVar();
  SmallVector<unsigned> dims = dimsFromX(grid);
  for (unsigned dim : dims) {
    Value id = number;
    if (dim != dims.back()) {
      id = arith::RemUIOp::create(b, loc, number, counts[dim]);
      number = arith::DivUIOp::create(b, loc, number, counts[dim]);
    }
    id = b.createOrFold<arith::MulIOp>(loc, id, steps[dim]);
    id = b.createOrFold<arith::AddIOp>(loc, id, lower[dim]);
    grid.getInductionVars()[dim].replaceAllUsesWith(id);
  }
  range.getBody()->getOperations().splice(
      Block::iterator(range.getBody()->getTerminator()),
      grid.getBody()->getOperations(), grid.getBody()->begin(),
      std::prev(grid.getBody()->end()));
  grid.erase();
}

/// Returns the number of elements that a copy moves at a time: those of a byte
/// if elements share bytes in the target memory and rows are whole bytes.
static int64_t elementsPerStep(memref::CopyOp copy) {
  auto type = cast<MemRefType>(copy.getTarget().getType());
  if (!isPackedMemory(copy.getTarget()) || type.getRank() == 0 ||
      type.isDynamicDim(type.getRank() - 1))
    return 1;
  int64_t perByte = 8 / type.getElementTypeBitWidth();
  return type.getShape().back() % perByte == 0 ? perByte : 1;
}

static void copyElements(OpBuilder &b, memref::CopyOp copy, ValueRange at,
                         int64_t count) {
  Location loc = copy.getLoc();
  SmallVector<Value> elements, place(at);
  for (int64_t i = 0; i < count; ++i) {
    if (i != 0)
      place.back() = arith::AddIOp::create(
          b, loc, at.back(), arith::ConstantIndexOp::create(b, loc, i));
    elements.push_back(memref::LoadOp::create(b, loc, copy.getSource(), place));
  }
  if (count == 1) {
    memref::StoreOp::create(b, loc, elements.front(), copy.getTarget(), at);
    return;
  }
  auto type = VectorType::get({count}, elements.front().getType());
  Value row = vector::FromElementsOp::create(b, loc, type, elements);
  vector::StoreOp::create(b, loc, row, copy.getTarget(), at);
}

/// Expands copies to loops.
static void expandCopies(func::FuncOp kernel) {
  SmallVector<memref::CopyOp> copies;
  kernel.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    Location loc = copy.getLoc();
    int64_t rank = cast<MemRefType>(copy.getSource().getType()).getRank();
    Value zero = arith::ConstantIndexOp::create(b, loc, 0),
          one = arith::ConstantIndexOp::create(b, loc, 1);
    SmallVector<Value> extents;
    for (int64_t dim = 0; dim < rank; ++dim)
      extents.push_back(memref::DimOp::create(b, loc, copy.getSource(), dim));
    int64_t count = elementsPerStep(copy);
    SmallVector<Value> steps(rank, one);
    if (count != 1)
      steps.back() = arith::ConstantIndexOp::create(b, loc, count);
    scf::buildLoopNest(b, loc, SmallVector<Value>(rank, zero), extents, steps,
                       [&](OpBuilder &inner, Location, ValueRange at) {
                         copyElements(inner, copy, at, count);
                       });
    copy.erase();
  }
}

static constexpr StringLiteral workgroupsSuffix = "__workgroups";

static LogicalResult prepareKernel(func::FuncOp kernel, const Target &target) {
  resolveExpandedDims(kernel);
  if (failed(checkHasCode(kernel, target)))
    return failure();
  expandCopies(kernel);
  if (failed(placeHostMemory(kernel)))
    return failure();
  lowerAssertions(kernel, /*isOfHost=*/true);
  if (failed(applyKernelABI(kernel, target)))
    return failure();
  Block &entry = kernel.front();
  Type index = IndexType::get(kernel.getContext());
  Value begin = entry.addArgument(index, kernel.getLoc());
  Value end = entry.addArgument(index, kernel.getLoc());
  kernel.setType(
      FunctionType::get(kernel.getContext(), entry.getArgumentTypes(), {}));
  // The kernel's name is that of its C function, if it has one.
  kernel.setName((kernel.getName() + workgroupsSuffix).str());
  takeRange(kernel, begin, end);
  lowerScalarOps(kernel, target);
  return success();
}

//===----------------------------------------------------------------------===//
// bf16
//===----------------------------------------------------------------------===//

/// Widens bf16 by way of f32, which is exact: upstream handles no other type.
static void widenInSteps(func::FuncOp kernel) {
  kernel.walk([](arith::ExtFOp op) {
    if (!getElementTypeOrSelf(op.getIn()).isBF16() ||
        getElementTypeOrSelf(op.getType()).isF32())
      return;
    OpBuilder b(op);
    Type step = b.getF32Type();
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      step = vector.clone(step);
    op.getInMutable().assign(
        arith::ExtFOp::create(b, op.getLoc(), step, op.getIn()));
  });
}

/// Returns the conversions that the author's fast-math flags allow to drop.
static llvm::DenseSet<Operation *> findContractible(func::FuncOp kernel) {
  llvm::DenseSet<Operation *> found;
  kernel.walk([&](Operation *op) {
    auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) && flags &&
        flags.getFastMathFlagsAttr() &&
        flags.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
      found.insert(op);
  });
  return found;
}

/// Computes ops on bf16 in f32, since CPUs have at most conversions of bf16,
/// and expands these to integer ops.
static LogicalResult computeInF32(func::FuncOp kernel) {
  widenInSteps(kernel);
  llvm::DenseSet<Operation *> contractible = findContractible(kernel);
  MLIRContext *context = kernel.getContext();
  Type from = BFloat16Type::get(context), to = Float32Type::get(context);
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, from, to);
  RewritePatternSet emulation(context);
  arith::populateEmulateUnsupportedFloatsPatterns(emulation, converter);
  ConversionTarget legal(*context);
  arith::populateEmulateUnsupportedFloatsLegality(legal, converter);
  legal.addDynamicallyLegalDialect<math::MathDialect>(
      [&](Operation *op) { return converter.isLegal(op); });
  if (failed(applyPartialConversion(kernel, legal, std::move(emulation))))
    return failure();
  // Upstream marks its own conversions as contractible, so that a chain of ops
  // would round once.
  for (Operation *op : findContractible(kernel))
    if (!contractible.contains(op))
      cast<arith::ArithFastMathInterface>(op)->setAttr(
          arith::ExtFOp::getFastMathAttrName(),
          arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::none));
  RewritePatternSet expansion(context);
  arith::populateExpandBFloat16Patterns(expansion);
  return applyPatternsGreedily(kernel, guarded(std::move(expansion)));
}

static bool mentionsBF16(func::FuncOp kernel) {
  for (Type type : kernel.getArgumentTypes())
    if (getElementTypeOrSelf(type).isBF16())
      return true;
  return kernel
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(),
                            [](Type type) {
                              return getElementTypeOrSelf(type).isBF16();
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Replaces bf16 that is only moved by its bits: LLVM's code for moving some
/// such values calls a library that rounds.
static void moveAsBits(ModuleOp module) {
  Type bits = IntegerType::get(module.getContext(), 16);
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](BFloat16Type) -> Type { return bits; });
  // Products of matrices are selected by the type.
  replacer.addReplacement(
      [](amx::TileType type) -> AttrTypeReplacer::ReplaceFnResult<Type> {
        return std::make_pair(Type(type), WalkResult::skip());
      });
  replacer.addReplacement([=](FloatAttr number) -> std::optional<Attribute> {
    if (!number.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [=](DenseElementsAttr numbers) -> std::optional<Attribute> {
        if (!numbers.getElementType().isBF16())
          return std::nullopt;
        return numbers.bitcast(bits);
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

bool distaff::takesMatrices(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<amx::AMXDialect>(inner->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds a function that calls the kernel with the contents of a frame.
static void addTask(LLVM::LLVMFuncOp kernel) {
  std::string name =
      hostTaskName(kernel.getName().drop_back(workgroupsSuffix.size()));
  // The entry function has declared it.
  if (Operation *declared =
          SymbolTable::lookupSymbolIn(kernel->getParentOp(), name))
    declared->erase();
  OpBuilder b(kernel.getContext());
  b.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type number = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer, number, number});
  auto task = LLVM::LLVMFuncOp::create(b, loc, name, type);
  Block *entry = task.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> arguments;
  ArrayRef<Type> types = kernel.getFunctionType().getParams();
  for (auto [i, each] : llvm::enumerate(types.drop_back(2))) {
    Value slot =
        LLVM::GEPOp::create(b, loc, pointer, number, entry->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.push_back(LLVM::LoadOp::create(b, loc, each, slot));
  }
  arguments.append({entry->getArgument(1), entry->getArgument(2)});
  LLVM::CallOp::create(b, loc, kernel, arguments);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  kernel.setLinkage(LLVM::Linkage::Internal);
}

/// Calls C's functions for those of f64 without an LLVM intrinsic, and for
/// expm1: upstream's exp(x) - 1 loses digits around 0.
static LogicalResult callMathLibrary(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addDynamicallyLegalOp<math::AcoshOp, math::AsinhOp, math::Atan2Op,
                               math::AtanhOp, math::CbrtOp, math::ErfOp,
                               math::ErfcOp, math::ExpM1Op, math::Log1pOp>(
      [](Operation *op) {
        return !getElementTypeOrSelf(op->getResult(0)).isF64();
      });
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {
struct ConvertToHost final : distaff::impl::ConvertToHostBase<ConvertToHost> {
  using ConvertToHostBase::ConvertToHostBase;

  LogicalResult convert(ModuleOp module, const Target &host) {
    callExternalFunctions(module);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!isKernel(function))
        function.erase();
    placeConstants(module, host);
    llvm::StringSet<> ofMatrices;
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (failed(prepareKernel(kernel, host)) ||
          (mentionsBF16(kernel) && failed(computeInF32(kernel))))
        return failure();
      if (takesMatrices(kernel))
        ofMatrices.insert(kernel.getName());
    }
    InstructionTypes types(module);
    moveAsBits(module);
    types.restore();
    if (failed(callMathLibrary(module)))
      return failure();
    auto space = [](gpu::AddressSpace) { return 0u; };
    auto words = [&](LLVMTypeConverter &converter,
                     RewritePatternSet &patterns) {
      populatePackedDotPatterns(converter, host, patterns);
      populateAMXLegalizeForLLVMExportPatterns(converter, patterns);
      populateX86VectorLegalizeForLLVMExportPatterns(converter, patterns);
    };
    if (failed(convertDialects(module, host, {space, words})))
      return failure();
    for (auto kernel : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>()))
      if (kernel.getName().ends_with(workgroupsSuffix)) {
        kernel->removeAttr(iree::TranslationInfoAttr::attributeName);
        // LLVM configures tiles at the top of a function, but not at that of
        // the function that requests permission for them.
        kernel.setNoInline(ofMatrices.contains(kernel.getName()));
        addTask(kernel);
      }
    // The entry functions get the kernels' names last.
    for (auto entry : module.getOps<LLVM::LLVMFuncOp>())
      if (StringRef name = entry.getName(); name.consume_back(hostEntrySuffix))
        entry.setName(name);
    return success();
  }

  void runOnOperation() override {
    const Target *host = lookupTarget(target);
    if (!host || !host->isHost()) {
      getOperation().emitError("needs a CPU as its target, got '")
          << target.getValue() << "'";
      return signalPassFailure();
    }
    if (failed(convert(getOperation(), *host)))
      signalPassFailure();
  }
};
} // namespace
