//===- Kernel.h - Signature and launch of kernels ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines which functions are kernels, at which level their bodies are written,
// how many workgroups run them, and what a launch passes. A module before and
// after the stage that generates the code of one lane:
//
//   func.func @k(%a: tensor<64x8xf32>) -> tensor<64xf32>     a kernel
//   func.func @k__grid() -> (index, index, index)            its grid function
//
//   gpu.module @kernels {
//     gpu.func @k(%a: memref<64x8xf32>,
//                 %r: memref<64xf32> {iree.abi.output = 0 : index}) kernel
//         attributes {known_block_size = array<i32: 32, 1, 1>} ...
//   }
//   func.func @k__grid() -> (index, index, index)
//
// A kernel and its grid function are related by name: the grid function is a
// `func.func` of the module itself, wherever the kernel is in it.
//
// All answers come from the IR, so they are the same for kernels that the
// stages or a user wrote. A result that has become an argument is marked by the
// attribute `iree.abi.output`.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_KERNEL_KERNEL_H
#define DISTAFF_KERNEL_KERNEL_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <array>
#include <optional>
#include <string>

namespace distaff {

/// The attribute of a kernel on tensors that is one product, with ops on
/// elements around it: form-launches sets it on the pipeline run-cluster, and
/// configure removes it.
inline constexpr StringLiteral oneProductName = "distaff.one_product";

//===----------------------------------------------------------------------===//
// Kernels and their grid functions
//===----------------------------------------------------------------------===//

/// The attribute of a `func.func` that runs on the host, and not on a GPU.
inline constexpr llvm::StringLiteral hostAttributeName = "host";

/// Returns whether `op` is a `func.func` with a body that is not the host's, or
/// a `gpu.func` with a body that is marked as a kernel.
bool isKernel(Operation *op);

/// Returns whether a value is an argument of a function, and not of a block
/// inside it, whose value a branch passes.
bool isFunctionArgument(Value value);

/// Returns whether `op` is a host function that computes a kernel's workgroups.
bool isGridFunction(Operation *op);

/// Returns the kernels of a module in order, including those in its
/// gpu.modules.
SmallVector<FunctionOpInterface> findKernels(ModuleOp module);

/// Returns the kernel of that name, or the only one if `name` is empty; null
/// with a diagnostic that lists the kernels otherwise.
FunctionOpInterface findKernel(ModuleOp module, StringRef name = "");

/// Returns the grid function of a kernel, null if it has none. It takes an
/// index per dynamic extent (see KernelSignature) and returns the workgroups
/// along x, y and z.
func::FuncOp findGridFunction(FunctionOpInterface kernel);

/// Checks that an op with the name of a kernel's grid function is one.
LogicalResult verifyGridName(FunctionOpInterface kernel);

/// Returns the name that makes a host function a kernel's grid function.
std::string gridFunctionName(StringRef kernel);

//===----------------------------------------------------------------------===//
// Levels of a body
//===----------------------------------------------------------------------===//

/// The level of a program: `Grid` is that of all workgroups, with tensors or a
/// loop over workgroups; `Workgroup` that of one; `Lane` that of one lane.
enum class Level { Grid, Workgroup, Lane };

StringRef stringOf(Level level);

Level levelOf(FunctionOpInterface function);

/// Returns the first op that only the program of one lane may have: its ids,
/// shuffles between lanes, barriers, fragments of MMA instructions, and all ops
/// of vendor dialects. Null if there is none.
Operation *findLaneOp(FunctionOpInterface function);

/// The diagnostic for such an op in a `func.func`, with a fix.
inline constexpr llvm::StringLiteral kLaneOpOutsideLane =
    "is run by one lane, and a func.func is the program of one workgroup; "
    "write one lane's program as a gpu.func kernel in a gpu.module, with "
    "known_block_size";

/// Fails if a kernel is not the program of `level`. A workgroup's program is
/// also valid for a grid. One lane's program specifies the number of lanes, and
/// has no loop over workgroups.
LogicalResult verifyLevel(FunctionOpInterface kernel, Level level);

/// Returns whether it has ops of pcf that assign code to workers. Such a kernel
/// has not been lowered to the form that the pipelines start from.
bool startsWorkers(FunctionOpInterface function);

/// Returns whether an argument, a result or an op inside has a tensor.
bool mentionsTensors(FunctionOpInterface function);

/// Returns the loop over workgroups, mapped to `#gpu.block`; null if there is
/// none.
scf::ForallOp findWorkgroupLoop(FunctionOpInterface function);

//===----------------------------------------------------------------------===//
// Launch sizes
//===----------------------------------------------------------------------===//

/// Lanes of a launch. Unspecified sizes are absent.
struct LaunchSizes {
  std::optional<std::array<int64_t, 3>> workgroup; ///< along x, y, z
  std::optional<int64_t> subgroup;

