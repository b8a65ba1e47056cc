//===- HostProgram.cpp - Kernels run by this CPU --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Host/HostProgram.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>

using namespace distaff;

HostProgram::HostProgram(std::unique_ptr<llvm::orc::LLJIT> linker)
    : linker(std::move(linker)) {}

HostProgram::~HostProgram() = default;

llvm::Expected<std::unique_ptr<HostProgram>>
HostProgram::load(StringRef object) {
  llvm::InitializeNativeTarget();
  auto linker = llvm::orc::LLJITBuilder().create();
  if (!linker)
    return linker.takeError();
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*linker)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  (*linker)->getMainJITDylib().addGenerator(std::move(*process));
  if (llvm::Error error = (*linker)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, "kernels")))
    return error;
  return std::unique_ptr<HostProgram>(new HostProgram(std::move(*linker)));
}

llvm::Expected<HostTask> HostProgram::findTask(StringRef symbol) {
  auto address = linker->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<HostTask>();
}

Workers::Workers(unsigned threads)
    : threads(llvm::hardware_concurrency(threads).compute_thread_count()) {}

void Workers::run(HostTask task, const void *frame, int64_t count) const {
  constexpr int64_t sharesPerThread = 8;
  int64_t most = std::min<int64_t>(threads, count);
  if (most <= 1) {
    task(frame, 0, count);
    return;
  }
  int64_t share = llvm::divideCeil(count, most * sharesPerThread);
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t begin; (begin = next.fetch_add(share)) < count;)
      task(frame, begin, std::min(begin + share, count));
  };
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(most - 1));
  for (int64_t i = 1; i < most; ++i)
    pool.async(work);
  work();
  pool.wait();
}
