//===- Containment.cpp - Recovery from crashes in MLIR and LLVM -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Containment.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SaveAndRestore.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>

using namespace distaff;

#if LLVM_ADDRESS_SANITIZER_BUILD
/// Whether a crash skipped frames, whose memory is never freed. LeakSanitizer
/// reads this before it looks for leaks.
static std::atomic<bool> framesWereSkipped = false;
extern "C" int __lsan_is_turned_off() { return framesWereSkipped; }
#endif

/// Receives the reason why a contained thread ends.
static thread_local std::string *reasonOfThread = nullptr;

/// Handles a fatal error of LLVM instead of ending the process.
static void leaveWithReason(void *, const char *text, bool) {
  llvm::CrashRecoveryContext *current =
      llvm::CrashRecoveryContext::GetCurrent();
  if (!current || !reasonOfThread)
    return; // a fatal error outside of containment ends the process
  *reasonOfThread = text;
  current->HandleExit(1);
}

namespace {
/// Lets signal handlers run after a stack overflow of this thread.
class AlternateStack {
public:
  AlternateStack() {
    stack_t own = {};
    own.ss_sp = memory;
    own.ss_size = sizeof(memory);
    sigaltstack(&own, &before);
    // LLVM's handlers leave by longjmp, from the current stack.
    for (int signal : {SIGSEGV, SIGBUS}) {
      struct sigaction action;
      if (sigaction(signal, nullptr, &action) != 0)
        continue;
      action.sa_flags |= SA_ONSTACK;
      sigaction(signal, &action, nullptr);
    }
  }
  ~AlternateStack() { sigaltstack(&before, nullptr); }

private:
  // Has room for the stack trace that DISTAFF_SHOW_CONTAINED prints.
  alignas(16) char memory[256 << 10];
  stack_t before = {};
};

/// Counts contained threads. LLVM's handlers of crashes and of fatal errors are
/// global to the process: the first contained thread installs them, the last
/// one removes them.
class ContainedThreads {
public:
  struct Entry {
    Entry() { change(+1); }
    ~Entry() { change(-1); }
  };

private:
  static void change(int by) {
    static std::mutex mutex;
    static int inside = 0;
    std::lock_guard<std::mutex> lock(mutex);
    if (by > 0 && inside == 0) {
      llvm::CrashRecoveryContext::Enable();
      llvm::install_fatal_error_handler(leaveWithReason);
    }
    inside += by;
    if (inside == 0) {
      llvm::remove_fatal_error_handler();
      llvm::CrashRecoveryContext::Disable();
    }
  }
};
} // namespace

std::optional<std::string>
distaff::runContained(llvm::function_ref<void()> body) {
  std::string reason;
  bool survived;
  {
    ContainedThreads::Entry entry;
    auto stack = std::make_unique<AlternateStack>();
    llvm::SaveAndRestore saysWhy(reasonOfThread, &reason);
    llvm::CrashRecoveryContext recovery;
    recovery.DumpStackAndCleanupOnFailure =
        std::getenv("DISTAFF_SHOW_CONTAINED") != nullptr;
    survived = recovery.RunSafely(body);
  }
  if (survived)
    return std::nullopt;
#if LLVM_ADDRESS_SANITIZER_BUILD
  framesWereSkipped = true;
#endif
  return reason.empty() ? "it crashed" : reason;
}

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

/// Skips text without brackets, and then a string, a comment or the `>` of an
/// operator; otherwise consumes one character. Returns it, or 0 if it skipped a
/// token.
static char takeSymbol(StringRef &text) {
  text = text.drop_front(
      std::min(text.find_first_of("\n\"/-<>=()[]{}"), text.size()));
  if (text.empty())
    return 0;
  if (text.consume_front("//")) {
    text = text.drop_front(std::min(text.find('\n'), text.size()));
    return 0;
  }
  if (text.consume_front("->") || text.consume_front(">=") ||
      text.consume_front("<="))
    return 0;
  char symbol = text.front();
  text = text.drop_front();
  if (symbol != '"')
    return symbol;
  while (!text.empty() && text.front() != '\n') {
    char c = text.front();
    text = text.drop_front(c == '\\' && text.size() > 1 ? 2 : 1);
    if (c == '"')
      break;
  }
  return 0;
}

std::optional<int64_t> distaff::findTooDeepLine(StringRef text) {
  int64_t depth = 0, line = 1;
  while (!text.empty()) {
    switch (takeSymbol(text)) {
    case '\n':
      ++line;
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > deepestNesting)
        return line;
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      depth = std::max<int64_t>(depth - 1, 0);
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}
