//===- Arguments.cpp - Conversion of arrays to cells and buffers ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Machine/Pointer.h"
#include "Ops/LlvmTypes.h"
#include "Run.h"
#include "distaff/CheckedSize.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Runtime/ScalarType.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <numeric>

using namespace distaff;
using namespace distaff::simt;

static uint64_t readPattern(const uint8_t *bytes, int64_t count) {
  uint64_t pattern = 0;
  std::memcpy(&pattern, bytes, count);
  return pattern;
}

void Execution::toCells(Kind kind, const uint8_t *bytes, int64_t count,
                        uint8_t *cells) const {
  unsigned cellBytes = domain.cellBytes(kind);
  uint64_t mask = ~uint64_t(0) >> (64 - kind.width);
  for (int64_t i = 0; i < count; ++i)
    domain.constant(kind,
                    readPattern(bytes + i * kind.bytes(), kind.bytes()) & mask,
                    cells + i * cellBytes);
}

std::vector<uint8_t> Execution::toMemory(Kind kind, const uint8_t *bytes,
                                         int64_t count) const {
  if (domain.mayReinterpretMemory()) // memory is bytes
    return std::vector<uint8_t>(bytes, bytes + count * kind.bytes());
  std::vector<uint64_t> cells(count * domain.cellBytes(kind) / 8 + 1);
  toCells(kind, bytes, count, reinterpret_cast<uint8_t *>(cells.data()));
  std::vector<int64_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<uint8_t> memory(count * domain.memoryCellBytes(kind));
  domain.store(kind)(count, memory.data(), positions.data(), cells.data());
  return memory;
}

Buffer Execution::makeBuffer(const Array &array, Kind kind,
                             StringRef name) const {
  Buffer buffer;
  buffer.kind = kind;
  buffer.elements = array.numElements();
  buffer.cellBytes = domain.memoryCellBytes(kind);
  buffer.written = array.written;
  buffer.alignment = options.alignment;
  buffer.name = name.str();
  buffer.shape.assign(array.shape.begin(), array.shape.end());
  buffer.cells = toMemory(kind, array.bytes.data(), buffer.elements);
  return buffer;
}

/// Returns the strides of a row-major array.
static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (int64_t d = shape.size(); d-- > 0; stride *= shape[d])
    strides[d] = stride;
  return strides;
}

std::vector<int64_t> MemRefArgument::positions() const {
  std::vector<int64_t> positions = {0};
  for (auto [extent, stride] : llvm::zip_equal(shape, strides)) {
    std::vector<int64_t> finer;
    finer.reserve(positions.size() * extent);
    for (int64_t first : positions)
      for (int64_t i = 0; i < extent; ++i)
        finer.push_back(first + i * stride);
    positions = std::move(finer);
  }
  return positions;
}

/// Writes a descriptor into the image of all agents.
static void setDescriptor(Launch &launch, Reg reg, int64_t buffer,
                          ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t lanes = launch.program.lanes, rank = shape.size();
  MemRefView view = {
      reinterpret_cast<int64_t *>(
          reinterpret_cast<uint8_t *>(launch.image.data()) + reg.location),
      lanes};
  for (int64_t l = 0; l < lanes; ++l) {
    view.buffer(l) = buffer;
    view.offset(l) = 0;
    for (int64_t d = 0; d < rank; ++d) {
      view.size(rank, d, l) = shape[d];
      view.stride(rank, d, l) = strides[d];
    }
  }
}

/// Writes a pointer into the image of all agents.
static void setPointer(Launch &launch, Reg reg, int64_t buffer) {
  for (int64_t l = 0; l < launch.program.lanes; ++l) {
    int64_t address = Pointer::encode(buffer, 0);
    uint8_t *cell = reinterpret_cast<uint8_t *>(launch.image.data()) +
                    reg.location + l * reg.cellBytes;
    std::memset(cell, 0, reg.cellBytes);
    std::memcpy(cell, &address, sizeof(address));
  }
}

/// Writes the value by which a kernel accesses an array: a descriptor, or a
/// pointer.
void Execution::setArray(Reg reg, int64_t buffer, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> strides) {
  if (reg.isMemRef())
    setDescriptor(*launch, reg, buffer, shape, strides);
  else
    setPointer(*launch, reg, buffer);
}

