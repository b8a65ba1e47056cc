//===- Parameters.h - Array parameters of a kernel --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes arg0, arg1, ... and res0, res1, ..., the parameters of a
// kernel as its author wrote it, before stages turn results into arguments.
//
//   func.func @f(%a: tensor<?x8xf16>, %s: f32) -> tensor<8xf32>
//
// has arg0 of f16 and shape ?x8, arg1 of f32 and rank 0, res0 of f32 and shape
// 8.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_PARAMETERS_H
#define DISTAFF_DRIVER_PARAMETERS_H

#include "distaff/LLVM.h"
#include "distaff/Runtime/ScalarType.h"
#include "mlir/IR/BuiltinTypes.h"
#include <string>

namespace distaff {

/// Returns the type of an array outside MLIR with such elements, or none for a
/// type that an array cannot hold.
std::optional<runtime::ScalarType> arrayTypeOf(Type elementType);

/// Returns the same for a number that is passed by value, in a wider integer if
/// no array has its width; for elements it equals `arrayTypeOf`.
std::optional<runtime::ScalarType> scalarTypeOf(Type type);

struct ParameterShape {
  std::string name; ///< "arg0", "res1"
  Type type;
  Type elementType;
  /// Extents; `ShapedType::kDynamic` if not yet known.
  SmallVector<int64_t> shape;
  bool isResult = false;
  bool isMemRef = false; ///< an input that is an output after the run
  /// Whether several elements share a byte of the memory of a launch.
  bool isPacked = false;

  bool isStatic() const { return llvm::none_of(shape, ShapedType::isDynamic); }
  /// Returns whether an array of this shape can be passed.
  bool fits(ArrayRef<int64_t> extents) const;
  /// Returns the error if the shape is known and an array of it takes more
  /// memory than this machine has. Empty otherwise.
  std::string describeOversize() const;
};

} // namespace distaff

#endif // DISTAFF_DRIVER_PARAMETERS_H
