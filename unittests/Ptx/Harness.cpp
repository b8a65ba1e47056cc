//===- Harness.cpp - Small programs for the PTX machine -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <algorithm>

namespace distaff::ptx {
namespace {

const char *const registers =
    ".reg .pred %p<9>;\n.reg .b16 %h<10>;\n.reg .b32 %r<99>;\n"
    ".reg .b64 %rd<30>;\n";

std::string moduleAround(const std::string &body, const std::string &before) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
         "\n.shared .align 16 .b8 smem[1024];\n"
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n" +
         registers +
         "ld.param.b64 %rd1, [out];\nld.param.b64 %rd8, [in];\n"
         "mov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
         "mov.u64 %rd4, smem;\nadd.s64 %rd5, %rd4, %rd2;\n" +
         body + "\nret;\n}\n";
}

unsigned lineOf(const std::string &text, const std::string &what) {
  size_t at = text.find(what);
  return at == text.npos
             ? 0
             : 1 + std::count(text.begin(), text.begin() + at, '\n');
}

} // namespace

Ran runBody(const std::string &body, const Setting &setting) {
  Ran ran;
  ParseError error;
  std::optional<Module> module =
      parseModule(moduleAround(body, setting.before), error);
  if (!module) {
    ran.error = "line " + std::to_string(error.line) + ": " + error.text;
    return ran;
  }
  ran.words.resize(setting.threads * setting.workgroups);
  std::vector<uint32_t> input = setting.input;
  Launch launch;
  launch.grid = {setting.workgroups, 1, 1};
  launch.workgroup = {setting.threads, 1, 1};
  launch.seed = setting.seed;
  launch.stepLimit = setting.stepLimit;
  launch.arguments = {Argument::buffer(ran.words.data(), ran.words.size() * 4),
                      input.empty()
                          ? Argument::null()
                          : Argument::buffer(input.data(), input.size() * 4)};
  ran.outcome = run(*module, launch);
  return ran;
}

static std::string describe(const Ran &ran) {
  if (!ran.error.empty())
    return ran.error;
  return ran.outcome.faults.empty() ? ran.outcome.text
                                    : toString(ran.outcome.faults.front());
}

void expectWords(const std::string &body,
                 const std::function<uint32_t(uint32_t)> &expected,
                 Setting setting) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    setting.seed = seed;
    Ran ran = runBody(body + "\nst.global.b32 [%rd3], %r9;", setting);
    ASSERT_EQ(describe(ran), "") << body;
    for (size_t i = 0; i < ran.words.size(); ++i)
      ASSERT_EQ(ran.words[i], expected(i)) << "thread " << i << ": " << body;
  }
}

void expectFault(const std::string &body, FaultKind kind, const std::string &at,
                 Setting setting) {
  Ran ran = runBody(body, setting);
  ASSERT_EQ(ran.error, "") << body;
  ASSERT_FALSE(ran.outcome.faults.empty()) << body;
  const Fault &fault = ran.outcome.faults.front();
  EXPECT_EQ(toString(fault.kind), std::string(toString(kind)))
      << toString(fault);
  if (!at.empty())
    EXPECT_EQ(fault.line, lineOf(moduleAround(body, setting.before), at))
        << toString(fault);
}

std::vector<uint64_t> evaluate(const std::string &body,
                               const std::string &result,
                               const std::vector<Inputs> &inputs) {
  std::string widen = "cvt.u64.u32 %rd20, " + result + ";\n";
  if (result.rfind("%rd", 0) == 0)
    widen = "mov.b64 %rd20, " + result + ";\n";
  else if (result[1] == 'h')
    widen = "cvt.u64.u16 %rd20, " + result + ";\n";
  else if (result[1] == 'p')
    widen = "selp.b64 %rd20, 1, 0, " + result + ";\n";
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n" +
      std::string(registers) +
      "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\n"
      "ld.param.u32 %r0, [n];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
      "mad.lo.u32 %r1, %r2, 128, %r1;\nsetp.ge.u32 %p0, %r1, %r0;\n"
      "@%p0 exit;\nmad.wide.u32 %rd2, %r1, 32, %rd0;\n"
      "mad.wide.u32 %rd3, %r1, 8, %rd1;\n"
      "ld.global.v2.b64 {%rd10, %rd11}, [%rd2];\n"
      "ld.global.v2.b64 {%rd12, %rd13}, [%rd2+16];\n"
      "cvt.u32.u64 %r10, %rd10;\ncvt.u32.u64 %r11, %rd11;\n"
      "cvt.u32.u64 %r12, %rd12;\ncvt.u32.u64 %r13, %rd13;\n"
      "cvt.u16.u64 %h0, %rd10;\ncvt.u16.u64 %h1, %rd11;\n"
      "cvt.u16.u64 %h2, %rd12;\ncvt.u16.u64 %h3, %rd13;\n" +
      body + "\n" + widen + "st.global.b64 [%rd3], %rd20;\nret;\n}\n";
  ParseError error;
  std::optional<Module> module = parseModule(text, error);
  std::vector<uint64_t> results(inputs.size());
  if (!module) {
    ADD_FAILURE() << error.line << ": " << error.text << ": " << body;
    return results;
  }
  std::vector<Inputs> copy = inputs;
  Launch launch;
  launch.grid = {int64_t(inputs.size() + 127) / 128, 1, 1};
  launch.workgroup = {128, 1, 1};
  launch.arguments = {Argument::buffer(copy.data(), copy.size() * 32),
                      Argument::buffer(results.data(), results.size() * 8),
                      Argument::scalar(inputs.size())};
  Outcome outcome = run(*module, launch);
  EXPECT_EQ(outcome.verdict, Verdict::Completed)
      << body << ": " << outcome.text
      << (outcome.faults.empty() ? "" : toString(outcome.faults.front()));
  return results;
}

uint64_t evaluate(const std::string &body, const std::string &result,
                  Inputs input) {
  return evaluate(body, result, std::vector<Inputs>{input}).front();
}

} // namespace distaff::ptx
