//===- Harness.h - Small programs for the PTX machine -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels around a few lines of PTX, so that a test shows the instruction and
// the answer only.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PTX_HARNESS_H
#define DISTAFF_UNITTESTS_PTX_HARNESS_H

#include "distaff/Ptx/Ptx.h"
#include "gtest/gtest.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace distaff::ptx {

struct Ran {
  std::vector<uint32_t> words; ///< what each thread stored
  Outcome outcome;
  std::string error; ///< of the parser
};

struct Setting {
  int threads = 32;
  uint64_t seed = 0;
  int64_t workgroups = 1;
  int64_t stepLimit = 1 << 20;
  std::string before = {};          ///< statements of the module
  std::vector<uint32_t> input = {}; ///< behind %rd8
};

/// Runs `body` in threads with %r1 = tid.x, %rd1 = the output, %rd2 = 4 tid.x,
/// %rd3 = the thread's own word of the output, %rd4 = smem (1024 bytes) and
/// %rd5 = smem + 4 tid.x. %p0 to %p8, %r0 to %r98, %rd0 to %rd29, %h0 to %h9.
Ran runBody(const std::string &body, const Setting &setting = {});

/// Runs `body` with several seeds; %r9 of every thread must be as expected.
void expectWords(const std::string &body,
                 const std::function<uint32_t(uint32_t)> &expected,
                 Setting setting = {});
/// The first fault is of this kind, in the line of `body` that has `at`; in any
/// where that is empty.
void expectFault(const std::string &body, FaultKind kind, const std::string &at,
                 Setting setting = {});

struct Inputs {
  uint64_t a = 0, b = 0, c = 0, e = 0;
};
/// Runs `body` for each input: %rd10, %rd11, %rd12, %rd13 hold it whole, %r10
/// to %r13 its lowest 32 and %h0 to %h3 its lowest 16 bits. Returns the
/// register `result`, extended by zeros.
std::vector<uint64_t> evaluate(const std::string &body,
                               const std::string &result,
                               const std::vector<Inputs> &inputs);
uint64_t evaluate(const std::string &body, const std::string &result,
                  Inputs input);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PTX_HARNESS_H
