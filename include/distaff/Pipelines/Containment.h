//===- Containment.h - Recovery from crashes in MLIR and LLVM ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser reads null pointers in some text that is wrong, and LLVM's code
// generator ends the process if it cannot select an instruction. Both process
// user input, so both run contained: a crash becomes an error. Our own passes
// are not contained: their crashes have to be seen.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_CONTAINMENT_H
#define DISTAFF_PIPELINES_CONTAINMENT_H

#include "distaff/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace distaff {

/// Runs `body` in this thread. If it crashes or ends in an LLVM fatal error,
/// returns what happened: "it crashed", or the error's text. The objects that
/// `body` worked on must then not be touched or destroyed: leak them.
///
/// `body` may call back into our verifiers. So that a crash of ours is not
/// taken for one of MLIR or LLVM, the environment variable
/// DISTAFF_SHOW_CONTAINED prints the stack where it happened; test/Fuzz reads
/// it.
std::optional<std::string> runContained(llvm::function_ref<void()> body);

/// Returns the line in which MLIR text nests deeper than `deepestNesting`:
/// parsers, verifiers and printers recurse, and would run out of stack.
/// Brackets in strings and comments do not count.
std::optional<int64_t> findTooDeepLine(StringRef text);
inline constexpr int64_t deepestNesting = 256;

} // namespace distaff

#endif // DISTAFF_PIPELINES_CONTAINMENT_H
