//===- Simt.h - Runs kernels of any stage on the CPU ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine for kernels: tensors and linalg, whole-workgroup vectors, or the
// program of one lane of a GPU. It is the judge of what the compiler makes,
// so it shares neither layouts nor instruction tables with it.
//
// How a kernel is run is its level (see Kernel/Kernel.h):
//
//   func.func with tensors     one workgroup, every forall iteration in turn
//   func.func                  one workgroup per block, uniform values
//   gpu.func                   one instruction stream per subgroup, its values
//                              are arrays over lanes, branches may diverge
//
// Where pcf says who runs what, the program starts those itself, at any level
// but the last: one instruction stream per group, cluster or worker of a scope.
// One workgroup then runs the whole program. Its loops over workgroups have as
// many as they count; for other code of theirs the grid function says it.
//
// Example: y = 2 * x on a memref of 4 numbers.
//
//   simt::Array x = {f32, {4}, bytesOf(1, 2, 3, 4)};
//   simt::Array y = simt::Array::unwritten(f32, {4});
//   SmallVector<simt::Array *> arguments = {&x, &y};
//   SmallVector<simt::Array> results;
//   simt::Outcome outcome =
//       simt::run(kernel, grid, arguments, results, options);
//   // outcome.counters; where it is not fine, `report` says why: `race: ...`
//
// Faults are values (Outcome.h), and become errors at the location of the op in
// `report` alone. Memory begins on a multiple of the bytes that the kernel ABI
// promises, `Options::alignment` (of more where an allocation asks for it), and
// of no larger power of two, so an access that claims more than follows is a
// fault.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_SIMT_SIMT_H
#define DISTAFF_SIMT_SIMT_H

#include "distaff/Simt/Outcome.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace distaff::simt {

/// A dense row-major array of raw elements, little endian: floats and integers
/// by their bit patterns in whole bytes (i1 and i4 take one), index as 8 bytes.
/// A scalar is an array of rank 0, a vector one of the vector's shape.
struct Array {
  Type elementType;
  SmallVector<int64_t> shape;
  std::vector<uint8_t> bytes;
  /// False for an output that has no value before the run: reading an element
  /// that no lane wrote is a fault, and so is an element left unwritten.
  bool written = true;

  /// 0 for a shape that has no size.
  int64_t numElements() const;
  static Array unwritten(Type elementType, ArrayRef<int64_t> shape);
};

/// Bytes that one element of a type takes in an Array.
int64_t elementBytes(Type elementType);

struct Options {
  int64_t subgroupSize = 32;
  std::array<int64_t, 3> workgroupSize = {32, 1, 1};
  /// Bytes that every array begins on a multiple of.
  int64_t alignment = 16;
  /// Columns of workgroup memory, and bytes of each that one wavefront moves.
  int64_t banks = 32, bankBytes = 4;
  /// Bytes that global memory moves at a time.
  int64_t sectorBytes = 32;
  /// Chooses which of the steps that may happen next does: which subgroup runs,
  /// which side of a divergent branch, when an asynchronous copy's bytes arrive
  /// (with 0 as late as they may). Results may not depend on it.
  uint64_t schedule = 0;
  /// Track races and unwritten reads. Bounds are always checked.
  bool checks = true;
  /// Host threads that run workgroups; 0 is one per core.
  unsigned threads = 0;
  /// Instructions after which a workgroup is taken to run for ever. A machine
  /// of today executes some 10 million a second, so this is minutes.
  int64_t maxSteps = 1'000'000'000;
  /// Name of the target, for what its instructions do.
  std::string target;
  /// Whether what the reference evaluation is compared with has the nearest
  /// numbers to quotients of f32, as the ops are defined. GPUs multiply by
  /// reciprocals unless they are told not to.
  bool nearestQuotients = false;
};

/// Runs a kernel. `arguments` are read, and those of memref type hold the final
/// contents afterwards; `results` receives the values the function returns.
/// `grid` is the function that computes the number of workgroups from the
/// dynamic extents; without one it is read off a workgroup-mapped scf.forall
/// with constant bounds, or known_grid_size, and is 1x1x1 where there is none.
Outcome run(FunctionOpInterface kernel, func::FuncOp grid,
            ArrayRef<Array *> arguments, SmallVectorImpl<Array> &results,
            const Options &options);

/// A number of the reference evaluation: what the program computes in exact
/// arithmetic is within `bound` of `value`, unless a choice was too close.
struct Estimate {
  double value = 0;
  double bound = 0;
  bool undecided = false;
  /// The value of an element of integer type, sign-extended. It is exact;
  /// `value` is its nearest double, and `bound` 0.
  int64_t integer = 0;
  /// Of a float: the result is `value`, rounded to the element's type, as one
  /// op of exact operands has it; or a zero of this sign.
  bool isRounded = false, isZero = false;
};

struct EstimateArray {
  SmallVector<int64_t> shape;
  std::vector<Estimate> elements;
};

/// Evaluates a kernel before distribution in double, with an error bound per
/// element. `finals` receives the final contents of each memref argument (empty
/// for others), `results` the returned values. Arguments are not changed.
Outcome evaluate(FunctionOpInterface kernel, func::FuncOp grid,
                 ArrayRef<Array *> arguments,
                 SmallVectorImpl<EstimateArray> &finals,
                 SmallVectorImpl<EstimateArray> &results,
                 const Options &options);

} // namespace distaff::simt

#endif // DISTAFF_SIMT_SIMT_H
