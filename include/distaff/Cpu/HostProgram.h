//===- HostProgram.h - Kernels linked into this process ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links an object file that was emitted for the target `host` into this process
// and calls its tasks (Kernel/HostTask.h):
//
//   auto program = HostProgram::load(object);         // emitCode(..., "obj")
//   auto task = (*program)->findTask("softmax__task");
//   uint64_t frame[] = {address of arg0, address of res0};
//   Workers(4).run(*task, frame, 1024);               // 1024 workgroups
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CPU_HOSTPROGRAM_H
#define DISTAFF_CPU_HOSTPROGRAM_H

#include "distaff/LLVM.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace distaff {

/// The type of a task: runs the workgroups `begin` to `end` of a kernel.
using HostTask = void (*)(const void *frame, int64_t begin, int64_t end);

class HostProgram {
public:
  /// Links an object with shared libraries, given by their paths; functions of
  /// the math library are this process's. A call of `assertionSymbol`, which
  /// failed assertions make, ends the task that it is in.
  static llvm::Expected<std::unique_ptr<HostProgram>>
  load(StringRef object, StringRef assertionSymbol,
       ArrayRef<std::string> libraries = {});
  ~HostProgram();

  /// Returns whether a library or this process has a function of that symbol.
  bool provides(StringRef symbol);

  /// Returns the task of that symbol.
  llvm::Expected<HostTask> findTask(StringRef symbol);

private:
  explicit HostProgram(std::unique_ptr<llvm::orc::LLJIT> linker);

  std::unique_ptr<llvm::orc::LLJIT> linker;
};

/// A pool of threads that run workgroups. Each thread takes the next few
/// workgroups when it is done with its last ones, so that slow threads do not
/// delay the others.
class Workers {
public:
  /// Creates so many threads; 0: one for each core.
  explicit Workers(unsigned threads);

  /// Runs `count` workgroups and returns when all are done: the message of an
  /// assertion that failed, after which others need not have run, or null.
  const char *run(HostTask task, const void *frame, int64_t count) const;

private:
  unsigned threads;
};

} // namespace distaff

#endif // DISTAFF_CPU_HOSTPROGRAM_H
