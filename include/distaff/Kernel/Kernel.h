//===- Kernel.h - What a kernel is, at every stage --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows which functions are kernels, who runs their bodies,
// how many of them there are, and what a launch passes. A module before and
// after the stage that writes the code of one lane:
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
// A kernel and its grid function find each other by name: the grid function is
// a `func.func` of the module itself, wherever the kernel stands in it.
//
// Everything is answered from the IR, so the answers are the same whether the
// stages made it or a user wrote it. A result that has become an argument says
// so itself, by the attribute `iree.abi.output`.
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

//===----------------------------------------------------------------------===//
// Which functions are kernels
//===----------------------------------------------------------------------===//

/// The attribute of a `func.func` that the host runs, and no GPU.
inline constexpr llvm::StringLiteral hostAttributeName = "host";

/// A `func.func` with a body that is not the host's, or a `gpu.func` with a
/// body that is marked as a kernel.
bool isKernel(Operation *op);

/// Whether a value is an argument of a function, and not of a block inside it,
/// which is whatever a branch passes.
bool isFunctionArgument(Value value);

/// A function of the host that computes how many workgroups a kernel has.
bool isGridFunction(Operation *op);

/// The kernels of a module in order, those inside its gpu.modules included.
SmallVector<FunctionOpInterface> findKernels(ModuleOp module);

/// Returns the kernel of that name, or the only one if `name` is empty; null
/// with a diagnostic that lists the kernels otherwise.
FunctionOpInterface findKernel(ModuleOp module, StringRef name = "");

/// The grid function of a kernel, null where it has none. It takes an index per
/// dynamic extent (see KernelSignature) and returns the workgroups along x, y
/// and z.
func::FuncOp findGridFunction(FunctionOpInterface kernel);

/// Checks that what has the name of a kernel's grid function is one.
LogicalResult verifyGridName(FunctionOpInterface kernel);

/// The name that makes a function of the host a kernel's grid function.
std::string gridFunctionName(StringRef kernel);

//===----------------------------------------------------------------------===//
// Who runs a body
//===----------------------------------------------------------------------===//

/// From all to one: `Grid` is the program of all workgroups, with tensors or a
/// loop over workgroups; `Workgroup` that of one; `Lane` that of one lane.
enum class Level { Grid, Workgroup, Lane };

StringRef stringOf(Level level);

Level levelOf(FunctionOpInterface function);

/// The first op that only the program of one lane may have: its ids, what
/// moves between lanes, barriers, fragments of MMA instructions, and whatever
/// belongs to a vendor's dialect. Null where there is none.
Operation *findLaneOp(FunctionOpInterface function);

/// What is wrong with such an op in a `func.func`, and how to mend it.
inline constexpr llvm::StringLiteral kLaneOpOutsideLane =
    "is run by one lane, and a func.func is the program of one workgroup; "
    "write one lane's program as a gpu.func kernel in a gpu.module, with "
    "known_block_size";

/// Fails where a kernel is not the program of `level`. One of a workgroup is
/// also that of a grid. One lane's says how many lanes there are, and has no
/// loop over workgroups.
LogicalResult verifyLevel(FunctionOpInterface kernel, Level level);

/// Whether ops of pcf say in it which workers run what. Such a kernel has not
/// been lowered to the form that the pipelines begin with.
bool startsWorkers(FunctionOpInterface function);

/// Whether an argument, a result or an op inside is a tensor or takes one.
bool mentionsTensors(FunctionOpInterface function);

/// The loop over workgroups, mapped to `#gpu.block`; null where there is none.
scf::ForallOp findWorkgroupLoop(FunctionOpInterface function);

//===----------------------------------------------------------------------===//
// Launch sizes
//===----------------------------------------------------------------------===//

/// Lanes of a launch. What nobody has said is absent.
struct LaunchSizes {
  std::optional<std::array<int64_t, 3>> workgroup; ///< along x, y, z
  std::optional<int64_t> subgroup;

