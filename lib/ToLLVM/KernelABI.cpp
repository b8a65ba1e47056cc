//===- KernelABI.cpp - Application of the kernel ABI ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are in the order of KernelSignature: one pointer per memref, the
// scalars, one i64 per dynamic extent in (argument, dimension) order. Arrays
// are row-major from the pointer on, so a dynamic memref is rebuilt inside from
// its extents, and a result from its own formulas:
//
//   func @k(%a: memref<?x8xf16>, %s: f32, %b: memref<4xf32>)
//   =>  void k(ptr a, ptr b, float s, i64 a_dim0)
//
// An array whose elements share bytes (docs/ABI.md) is passed as its bytes, and
// accesses become those of bytes (PackedArrays.h).
//
// Memory without a space is global memory, private for `memref.alloca`.
//
//===----------------------------------------------------------------------===//
#include "distaff/ToLLVM/KernelABI.h"
#include "PackedArrays.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult checkArgument(func::FuncOp kernel, unsigned number) {
  Type type = kernel.getArgumentTypes()[number];
  auto refuse = [&](const Twine &why) {
    return kernel.emitOpError("argument ")
           << number << " of type " << type << " " << why;
  };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type.isIntOrIndexOrFloat()
               ? success()
               : refuse("cannot be passed to a kernel, which takes memrefs and "
                        "scalars");
  // Memory in workgroup memory is the kernel's own, and has been checked.
  if (!memref.getLayout().isIdentity() &&
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref))
    return refuse("is not row-major from offset 0");
  if (!memref.getElementType().isIntOrIndexOrFloat())
    return refuse("has elements that are not scalars");
  if (straddlesBytes(memref.getElementType()) &&
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref))
    return refuse(kStraddledBytes);
  return success();
}

static LogicalResult checkSignature(func::FuncOp kernel,
                                    const KernelSignature &signature) {
  assert(kernel.getNumResults() == 0 && "gpu.func kernels return nothing");
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (failed(checkArgument(kernel, i)))
      return failure();
  for (const auto *list : {&signature.results, &signature.workspaces})
    for (const KernelParameter &parameter : *list)
      if (!cast<ShapedType>(parameter.type).hasStaticShape() &&
          !parameter.extents)
        return kernel.emitOpError("argument ")
               << parameter.position << " of type " << parameter.type
               << " is a result or a workspace with a dynamic extent, which no "
                  "launch passes; results give theirs by `"
               << kExtentsAttrName << "`";
  return success();
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

static LogicalResult assignSpaces(func::FuncOp kernel, const Target &target) {
  MLIRContext *context = kernel.getContext();
  auto assign = [&](Value value, gpu::AddressSpace space) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (type && !type.getMemorySpace())
      value.setType(MemRefType::get(
          type.getShape(), type.getElementType(), type.getLayout(),
          gpu::AddressSpaceAttr::get(context, space)));
  };
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto alloc = dyn_cast<memref::AllocOp>(op);
        alloc && !target.isHost() && // a CPU has a heap
        !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(alloc.getType()))
      return op->emitOpError("allocates global memory inside a kernel; memory "
                             "comes from the launch or is workgroup memory");
    for (Value result : op->getResults())
      assign(result, isa<memref::AllocaOp>(op) ? gpu::AddressSpace::Private
                                               : gpu::AddressSpace::Global);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          assign(argument, gpu::AddressSpace::Global);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Returns whether a row-major memref has no elements; upstream has no bare
/// pointer for it.
static bool isEmpty(MemRefType type) {
  return llvm::is_contained(type.getShape(), 0);
}

/// Returns all extents of a memref whose dynamic extents are given in order.
static SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, MemRefType type,
                                         ArrayRef<Value> extents) {
  SmallVector<OpFoldResult> sizes;
  const Value *next = extents.begin();
  for (int64_t extent : type.getShape())
    sizes.push_back(ShapedType::isDynamic(extent)
                        ? OpFoldResult(*next++)
                        : builder.getIndexAttr(extent));
  return sizes;
}

