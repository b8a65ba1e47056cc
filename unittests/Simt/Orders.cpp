//===- Orders.cpp - Many ways to compute one op ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "gtest/gtest.h"

using namespace distaff::simt;

void kernel_test::expectCovered(const Op &op) {
  double widest = 0, largest = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::vector<Argument> arguments;
    std::vector<Values> values;
    for (const Argument &shape : op.shapes) {
      arguments.push_back(randomArray(shape.type, shape.shape,
                                      100 * seed + arguments.size(), op.low,
                                      op.high));
      values.push_back(arguments.back().values);
    }
    Evaluation evaluation = evaluateKernel(op.source, arguments, op.options);
    ASSERT_EQ(evaluation.error, "");
    std::vector<Estimate> estimates;
    for (const EstimateArray &result : evaluation.results)
      estimates.insert(estimates.end(), result.elements.begin(),
                       result.elements.end());
    if (evaluation.results.empty())
      estimates.assign(evaluation.arguments.back().elements.begin(),
                       evaluation.arguments.back().elements.end());
    for (unsigned number = 0; number < 48; ++number) {
      Way way(op.format, number);
      Values results = op.compute(values, way);
      ASSERT_EQ(results.size(), estimates.size());
      for (auto [i, result] : llvm::enumerate(results)) {
        double error = std::abs(result - estimates[i].value);
        EXPECT_FALSE(estimates[i].undecided);
        ASSERT_LE(error, estimates[i].bound)
            << "element " << i << ", seed " << seed << ", way " << number
            << "\n"
            << op.source;
        largest = std::max(largest, error);
        widest = std::max(widest, estimates[i].bound);
      }
    }
  }
  ::testing::Test::RecordProperty("slack", std::to_string(widest / largest));
  EXPECT_LE(widest, op.slack * largest) << widest << " " << largest << "\n"
                                        << op.source;
}
