//===- AccessWidthTest.cpp - What divides the addresses of views ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of memory of dynamic extents: each test says what divides the address
// of `view[indices]`, as far as 16 bytes of f32 go, and the distance of its
// rows.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/AccessWidth.h"
#include "Parsing.h"
#include "gtest/gtest.h"

using namespace distaff;

/// Of the address, and of the distance of rows.
using Divisors = std::pair<int64_t, int64_t>;

/// Of the only load of a kernel on `%m` of type `memory`, at extents and
/// indices of which nothing is known.
static Divisors divisorsOf(std::string memory, std::string body) {
  Kernel kernel("func.func @f(%m: " + memory +
                ", %n: index, %i: index, %j: index) -> f32 {\n"
                "  %c0 = arith.constant 0 : index\n" +
                body + "\n  return %x : f32\n}");
  EXPECT_TRUE(kernel.module) << kernel.messages;
  if (!kernel.module)
    return {};
  auto load = cast<memref::LoadOp>(kernel.op("memref.load"));
  const Target &target = *lookupTarget("sm_80");
  IndexFacts facts;
  int64_t rank = load.getMemRefType().getRank();
  return {
      divisorOfAddress(load.getMemRef(), load.getIndices(), facts, target),
      divisorOfRows(load.getMemRef(), llvm::SmallBitVector(rank, true), facts)};
}

TEST(AccessWidth, InnerExtentsDivideRowsOfDynamicOnes) {
  EXPECT_EQ(divisorsOf("memref<?x6x?x4xf32>",
                       "%x = memref.load %m[%i, %j, %n, %c0] : "
                       "memref<?x6x?x4xf32>"),
            Divisors(4, 4));
  EXPECT_EQ(divisorsOf("memref<?x?x6xf32>",
                       "%x = memref.load %m[%i, %j, %c0] : memref<?x?x6xf32>"),
            Divisors(2, 6));
  EXPECT_EQ(divisorsOf("memref<4x?xf32>",
                       "%x = memref.load %m[%i, %c0] : memref<4x?xf32>"),
            Divisors(1, 1));
  EXPECT_EQ(divisorsOf("memref<?x4xf32>",
                       "%x = memref.load %m[%i, %j] : memref<?x4xf32>"),
            Divisors(1, 4));
}

TEST(AccessWidth, SubviewsStepAsTheirSourceDoes) {
  EXPECT_EQ(divisorsOf("memref<?x?x4xf32>",
                       "%v = memref.subview %m[%i, %j, 0] [%n, 1, 4] [3, 1, 1] "
                       ": memref<?x?x4xf32> to memref<?x4xf32, strided<[?, 1], "
                       "offset: ?>>\n"
                       "%x = memref.load %v[%i, %c0] : memref<?x4xf32, "
                       "strided<[?, 1], offset: ?>>"),
            Divisors(4, 12));
  // A column of its own begins anywhere.
  EXPECT_EQ(divisorsOf("memref<?x4xf32>",
                       "%v = memref.subview %m[%i, %j] [%n, 2] [1, 1] : "
                       "memref<?x4xf32> to memref<?x2xf32, strided<[4, 1], "
                       "offset: ?>>\n"
                       "%x = memref.load %v[%i, %c0] : memref<?x2xf32, "
                       "strided<[4, 1], offset: ?>>"),
            Divisors(1, 4));
  // Twice: the offset of the inner one is in rows of the outer one.
  EXPECT_EQ(
      divisorsOf("memref<?x?x2xf32>",
                 "%v = memref.subview %m[%i, 0, 0] [%n, %n, 2] [2, 1, 1] : "
                 "memref<?x?x2xf32> to memref<?x?x2xf32, strided<[?, 2, 1], "
                 "offset: ?>>\n"
                 "%w = memref.subview %v[%j, 0, 0] [%n, 1, 2] [1, 1, 1] : "
                 "memref<?x?x2xf32, strided<[?, 2, 1], offset: ?>> to "
                 "memref<?x2xf32, strided<[?, 1], offset: ?>>\n"
                 "%x = memref.load %w[%i, %c0] : memref<?x2xf32, strided<[?, "
                 "1], offset: ?>>"),
      Divisors(2, 4));
}

TEST(AccessWidth, ReshapesKeepWhatDivides) {
  std::string source = "memref<?x?x4xf32, strided<[?, 4, 1]>>";
  EXPECT_EQ(divisorsOf("memref<?x?x4xf32>",
                       "%v = memref.subview %m[0, 0, 0] [%n, %n, 4] [1, 1, 1] "
                       ": memref<?x?x4xf32> to " +
                           source +
                           "\n%w = memref.expand_shape %v [[0, 1], [2], [3]] "
                           "output_shape [%i, 64, %n, 4] : " +
                           source +
                           " into memref<?x64x?x4xf32, strided<[?, ?, 4, 1]>>\n"
                           "%x = memref.load %w[%i, %j, %n, %c0] : "
                           "memref<?x64x?x4xf32, strided<[?, ?, 4, 1]>>"),
            Divisors(4, 4));
  EXPECT_EQ(divisorsOf("memref<?x?x4xf32>",
                       "%w = memref.collapse_shape %m [[0, 1], [2]] : "
                       "memref<?x?x4xf32> into memref<?x4xf32>\n"
                       "%v = memref.cast %w : memref<?x4xf32> to memref<?x?xf32"
                       ", strided<[?, ?], offset: ?>>\n"
                       "%x = memref.load %v[%i, %c0] : memref<?x?xf32, "
                       "strided<[?, ?], offset: ?>>"),
            Divisors(4, 4));
}

// Nothing is known of what a caller strides as it likes.
TEST(AccessWidth, StridesOfArgumentsMayBeAny) {
  std::string type = "memref<?x4xf32, strided<[?, 1]>>";
  EXPECT_EQ(divisorsOf(type, "%x = memref.load %m[%i, %c0] : " + type),
            Divisors(1, 1));
}