/// Returns row-major strides.
static SmallVector<OpFoldResult> stridesOf(OpBuilder &builder, Location loc,
                                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t dim = int64_t(sizes.size()) - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    std::optional<int64_t> known = getConstantIntValue(stride);
    std::optional<int64_t> extent = getConstantIntValue(sizes[dim]);
    if (known && extent) {
      stride = builder.getIndexAttr(*known * *extent);
      continue;
    }
    stride = builder.createOrFold<arith::MulIOp>(
        loc, getValueOrCreateConstantIndexOp(builder, loc, stride),
        getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]));
  }
  return strides;
}

/// Builds a row-major memref over `base` whose dynamic extents are given in
/// order.
static Value assemble(OpBuilder &builder, Value base, MemRefType type,
                      ArrayRef<Value> extents) {
  Location loc = base.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(builder, type, extents);
  SmallVector<OpFoldResult> strides = stridesOf(builder, loc, sizes);
  auto strided = MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(
          type.getContext(), 0,
          llvm::map_to_vector(strides,
                              [](OpFoldResult value) {
                                return getConstantIntValue(value).value_or(
                                    ShapedType::kDynamic);
                              })),
      type.getMemorySpace());
  Value view = memref::ReinterpretCastOp::create(
      builder, loc, strided, base, builder.getIndexAttr(0), sizes, strides);
  return isEmpty(type) ? view
                       : memref::CastOp::create(builder, loc, type, view);
}

/// Replaces uses of `memref.dim` of an argument by the extent that was passed.
static void forwardExtents(Value argument, MemRefType type,
                           ArrayRef<Value> extents) {
  SmallVector<Value> byDim(type.getRank());
  const Value *next = extents.begin();
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      byDim[dim] = *next++;
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
    if (auto op = dyn_cast<memref::DimOp>(user))
      if (std::optional<int64_t> dim = op.getConstantIndex();
          dim && *dim >= 0 && *dim < type.getRank() && byDim[*dim]) {
        op.replaceAllUsesWith(byDim[*dim]);
        op.erase();
      }
}

/// Returns a scalar as it is passed: an integer of a width that no parameter
/// has is the low part of the next wider one, whose other bits are not read.
static Value passScalar(BlockArgument argument, OpBuilder &builder) {
  Block *entry = argument.getOwner();
  auto integer = dyn_cast<IntegerType>(argument.getType());
  if (!integer || passedWidth(integer.getWidth()) == integer.getWidth())
    return entry->addArgument(argument.getType(), argument.getLoc());
  Value passed = entry->addArgument(
      builder.getIntegerType(passedWidth(integer.getWidth())),
      argument.getLoc());
  return arith::TruncIOp::create(builder, argument.getLoc(), integer, passed);
}

