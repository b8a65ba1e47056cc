//===- ControlFlow.h - Where lanes meet again -------------------*- C++ -*-===//
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

/// Where each instruction of a function may go on, counted from its first one;
/// the function's end stands for its return.
std::vector<std::vector<size_t>> findSuccessors(const Program &program,
                                                const Function &function);

/// Sets for every instruction of a function the first one that all paths from
/// it that return reach, its immediate post-dominator; the function's end
/// stands for its return, and for none where no path returns.
void findRejoins(const Program &program, const Function &function,
                 std::vector<size_t> &rejoins);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_CONTROLFLOW_H
