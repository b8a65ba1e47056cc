//===- DispatchInterface.h - Interface of a dispatch ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function of a dispatch has no arguments: it reads what its launch passes
// by ops of hal. Here they are gathered, and become arguments:
//
//   %c = hal.interface.constant.load ordinal(0) : i32
//   %n = arith.index_castui %c : i32 to index
//   %a = hal.interface.binding.subspan binding(0) : ...tensor<?x48xf32>{%n}
//   %b = hal.interface.binding.subspan binding(1) : ...tensor<?xf32>{%n}
//
// are the arguments %a: tensor<?x48xf32> and, if it is read, %b: tensor<?xf32>;
// %n is the extent of %a along its first dimension. %c, of which no use is
// left, is no argument; if it were used otherwise, it would be one, behind the
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
  SmallVector<Value> dims; // of dynamic dimensions, as the function has them

  bool isArgument = false; // it is read, or its extents are those of no other
  bool isResult = false;   // a tensor that is written
  Value argument = {};     // once there is one
  Value current = {};      // the tensor that it holds, while the body is read
};

/// All of a function, in the order of the kernel's arguments.
class DispatchInterface {
public:
  /// Fails, with a diagnostic, where two ops see one span differently.
  static FailureOr<DispatchInterface> get(func::FuncOp function);

  /// Whether the function is that of a dispatch.
  static bool isIn(func::FuncOp function);

  MutableArrayRef<DispatchSpan> getSpans() { return spans; }
  DispatchSpan &spanOf(dispatch::InterfaceBindingSubspanOp op);

  /// The type of the array of an op that was gathered, as it sees it: another
  /// shape than its span's may be of the same elements.
  static ShapedType arrayTypeOf(dispatch::InterfaceBindingSubspanOp op);

  /// Values of the workload, by ordinal.
  const DenseMap<int64_t, Value> &getWorkload() const { return workload; }

  /// Gives the function an argument for each span that is one, and has their
  /// extents in place of the values that say them. Results whose extents those
  /// do not determine become arguments too.
  void addArrays();

  /// Gives it one for each constant that is still used, behind all others.
  void addConstants();

private:
  void takeWorkload();
  LogicalResult gather(dispatch::InterfaceBindingSubspanOp op);
  /// Whether arguments and constants of the program determine a value.
  bool isKnown(Value value, const DenseSet<Value> &known);
  void nameExtents(DispatchSpan &span, DenseSet<Value> &known);
  void addArray(DispatchSpan &span);

  func::FuncOp function;
  SmallVector<DispatchSpan> spans;
  DenseMap<int64_t, Value> workload;
  /// The values that are extents of an argument, with the place of each.
  SmallVector<std::tuple<Value, DispatchSpan *, unsigned>> extents;
};

/// What is said of a function's launch beside it.
struct DispatchLaunch {
  /// Computes the grid: of the function's export, or of its dispatch_config.
  /// Null where there is none.
  Region *workgroupCount = nullptr;
  SmallVector<int64_t> workgroupSize; // empty where nothing says it
  std::optional<int64_t> subgroupSize;

  static DispatchLaunch of(func::FuncOp function);
};

/// Translates the tiles, instruction and sizes that IREE has chosen for a
/// function on tensors to this project's units, for configure to follow.
void inheritConfiguration(func::FuncOp function);

/// Makes ops of linalg of those of iree_linalg_ext.
LogicalResult lowerLinalgExt(ModuleOp module);

/// Makes products of fragments, or of tensors, of the ops inner_tiled that have
/// IREE's semantics, in dispatches and in other functions.
LogicalResult importInnerTiles(ModuleOp module);

/// Makes pads, reshapes and transposes of packs and unpacks in a loop over
/// workgroups, where nothing else takes them.
LogicalResult lowerTilePacks(func::FuncOp function);

/// Makes reductions in wider types than their results' such in their own.
void narrowReductions(func::FuncOp function);

/// Makes loads and stores of tensors of ops of linalg on the bindings
/// themselves, where a function does nothing else with memory.
void raiseCopies(func::FuncOp function);

/// Makes tensors of what is read of spans, and results of what is written.
LogicalResult importTensors(func::FuncOp function,
                            DispatchInterface &interface);

/// Whether the function accesses its bindings as tensors alone.
bool accessesTensors(func::FuncOp function);

/// Replaces the spans of a function on memrefs by its arguments.
LogicalResult importBuffers(func::FuncOp function,
                            DispatchInterface &interface);

/// Makes a loop over workgroups of what a function knows of its workgroup, or
/// ids and a grid function where it is the program of one lane.
LogicalResult importGrid(func::FuncOp function, const DispatchLaunch &launch,
                         const DispatchInterface &interface);

/// Makes a lane's kernel of a function that is the program of one lane.
FunctionOpInterface moveToLane(func::FuncOp function,
                               const DispatchLaunch &launch);

} // namespace distaff

#endif // DISTAFF_LIB_IMPORT_DISPATCH_DISPATCHINTERFACE_H
