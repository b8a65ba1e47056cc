//===- PtxControlFlow.h - Where lanes meet again ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXCONTROLFLOW_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXCONTROLFLOW_H

#include "PtxParser.h"

namespace distaff::ptx {

/// For every instruction the first one that all paths from it reach; the number
/// of instructions stands for the end of the program.
std::vector<size_t> immediatePostDominators(const Kernel &kernel);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXCONTROLFLOW_H
