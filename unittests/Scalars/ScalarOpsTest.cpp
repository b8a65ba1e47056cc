//===- ScalarOpsTest.cpp - Scalar ops on every device ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op of Definitions.h on each device gives the bits of its definition, or
// is off by no more than docs/ScalarOps.md says. By hand, and by `make
// test-all`, all of them run; quick tests take a part, the same every time.
//
//   SCALAR_OPS=REGEX      those whose title matches, "^addf f16"
//   SCALAR_RANDOM=N       random rows per op, beside those of edges
//   SCALAR_WRITE=1        writes what was seen into the page
//   SCALAR_COUNTS=FILE    writes how many results of what were compared
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "Counts.h"
#include "Devices.h"
#include "ErrorTable.h"
#include "Inputs.h"
#include "Random.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace distaff::scalars;

namespace {

const char pagePath[] = DISTAFF_SOURCE_DIR "/docs/ScalarOps.md";

std::string setting(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

std::string readPage() {
  std::stringstream text;
  text << std::ifstream(pagePath).rdbuf();
  return text.str();
}

std::string show(const ScalarOp &op, llvm::ArrayRef<uint64_t> row,
                 const Expected &expected, uint64_t got) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto one = [&](const Format &type, uint64_t bits) {
    stream << "0x" << llvm::utohexstr(bits);
    if (type.isFloat())
      stream << " (" << toDouble(type.number(bits)) << ")";
  };
  for (auto [type, bits] : llvm::zip(op.operands, row)) {
    one(*type, bits);
    stream << ", ";
  }
  stream << "got ";
  one(*op.result, got);
  stream << ", expected ";
  if (expected.kind == Expected::Kind::Near)
    stream << expected.high;
  else if (expected.kind == Expected::Kind::Nan)
    stream << "NaN";
  else
    one(*op.result, expected.bits);
  return text;
}

/// Titles of ops that a device got wrong once: quick tests take them on all.
const char onceWrong[] =
    "^(remf f32|powf f32|(sin|tan|erf) f32|erfc f64|maximumf f32|fma bf16"
    "|[su]itofp (i1|i32|i64|i33 i64) to bf16|fptosi f32 to i1"
    "|isinf f32 to i1|isnormal bf16 to i1|fpowi f32 i32"
    "|fpowi by a constant f32|select\\(cmpf olt\\(a, 0x0*\\), a, 0x0*\\) f32"
    "|addf\\(addf\\(a, b\\), c\\) bf16)$";

/// A share of the ops, so that tests can run beside each other.
constexpr size_t numShares = 16;

class ScalarOps : public testing::TestWithParam<size_t> {
protected:
  static void SetUpTestSuite() {
    ops = new std::vector(allScalarOps());
    counts = new Counts;
    documented = new ErrorTable;
    seen = new ErrorTable;
    ASSERT_EQ(documented->read(readPage()), "");
    ASSERT_EQ(seen->read(readPage()), "");
  }
  static void TearDownTestSuite() {
    if (!setting("SCALAR_WRITE", "").empty()) {
      std::string page = seen->write(readPage());
      std::ofstream(pagePath) << page;
    }
    llvm::outs() << numRuns << " kernels, " << numCases << " results\n";
    if (std::string path = setting("SCALAR_COUNTS", ""); !path.empty())
      std::ofstream(path) << counts->asMarkdown();
    delete counts;
    delete ops;
    delete documented;
    delete seen;
  }

  /// Runs an op on what is chosen of the devices.
  static void check(const ScalarOp &op, uint64_t seed) {
    static llvm::Regex always(onceWrong);
    bool isSampled = isQuick() && !always.match(op.title());
    llvm::SmallVector<const Device *> chosen;
    for (auto [i, device] : llvm::enumerate(devices()))
      if (!isSampled || Random(seed + i).below(90) == 0)
        chosen.push_back(&device);
    if (chosen.empty())
      return;
    bool isTree = llvm::StringRef(op.name).contains('(');
    size_t random =
        std::stoul(setting("SCALAR_RANDOM", isQuick() ? "500" : "5000"));
    auto rows =
        inputsOf(op, isQuick() ? 1500 : 65536,
                 isTree ? std::min<size_t>(random, 1000) : random, seed);
    if (rows.empty())
      return;
    std::vector<Expected> expected;
    for (const auto &row : rows)
      expected.push_back(op.define(row));
    for (const Device *device : chosen)
      compare(op, *device, rows, expected);
  }

  static void compare(const ScalarOp &op, const Device &device,
                      llvm::ArrayRef<std::vector<uint64_t>> rows,
                      llvm::ArrayRef<Expected> expected) {
    Results results = runOn(device, op, rows);
    ASSERT_FALSE(results.values.empty())
        << op.title() << " on " << device.name << ": " << results.said
        << kernelOf(op, rows.size());
    ++numRuns;
    numCases += rows.size();
    counts->add(op, device, rows.size());
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      double error = errorOf(expected[i], *op.result, results.values[i]);
      if (error > worst)
        worst = error, where = i;
    }
    if (!std::isinf(worst))
      seen->add(op, device, worst);
    double most = documented->largestOf(op, device);
    if (setting("SCALAR_WRITE", "").empty() || std::isinf(worst))
      EXPECT_LE(worst, most)
          << op.title() << " on " << device.name << ": "
          << show(op, rows[where], expected[where], results.values[where]);
  }

  static std::vector<ScalarOp> *ops;
  static ErrorTable *documented, *seen;
  static Counts *counts;
  static size_t numRuns, numCases;
};
std::vector<ScalarOp> *ScalarOps::ops;
ErrorTable *ScalarOps::documented, *ScalarOps::seen;
Counts *ScalarOps::counts;
size_t ScalarOps::numRuns, ScalarOps::numCases;

TEST_P(ScalarOps, AreTheirDefinitions) {
  // The seed of an op is its own: with other ops beside it, it is the same.
  for (auto [i, op] : llvm::enumerate(*ops))
    if (i % numShares == GetParam() && op.isChosen())
      check(op, llvm::xxh3_64bits(op.title()));
}

INSTANTIATE_TEST_SUITE_P(Share, ScalarOps,
                         testing::Range<size_t>(0, numShares));

} // namespace
