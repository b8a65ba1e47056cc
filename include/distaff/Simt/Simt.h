//===- Simt.h - Interpreter of kernels on the CPU ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter of kernels: tensors and linalg, whole-workgroup vectors, or
// the program of one lane of a GPU. It is the oracle for the compiler's output,
// so it shares neither layouts nor instruction tables with the compiler.
//
// The level of a kernel (see Kernel/Kernel.h) decides how it is run:
//
//   func.func with tensors     one workgroup, every forall iteration in turn
//   func.func                  one workgroup per block, uniform values
//   gpu.func                   one instruction stream per subgroup, its values
//                              are arrays over lanes, branches may diverge
//
// If pcf defines the workers, the program starts them itself, at any level but
// the last: one instruction stream per group, cluster or worker of a scope. One
// workgroup then runs the whole program. Its loops over workgroups have as many
// workgroups as iterations; for other code over workgroups the grid function
// returns the number.
//
// Example: y = 2 * x on a memref of 4 numbers.
//
//   simt::Array x = {f32, {4}, bytesOf(1, 2, 3, 4)};
//   simt::Array y = simt::Array::unwritten(f32, {4});
//   SmallVector<simt::Array *> arguments = {&x, &y};
//   SmallVector<simt::Array> results;
//   simt::Outcome outcome =
//       simt::run(kernel, grid, arguments, results, options);
//   // outcome.counters; with faults, `report` emits them: `race: ...`
//
// Faults are values (Outcome.h); only `report` makes them errors at the
// location of the op. Memory begins on a multiple of `Options::alignment`,
// which the kernel ABI guarantees (of more for an allocation with a larger
// alignment), and of no larger power of two, so an access that claims more
// alignment is a fault.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_SIMT_SIMT_H
#define DISTAFF_SIMT_SIMT_H

#include "distaff/Simt/Outcome.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff::simt {

/// A dense row-major array of raw elements, little endian: floats and integers
/// are their bit patterns in whole bytes (i1 and i4 take one), index is 8
/// bytes. A scalar is an array of rank 0, a vector an array of the vector's
/// shape.
struct Array {
  Type elementType;
  SmallVector<int64_t> shape;
  std::vector<uint8_t> bytes;
  /// False for an output without values before the run: a read of an element
  /// that no lane wrote is a fault, and so is an element that no lane writes.
  bool written = true;

  /// Returns the number of elements; 0 for a shape that has no size.
  int64_t numElements() const;
  static Array unwritten(Type elementType, ArrayRef<int64_t> shape);
};

/// Returns the bytes that one element of a type takes in an Array.
int64_t elementBytes(Type elementType);

struct Options {
  int64_t subgroupSize = 32;
  std::array<int64_t, 3> workgroupSize = {32, 1, 1};
  /// The alignment of every array, in bytes.
  int64_t alignment = 16;
  /// Banks of workgroup memory, and bytes of each bank that one wavefront
  /// moves.
  int64_t banks = 32, bankBytes = 4;
  /// Bytes of a transaction of global memory.
  int64_t sectorBytes = 32;
  /// Seed that chooses the next step among the possible ones: which subgroup
  /// runs, which side of a divergent branch, when the bytes of an asynchronous
  /// copy arrive (0: as late as possible). Results must not depend on it.
  uint64_t schedule = 0;
  /// Enables the checks for races and unwritten reads. Bounds are always
  /// checked.
  bool checks = true;
  /// Host threads that run workgroups; 0 is one per core.
  unsigned threads = 0;
  /// The number of instructions after which a workgroup counts as an endless
  /// loop. A current machine executes some 10 million a second, so this is
  /// minutes.
  int64_t maxSteps = 1'000'000'000;
  /// Name of the target, which defines the semantics of its instructions.
  std::string target;
  /// Whether the results compared with the reference evaluation have correctly
  /// rounded quotients of f32, as the ops are defined. GPUs multiply by
  /// reciprocals unless a flag forbids it.
  bool nearestQuotients = false;
};

/// Runs a kernel. `arguments` are read, and those of memref type hold the final
/// contents afterwards; `results` receives the values the function returns.
/// `grid` is the function that computes the number of workgroups from the
/// dynamic extents; without it the number comes from a workgroup-mapped
/// scf.forall with constant bounds or from known_grid_size, and is otherwise
/// 1x1x1.
Outcome run(FunctionOpInterface kernel, func::FuncOp grid,
            ArrayRef<Array *> arguments, SmallVectorImpl<Array> &results,
            const Options &options);

/// A number of the reference evaluation: the result of the program in exact
/// arithmetic is within `bound` of `value`, unless `undecided` is set.
struct Estimate {
  double value = 0;
  double bound = 0;
  bool undecided = false;
  /// The sign-extended value of an element of integer type. It is exact;
  /// `value` is the nearest double, and `bound` is 0.
  int64_t integer = 0;
  /// Whether a float result is exactly `value` rounded to the element's type,
  /// as by one op on exact operands; or a zero with this sign.
  bool isRounded = false, isZero = false;
};

struct EstimateArray {
  SmallVector<int64_t> shape;
  std::vector<Estimate> elements;
};

/// Evaluates a kernel before distribution in double, with an error bound per
/// element. `finals` receives the final contents of each memref argument (empty
/// for others), `results` the returned values. The arguments do not change.
Outcome evaluate(FunctionOpInterface kernel, func::FuncOp grid,
                 ArrayRef<Array *> arguments,
                 SmallVectorImpl<EstimateArray> &finals,
                 SmallVectorImpl<EstimateArray> &results,
                 const Options &options);

} // namespace distaff::simt

#endif // DISTAFF_SIMT_SIMT_H
