//===- InMemory.cpp - Values kept in memory -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles ops without regions; InMemoryFlow.cpp handles loops and branches.
//
//===----------------------------------------------------------------------===//
#include "InMemory.h"
#include "BufferAccess.h"
#include "MaskedInsertions.h"
#include "Slicer.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vectortiles;

MemoryForm::MemoryForm(func::FuncOp kernel, Machine &machine, Hazards &hazards)
    : kernel(kernel), machine(machine), hazards(hazards) {
  int64_t elements = 1;
  for (int64_t size : core::nativeVectorOf(kernel))
    elements *= size;
  if (!core::nativeVectorOf(kernel).empty())
    asked = elements;
}

bool MemoryForm::isLarge(Type type) const {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.isScalable() || vector.getRank() == 0 ||
      !(vector.getElementType().isIntOrIndexOrFloat()))
    return false;
  return asked ? vector.getNumElements() > *asked
               : machine.registersOf(type) > machine.registers;
}

Value MemoryForm::allocate(VectorType type, Operation *user) {
  return allocate(bufferTypeOf(type), bufferBytesOf(type), user);
}

Value MemoryForm::allocate(MemRefType type, int64_t bytes, Operation *user) {
  if (bytes > machine.bufferBytes)
    return {};
  machine.bufferBytes -= bytes;
  return allocateBuffer(type, user->getBlock(), user->getLoc(), machine);
}

void MemoryForm::write(OpBuilder &b, Value vector, Value buffer) {
  writeBuffer(b, vector.getLoc(), vector, buffer,
              originOf(b, vector.getLoc(), buffer));
}

Value MemoryForm::read(OpBuilder &b, Value vector, Value buffer) {
  return readBuffer(b, vector.getLoc(), cast<VectorType>(vector.getType()),
                    buffer, originOf(b, vector.getLoc(), buffer));
}

//===----------------------------------------------------------------------===//
// Insertions
//===----------------------------------------------------------------------===//

/// Returns whether lanes distribute a vector and its part alike: the part is a
/// box of elements that spans whole digits of a layout.
static bool isAlignedPart(ArrayRef<int64_t> whole, ArrayRef<int64_t> part,
                          ArrayRef<int64_t> offsets) {
  int64_t outer = whole.size() - part.size();
  for (auto [dim, extent] : llvm::enumerate(whole)) {
    int64_t size = int64_t(dim) < outer ? 1 : part[dim - outer];
    if (size == extent || size == 1)
      continue;
    if (!llvm::isPowerOf2_64(size) || extent % size != 0 ||
        offsets[dim] % size != 0)
      return false;
  }
  return true;
}

static SmallVector<int64_t> integersOf(ArrayAttr numbers) {
  return llvm::map_to_vector(
      numbers.getAsRange<IntegerAttr>(),
      [](IntegerAttr number) { return number.getInt(); });
}

bool vectortiles::isPartOnEachLane(VectorType whole, VectorType part,
                                   ArrayAttr offsets, const Machine &machine) {
  return !machine.isHost &&
         whole.getNumElements() *
                 machine.registersOfElement(whole.getElementType()) >
             machine.registers &&
         !isAlignedPart(whole.getShape(), part.getShape(), integersOf(offsets));
}

void MemoryForm::moveInsertion(Operation *op) {
  Value result = op->getResult(0);
  Value dest = op->getOperand(1);
  auto slice = dyn_cast<vector::InsertStridedSliceOp>(op);
  bool isWanted = isLarge(result.getType()) ||
                  (slice && isPartOnEachLane(slice.getDestVectorType(),
                                             slice.getSourceVectorType(),
                                             slice.getOffsets(), machine));
  if (!isWanted)
    return;
  OpBuilder b(op);
  // A chain of insertions into the same vector updates one buffer in place. In
  // a loop after the first insertion, each iteration starts from the value
  // before the loop.
  bool isLast = dest.hasOneUse() && dest.getParentBlock() == op->getBlock();
  Value buffer = isLast ? latest.lookup(dest) : Value();
  if (!buffer) {
    buffer = allocate(cast<VectorType>(result.getType()), op);
    if (!buffer)
      return moveInserted(op);
    write(b, dest, buffer);
  }
  auto [part, offsets] = insertionOf(op);
  SmallVector<Value> indices = originOf(b, op->getLoc(), buffer);
  for (auto [index, offset] : llvm::zip(indices, offsets))
    index = getValueOrCreateConstantIndexOp(b, op->getLoc(), offset);
  writeBuffer(b, op->getLoc(), part, buffer, indices);
  Value all = read(b, result, buffer);
  latest[all] = buffer;
  result.replaceAllUsesWith(all);
  op->erase();
}

