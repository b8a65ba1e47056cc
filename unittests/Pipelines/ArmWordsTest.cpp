//===- ArmWordsTest.cpp - Products of words, by another CPU's rows --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arm multiplies four bytes of which both have a sign, or neither; with
// FEAT_I8MM one of each. What has other signs is copied with 128 added or taken
// away. Only the levels of the compiler's own architecture are known, so Arm's
// with rows of a test are registered here, and the SIMT machine, which is no
// CPU's, runs what they lead to.
//
//===----------------------------------------------------------------------===//
#include "Journey.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Target/ThisMachine.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::journey_test;

static constexpr PackedDot bothSigned = {"sdot", ScalarKind::I8, ScalarKind::I8,
                                         ScalarKind::I32,
                                         "llvm.aarch64.neon.sdot."},
                           noneSigned = {"udot", ScalarKind::U8, ScalarKind::U8,
                                         ScalarKind::I32,
                                         "llvm.aarch64.neon.udot."},
                           oneSigned = {"usdot", ScalarKind::U8, ScalarKind::I8,
                                        ScalarKind::I32,
                                        "llvm.aarch64.neon.usdot."};

/// A product of bytes with a sign or without, 64x37 by 37x136.
static std::string product(bool lhsHasSign, bool rhsHasSign) {
  auto extend = [](bool hasSign, const char *from) {
    return std::string(hasSign ? "arith.extsi " : "arith.extui ") + from +
           " : i8 to i32\n";
  };
  return R"(
    func.func @k(%a: tensor<64x37xi8>, %b: tensor<37x136xi8>, %c: tensor<64x136xi32>) -> tensor<64x136xi32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<64x37xi8>, tensor<37x136xi8>) outs(%c : tensor<64x136xi32>) {
      ^bb0(%x: i8, %y: i8, %s: i32):
        %v = )" +
         extend(lhsHasSign, "%x") + "%w = " + extend(rhsHasSign, "%y") + R"(
        %p = arith.muli %v, %w : i32
        %t = arith.addi %s, %p : i32
        linalg.yield %t : i32
      } -> tensor<64x136xi32>
      return %r : tensor<64x136xi32>
    })";
}

/// Compiles for rows, expects the product to be right, and counts the products
/// of words in the code.
static int64_t runWith(ArrayRef<PackedDot> rows, bool lhsHasSign,
                       bool rhsHasSign) {
  Target arm = levelsOf(CpuArchitecture::AArch64).back();
  arm.name = "host:arm_of_a_test";
  arm.simd.packedDots = rows;
  TargetRegistration known(arm);
  std::string text = product(lhsHasSign, rhsHasSign);
  Journey journey;
  auto source = journey.parse(text), compiled = journey.parse(text);
  if (!source || !journey.take(*compiled, arm)) {
    ADD_FAILURE() << journey.messages;
    return 0;
  }
  EXPECT_EQ(journey.compare(*source, *compiled, arm), "");
  int64_t dots = 0;
  compiled->walk([&](core::PackedDotOp) { ++dots; });
  return dots;
}

TEST(ArmWords, AnySignsAreMultipliedByRowsOfTwo) {
  for (bool lhsHasSign : {false, true})
    for (bool rhsHasSign : {false, true}) {
      SCOPED_TRACE(2 * lhsHasSign + rhsHasSign);
      EXPECT_GT(runWith({bothSigned, noneSigned}, lhsHasSign, rhsHasSign), 0);
      // The left side alone can be changed.
      EXPECT_EQ(runWith({bothSigned}, lhsHasSign, rhsHasSign) > 0, rhsHasSign);
    }
}

TEST(ArmWords, OneSignHasARowOfItsOwn) {
  for (bool lhsHasSign : {false, true})
    EXPECT_GT(
        runWith({bothSigned, noneSigned, oneSigned}, lhsHasSign, !lhsHasSign),
        0);
}
