//===- PtxRunTest.cpp - PTX and arrays in memory --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/PtxRun.h"

#include <gtest/gtest.h>

using namespace distaff;

namespace {

constexpr StringLiteral scale = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 by, .param .b32 n,
                      .param .align 4 .b8 pair[8])
{
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .f32 %f<3>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [x];
  ld.param.f32 %f1, [by];
  ld.param.b32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.s32 %p, %r2, %r1;
  @%p ret;
  mul.wide.s32 %d2, %r2, 4;
  add.s64 %d2, %d1, %d2;
  ld.global.f32 %f2, [%d2];
  mul.rn.f32 %f2, %f2, %f1;
  st.global.f32 [%d2], %f2;
  ret;
}
)";

PtxKernel loaded() {
  return cantFail(PtxKernel::load(scale, "sm_80", "scale"));
}

ptx::Launch launchOn(std::vector<float> &x, const PtxKernel &kernel,
                     StringRef count) {
  ptx::Launch launch;
  launch.workgroup = {32, 1, 1};
  launch.arguments = {ptx::Argument::buffer(x.data(), x.size() * sizeof(float)),
                      cantFail(kernel.scalar(1, "0.5")),
                      cantFail(kernel.scalar(2, count)),
                      ptx::Argument::scalar(std::vector<uint8_t>(8))};
  return launch;
}

TEST(PtxRun, RunsTextOnArraysInMemory) {
  PtxKernel kernel = loaded();
  std::vector<float> x(20, 3);
  ptx::Outcome outcome = cantFail(kernel.run(launchOn(x, kernel, "15")));
  EXPECT_EQ(outcome.verdict, ptx::Verdict::Completed);
  EXPECT_TRUE(describeFailure(outcome).empty());
  EXPECT_EQ(answerOf(outcome), Answer::Yes);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(x[i], i < 15 ? 1.5f : 3.0f) << i;
}

TEST(PtxRun, FaultsAreInTheOutcome) {
  PtxKernel kernel = loaded();
  std::vector<float> x(20, 3);
  ptx::Outcome outcome = cantFail(kernel.run(launchOn(x, kernel, "21")));
  EXPECT_EQ(outcome.verdict, ptx::Verdict::Faulted);
  EXPECT_EQ(answerOf(outcome), Answer::Fault);
  ASSERT_EQ(describeFailure(outcome).size(), 1u);
  EXPECT_NE(describeFailure(outcome).front().find("out of bounds"),
            std::string::npos);
}

std::string failureOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(PtxRun, WhatDoesNotFitIsAnError) {
  EXPECT_NE(failureOf(PtxKernel::load(scale, "sm_80", "other").takeError())
                .find("it has scale"),
            std::string::npos);
  EXPECT_NE(failureOf(PtxKernel::load("not PTX", "sm_80", "").takeError())
                .find("line 1"),
            std::string::npos);
  PtxKernel kernel = loaded();
  std::vector<float> x(20, 3);
  ptx::Launch launch = launchOn(x, kernel, "1");
  launch.workgroup = {1024, 2, 1};
  EXPECT_NE(failureOf(kernel.run(launch).takeError()).find("2048 threads"),
            std::string::npos);
  launch.workgroup = {32, 1, 1};
  launch.arguments.pop_back();
  EXPECT_FALSE(failureOf(kernel.run(launch).takeError()).empty());
}

