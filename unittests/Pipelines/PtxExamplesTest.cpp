//===- PtxExamplesTest.cpp - The examples' PTX computes what they say -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxKernel.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace distaff;
using namespace distaff::ptx_test;

namespace {

class Examples
    : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(Examples, ComputeWhatTheySay) {
  auto [name, target] = GetParam();
  KernelOptions options;
  options.target = target;
  EXPECT_EQ(checkKernel(readSource("examples/" + std::string(name) + ".mlir"),
                        options),
            "");
}

INSTANTIATE_TEST_SUITE_P(
    All, Examples,
    testing::Combine(testing::Values("contract_mma_sync", "flash_attention",
                                     "matmul_f16", "row_sum", "softmax"),
                     testing::Values("sm_80", "sm_90a")),
    [](const auto &info) {
      return std::string(std::get<0>(info.param)) + "_" +
             std::get<1>(info.param);
    });

/// By hand, with --gtest_also_run_disabled_tests: every kernel of the folder
/// that DISTAFF_PTX_KERNELS names. A first line `// inputs: arg0=random:1:5:9`
/// says what to run it on.
TEST(Folder, DISABLED_KernelsComputeWhatTheySay) {
  const char *folder = std::getenv("DISTAFF_PTX_KERNELS");
  ASSERT_TRUE(folder) << "DISTAFF_PTX_KERNELS names no folder";
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end;
       file != end && !error; file.increment(error)) {
    if (llvm::sys::path::extension(file->path()) != ".mlir")
      continue;
    auto text = llvm::MemoryBuffer::getFile(file->path());
    KernelOptions options;
    options.mayBeUndecided = true;
    llvm::StringRef line = (*text)->getBuffer().split('\n').first;
    if (line.consume_front("// inputs:")) {
      llvm::SmallVector<llvm::StringRef> words;
      line.split(words, ' ', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef word : words)
        options.inputs.push_back(word.str());
    }
    EXPECT_EQ(checkKernel((*text)->getBuffer(), options), "") << file->path();
  }
}

} // namespace
