//===- InputsTest.cpp - Input specifications ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Inputs.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace distaff::runtime;

namespace {

std::vector<double> values(const std::string &specification, ScalarType type,
                           unsigned position = 0) {
  HostArray array = HostArray::zeros(type, {1000});
  EXPECT_EQ(fillInput(specification, position, array).message, "");
  std::vector<double> result;
  for (int64_t i = 0; i < array.numElements(); ++i)
    result.push_back(loadDouble(type, &array.bytes[i * byteSize(type)]));
  return result;
}

TEST(Inputs, RandomFloatsLieInTheirRangeAndVary) {
  std::vector<double> random = values("random:3", ScalarType::F32);
  auto [low, high] = std::minmax_element(random.begin(), random.end());
  EXPECT_GE(*low, -1);
  EXPECT_LE(*high, 1);
  EXPECT_LT(*low, -0.9);
  EXPECT_GT(*high, 0.9);
  EXPECT_EQ(random, values("random:3", ScalarType::F32));
  EXPECT_NE(random, values("random:4", ScalarType::F32));
  EXPECT_NE(random, values("random:3", ScalarType::F32, 1));
}

TEST(Inputs, RandomIntegersCoverTheirRange) {
  std::vector<double> bytes = values("random", ScalarType::I8);
  EXPECT_GT(std::set<double>(bytes.begin(), bytes.end()).size(), 200u);
  std::vector<double> dice = values("random:1:1:6", ScalarType::I32);
  EXPECT_EQ(std::set<double>(dice.begin(), dice.end()),
            (std::set<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Inputs, WholeNumbersCoverTheirRangeInEveryType) {
  for (ScalarType type : {ScalarType::F16, ScalarType::F64, ScalarType::I8}) {
    std::vector<double> whole = values("whole:1:-2:3", type);
    EXPECT_EQ(std::set<double>(whole.begin(), whole.end()),
              (std::set<double>{-2, -1, 0, 1, 2, 3}));
  }
}

TEST(Inputs, WholeNumbersLieBetweenBoundsThatAreNone) {
  for (ScalarType type : {ScalarType::F32, ScalarType::I16}) {
    std::vector<double> whole = values("whole:1:-1.5:1.5", type);
    EXPECT_EQ(std::set<double>(whole.begin(), whole.end()),
              (std::set<double>{-1, 0, 1}));
  }
  std::vector<double> random = values("random:1:-1.5:1.5", ScalarType::I16);
  EXPECT_EQ(std::set<double>(random.begin(), random.end()),
            (std::set<double>{-1, 0, 1}));
}

TEST(Inputs, RangesWithoutANumberAreRefused) {
  auto refusal = [](const char *text, ScalarType type) {
    HostArray array = HostArray::zeros(type, {4});
    return fillInput(text, 0, array).message;
  };
  for (ScalarType type : {ScalarType::F32, ScalarType::I32}) {
    EXPECT_EQ(refusal("whole:1:0.3:0.6", type),
              "'whole:1:0.3:0.6' has no whole number from its LOW to its HIGH");
    for (const char *text :
         {"whole:1:2:1", "whole:1:nan:1", "whole:1:0:nan", "whole:1:-inf:0",
          "whole:1:0:inf", "whole:1:inf:inf", "random:1:2:1", "random:1:nan:1",
          "random:1:0:inf", "random:1:-1e308:1e308"})
      EXPECT_EQ(refusal(text, type),
                "'" + std::string(text) +
                    "' is no range: its LOW is at most its HIGH, and they are "
                    "finite");
  }
  EXPECT_EQ(refusal("random:1:0.3:0.6", ScalarType::I32),
            "'random:1:0.3:0.6' has no whole number from its LOW to its HIGH");
  EXPECT_EQ(refusal("random:1:0.3:0.6", ScalarType::F32), "");
}

TEST(Inputs, IotaZerosAndNumbers) {
  EXPECT_EQ(values("iota", ScalarType::I64)[999], 999);
  EXPECT_EQ(values("zeros", ScalarType::F16)[5], 0);
  EXPECT_EQ(values("-2.5", ScalarType::F64)[7], -2.5);
}

TEST(Inputs, IntegersKeepEveryDigit) {
  HostArray array = HostArray::zeros(ScalarType::I64, {2});
  EXPECT_FALSE(fillInput("-9007199254740993", 0, array));
  EXPECT_EQ(loadInteger(ScalarType::I64, &array.bytes[8]), -9007199254740993);
}

TEST(Inputs, NonsenseIsRefused) {
  HostArray array = HostArray::zeros(ScalarType::F32, {4});
  for (const char *text :
       {"random:", "random:x", "random:1:2", "random:1:3:2", "random:1:2:3:4",
        "whole", "whole:1", "no-such-file.npy", ""})
    EXPECT_TRUE(fillInput(text, 0, array)) << text;
}

TEST(Inputs, AssignmentsAreNamedOnce) {
  std::map<std::string, std::string> parsed;
  EXPECT_FALSE(parseAssignments({"arg0=a.npy", "arg1=x=y"}, parsed));
  EXPECT_EQ(parsed["arg1"], "x=y");
  EXPECT_TRUE(parseAssignments({"arg0=b.npy"}, parsed));
  EXPECT_TRUE(parseAssignments({"=b"}, parsed));
  EXPECT_TRUE(parseAssignments({"arg2"}, parsed));
}

} // namespace