/// Handles an insertion whose result has no buffer; the inserted part gets a
/// buffer if needed.
void MemoryForm::moveInserted(Operation *op) {
  OpBuilder b(op);
  if (!canSelectInserted(op, hazards)) {
    OpOperand &part = op->getOpOperand(0);
    auto type = dyn_cast<VectorType>(part.get().getType());
    Value buffer = type && type.getRank() > 0 ? allocate(type, op) : Value();
    if (!buffer)
      return;
    write(b, part.get(), buffer);
    part.set(read(b, part.get(), buffer));
  }
  if (canSelectInserted(op, hazards))
    selectInserted(op);
}

//===----------------------------------------------------------------------===//
// Casts of shape
//===----------------------------------------------------------------------===//

/// Returns a view of a flat buffer with the dims of a vector.
static Value viewAs(OpBuilder &b, Location loc, Value flat,
                    ArrayRef<int64_t> shape) {
  if (shape.size() == 1)
    return flat;
  auto type = cast<MemRefType>(flat.getType());
  auto all =
      llvm::to_vector_of<int64_t, 2>(llvm::seq<int64_t>(0, shape.size()));
  return memref::ExpandShapeOp::create(
      b, loc,
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace()),
      flat, ArrayRef<ReassociationIndices>(all));
}

bool vectortiles::mayBeOnEachLane(vector::ShapeCastOp op,
                                  const Machine &machine) {
  VectorType source = op.getSourceVectorType(), result = op.getType();
  auto isPowerOf2 = [](int64_t extent) { return llvm::isPowerOf2_64(extent); };
  return !machine.isHost && !source.isScalable() && !isSliceable(op) &&
         source.getNumElements() *
                 machine.registersOfElement(source.getElementType()) >
             machine.registers &&
         !(llvm::all_of(source.getShape(), isPowerOf2) &&
           llvm::all_of(result.getShape(), isPowerOf2));
}

