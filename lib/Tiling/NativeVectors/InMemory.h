//===- InMemory.h - Values that exist as a whole ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some ops have no slices of their own: a loop that carries a large vector, a
// branch that chooses one, a scan, an insertion, a cast to other dims, elements
// that memory holds without gaps, a constant of many numbers. Each becomes
// writes to memory and reads from it, of which there are slices:
//
//   %r = scf.for ... iter_args(%a = %init)   =>   write %init, %buffer
//     scf.yield %next                              scf.for ...
//                                                    %a = read %buffer
//                                                    write %next, %buffer
//                                                  %r = read %buffer
//
// Whether reads may be moved to their uses is for the hazards to say
// (ReadHazards.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TILING_NATIVEVECTORS_INMEMORY_H
#define DISTAFF_LIB_TILING_NATIVEVECTORS_INMEMORY_H

#include "Machine.h"
#include "ReadHazards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

namespace distaff::vectortiles {

/// Moves such vectors of a kernel to memory where registers cannot hold them,
/// as far as there is room, which is taken from `machine`.
class MemoryForm {
public:
  MemoryForm(func::FuncOp kernel, Machine &machine, Hazards &hazards);

  void run();

private:
  /// Whether registers do not hold a vector, or its user wants tiles of it.
  bool isLarge(Type type) const;
  bool isLargeInOrder(VectorType type) const;
  /// Null where there is no room.
  Value allocate(VectorType type, Operation *user);
  Value allocate(MemRefType type, int64_t bytes, Operation *user);
  void write(OpBuilder &b, Value vector, Value buffer);
  /// What is to replace `vector`.
  Value read(OpBuilder &b, Value vector, Value buffer);

  void moveInsertion(Operation *op);
  void moveInserted(Operation *op);
  void moveShapeCast(vector::ShapeCastOp op);
  void moveScan(vector::ScanOp op);
  void moveRowScan(vector::ScanOp op);
  /// What one tile in registers becomes, or null where only memory changes.
  template <typename Op>
  using MoveTile = Value (*)(OpBuilder &b, Op op, Value tile, Value mask,
                             ValueRange indices);
  /// Moves tiles of a vector in order, and returns the buffer that holds it;
  /// null where registers hold it, or there is no room.
  template <typename Op>
  Value moveInOrder(Op op, Value values, MoveTile<Op> move);
  void moveCompressStore(vector::CompressStoreOp op);
  void moveExpandLoad(vector::ExpandLoadOp op);
  void transposeOperands(vector::ContractionOp op);
  void moveShuffle(vector::ShuffleOp op);
  Value joinOperands(vector::ShuffleOp op);
  /// What a table of constants in memory has.
  Value readTable(OpBuilder &b, Location loc, DenseElementsAttr numbers);
  void moveConstant(arith::ConstantOp op);
  void moveLoop(scf::ForOp op);
  void moveWhile(scf::WhileOp op);
  void moveBranch(Operation *op);
  void moveForCore(Operation *op);

  SmallVector<Value> allocateAll(ValueRange values, Operation *user);
  void writeAll(Operation *before, ValueRange values,
                const SmallVector<Value> &buffers);
  void readAll(OpBuilder &b, ValueRange values,
               const SmallVector<Value> &buffers);

  func::FuncOp kernel;
  Machine &machine;
  Hazards &hazards;
  std::optional<int64_t> asked;        // elements of the user's native vector
  llvm::DenseMap<Value, Value> latest; // buffers that hold what was inserted
  /// Buffers that hold both operands of shuffles, by their block, too.
  llvm::DenseMap<std::tuple<Value, Value, Block *>, Value> joined;
};

/// Whether a cast of shape may have lanes hold all of a vector that registers
/// do not hold: both sides have one layout, and lanes share out powers of two.
bool mayBeOnEachLane(vector::ShapeCastOp op, const Machine &machine);

/// Whether lanes hold all of a vector that registers do not hold, for a part of
/// it begins where their tiles do not.
bool isPartOnEachLane(VectorType whole, VectorType part, ArrayAttr offsets,
                      const Machine &machine);

/// Has functions of C be called with the memory of vectors that registers of a
/// CPU do not hold.
void passLargeVectors(ModuleOp module, const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_INMEMORY_H