  /// Returns the lanes of a workgroup; 0 if unspecified.
  int64_t numLanes() const {
    return workgroup ? (*workgroup)[0] * (*workgroup)[1] * (*workgroup)[2] : 0;
  }
};

/// Returns `known_block_size` for one lane's code, else `translation_info`.
LaunchSizes launchSizesOf(Operation *kernel);

/// Returns the workgroups along x, y and z of a loop over them; nullopt if a
/// bound is not constant, or the mapping is not to x, y and z.
std::optional<std::array<int64_t, 3>> countWorkgroups(scf::ForallOp loop);

/// Returns the workgroups of a kernel's launch if they are the same in every
/// launch: from its grid function, its `known_grid_size` or its loop over
/// workgroups; 1 if it has none of them. Returns nullopt if they depend on
/// extents.
std::optional<std::array<int64_t, 3>> fixedGridOf(FunctionOpInterface kernel);

/// Returns the number of a lane in its workgroup, x + size x * (y + size y *
/// z). Dimensions of one lane need no id.
Value linearLaneId(OpBuilder &builder, Location loc,
                   const std::array<int64_t, 3> &workgroup);

//===----------------------------------------------------------------------===//
// Parameters of a launch
//===----------------------------------------------------------------------===//

/// An input, output or workspace of a kernel.
struct KernelParameter {
  enum class Role { Argument, Result, Workspace };
  Role role;
  Type type;
  /// Number among the parameters of its role, in the author's order.
  unsigned number;
  /// Position among the function's arguments, or among its returned values.
  unsigned position;
  /// A result that has not become an argument yet.
  bool isReturned = false;
  /// The dynamic extents of a result that has become an argument, or of a
  /// sequence's result, as formulas of the launch's extents (ExtentFormulas.h).
  AffineMap extents = {};
  /// Whether it holds one element per byte where the ABI packs them
  /// (ConvertedKernel.h).
  bool isUnpacked = false;

  /// Returns whether the launch passes a pointer to it and not its value.
  bool isPointer() const {
    return role != Role::Argument || isa<ShapedType>(type);
  }
  /// Returns whether several of its elements share a byte of the launch's
  /// memory.
  bool isPacked() const;
};

/// Marks memory of the kernel's own that the launch provides.
inline constexpr llvm::StringLiteral kWorkspaceAttrName = "iree.abi.workspace";
/// The number of the result that is written to an argument.
inline constexpr llvm::StringLiteral kResultAttrName = "iree.abi.output";
/// The dynamic extents of such an argument: an affine map of symbols, one per
/// dynamic extent of the launch, with one result per dynamic dimension.
inline constexpr llvm::StringLiteral kExtentsAttrName = "iree.abi.extents";

/// The signature of a kernel as its author wrote it, at any stage.
struct KernelSignature {
  SmallVector<KernelParameter> arguments, results, workspaces;

  /// Returns the signature; fails with a diagnostic if attributes contradict.
  static FailureOr<KernelSignature> get(FunctionOpInterface kernel);

  /// Returns the parameters of the function itself, in its order.
  SmallVector<KernelParameter> passed() const;

  /// Returns the parameters in the order of the kernel ABI: pointers to the
  /// shaped arguments, the results and the workspaces, but not to arguments in
  /// workgroup memory, which is the kernel's own; then the scalars. After them
  /// one i64 is passed for each of `dynamicExtents`.
  SmallVector<KernelParameter> pointers() const;
  SmallVector<KernelParameter> scalars() const;

  /// Returns (argument, dimension) of each extent that is known only at launch.
  SmallVector<std::pair<unsigned, unsigned>> dynamicExtents() const;
};

/// Returns the extents of a result in a launch with these dynamic extents;
/// nullopt if one has no value or is negative.
std::optional<SmallVector<int64_t>> shapeOf(const KernelParameter &result,
                                            ArrayRef<int64_t> extents);

/// Marks arguments that stages have appended as the results `numbers`.
void markResults(FunctionOpInterface kernel, unsigned firstArgument,
                 ArrayRef<unsigned> numbers);

} // namespace distaff

#endif // DISTAFF_KERNEL_KERNEL_H