/// Checks the alignment that an LLVM attribute claims for an argument.
LogicalResult Execution::checkAlignment(size_t number) {
  auto promised = dyn_cast_or_null<IntegerAttr>(
      kernel.getArgAttr(number, LLVM::LLVMDialect::getAlignAttrName()));
  if (!promised || options.alignment % promised.getInt() == 0)
    return success();
  return fail(FaultKind::Misaligned, kernel,
              "is promised that argument " + Twine(number) +
                  " begins on a multiple of " + Twine(promised.getInt()) +
                  " bytes, the kernel ABI promises " +
                  Twine(options.alignment));
}

bool Execution::isPacked(size_t number) const {
  return isConvertedKernel(kernel) && isPackedArgument(kernel, number);
}

/// Returns the bytes of an array whose elements share bytes.
static Array packed(const Array &array) {
  unsigned bits = array.elementType.getIntOrFloatBitWidth();
  Array bytes{IntegerType::get(array.elementType.getContext(), 8), {}, {}};
  bytes.bytes = runtime::packNumbers(array.bytes, bits, bits);
  bytes.shape.push_back(bytes.bytes.size());
  bytes.written = array.written;
  return bytes;
}

static MemRefType packedType(MemRefType type) {
  return MemRefType::get({ShapedType::kDynamic},
                         IntegerType::get(type.getContext(), 8), AffineMap(),
                         type.getMemorySpace());
}

LogicalResult Execution::passArgument(size_t number, const Array &array) {
  Type type = passedType(kernel, number);
  Reg reg = program.arguments[number];
  auto complain = [&](const Twine &found) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "argument " << number << " has type " << type << ", found " << found;
    return fail(FaultKind::Unfit, kernel, text);
  };
  if (getElementTypeOrSelf(type) != array.elementType)
    return complain("elements of another type");
  std::optional<int64_t> bytes =
      checkedBytes(array.shape, Kind::of(type).value_or(reg.kind).bytes());
  if (!bytes)
    return complain("a shape that is too large for any machine");
  if (int64_t(array.bytes.size()) != *bytes)
    return complain("an array of " + Twine(array.bytes.size()) + " bytes");
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    bool fits = shaped.getRank() == int64_t(array.shape.size());
    for (int64_t d = 0; fits && d < shaped.getRank(); ++d)
      fits = shaped.isDynamicDim(d) || shaped.getDimSize(d) == array.shape[d];
    if (!fits)
      return complain("an array of another shape");
  }
  if (auto memref = dyn_cast<MemRefType>(type))
    return isPacked(number)
               ? passMemRef(number, packedType(memref), packed(array))
               : passMemRef(number, memref, array);
  if (reg.isTensor()) {
    Tensor tensor = Tensor::allocate(array.shape, reg.cellBytes);
    toCells(reg.kind, array.bytes.data(), array.numElements(),
            tensor.mutableCells());
    launch->tensors[reg.location] = std::move(tensor);
    return success();
  }
  if (reg.storage != Reg::Storage::Cells)
    return fail(FaultKind::NotModelled, kernel,
                "argument " + Twine(number) + " of a type that no array fills");
  uint8_t *cells =
      reinterpret_cast<uint8_t *>(launch->image.data()) + reg.location;
  std::vector<uint64_t> one(reg.elements * reg.cellBytes / 8 + 1);
  uint8_t *elements = reinterpret_cast<uint8_t *>(one.data());
  toCells(reg.kind, array.bytes.data(), reg.elements, elements);
  for (int64_t e = 0; e < reg.elements; ++e)
    for (int64_t l = 0; l < program.lanes; ++l)
      std::memcpy(cells + (e * program.lanes + l) * reg.cellBytes,
                  elements + e * reg.cellBytes, reg.cellBytes);
  return success();
}

/// Returns the strides of a type with a strided layout, if its elements lie in
/// consecutive rows, with or without padding between them.
static std::optional<SmallVector<int64_t>> stridesOfRows(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return std::nullopt;
  int64_t inner = 1; // elements from a row's first to its last
  for (int64_t d = type.getRank(); d-- > 0;) {
    if (ShapedType::isDynamic(strides[d]) || strides[d] < inner)
      return std::nullopt;
    inner += (std::max<int64_t>(type.getDimSize(d), 1) - 1) * strides[d];
  }
  return strides;
}

/// Returns the array with its elements at `positions`; all others are
/// unwritten.
static Array spread(const Array &array, ArrayRef<int64_t> positions) {
  int64_t count = positions.size();
  int64_t bytes = count ? int64_t(array.bytes.size()) / count : 0;
  Array apart{array.elementType, {count ? positions.back() + 1 : 0}, {}};
  apart.bytes.assign(apart.shape[0] * bytes, 0xFF);
  for (auto [from, to] : llvm::enumerate(positions))
    std::memcpy(&apart.bytes[to * bytes], &array.bytes[from * bytes], bytes);
  apart.written = array.written;
  return apart;
}