TEST(PtxRun, FieldsLieWithinTheirAggregate) {
  PtxKernel kernel = loaded();
  EXPECT_TRUE(kernel.isAggregate(3));
  EXPECT_FALSE(kernel.isAggregate(0));
  EXPECT_EQ(kernel.describe(3), "arg3 (.b8 pair[8])");
  std::vector<PtxKernel::Field> fields = {
      {6, cantFail(PtxKernel::typedNumber("-2:i16"))},
      {0, cantFail(PtxKernel::typedNumber("0.5:f16"))}};
  ptx::Argument argument =
      cantFail(kernel.aggregate(3, fields, {9, 9, 7, 8, 1, 2, 3, 4}));
  EXPECT_EQ(argument.bytes,
            (std::vector<uint8_t>{0x00, 0x38, 7, 8, 1, 2, 0xFE, 0xFF}));
  EXPECT_TRUE(argument.pointers.empty());
  float x = 0;
  argument = cantFail(
      kernel.aggregate(3, {{0, ptx::Argument::buffer(&x, sizeof(x))}}, {}));
  ASSERT_EQ(argument.pointers.size(), 1u);
  EXPECT_EQ(argument.pointers[0].offset, 0u);
  fields.push_back({7, cantFail(PtxKernel::typedNumber("1:i8"))});
  EXPECT_NE(failureOf(kernel.aggregate(3, fields, {}).takeError())
                .find("arg3@6 and arg3@7 overlap"),
            std::string::npos);
  EXPECT_NE(failureOf(kernel.aggregate(0, {}, {}).takeError())
                .find("is no aggregate"),
            std::string::npos);
}

std::string with(StringRef target) {
  std::string text = scale.str();
  size_t at = text.find(".target sm_80");
  return text.replace(at, 13, target.empty() ? "" : ".target " + target.str());
}

TEST(PtxRun, TargetsMustRunTheText) {
  auto loads = [](StringRef written, StringRef target) {
    llvm::Expected<PtxKernel> kernel =
        PtxKernel::load(with(written), target, "scale");
    return kernel ? std::string() : failureOf(kernel.takeError());
  };
  EXPECT_EQ(loads("sm_70", "sm_80"), "");
  EXPECT_EQ(loads("sm_90a", "sm_90a"), "");
  EXPECT_NE(loads("sm_90", "sm_80").find("sm_90, which sm_80 does not run"),
            std::string::npos);
  EXPECT_NE(loads("sm_80a", "sm_80").find("runs on sm_80a alone"),
            std::string::npos);
  EXPECT_NE(loads("sm_90a", "sm_100").find("runs on sm_90a alone"),
            std::string::npos);
  EXPECT_NE(loads("", "sm_80").find("it has no .target"), std::string::npos);
}

// A made-up target may emit PTX for a GPU that nobody knows the limits of.
TEST(PtxRun, LaunchesOnUnknownGpusAreRefused) {
  PtxKernel kernel = cantFail(PtxKernel::load(with("made_up"), "made_up", ""));
  std::vector<float> x(20, 3);
  EXPECT_NE(failureOf(kernel.run(launchOn(x, kernel, "15")).takeError())
                .find("no GPU is known as made_up"),
            std::string::npos);
}

std::vector<uint8_t> bitsOf(size_t parameter, StringRef number) {
  llvm::Expected<ptx::Argument> argument = loaded().scalar(parameter, number);
  if (argument)
    return argument->bytes;
  llvm::consumeError(argument.takeError());
  return {};
}

TEST(PtxRun, NumbersTakeTheBitsOfTheirParameter) {
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(bitsOf(1, "1"), (Bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(bitsOf(1, "-inf"), (Bytes{0, 0, 0x80, 0xff}));
  EXPECT_EQ(bitsOf(2, "1"), (Bytes{1, 0, 0, 0}));
  EXPECT_EQ(bitsOf(2, "1.0"), (Bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(bitsOf(2, "-2147483648"), (Bytes{0, 0, 0, 0x80}));
  EXPECT_EQ(bitsOf(2, "0xffffffff"), (Bytes{255, 255, 255, 255}));
  EXPECT_EQ(bitsOf(2, "010"), (Bytes{10, 0, 0, 0}));
  EXPECT_EQ(bitsOf(0, "0xfedcba9876543210"),
            (Bytes{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe}));
  for (StringRef wrong :
       {"", "x", "4294967296", "-2147483649", "0x1ffffffff", "1.0.0", "-0x1"})
    EXPECT_TRUE(bitsOf(2, wrong).empty()) << wrong.str();
  EXPECT_TRUE(bitsOf(3, "1").empty()) << "an aggregate is no number";
}

} // namespace
