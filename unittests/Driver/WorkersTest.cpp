//===- WorkersTest.cpp - Threads that share out workgroups ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Cpu/HostProgram.h"
#include "gtest/gtest.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

using namespace distaff;

namespace {

/// Where workgroups wait until as many as `awaited` are running.
struct Rendezvous {
  int64_t awaited;
  int64_t running = 0;
  bool isInTime = true;
  std::mutex mutex = {};
  std::condition_variable arrival = {};
};

/// A task whose frame holds the address of a rendezvous.
void awaitOthers(const void *frame, int64_t begin, int64_t end) {
  Rendezvous &rendezvous = **static_cast<Rendezvous *const *>(frame);
  std::unique_lock<std::mutex> lock(rendezvous.mutex);
  rendezvous.running += end - begin;
  rendezvous.arrival.notify_all();
  if (!rendezvous.arrival.wait_for(lock, std::chrono::seconds(10), [&] {
        return rendezvous.running >= rendezvous.awaited;
      }))
    rendezvous.isInTime = false;
}

// The thread that calls `run` is one of the workers, whatever the cores are.
TEST(Workers, AsManyWorkgroupsAsThreadsRunAtOnce) {
  Rendezvous rendezvous = {.awaited = 3};
  Rendezvous *frame[] = {&rendezvous};
  Workers(3).run(awaitOthers, frame, 3);
  EXPECT_TRUE(rendezvous.isInTime);
  EXPECT_EQ(rendezvous.running, 3);
}

} // namespace
