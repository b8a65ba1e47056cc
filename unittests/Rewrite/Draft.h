//===- Draft.h - Small random programs of one dialect -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A draft is a function under construction together with the arrays that it is
// run with. What is dynamic in a type is a number here, so that a generator
// knows which slices are inside and which extents are one:
//
//   Draft draft(context, seed);
//   Shaped matrix = draft.tensor({4, 1, 8});        // maybe tensor<4x?x8xi32>
//   OpFoldResult at = draft.mixed(2);               // 2, %c2 or an argument
//   Program program = draft.finish({matrix.value});
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_REWRITE_DRAFT_H
#define DISTAFF_UNITTESTS_REWRITE_DRAFT_H

#include "distaff/Simt/Simt.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <random>

namespace distaff::rewrite_test {

using Extents = SmallVector<int64_t>;

/// A value of shaped type and the extents that it has at run time.
struct Shaped {
  Value value;
  Extents extents;

  ShapedType type() const { return cast<ShapedType>(value.getType()); }
  int64_t rank() const { return extents.size(); }
};

/// A program and what it is run with.
struct Program {
  OwningOpRef<ModuleOp> module;
  std::vector<simt::Array> arguments;
};

class Draft : public ImplicitLocOpBuilder {
public:
  Draft(MLIRContext *context, uint64_t seed);

  //===--------------------------------------------------------------------===//
  // Choices
  //===--------------------------------------------------------------------===//

  /// A number in [0, count); 0 where there is none to choose from.
  int64_t below(int64_t count) { return count > 1 ? random() % count : 0; }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(int64_t percent) { return below(100) < percent; }
  template <typename Range> auto &pick(Range &&range) {
    return range[below(std::size(range))];
  }
  /// The extents of something small: ones and twos are frequent.
  Extents shape(int64_t rank);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// A new argument of `type`, a shaped one with `extents`.
  Value argument(Type type, ArrayRef<int64_t> extents);
  /// An index that is `value`: constant, a sum of constants, or an argument.
  Value index(int64_t value);
  /// `value` as an attribute or an index.
  OpFoldResult mixed(int64_t value);
  SmallVector<OpFoldResult> mixed(ArrayRef<int64_t> values);
  /// A scalar of `type`: a constant, often of the edge, or an argument.
  Value scalar(Type type);
  TypedAttr number(Type type);
  /// An argument with some of its extents dynamic.
  Shaped tensor(ArrayRef<int64_t> extents, Type element = {});
  Shaped memory(ArrayRef<int64_t> extents, Type element = {});
  /// A vector argument.
  Shaped vector(ArrayRef<int64_t> extents, Type element = {});
  /// `extents`, some of them as dynamic in a type.
  Extents partlyDynamic(ArrayRef<int64_t> extents);

  Type i(unsigned width) { return getIntegerType(width); }

  /// Returns `results` from the function.
  Program finish(ValueRange results);

private:
  uint64_t bits(Type type);

  std::mt19937_64 random;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::vector<simt::Array> arrays;
  SmallVector<std::pair<int64_t, Value>> indices; ///< arguments, by value
};

/// A generator of programs: fills a draft and finishes it.
struct Family {
  StringRef name;
  Program (*make)(Draft &draft);
};

Program makeTensorProgram(Draft &draft);
Program makeMemoryProgram(Draft &draft);
Program makeVectorProgram(Draft &draft);
Program makeControlProgram(Draft &draft);
Program makeArithProgram(Draft &draft);

} // namespace distaff::rewrite_test

#endif // DISTAFF_UNITTESTS_REWRITE_DRAFT_H
