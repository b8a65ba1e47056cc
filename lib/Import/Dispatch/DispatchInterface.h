//===- DispatchInterface.h - Interface of a dispatch ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function of a dispatch has no arguments: it reads its launch parameters
// by ops of hal. This class collects the ops, and converts them to arguments:
//
//   %c = hal.interface.constant.load ordinal(0) : i32
//   %n = arith.index_castui %c : i32 to index
//   %a = hal.interface.binding.subspan binding(0) : ...tensor<?x48xf32>{%n}
//   %b = hal.interface.binding.subspan binding(1) : ...tensor<?xf32>{%n}
//
// are the arguments %a: tensor<?x48xf32> and, if it is read, %b: tensor<?xf32>;
// %n is the extent of %a along its first dimension. %c, which has no use left,
// is no argument; if it had other uses, it would be an argument after the
// arrays.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHINTERFACE_H
#define DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHINTERFACE_H

#include "distaff/Dialect/Dispatch/Dispatch.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// A part of a binding, from one offset on: an array of the kernel's launch.
struct DispatchSpan {
  int64_t binding;
  OpFoldResult offset; // null for none; a constant or a value
  ShapedType type;     // tensor or memref, row-major from its first byte
  SmallVector<dispatch::InterfaceBindingSubspanOp> ops;
  SmallVector<Value> dims; // dynamic dimensions, as values of the function

  bool isArgument = false; // whether it is read, or has extents of its own
  bool isResult = false;   // whether it is a tensor that is written
  Value argument = {};     // once there is one
  Value current = {};      // the tensor that it holds, while the body is read
};

/// The interface of a function, in the order of the kernel's arguments.
class DispatchInterface {
public:
  /// Returns the interface; fails, with a diagnostic, if two ops have different
  /// types for one span.
  static FailureOr<DispatchInterface> get(func::FuncOp function);

  /// Returns whether the function is that of a dispatch.
  static bool isIn(func::FuncOp function);

  MutableArrayRef<DispatchSpan> getSpans() { return spans; }
  DispatchSpan &spanOf(dispatch::InterfaceBindingSubspanOp op);

  /// Returns the type of the array of a collected op: its shape may differ from
  /// its span's for the same elements.
  static ShapedType arrayTypeOf(dispatch::InterfaceBindingSubspanOp op);

  /// Returns the values of the workload, by ordinal.
  const DenseMap<int64_t, Value> &getWorkload() const { return workload; }

  /// Adds an argument to the function for each span that is one, and replaces
  /// the values that compute their extents by the arguments' extents. Results
  /// whose extents those do not determine become arguments too.
  void addArrays();

  /// Adds an argument for each constant that is still used, after all others.
  void addConstants();

private:
  void takeWorkload();
  LogicalResult gather(dispatch::InterfaceBindingSubspanOp op);
  /// Returns whether arguments and constants of the program determine a value.
  bool isKnown(Value value, const DenseSet<Value> &known);
  void nameExtents(DispatchSpan &span, DenseSet<Value> &known);
  void addArray(DispatchSpan &span);

  func::FuncOp function;
  SmallVector<DispatchSpan> spans;
  DenseMap<int64_t, Value> workload;
  /// The values that are extents of an argument, with the place of each.
  SmallVector<std::tuple<Value, DispatchSpan *, unsigned>> extents;
};

/// Describes a function's launch as specified outside of the function.
struct DispatchLaunch {
  /// Computes the grid: the region of the function's export, or of its
  /// dispatch_config. Null where there is none.
  Region *workgroupCount = nullptr;
  SmallVector<int64_t> workgroupSize; // empty if not specified
  std::optional<int64_t> subgroupSize;

  static DispatchLaunch of(func::FuncOp function);
};

/// Translates the tiles, instruction and sizes that IREE has chosen for a
/// function on tensors to this project's units, for configure to follow.
void inheritConfiguration(func::FuncOp function);

/// Replaces ops of iree_linalg_ext by ops of linalg.
LogicalResult lowerLinalgExt(ModuleOp module);

/// Replaces inner_tiled ops that have IREE's semantics by products of fragments
/// or of tensors, in dispatches and in other functions.
LogicalResult importInnerTiles(ModuleOp module);

/// Replaces packs and unpacks in a loop over workgroups by pads, reshapes and
/// transposes, where no other op takes them.
LogicalResult lowerTilePacks(func::FuncOp function);

/// Narrows reductions in wider types than their results' to the results' types.
void narrowReductions(func::FuncOp function);

/// Replaces ops of linalg on the bindings themselves by loads and stores of
/// tensors, where a function does nothing else with memory.
void raiseCopies(func::FuncOp function);

/// Replaces reads of spans by tensors, and writes by results.
LogicalResult importTensors(func::FuncOp function,
                            DispatchInterface &interface);

/// Returns whether the function accesses its bindings as tensors alone.
bool accessesTensors(func::FuncOp function);

/// Replaces the spans of a function on memrefs by its arguments.
LogicalResult importBuffers(func::FuncOp function,
                            DispatchInterface &interface);

/// Replaces the workgroup ids of a function by a loop over workgroups, or by
/// ids and a grid function if it is the program of one lane.
LogicalResult importGrid(func::FuncOp function, const DispatchLaunch &launch,
                         const DispatchInterface &interface);

/// Converts a function that is the program of one lane to a lane's kernel.
FunctionOpInterface moveToLane(func::FuncOp function,
                               const DispatchLaunch &launch);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHINTERFACE_H
