//===- ControlFlow.h - Reconvergence of lanes -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_CONTROLFLOW_H
#define DISTAFF_LIB_PTX_CONTROLFLOW_H

#include "Program.h"

namespace distaff::ptx {

/// Returns the successors of each instruction of a function, counted from its
/// first one; the function's end stands for its return.
std::vector<std::vector<size_t>> findSuccessors(const Program &program,
                                                const Function &function);

/// Sets the reconvergence point of every instruction of a function: its
/// immediate post-dominator, the first one that all returning paths from it
/// reach. The function's end stands for its return, and for none where no path
/// returns.
void findRejoins(const Program &program, const Function &function,
                 std::vector<size_t> &rejoins);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_CONTROLFLOW_H
