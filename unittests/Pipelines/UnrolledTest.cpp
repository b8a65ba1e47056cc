//===- UnrolledTest.cpp - What the cost table unrolls ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of random costs, down to the code (VX-125): a contraction becomes as
// many instructions of one row as its shape says, of a row that costs hardly
// more than the cheapest and never infinity; or none of any. What comes out
// runs on the SIMT machine and computes what the source says.
//
//===----------------------------------------------------------------------===//
#include "Journey.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace distaff;
using journey_test::Journey;

namespace {

/// A target whose instructions cost what is said.
struct Priced {
  Priced(StringRef base, std::mt19937 &random)
      : target(*lookupTarget(base)), rows(target.mma.vec()) {
    for (MmaRow &row : rows)
      row.issueCost =
          random() % 3 == 0 ? infiniteCost : 1 + int64_t(random() % 64);
    target.name = "priced";
    target.mma = rows;
  }

  Target target;
  std::vector<MmaRow> rows;
};

std::string product(int64_t m, int64_t n, int64_t k, int64_t lanes) {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string a = number(m) + "x" + number(k) + "xf16",
              b = number(n) + "x" + number(k) + "xf16",
              o = number(m) + "x" + number(n) + "xf32";
  auto read = [](const std::string &name, const std::string &from,
                 const std::string &type) {
    return "  " + name + " = vector.transfer_read " + from +
           "[%c0, %c0], %h {in_bounds = [true, true]} : memref<" + type +
           ">, vector<" + type + ">\n";
  };
  return "#info = #iree_codegen.translation_info<workgroup_size = [" +
         number(2 * lanes) + ", 1, 1] subgroup_size = " + number(lanes) +
         ">\n#mk = affine_map<(m, n, k) -> (m, k)>\n"
         "#nk = affine_map<(m, n, k) -> (n, k)>\n"
         "#mn = affine_map<(m, n, k) -> (m, n)>\n"
         "func.func @f(%a: memref<" +
         a + ">, %b: memref<" + b + ">, %o: memref<" + o +
         ">) attributes {translation_info = #info} {\n"
         "  %c0 = arith.constant 0 : index\n  %h = arith.constant 0.0 : f16\n"
         "  %none = arith.constant dense<0.0> : vector<" +
         o + ">\n" + read("%x", "%a", a) + read("%y", "%b", b) +
         "  %z = vector.contract {indexing_maps = [#mk, #nk, #mn], "
         "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "
         "#vector.kind<add>} %x, %y, %none : vector<" +
         a + ">, vector<" + b + "> into vector<" + o +
         ">\n  vector.transfer_write %z, %o[%c0, %c0] {in_bounds = [true, "
         "true]} : vector<" +
         o + ">, memref<" + o + ">\n  return\n}\n";
}

TEST(Unrolled, VX125_TheTableSaysHowManyInstructionsThereAre) {
  std::mt19937 random(125);
  std::set<std::string> taken;
  int without = 0;
  for (int trial = 0; trial < 24; ++trial) {
    StringRef base = trial % 2 ? "gfx942" : "sm_80";
    Priced priced(base, random);
    TargetRegistration known(priced.target);
    int64_t m = 32 << random() % 2, n = 64, k = 32 << random() % 2;
    std::string text = product(m, n, k, priced.target.subgroupSize);
    SCOPED_TRACE(base.str() + " " + text);
    Journey journey;
    auto source = journey.parse(text), compiled = journey.parse(text);
    ASSERT_TRUE(source && journey.take(*compiled, priced.target))
        << journey.messages;
    EXPECT_EQ(journey.compare(*source, *compiled, priced.target), "");

    // What the cheapest of the rows for halves would cost.
    int64_t least = infiniteCost;
    auto issuesOf = [&](const MmaRow &row) {
      return m * n * k / (row.m * row.n * row.k) / 2;
    };
    for (const MmaRow &row : priced.rows)
      if (row.a == ScalarKind::F16 && row.b == ScalarKind::F16 &&
          row.c == ScalarKind::F32 && row.blocks == 1 &&
          row.issueCost != infiniteCost)
        least = std::min(least, issuesOf(row) * row.issueCost);

    std::set<std::string> kinds;
    int64_t count = 0;
    compiled->walk([&](iree::InnerTiledOp op) {
      ++count;
      kinds.insert(cast<iree::MmaLayoutAttr>(op.getKind()).getName().str());
    });
    if (kinds.empty()) {
      without += least == infiniteCost;
      continue; // multiplied lane by lane, where that costs less
    }
    ASSERT_EQ(kinds.size(), 1u);
    const MmaRow &row = *priced.target.findMma(*kinds.begin());
    EXPECT_EQ(count, issuesOf(row)) << row.name.str();
    ASSERT_NE(row.issueCost, infiniteCost);
    // What is half as dear again no saved conversion pays for.
    if (least != infiniteCost)
      EXPECT_LE(2 * count * row.issueCost, 3 * least);
    taken.insert(*kinds.begin());
  }
  EXPECT_GE(taken.size(), 4u);
  EXPECT_GT(without, 0);
}

} // namespace
