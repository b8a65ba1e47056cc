//===- ExternalFunctions.cpp - Functions that are linked later ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/ExternalFunctions.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;

Type distaff::typePassedToExternal(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  return element;
}

bool distaff::returnsScalar(FunctionType type) {
  return type.getNumResults() == 1 && !isa<VectorType>(type.getResult(0));
}

/// Returns whether C passes a type by value without a library: numbers of 8
/// bits and more, but no floats below f32.
static bool isScalarOfC(Type type) {
  Type passed = typePassedToExternal(type);
  return passed.isF32() || passed.isF64() || passed.isInteger(8) ||
         passed.isInteger(16) || passed.isInteger(32) || passed.isInteger(64);
}

static bool isElementOfC(Type type) {
  return isScalarOfC(type) ||
         (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 64 &&
          type.getIntOrFloatBitWidth() % 8 == 0);
}

/// Returns why a function cannot have a parameter of that type; empty if it
/// can.
static StringRef whyNotPassed(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector)
    return isElementOfC(vector.getElementType())
               ? ""
               : "has elements that share bytes, or that C has no type of; "
                 "pass "
                 "integers of 8, 16, 32 or 64 bits";
  if (isElementOfC(type) && !isScalarOfC(type))
    return "is a float that C does not pass by value; pass a vector of one "
           "element";
  return isScalarOfC(type) ? "" : "is neither a vector nor a scalar of C";
}

static bool isNameOfC(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult distaff::checkExternalCall(func::CallOp call, func::FuncOp callee,
                                         const Target &target) {
  if (!target.isHost())
    return call->emitOpError("calls @")
           << callee.getName()
           << ", which has no body here; a kernel is all of its code, so give "
              "it one, or compile for `host`, which links others";
  if (!isNameOfC(callee.getName()))
    return call->emitOpError("calls @")
           << callee.getName()
           << ", which has no body here, and no function of C has that name";
  if (callee.getName() == "aligned_alloc" || callee.getName() == "free")
    return call->emitOpError("calls @") << callee.getName()
                                        << ", which kernels take their own "
                                           "memory with; give it another name";
  FunctionType type = callee.getFunctionType();
  for (Type each :
       llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (StringRef why = whyNotPassed(each); !why.empty())
      return call->emitOpError("calls @")
             << callee.getName() << ", which has no body here, with " << each
             << ", which " << why;
  return success();
}