LogicalResult Execution::passMemRef(size_t number, MemRefType type,
                                    const Array &array) {
  bool inWorkgroup = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
  std::optional<SmallVector<int64_t>> strides;
  if (type.getLayout().isIdentity())
    strides = rowMajorStrides(array.shape);
  else if (inWorkgroup)
    strides = stridesOfRows(type);
  if (!strides)
    return fail(FaultKind::NotModelled, kernel,
                "argument " + Twine(number) +
                    " with a layout that is not row-major");
  if (failed(checkAlignment(number)))
    return failure();
  MemRefArgument &argument = memRefs.emplace_back();
  argument = {number, inWorkgroup, 0, {}, *strides};
  argument.shape.assign(array.shape.begin(), array.shape.end());
  bool isApart = !type.getLayout().isIdentity();
  Buffer buffer =
      makeBuffer(isApart ? spread(array, argument.positions()) : array,
                 *Kind::of(type), "arg" + std::to_string(number));
  if (inWorkgroup) {
    buffer.space = Buffer::Space::Workgroup;
    argument.buffer = int64_t(launch->preloaded.size());
    launch->preloaded.push_back(std::move(buffer));
  } else {
    argument.buffer = launch->addGlobal(std::move(buffer));
  }
  return success();
}

namespace {
/// An array of the module, from any of the dialects that declare one.
struct ConstantArray {
  Kind kind;
  SmallVector<int64_t> shape;
  DenseElementsAttr values;
  StringRef name;
  bool isConstant;
  int64_t alignment = 1; // of its type, in bytes

  int64_t numElements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }

  /// Returns nothing if the op has no constant values.
  static std::optional<ConstantArray> get(Operation *op) {
    if (auto global = dyn_cast<memref::GlobalOp>(op)) {
      MemRefType type = global.getType();
      return ConstantArray{
          *Kind::of(type), SmallVector<int64_t>(type.getShape()),
          dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr()),
          global.getSymName(), global.getConstant()};
    }
    auto global = cast<LLVM::GlobalOp>(op);
    std::optional<ArrayOfNumbers> array = arrayOfNumbers(global.getType());
    if (!array || !array->isDense())
      return std::nullopt;
    return ConstantArray{
        array->kind,
        array->shape,
        dyn_cast_or_null<DenseElementsAttr>(global.getValueOrNull()),
        global.getSymName(),
        global.getConstant(),
        array->alignment};
  }

  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> bytes(values.getNumElements() * kind.bytes());
    int64_t size = kind.bytes(), at = 0;
    auto append = [&](const APInt &bits) {
      uint64_t pattern = bits.getZExtValue();
      std::memcpy(bytes.data() + size * at++, &pattern, size);
    };
    if (isa<FloatType>(values.getElementType()))
      for (const APFloat &value : values.getValues<APFloat>())
        append(value.bitcastToAPInt());
    else
      for (const APInt &value : values.getValues<APInt>())
        append(value);
    return bytes;
  }
};
} // namespace

/// Fills in descriptors, now that the number of global buffers is known.
LogicalResult Execution::passGlobals() {
  for (auto [op, reg] : program.globals) {
    std::optional<ConstantArray> constant = ConstantArray::get(op);
    if (!constant || !constant->values)
      return fail(FaultKind::NotModelled, op, "a global array without values");
    // The verifier does not require one value per element.
    std::optional<Kind> held = Kind::of(constant->values.getElementType());
    // LLVM has integers for the 8-bit floats.
    if (!held || held->width != constant->kind.width ||
        (held->isFloat != constant->kind.isFloat && held->width != 8) ||
        constant->values.getNumElements() != constant->numElements())
      return fail(FaultKind::Unfit, op,
                  "holds " + Twine(constant->numElements()) +
                      " elements, and its value is not of as many and of "
                      "their type");
    Array array{constant->values.getElementType(), constant->shape,
                constant->bytes()};
    Buffer buffer = makeBuffer(array, constant->kind, constant->name);
    buffer.align(op);
    buffer.isConstant = constant->isConstant;
    buffer.align(constant->alignment);
    setArray(reg, launch->addGlobal(std::move(buffer)), constant->shape,
             rowMajorStrides(constant->shape));
  }
  for (const MemRefArgument &argument : memRefs) {
    int64_t number = argument.buffer;
    if (argument.inWorkgroup)
      number += int64_t(launch->globals.size());
    setArray(program.arguments[argument.number], number, argument.shape,
             argument.strides);
  }
  return success();
}
