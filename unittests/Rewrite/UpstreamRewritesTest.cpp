//===- UpstreamRewritesTest.cpp - MLIR's rewrites keep all values ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs of each dialect keep their values under every rewrite of
// upstream's that a pipeline runs, and without a guard the same programs show
// what it guards. All of them are run by `make test-all`:
//
//   DISTAFF_REWRITE_PROGRAMS=40000 RewriteTests     # of each dialect
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "Compare.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::rewrite_test;

namespace {

const Family families[] = {{"arith", makeArithProgram},
                           {"control", makeControlProgram},
                           {"memory", makeMemoryProgram},
                           {"tensor", makeTensorProgram},
                           {"vector", makeVectorProgram}};

/// Attributes and types of programs stay in a context for good.
constexpr int64_t programsOfContext = 500;

/// Runs programs of `family` until there is a difference or are no more.
Tally runPrograms(const Family &family, int64_t count,
                  const Protection &protection) {
  Tally tally;
  std::unique_ptr<Comparison> comparison;
  for (int64_t seed = 0; seed < count && tally.differences.empty(); ++seed) {
    if (seed % programsOfContext == 0)
      comparison = std::make_unique<Comparison>(protection);
    comparison->run(family, seed, tally);
  }
  return tally;
}

int64_t programsOfFamily() {
  if (const char *count = std::getenv("DISTAFF_REWRITE_PROGRAMS"))
    return std::atoll(count);
  return isQuick() ? 200 : 40'000;
}

void print(StringRef title, const std::map<std::string, int64_t> &counts) {
  std::string text = title.str();
  for (const auto &[name, count] : counts)
    text += " " + name + " " + std::to_string(count);
  std::cout << text << "\n";
}

class UpstreamRewrites : public testing::TestWithParam<Family> {};

TEST_P(UpstreamRewrites, KeepAllValues) {
  Tally tally = runPrograms(GetParam(), programsOfFamily(), Protection());
  std::cout << tally.programs << " programs, " << tally.compared
            << " rewritten ones compared, " << tally.refused << " refused, "
            << tally.notModelled << " not modelled\n";
  print("ops:", tally.ops);
  print("rewrites:", tally.rewrites);
  print("not run:", tally.unknown);
  for (const std::string &difference : tally.differences)
    ADD_FAILURE() << difference;
  // Most programs can be run, and most of what is made of them.
  EXPECT_LE(tally.refused, tally.programs / 10);
  EXPECT_LE(tally.notModelled, tally.compared / 10);
  EXPECT_GE(tally.compared, tally.programs);
}

INSTANTIATE_TEST_SUITE_P(Families, UpstreamRewrites,
                         testing::ValuesIn(families),
                         [](const testing::TestParamInfo<Family> &info) {
                           return info.param.name.str();
                         });

/// What a program shows that is rewritten without a guard or a form.
struct Gap {
  StringRef part, family;
  uint64_t seed;
};

/// The first programs of their families that show it. Missing are
/// static-expansions, comparisons-of-nothing and dropped-units, for the rewrite
/// may end the process; test/Execution/Targets runs the last two.
const Gap gaps[] = {
    {"unit-dims-of-slices", "tensor", 70},
    {"casts-of-reduced-sources", "tensor", 2343},
    {"order-of-insertions", "tensor", 180},
    {"casts-among-insertions", "tensor", 276},
    {"rows-of-reshaped-memory", "memory", 45},
    {"rows-of-joined-memory", "memory", 48},
    {"vectors-of-views", "memory", 229},
    {"views-of-views", "memory", 105},
    {"branches-in-while", "control", 779},
    {"flags-of-merged-constants", "arith", 1035},
    {"shapes-of-broadcasts", "vector", 8397},
    {"pads-of-reshapes", "tensor", 1987},
    {"casts-through-narrow-types", "arith", 1385},
    {"masked-reductions", "vector", 48},
    {"flags-of-truncations", "arith", 649},
    {"dims-of-vector-slices", "vector", 5413},
    {"rounded-indices", "arith", 12},
    {"reductions-along-nothing", "vector", 95},
    {"masks-around-transfers", "vector", 6},
    {"masks-of-whole-tensors", "vector", 227},
    {"forked-tensors", "tensor", 115},
};

class WithoutPart : public testing::TestWithParam<Gap> {};

TEST_P(WithoutPart, AProgramChanges) {
  const Gap &gap = GetParam();
  Protection others = Protection::without(gap.part);
  ASSERT_TRUE(others.isPartial()) << "nothing is called " << gap.part.str();
  const Family *family = llvm::find_if(
      families, [&](const Family &each) { return each.name == gap.family; });
  ASSERT_NE(family, std::end(families)) << gap.family.str();
  Tally whole, tally;
  Comparison(Protection()).run(*family, gap.seed, whole);
  EXPECT_TRUE(whole.differences.empty()) << whole.differences.front();
  Comparison(others).run(*family, gap.seed, tally);
  if (!tally.differences.empty())
    return;
  tally = runPrograms(*family, 20'000, others);
  ADD_FAILURE() << "program " << gap.seed << " is right; the first that is not "
                << "is " << tally.programs - 1 << ": "
                << (tally.differences.empty() ? "none"
                                              : tally.differences.front());
}

INSTANTIATE_TEST_SUITE_P(Gaps, WithoutPart, testing::ValuesIn(gaps),
                         [](const testing::TestParamInfo<Gap> &info) {
                           std::string name = info.param.part.str();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A guard finds its patterns by name: one that upstream renames would go
// unguarded.
TEST(Guards, NamePatternsThatThereAre) {
  std::set<std::string> names = Comparison(Protection()).patternNames();
  for (const Guard &guard : upstreamGuards())
    for (StringRef pattern : guard.patterns)
      EXPECT_TRUE(names.count(pattern.str()))
          << guard.name.str() << " guards " << pattern.str()
          << ", which MLIR does not have";
}

} // namespace
