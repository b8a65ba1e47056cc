//===- Process.cpp - Start and end of a tool's process --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CommandLine/Process.h"
#include "CommandLine/Files.h"
#include "distaff/Runtime/HostMemory.h"
#include "distaff/Target/ThisMachine.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace distaff {
namespace {

/// Ends the process: no more allocation is possible, and no caller can
/// continue.
[[noreturn]] void endWithoutMemory() {
  constexpr char message[] =
      "distaff: error: out of memory: the kernel needs more than this machine "
      "has; give it smaller extents or tiles\n";
  ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
  (void)written;
  _exit(static_cast<int>(ExitCode::No));
}

void onBadAllocation(void *, const char *, bool) { endWithoutMemory(); }

/// Limits the host target to the level that the environment names, so that
/// tests run as on another CPU.
ExitCode narrowHostByEnvironment() {
  constexpr char variable[] = "DISTAFF_HOST_LEVEL";
  const char *level = std::getenv(variable);
  if (!level || !*level)
    return ExitCode::Fine;
  std::string why = narrowHost(level);
  return why.empty() ? ExitCode::Fine
                     : usageError(StringRef(variable) + ": " + why);
}

/// Ends the process, with an error if standard output could not be written,
/// whatever the exit code of the command. Prints timers and statistics.
/// Destructors of static objects do not run, which saves 3 ms of 50 per run on
/// a small kernel; sanitizers, which look for leaks after them, get them.
int endWith(ExitCode code) {
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error(); // or the stream ends the process
    // The reader of a pipe may have closed it, as `head` does.
    if (error != std::errc::broken_pipe)
      code = usageError("cannot write to standard output: " + error.message());
  }
#if !LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD
  llvm::llvm_shutdown();
  std::fflush(nullptr);
  _exit(static_cast<int>(code));
#else
  return static_cast<int>(code);
#endif
}

} // namespace

int runTool(llvm::function_ref<ExitCode()> work) {
  std::signal(SIGPIPE, SIG_IGN);
  std::set_new_handler(endWithoutMemory);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(onBadAllocation);
  // The parser takes about 1 KiB of stack per level, other walks less.
  constexpr unsigned stackBytes = 256u << 20;
  ExitCode code = narrowHostByEnvironment();
  if (code != ExitCode::Fine)
    return static_cast<int>(code);
  llvm::thread worker(std::optional<unsigned>(stackBytes),
                      [&] { code = work(); });
  worker.join();
  return endWith(code);
}

void limitMemory() {
#if !LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  rlim_t most = hostMemory();
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= most)
    return;
  limit.rlim_cur = most;
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

void printVersion(llvm::raw_ostream &stream) {
  stream << "distaff " DISTAFF_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
}

} // namespace distaff
