//===- ParameterTypes.cpp - Types of a kernel's parameters ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/ParameterTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace distaff {

LogicalResult checkParameterType(FunctionOpInterface kernel, Type type) {
  if (!isa<TensorType, MemRefType, VectorType>(type) &&
      !type.isIntOrIndexOrFloat())
    return kernel->emitOpError("has an argument or a result of type ")
           << type << "; a kernel takes tensors, memrefs, vectors and scalars";
  if (Type element = getElementTypeOrSelf(type); !element.isIntOrIndexOrFloat())
    return kernel->emitOpError("has an argument or a result of type ")
           << type << "; elements are integers, floats or indices, so pass "
           << "what has parts as an array of them";
  return success();
}

} // namespace distaff