/// Returns the bytes of a packed array over `base`; if its extents are dynamic,
/// the size is open.
static Value bytesOfPacked(OpBuilder &builder, Value base, MemRefType type) {
  auto bytes = cast<MemRefType>(base.getType());
  if (bytes.getRank() == 1)
    return base;
  auto open = MemRefType::get({ShapedType::kDynamic}, bytes.getElementType(),
                              StridedLayoutAttr::get(type.getContext(), 0, {1}),
                              type.getMemorySpace());
  // No op reads the extent.
  Value extent = arith::ConstantIndexOp::create(builder, base.getLoc(), 0);
  return memref::ReinterpretCastOp::create(
      builder, base.getLoc(), open, base, builder.getIndexAttr(0),
      ArrayRef<OpFoldResult>{extent},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

/// Returns the type that is passed for an array: a memref of its shape if that
/// is static and not empty, else one of its first element; for a packed array
/// its bytes.
static MemRefType passedMemory(MemRefType type, bool isPacked) {
  Type element = type.getElementType();
  SmallVector<int64_t> shape(type.getShape());
  if (isPacked) {
    int64_t perByte = 8 / element.getIntOrFloatBitWidth();
    element = IntegerType::get(type.getContext(), 8);
    if (type.hasStaticShape())
      shape = {int64_t(llvm::divideCeil(type.getNumElements(), perByte))};
  }
  if (!type.hasStaticShape() || isEmpty(type))
    shape.clear();
  return MemRefType::get(shape, element, AffineMap(), type.getMemorySpace());
}

static LogicalResult rebuildArguments(func::FuncOp kernel,
                                      const KernelSignature &signature,
                                      const Target &target) {
  Block &entry = kernel.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  unsigned count = entry.getNumArguments();
  SmallVector<BlockArgument> memrefs, scalars;
  for (const KernelParameter &parameter : signature.pointers())
    memrefs.push_back(entry.getArgument(parameter.position));
  for (const KernelParameter &parameter : signature.scalars())
    scalars.push_back(entry.getArgument(parameter.position));

  SmallVector<Value> bases;
  llvm::SmallDenseSet<Value> packed;
  for (BlockArgument argument : memrefs)
    if (isPackedArgument(kernel, argument.getArgNumber()))
      packed.insert(argument);
  for (BlockArgument argument : memrefs)
    bases.push_back(
        entry.addArgument(passedMemory(cast<MemRefType>(argument.getType()),
                                       packed.contains(argument)),
                          argument.getLoc()));
  for (BlockArgument argument : scalars)
    argument.replaceAllUsesWith(passScalar(argument, builder));
  // Extents of arguments are passed; those of results follow from them.
  SmallVector<Value> all;
  for (auto [parameter, argument, base] :
       llvm::zip_equal(signature.pointers(), memrefs, bases)) {
    auto type = cast<MemRefType>(argument.getType());
    SmallVector<Value> extents;
    if (parameter.role == KernelParameter::Role::Argument) {
      for (int64_t i = 0, e = type.getNumDynamicDims(); i < e; ++i)
        extents.push_back(
            entry.addArgument(builder.getIndexType(), argument.getLoc()));
      llvm::append_range(all, extents);
    } else if (parameter.extents) {
      for (AffineExpr formula : parameter.extents.getResults())
        extents.push_back(affine::expandAffineExpr(
            builder, argument.getLoc(), formula, /*dimValues=*/{}, all));
    }
    forwardExtents(argument, type, extents);
    if (packed.contains(argument)) {
      SmallVector<OpFoldResult> sizes = sizesOf(builder, type, extents);
      PackedArray array{argument, bytesOfPacked(builder, base, type), sizes,
                        stridesOf(builder, argument.getLoc(), sizes)};
      if (failed(accessBytes(array)))
        return failure();
    } else if (!argument.use_empty())
      argument.replaceAllUsesWith(base.getType() == type
                                      ? base
                                      : assemble(builder, base, type, extents));
  }
  entry.eraseArguments(0, count);
  kernel.setType(builder.getFunctionType(entry.getArgumentTypes(), {}));
  kernel.removeArgAttrsAttr();
  for (auto [number, argument] : llvm::enumerate(entry.getArguments()))
    if (isa<MemRefType>(argument.getType()))
      kernel.setArgAttr(
          number, LLVM::LLVMDialect::getAlignAttrName(),
          builder.getI64IntegerAttr(target.globalMemory.baseAlignmentBytes));
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

std::string distaff::emittedSymbol(StringRef name) {
  std::string symbol;
  for (char c : name)
    symbol += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (symbol.empty() || llvm::isDigit(symbol.front()))
    symbol.insert(symbol.begin(), '_');
  return symbol;
}

static LogicalResult renameKernel(func::FuncOp kernel) {
  std::string symbol = emittedSymbol(kernel.getName());
  if (symbol == kernel.getName())
    return success();
  Operation *other = SymbolTable::lookupSymbolIn(kernel->getParentOp(), symbol);
  if (other) {
    kernel.emitOpError("is emitted as '")
            .append(symbol, "', which is taken")
            .attachNote(other->getLoc())
        << "by this one";
    return failure();
  }
  kernel.setName(symbol);
  return success();
}

LogicalResult distaff::applyKernelABI(func::FuncOp kernel,
                                      const Target &target) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature) || failed(checkSignature(kernel, *signature)) ||
      failed(assignSpaces(kernel, target)) ||
      failed(rebuildArguments(kernel, *signature, target)))
    return failure();
  return renameKernel(kernel);
}
