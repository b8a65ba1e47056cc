//===- PtxExamplesTest.cpp - The examples' PTX computes what they say -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "PtxKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::ptx_test;

namespace {

class Examples
    : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(Examples, ComputeWhatTheySay) {
  auto [name, target] = GetParam();
  KernelOptions options;
  options.target = target;
  KernelTraffic traffic;
  options.traffic = &traffic;
  EXPECT_EQ(checkKernel(readSource("examples/" + std::string(name) + ".mlir"),
                        options),
            "");
  // Sums over subgroups use shared memory, too.
  bool isAllPlanned = StringRef(name) != "row_sum";
  EXPECT_EQ(findLosses(traffic, isAllPlanned), "");
}

/// Of each example one target where a part is enough.
std::vector<std::tuple<const char *, const char *>> examples() {
  const char *names[] = {"contract_mma_sync", "flash_attention", "matmul_f16",
                         "row_sum", "softmax"};
  const char *targets[] = {"sm_80", "sm_90a"};
  std::vector<std::tuple<const char *, const char *>> found;
  for (auto [i, name] : llvm::enumerate(names))
    for (auto [j, target] : llvm::enumerate(targets))
      if (!isQuick() || i % 2 == j)
        found.push_back({name, target});
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(examples()),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param);
                         });

} // namespace