void MemoryForm::moveShapeCast(vector::ShapeCastOp op) {
  VectorType source = op.getSourceVectorType(), result = op.getType();
  bool isWanted = isLarge(result) || mayBeOnEachLane(op, machine);
  if (!isWanted || source.getRank() == 0 || isSliceable(op) ||
      !source.getElementType().isIntOrIndexOrFloat())
    return;
  MemRefType type = bufferTypeOf(
      VectorType::get(result.getNumElements(), result.getElementType()));
  Value flat = allocate(type, bufferBytesOf(result), op);
  if (!flat)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value from = viewAs(b, loc, flat, source.getShape());
  Value to = viewAs(b, loc, flat, result.getShape());
  write(b, op.getSource(), from);
  op.replaceAllUsesWith(read(b, op.getResult(), to));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Returns the map from `rank` dims to all of them but `dim`.
static AffineMap withoutDim(int64_t rank, unsigned dim, MLIRContext *context) {
  SmallVector<AffineExpr> dims;
  for (int64_t each = 0; each < rank; ++each)
    if (each != dim)
      dims.push_back(getAffineDimExpr(each, context));
  return AffineMap::get(rank, 0, dims, context);
}

void MemoryForm::moveScan(vector::ScanOp op) {
  VectorType type = op.getDestType();
  auto rowType = cast<VectorType>(op.getInitialValueType());
  if (!isLarge(type))
    return;
  if (rowType.getRank() == 0)
    return moveRowScan(op);
  Value buffer = allocate(type, op);
  if (!buffer)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  unsigned dim = op.getReductionDim();
  AffineMap map = withoutDim(type.getRank(), dim, op.getContext());
  SmallVector<bool> inBounds(rowType.getRank(), true);
  Value padding =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  write(b, op.getSource(), buffer);
  SmallVector<Value> indices = originOf(b, loc, buffer);
  Value zero = indices.front();
  auto readAt = [&](OpBuilder &b, Value index) -> Value {
    indices[dim] = index;
    return vector::TransferReadOp::create(b, loc, rowType, buffer, indices,
                                          padding, map, inBounds);
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = arith::ConstantIndexOp::create(b, loc, type.getDimSize(dim));
  // The first element of an inclusive scan is unchanged.
  Value first = op.getInclusive() ? readAt(b, zero) : op.getInitialValue();
  auto loop = scf::ForOp::create(b, loc, op.getInclusive() ? one : zero, end,
                                 one, first);
  {
    OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
    Value element = readAt(inside, loop.getInductionVar());
    Value before = loop.getRegionIterArgs().front();
    Value after =
        vector::makeArithReduction(inside, loc, op.getKind(), before, element);
    vector::TransferWriteOp::create(inside, loc,
                                    op.getInclusive() ? after : before, buffer,
                                    indices, map, inBounds);
    scf::YieldOp::create(inside, loc, after);
  }
  Value last = arith::ConstantIndexOp::create(b, loc, type.getDimSize(dim) - 1);
  op.getResult(0).replaceAllUsesWith(read(b, op.getResult(0), buffer));
  op.getResult(1).replaceAllUsesWith(readAt(b, last));
  op.erase();
  moveLoop(loop);
}

/// Computes a scan of one dim in memory, element by element.
void MemoryForm::moveRowScan(vector::ScanOp op) {
  VectorType type = op.getDestType();
  Value buffer = allocate(type, op);
  if (!buffer)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  write(b, op.getSource(), buffer);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value first = op.getInclusive()
                    ? memref::LoadOp::create(b, loc, buffer, index(0))
                    : vector::ExtractOp::create(b, loc, op.getInitialValue(),
                                                ArrayRef<int64_t>())
                          .getResult();
  scf::ForOp::create(
      b, loc, index(op.getInclusive() ? 1 : 0), index(type.getNumElements()),
      index(1), first,
      [&](OpBuilder &b, Location, Value at, ValueRange carried) {
        Value before = carried.front();
        Value element = memref::LoadOp::create(b, loc, buffer, at);
        Value after =
            vector::makeArithReduction(b, loc, op.getKind(), before, element);
        memref::StoreOp::create(b, loc, op.getInclusive() ? after : before,
                                buffer, at);
        scf::YieldOp::create(b, loc, after);
      });
  Value last =
      memref::LoadOp::create(b, loc, buffer, index(type.getNumElements() - 1));
  op.getResult(0).replaceAllUsesWith(read(b, op.getResult(0), buffer));
  op.getResult(1).replaceAllUsesWith(
      vector::BroadcastOp::create(b, loc, op.getResult(1).getType(), last));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Transposes an operand once in memory if it has the rows of the result but is
/// contiguous along a reduced loop; else each of its tiles would be transposed
/// for every tile along the other operand.
void MemoryForm::transposeOperands(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap result = maps[2];
  if (result.getNumResults() < 2 || !isLarge(op.getResultType()))
    return;
  unsigned row = result.getDimPosition(result.getNumResults() - 1);
  OpBuilder b(op);
  for (unsigned i : {0, 1}) {
    AffineMap map = maps[i];
    auto isOfRow = [&](AffineExpr expr) {
      return expr == getAffineDimExpr(row, op.getContext());
    };
    auto at = llvm::find_if(map.getResults(), isOfRow);
    if (at == map.getResults().end() || isOfRow(map.getResults().back()))
      continue;
    SmallVector<int64_t> permutation =
        llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
    std::swap(permutation[at - map.getResults().begin()], permutation.back());
    SmallVector<AffineExpr> exprs;
    for (int64_t from : permutation)
      exprs.push_back(map.getResult(from));
    maps[i] = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
    op->setOperand(i, vector::TransposeOp::create(
                          b, op.getLoc(), op->getOperand(i), permutation));
  }
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value MemoryForm::readTable(OpBuilder &b, Location loc,
                            DenseElementsAttr numbers) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto vector = cast<VectorType>(numbers.getType());
  SymbolTable symbols(module);
  OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
  auto table = memref::GlobalOp::create(
      outside, loc, (kernel.getName() + "_table").str(),
      b.getStringAttr("private"), bufferTypeOf(vector),
      DenseElementsAttr(numbers.reshape(
          RankedTensorType::get(vector.getShape(), vector.getElementType()))),
      /*constant=*/true, /*alignment=*/b.getI64IntegerAttr(64));
  symbols.insert(table);
  Value memory =
      memref::GetGlobalOp::create(b, loc, table.getType(), table.getSymName());
  return readBuffer(b, loc, vector, memory, originOf(b, loc, memory));
}

void MemoryForm::moveConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || dense.isSplat() || !isLarge(op.getType()) ||
      !dense.getElementType().isIntOrFloat() ||
      dense.getElementType().isInteger(1))
    return;
  OpBuilder b(op);
  op.replaceAllUsesWith(readTable(b, op.getLoc(), dense));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Moves the ops that only a CPU core keeps in memory: lanes scan tile by tile,
/// and have layouts for operands.
void MemoryForm::moveForCore(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::ScanOp op) { moveScan(op); })
      .Case([&](vector::ContractionOp op) { transposeOperands(op); })
      .Case([&](arith::ConstantOp op) { moveConstant(op); });
}

void MemoryForm::run() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case<vector::InsertOp, vector::InsertStridedSliceOp>(
            [&](auto op) { moveInsertion(op); })
        .Case([&](vector::ShapeCastOp op) { moveShapeCast(op); })
        .Case([&](vector::ShuffleOp op) { moveShuffle(op); })
        .Case([&](vector::CompressStoreOp op) { moveCompressStore(op); })
        .Case([&](vector::ExpandLoadOp op) { moveExpandLoad(op); })
        .Case([&](scf::ForOp op) { moveLoop(op); })
        .Case([&](scf::WhileOp op) { moveWhile(op); })
        .Case<scf::IfOp, scf::IndexSwitchOp>([&](auto op) { moveBranch(op); })
        .Default([&](Operation *op) {
          if (machine.isHost)
            moveForCore(op);
        });
}
