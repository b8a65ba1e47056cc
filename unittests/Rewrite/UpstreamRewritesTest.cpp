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
Tally runPrograms(const Family &family, int64_t count, ArrayRef<Guard> guards) {
  Tally tally;
  std::unique_ptr<Comparison> comparison;
  for (int64_t seed = 0; seed < count && tally.differences.empty(); ++seed) {
    if (seed % programsOfContext == 0)
      comparison = std::make_unique<Comparison>(guards);
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
  Tally tally = runPrograms(GetParam(), programsOfFamily(), upstreamGuards());
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

/// Expects that programs of a family differ once a guard is gone.
void expectFound(StringRef guard, StringRef family) {
  std::vector<Guard> others;
  for (const Guard &other : upstreamGuards())
    if (other.name != guard)
      others.push_back(other);
  ASSERT_EQ(others.size() + 1, upstreamGuards().size());
  const Family *made = llvm::find_if(
      families, [&](const Family &each) { return each.name == family; });
  ASSERT_NE(made, std::end(families)) << family.str();
  EXPECT_FALSE(runPrograms(*made, 4000, others).differences.empty())
      << guard.str();
}

// A guard finds its patterns by name: one that upstream renames would go
// unguarded.
TEST(Guards, NamePatternsThatThereAre) {
  std::set<std::string> names = Comparison({}).patternNames();
  for (const Guard &guard : upstreamGuards())
    for (StringRef pattern : guard.patterns)
      EXPECT_TRUE(names.count(pattern.str()))
          << guard.name.str() << " guards " << pattern.str()
          << ", which MLIR does not have";
}

TEST(WithoutGuard, SlicesAreTakenAlongAnotherDimension) {
  expectFound("unit-dims-of-slices", "tensor");
}

TEST(WithoutGuard, VectorsHaveTheRowPitchOfTheSource) {
  expectFound("rows-of-reshaped-memory", "memory");
}

TEST(WithoutGuard, LoopsForgetWhatTheyHandOnTwice) {
  expectFound("branches-in-while", "control");
}

TEST(WithoutGuard, MergedConstantsBreakTheirPromise) {
  expectFound("flags-of-merged-constants", "arith");
}

TEST(WithoutGuard, PadsOfReshapesAreInvalid) {
  expectFound("pads-of-reshapes", "tensor");
}

} // namespace
