//===- ParallelFor.h - Parallel loop over threads ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_PARALLELFOR_H
#define DISTAFF_LIB_PIPELINES_PARALLELFOR_H

#include "distaff/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/thread.h"
#include <atomic>
#include <vector>

namespace distaff {

/// Calls `body(0)` to `body(count - 1)`, each once, in any order, on up to
/// `threads` threads including this one; 0: one per core. Threads have stacks
/// large enough for the recursion of code generators.
inline void parallelFor(size_t count, unsigned threads,
                        llvm::function_ref<void(size_t)> body) {
  constexpr unsigned stackBytes = 64u << 20;
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t at; (at = next++) < count;)
      body(at);
  };
  size_t all = std::min<size_t>(
      llvm::hardware_concurrency(threads).compute_thread_count(), count);
  std::vector<llvm::thread> others;
  for (size_t thread = 1; thread < all; ++thread)
    others.emplace_back(std::optional<unsigned>(stackBytes), work);
  work();
  for (llvm::thread &other : others)
    other.join();
}

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_PARALLELFOR_H
