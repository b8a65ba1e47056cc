//===- InMemory.h - Values kept in memory -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some ops have no slices of their own: a loop that carries a large vector, a
// branch that selects one, a scan, an insertion, a shape cast, a compressed or
// expanded access, a large constant. Each becomes writes to memory and reads
// from it, which have slices:
//
//   %r = scf.for ... iter_args(%a = %init)   =>   write %init, %buffer
//     scf.yield %next                              scf.for ...
//                                                    %a = read %buffer
//                                                    write %next, %buffer
//                                                  %r = read %buffer
//
// Hazards decide whether reads may move to their uses (ReadHazards.h).
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

/// Moves vectors that registers cannot hold to memory, as far as there is room;
/// the room is taken from `machine`.
class MemoryForm {
public:
  MemoryForm(func::FuncOp kernel, Machine &machine, Hazards &hazards);

  void run();

private:
  /// Returns whether registers cannot hold a vector, or the user requested
  /// tiles of it.
  bool isLarge(Type type) const;
  bool isLargeInOrder(VectorType type) const;
  /// Allocates a buffer; returns null where there is no room.
  Value allocate(VectorType type, Operation *user);
  Value allocate(MemRefType type, int64_t bytes, Operation *user);
  void write(OpBuilder &b, Value vector, Value buffer);
  /// Reads `buffer` in place of `vector`.
  Value read(OpBuilder &b, Value vector, Value buffer);

  void moveInsertion(Operation *op);
  void moveInserted(Operation *op);
  void moveShapeCast(vector::ShapeCastOp op);
  void moveScan(vector::ScanOp op);
  void moveRowScan(vector::ScanOp op);
  /// Processes one tile in registers, and returns its result, or null if only
  /// memory changes.
  template <typename Op>
  using MoveTile = Value (*)(OpBuilder &b, Op op, Value tile, Value mask,
                             ValueRange indices);
  /// Processes the tiles of a vector in order, and returns the buffer that
  /// holds the result; null where registers hold it, or there is no room.
  template <typename Op>
  Value moveInOrder(Op op, Value values, MoveTile<Op> move);
  void moveCompressStore(vector::CompressStoreOp op);
  void moveExpandLoad(vector::ExpandLoadOp op);
  void transposeOperands(vector::ContractionOp op);
  void moveShuffle(vector::ShuffleOp op);
  Value joinOperands(vector::ShuffleOp op);
  /// Reads a table of constants from memory.
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
  llvm::DenseMap<Value, Value> latest; // buffers of results of insertions
  /// Buffers that hold both operands of shuffles, also by their block.
  llvm::DenseMap<std::tuple<Value, Value, Block *>, Value> joined;
};

/// Returns whether a shape cast may make each lane hold the whole vector, which
/// registers cannot: both sides need one layout, and lanes share only powers of
/// two.
bool mayBeOnEachLane(vector::ShapeCastOp op, const Machine &machine);

/// Returns whether each lane holds the whole vector, which registers cannot,
/// because a part of it begins where no tile of the lanes begins.
bool isPartOnEachLane(VectorType whole, VectorType part, ArrayAttr offsets,
                      const Machine &machine);

/// Passes vectors that a CPU's registers cannot hold to C functions in memory.
void passLargeVectors(ModuleOp module, const Machine &machine);

} // namespace distaff::vectortiles

#endif // DISTAFF_LIB_TILING_NATIVEVECTORS_INMEMORY_H
