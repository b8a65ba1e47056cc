//===- Launch.cpp - Workgroups on the host's threads ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups are independent, so the order in which threads take them does not
// show: what they tell each other would be a race, counters are sums, and of
// several faults the one of the first workgroup is reported.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <mutex>

using namespace distaff;
using namespace distaff::simt;

Launch::Launch(const Program &program, const Options &options,
               std::array<int64_t, 3> grid)
    : program(program), options(options), grid(grid), image(program.image),
      tensors(program.numTensors) {}

int64_t Launch::addGlobal(Buffer buffer) {
  globals.push_back(std::move(buffer));
  return int64_t(globals.size()) - 1;
}

static LogicalResult report(const Fault &fault) {
  InFlightDiagnostic diagnostic = fault.op->emitOpError()
                                  << fault.name << ": " << fault.message;
  if (fault.other && !fault.note.empty())
    diagnostic.attachNote(fault.other->getLoc()) << fault.note;
  return diagnostic;
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

/// What the workgroups leave behind, collected in any order.
struct Collected {
  std::mutex mutex;
  Counters counters;
  std::vector<LaunchShadow> shadows;
  FirstFault fault;
  FirstFault unwritten; // of workgroups that ran to the end

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

LogicalResult Launch::run(Counters *counters) {
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
  if (counters)
    *counters += collected.counters;
  if (collected.fault.fault)
    return report(*collected.fault.fault);
  if (!options.checks)
    return success();
  // A race explains what it leads to, such as an element without a value.
  if (failed(checkBetweenWorkgroups(collected.shadows)))
    return failure();
  if (collected.unwritten.fault)
    return report(*collected.unwritten.fault);
  return checkOutputs(collected.shadows);
}

/// An output is complete when some lane has written every element of it.
LogicalResult Launch::checkOutputs(const std::vector<LaunchShadow> &shadows) {
  for (auto [buffer, shadow] : llvm::zip_equal(globals, shadows)) {
    int64_t element = buffer.written ? -1 : shadow.findUnwritten();
    if (element >= 0)
      return report(Fault{"unwritten",
                          buffer.describe(element) +
                              " is an output that no lane has written",
                          kernel, nullptr, ""});
  }
  return success();
}

LogicalResult
Launch::checkBetweenWorkgroups(const std::vector<LaunchShadow> &shadows) {
  auto nameOf = [&](int64_t workgroup) {
    return "workgroup (" + std::to_string(workgroup % grid[0]) + ", " +
           std::to_string(workgroup / grid[0] % grid[1]) + ", " +
           std::to_string(workgroup / grid[0] / grid[1]) + ")";
  };
  for (auto [buffer, shadow] : llvm::zip_equal(globals, shadows)) {
    int64_t element = shadow.findRace();
    if (element < 0)
      continue;
    const LaunchShadow::Cell &cell = shadow.at(element);
    bool withWrite = cell.lastWriter != cell.firstWriter;
    int32_t other = withWrite                              ? cell.lastWriter
                    : cell.firstReader != cell.firstWriter ? cell.firstReader
                                                           : cell.lastReader;
    Fault race;
    race.name = "race";
    race.op = program.code[cell.writeAt].op;
    race.message = nameOf(cell.firstWriter) + " writes " +
                   buffer.describe(element) + ", which " + nameOf(other) +
                   (withWrite ? " writes" : " reads") +
                   ", and workgroups are not ordered";
    if (!withWrite) {
      race.other = program.code[cell.readAt].op;
      race.note = "the read is here";
    }
    return report(race);
  }
  return success();
}
