//===- Launch.cpp - Execution of a grid on the host's threads -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Launch.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <mutex>

using namespace distaff;
using namespace distaff::simt;

Launch::Launch(const Program &program, const Options &options,
               std::array<int64_t, 3> grid)
    : program(program), options(options), grid(grid), image(program.image),
      tensors(program.numTensors) {}

int64_t Launch::numSubgroups() const {
  const std::array<int64_t, 3> &size = options.workgroupSize;
  return llvm::divideCeil(size[0] * size[1] * size[2], options.subgroupSize);
}

int64_t Launch::addGlobal(Buffer buffer) {
  globals.push_back(std::move(buffer));
  return int64_t(globals.size()) - 1;
}

namespace {
/// The fault of the first workgroup that has one.
struct FirstFault {
  std::optional<Fault> fault;
  int64_t workgroup = 0;

  void add(const std::optional<Fault> &other, int64_t number) {
    if (!other || (fault && workgroup < number))
      return;
    fault = other;
    workgroup = number;
  }
};

/// The results of the workgroups, collected in any order.
struct Collected {
  std::mutex mutex;
  Counters counters;
  std::vector<LaunchShadow> shadows;
  FirstFault fault;
  FirstFault unwritten; // from workgroups that ran to the end

  void add(Launch &launch, std::unique_ptr<Workgroup> workgroup) {
    std::lock_guard<std::mutex> lock(mutex);
    counters += workgroup->counters;
    if (launch.options.checks)
      for (size_t i = 0; i < shadows.size(); ++i)
        shadows[i].add(int32_t(workgroup->number), workgroup->shadow(i));
    if (workgroup->undecided && !launch.undecided)
      launch.undecided = workgroup->undecided;
    if (workgroup->fault)
      fault.add(workgroup->fault, workgroup->number);
    else
      unwritten.add(workgroup->unwritten, workgroup->number);
    if (workgroup->number == 0)
      launch.first = std::move(workgroup);
  }
};
} // namespace

std::optional<Fault> Launch::run(Counters &counters) {
  int64_t count = grid[0] * grid[1] * grid[2];
  Collected collected;
  for (const Buffer &buffer : globals)
    collected.shadows.emplace_back(buffer.elements);
  std::atomic<int64_t> next = 0, lowestFault = count;
  auto work = [&] {
    for (int64_t number; (number = next++) < count;) {
      if (number > lowestFault)
        continue; // its fault would not be the first
      auto workgroup = std::make_unique<Workgroup>(*this, number);
      workgroup->run();
      if (workgroup->fault)
        for (int64_t lowest = lowestFault;
             number < lowest &&
             !lowestFault.compare_exchange_weak(lowest, number);)
          ;
      collected.add(*this, std::move(workgroup));
    }
  };
  unsigned threads =
      llvm::hardware_concurrency(options.threads).compute_thread_count();
  threads = unsigned(std::min<int64_t>(threads, count));
  if (threads <= 1) {
    work();
  } else {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads));
    for (unsigned i = 0; i < threads; ++i)
      pool.async(work);
    pool.wait();
  }
  counters += collected.counters;
  if (collected.fault.fault)
    return collected.fault.fault;
  if (!options.checks)
    return std::nullopt;
  // A race may cause other faults, such as an unwritten element.
  if (std::optional<Fault> race = checkBetweenWorkgroups(collected.shadows))
    return race;
  if (collected.unwritten.fault)
    return collected.unwritten.fault;
  return checkOutputs(collected.shadows);
}

/// Checks that some lane has written every element of each output.
std::optional<Fault>
Launch::checkOutputs(const std::vector<LaunchShadow> &shadows) {
  for (auto [buffer, shadow] : llvm::zip_equal(globals, shadows)) {
    int64_t element = buffer.written ? -1 : shadow.findUnwritten();
    if (element >= 0)
      return Fault{FaultKind::Unwritten,
                   buffer.describe(element) +
                       " is an output that no lane has written",
                   kernel,
                   {.array = buffer.name, .element = element},
                   {}};
  }
  return std::nullopt;
}

namespace {
/// A side of a race between workgroups.
struct Side : LaunchShadow::Workgroups {
  StringRef does;
};
} // namespace

/// Returns two accesses by different workgroups that race, the write first.
static std::pair<Side, Side> sidesOf(const LaunchShadow::Cell &cell) {
  Side write{cell.writers, "writes"}, read{cell.readers, "reads"},
      update{cell.updaters, "updates atomically"},
      load{cell.loaders, "reads atomically"};
  if (write.differFrom(write))
    return {write, write};
  if (write.differFrom(read))
    return {write, read};
  if (write.differFrom(load))
    return {write, load};
  return {update, write.exist() ? write : read};
}

std::optional<Fault>
Launch::checkBetweenWorkgroups(const std::vector<LaunchShadow> &shadows) {
  auto idOf = [&](int64_t workgroup) -> std::array<int64_t, 3> {
    return {workgroup % grid[0], workgroup / grid[0] % grid[1],
            workgroup / grid[0] / grid[1]};
  };
  auto describe = [&](int64_t workgroup) {
    auto [x, y, z] = idOf(workgroup);
    return "workgroup (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
           std::to_string(z) + ")";
  };
  for (auto [buffer, shadow] : llvm::zip_equal(globals, shadows)) {
    int64_t element = shadow.findRace();
    if (element < 0)
      continue;
    auto [one, other] = sidesOf(shadow.at(element));
    int32_t first = one.first,
            second = other.first != first ? other.first : other.last;
    if (second == first)
      first = one.last;
    Fault race{
        FaultKind::Race,
        describe(first) + " " + one.does.str() + " " +
            buffer.describe(element) + ", which " + describe(second) + " " +
            other.does.str() + ", and workgroups are not ordered",
        program.opAt(one.at),
        {.workgroup = idOf(first), .array = buffer.name, .element = element},
        {}};
    if (one.at != other.at)
      race.notes.push_back(
          {program.opAt(other.at), other.does.starts_with("reads")
                                       ? "the read is here"
                                       : "the write is here"});
    return race;
  }
  return std::nullopt;
}