  /// Lanes of a workgroup; 0 where nobody has said.
  int64_t numLanes() const {
    return workgroup ? (*workgroup)[0] * (*workgroup)[1] * (*workgroup)[2] : 0;
  }
};

/// From `known_block_size` for one lane's code, else from `translation_info`.
LaunchSizes launchSizesOf(Operation *kernel);

/// The workgroups along x, y and z of a loop over them; none where a bound is
/// not constant, or the mapping is not to x, y and z.
std::optional<std::array<int64_t, 3>> countWorkgroups(scf::ForallOp loop);

/// The workgroups of a kernel's launch where they are the same in every launch:
/// from its grid function, its `known_grid_size` or its loop over workgroups; 1
/// where it has none of them. None where they depend on extents.
std::optional<std::array<int64_t, 3>> fixedGridOf(FunctionOpInterface kernel);

/// The number of a lane in its workgroup, x + size x * (y + size y * z). A
/// dimension of one lane is not asked for its id.
Value linearLaneId(OpBuilder &builder, Location loc,
                   const std::array<int64_t, 3> &workgroup);

//===----------------------------------------------------------------------===//
// What a launch passes
//===----------------------------------------------------------------------===//

/// One thing that goes into or comes out of a kernel.
struct KernelParameter {
  enum class Role { Argument, Result, Workspace };
  Role role;
  Type type;
  /// Among those of its role, in the order of the author's function.
  unsigned number;
  /// Of the function's argument, or of what the function returns.
  unsigned position;
  /// A result that has not become an argument yet.
  bool isReturned = false;
  /// Of a result with dynamic extents that has become an argument, or of a
  /// sequence of launches: those extents as formulas of the launch's
  /// (ExtentFormulas.h).
  AffineMap extents = {};
  /// Whether it holds an element per byte where the ABI packs them
  /// (ConvertedKernel.h).
  bool isUnpacked = false;

  /// Whether the launch passes a pointer to it and not its value.
  bool isPointer() const {
    return role != Role::Argument || isa<ShapedType>(type);
  }
  /// Whether several of its elements share a byte of the launch's memory.
  bool isPacked() const;
};

/// Memory of the kernel's own that the launch provides.
inline constexpr llvm::StringLiteral kWorkspaceAttrName = "iree.abi.workspace";
/// The number of the result that is written to an argument.
inline constexpr llvm::StringLiteral kResultAttrName = "iree.abi.output";
/// The dynamic extents of such an argument: an affine map of symbols, one per
/// dynamic extent of the launch, with one result per dynamic dimension.
inline constexpr llvm::StringLiteral kExtentsAttrName = "iree.abi.extents";

/// A kernel as its author sees it, at any stage.
struct KernelSignature {
  SmallVector<KernelParameter> arguments, results, workspaces;

  /// Fails with a diagnostic where marks contradict each other.
  static FailureOr<KernelSignature> get(FunctionOpInterface kernel);

  /// What is passed to the function itself, in its order.
  SmallVector<KernelParameter> passed() const;

  /// The order of the kernel ABI: pointers to the shaped arguments, the results
  /// and the workspaces, but not to arguments in workgroup memory, which is the
  /// kernel's own; then the scalars. After them one i64 is passed for
  /// each of `dynamicExtents`.
  SmallVector<KernelParameter> pointers() const;
  SmallVector<KernelParameter> scalars() const;

  /// (argument, dimension) of each extent that only the launch knows.
  SmallVector<std::pair<unsigned, unsigned>> dynamicExtents() const;
};

/// The extents of a result in a launch with these dynamic extents; none where
/// one has no value or is negative.
std::optional<SmallVector<int64_t>> shapeOf(const KernelParameter &result,
                                            ArrayRef<int64_t> extents);

/// Marks arguments that stages have appended as the results `numbers`.
void markResults(FunctionOpInterface kernel, unsigned firstArgument,
                 ArrayRef<unsigned> numbers);

} // namespace distaff

#endif // DISTAFF_KERNEL_KERNEL_H
