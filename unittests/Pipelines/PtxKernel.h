//===- PtxKernel.h - Kernels through PTX and the SIMT machine ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a kernel to PTX and runs three things on the same inputs: the PTX on
// its interpreter, the IR of stage `lower` on the SIMT machine, and the kernel
// as written in float64 with an error bound. The PTX passes when
//
//   every output lies within twice its bound, integers are equal, and
//   every output has the bits of the SIMT machine, unless the kernel has
//   instructions whose last bits are the hardware's choice (mma, approx).
//
// For AMD targets it is the optimised LLVM IR that is run (GcnMachine.h).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXKERNEL_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXKERNEL_H

#include "Traffic.h"
#include "distaff/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>
#include <vector>

namespace distaff::ptx_test {

struct KernelOptions {
  std::string target = "sm_80";
  std::vector<std::string> inputs = {}; ///< as --input: "arg0=random:1:0:9"
  std::vector<std::string> shapes = {}; ///< as --shape
  /// Changes the text before it runs, to plant a bug.
  std::function<void(std::string &text)> change = {};
  /// Says what is wrong with the bytes of the last parameter, or nothing; asked
  /// of the SIMT machine's and of those of the text.
  std::function<std::string(llvm::ArrayRef<uint8_t> bytes)> judge = {};
  /// Expect the SIMT machine's bits.
  bool comparesBits = true;
  /// The reference may say that its bound is too wide to decide.
  bool mayBeUndecided = false;
  /// Receives what the kernel asks of the memories at every stage.
  KernelTraffic *traffic = nullptr;
};

/// Returns what is wrong, or an empty string. For a target without PTX the
/// text is only looked at.
std::string checkKernel(StringRef source, const KernelOptions &options = {});

/// The text of a file below the project's root.
std::string readSource(StringRef path);

} // namespace distaff::ptx_test

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXKERNEL_H
