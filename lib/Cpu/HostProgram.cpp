//===- HostProgram.cpp - Kernels linked into this process -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Cpu/HostProgram.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <csetjmp>

using namespace distaff;

HostProgram::HostProgram(std::unique_ptr<llvm::orc::LLJIT> linker)
    : linker(std::move(linker)) {}

HostProgram::~HostProgram() = default;

namespace {
/// The jump target of a thread when an assertion fails in its task. No frame in
/// between needs destructors: all are of emitted code.
struct TaskExit {
  std::jmp_buf target;
  const char *volatile message = nullptr; // written after setjmp
};
thread_local TaskExit *taskExit = nullptr;

[[noreturn]] void leaveTask(const char *message) {
  taskExit->message = message;
  std::longjmp(taskExit->target, 1);
}

/// Runs a task; returns the message of an assertion that failed, or null.
const char *runTask(HostTask task, const void *frame, int64_t begin,
                    int64_t end) {
  TaskExit exit;
  taskExit = &exit;
  if (setjmp(exit.target) == 0)
    task(frame, begin, end);
  return exit.message;
}
} // namespace

llvm::Expected<std::unique_ptr<HostProgram>>
HostProgram::load(StringRef object, StringRef assertionSymbol,
                  ArrayRef<std::string> libraries) {
  llvm::InitializeNativeTarget();
  auto linker = llvm::orc::LLJITBuilder().create();
  if (!linker)
    return linker.takeError();
  char prefix = (*linker)->getDataLayout().getGlobalPrefix();
  for (const std::string &library : libraries) {
    auto symbols =
        llvm::orc::DynamicLibrarySearchGenerator::Load(library.c_str(), prefix);
    if (!symbols)
      return symbols.takeError();
    (*linker)->getMainJITDylib().addGenerator(std::move(*symbols));
  }
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  (*linker)->getMainJITDylib().addGenerator(std::move(*process));
  llvm::orc::SymbolMap handlers = {
      {(*linker)->mangleAndIntern(assertionSymbol),
       llvm::orc::ExecutorSymbolDef::fromPtr(&leaveTask)}};
  if (llvm::Error error = (*linker)->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(handlers))))
    return error;
  if (llvm::Error error = (*linker)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, "kernels")))
    return error;
  return std::unique_ptr<HostProgram>(new HostProgram(std::move(*linker)));
}

bool HostProgram::provides(StringRef symbol) {
  auto address = linker->lookup(symbol);
  bool isFound = bool(address);
  llvm::consumeError(address.takeError());
  return isFound;
}

llvm::Expected<HostTask> HostProgram::findTask(StringRef symbol) {
  auto address = linker->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<HostTask>();
}

Workers::Workers(unsigned threads)
    : threads(llvm::hardware_concurrency(threads).compute_thread_count()) {}

const char *Workers::run(HostTask task, const void *frame,
                         int64_t count) const {
  constexpr int64_t sharesPerThread = 8;
  int64_t most = std::min<int64_t>(threads, count);
  if (most <= 1)
    return runTask(task, frame, 0, count);
  int64_t share = llvm::divideCeil(count, most * sharesPerThread);
  std::atomic<int64_t> next = 0;
  std::atomic<const char *> failed = nullptr;
  auto work = [&] {
    for (int64_t begin; !failed && (begin = next.fetch_add(share)) < count;)
      if (const char *message =
              runTask(task, frame, begin, std::min(begin + share, count)))
        failed = message;
  };
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(most - 1));
  for (int64_t i = 1; i < most; ++i)
    pool.async(work);
  work();
  pool.wait();
  return failed;
}
