//===- WaitingTest.cpp - Barriers of all, of some, and in memory ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two subgroups of 4 lanes; the first writes what the second reads. Each kind
// of barrier lets the right number go on, again and again, and whoever counts
// wrongly waits for ever and is told for what.
//
//===----------------------------------------------------------------------===//
#include "Schedules.h"
#include <set>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

const char *group = "!nvgpu.mbarrier.group<memorySpace = "
                    "#gpu.address_space<workgroup>, num_barriers = 2>";
const char *shared = "memref<8xi32, #gpu.address_space<workgroup>>";

/// A body for each subgroup, after one for both. `GROUP` and `SHARED` are
/// types.
std::string kernelOfWaits(std::string both, std::string first,
                          std::string second) {
  std::string text = R"(
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) kernel {
      %id = gpu.thread_id x
      %v = arith.index_cast %id : index to i32
      %m = memref.alloc() : SHARED
      %false = arith.constant false
      %true = arith.constant true
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %i1 = arith.constant 1 : i32
      %i2 = arith.constant 2 : i32
      %i4 = arith.constant 4 : i32
      %i6 = arith.constant 6 : i32
      %i8 = arith.constant 8 : i32
      %i12 = arith.constant 12 : i32
      %i16 = arith.constant 16 : i32
      %zero = arith.constant 0 : i32
      %low = arith.remui %id, %c4 : index
      %isFirst = arith.cmpi ult, %id, %c4 : index
      %isZero = arith.cmpi eq, %id, %c0 : index
)" + both + "\nscf.if %isFirst {\n" +
                     first + "\n} else {\n" + second + "\n}\ngpu.return\n} }";
  for (auto [name, type] : {std::pair("SHARED", shared), {"GROUP", group}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, strlen(name), type);
  return text;
}

Argument out() { return array("i32", {8}, Values(8, 0)); }

/// The name of the fault under every schedule, which must not matter.
std::string faultInOfWaits(const std::string &source) {
  return underSchedules(8, [&](uint64_t schedule) {
    return faultOf(source, {out()}, launch(4, 8, schedule));
  });
}

Values valuesInOfWaits(const std::string &source) {
  return underSchedules(32, [&](uint64_t schedule) {
    return lastArgumentOf(source, {out()}, launch(4, 8, schedule));
  });
}

/// What some schedules find and others do not.
std::set<std::string> faultsOf(const std::string &source) {
  std::set<std::string> faults;
  for (uint64_t schedule = 0; schedule < 16; ++schedule)
    faults.insert(faultOf(source, {out()}, launch(4, 8, schedule)));
  return faults;
}

std::string errorIn(const std::string &source) {
  return execute(source, {out()}, launch(4, 8)).error;
}

const std::string write = "memref.store %v, %m[%low] : SHARED\n";
const std::string read = "%x = memref.load %m[%low] : SHARED\n"
                         "memref.store %x, %out[%id] : memref<8xi32>\n";
const Values passedOn = {0, 0, 0, 0, 0, 1, 2, 3};

std::string arrive(std::string number, std::string threads) {
  return "nvvm.barrier.arrive id = " + number +
         " number_of_threads = " + threads + "\n";
}
std::string sync(std::string number, std::string threads) {
  return "nvvm.barrier id = " + number + " number_of_threads = " + threads +
         "\n";
}

//===----------------------------------------------------------------------===//
// Barriers of the whole workgroup
//===----------------------------------------------------------------------===//

TEST(Waiting, BarriersOfTheWorkgroupGoByAllTheirNames) {
  for (std::string barrier : {"gpu.barrier\n", "nvvm.barrier\n",
                              "nvvm.barrier0\n", "nvvm.barrier id = %i2\n"})
    EXPECT_EQ(lastArgumentOf(kernelOfWaits("%z = arith.constant 0 : i32\n"
                                           "scf.if %isFirst {\n" +
                                               write + "}\n" + barrier,
                                           "", read),
                             {out()}, launch(4, 8)),
              passedOn)
        << barrier;
}

TEST(Waiting, AllWhoWaitAreNamed) {
  // The first subgroup waits for the second and the other way round.
  std::string source = kernelOfWaits("", "gpu.barrier", sync("%i1", "%i8"));
  Ending ending = execute(source, {out()}, launch(4, 8));
  EXPECT_EQ(ending.error,
            "'gpu.barrier' op deadlock: subgroup 0 waits at this barrier, but "
            "subgroup 1 does not reach it");
  EXPECT_EQ(ending.fault, FaultKind::Deadlock);
  EXPECT_EQ(ending.place.subgroup, 0);
  EXPECT_EQ(ending.notes,
            (std::vector<std::string>{
                "subgroup 1 waits at barrier 1 for 4 more of 8 threads, but "
                "subgroup 0 does not reach it"}));
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

TEST(Waiting, HalvesOfAWorkgroupMeetAtANamedBarrier) {
  // One waits and one does not, or both do, at different places.
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits("", write + arrive("%i1", "%i8"),
                                          sync("%i1", "%i8") + read)),
            passedOn);
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits("", write + sync("%i1", "%i8"),
                                          sync("%i1", "%i8") + read)),
            passedOn);
}

TEST(Waiting, ANamedBarrierOrdersWhatIsBeforeIt) {
  EXPECT_EQ(faultInOfWaits(kernelOfWaits("", write, read)), "race");
  EXPECT_EQ(faultInOfWaits(kernelOfWaits("", arrive("%i1", "%i8") + write,
                                         sync("%i1", "%i8") + read)),
            "race");
  // Nobody waits for whoever only arrives: what it does next is not ordered.
  EXPECT_EQ(
      faultInOfWaits(kernelOfWaits("", write + arrive("%i1", "%i8") + write,
                                   sync("%i1", "%i8") + read)),
      "race");
  EXPECT_EQ(faultInOfWaits(kernelOfWaits("", write + sync("%i1", "%i8"),
                                         arrive("%i1", "%i8") + read)),
            "race");
}

TEST(Waiting, ABarrierOfItsOwnOrdersASubgroup) {
  std::string mirror = "%mirror = arith.subi %c3, %low : index\n";
  std::string own = mirror + "%y = memref.load %m[%mirror] : SHARED\n"
                             "memref.store %y, %out[%id] : memref<8xi32>\n";
  EXPECT_EQ(
      valuesInOfWaits(kernelOfWaits("", write + sync("%i1", "%i4") + own, "")),
      (Values{3, 2, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(
      faultInOfWaits(kernelOfWaits("", write + arrive("%i1", "%i4") + own, "")),
      "race");
}

TEST(Waiting, NamedBarriersAreReused) {
  // A buffer of one, passed to and fro: barrier 1 is full, barrier 2 is empty.
  auto loop = [](std::string body) {
    return "%c5 = arith.constant 5 : index\n"
           "scf.for %i = %c0 to %c5 step %c1 {\n" +
           body + "}\n";
  };
  std::string produce = "%k = arith.index_cast %i : index to i32\n"
                        "%w = arith.addi %v, %k : i32\n"
                        "memref.store %w, %m[%low] : SHARED\n";
  std::string consume = "%x = memref.load %m[%low] : SHARED\n"
                        "%o = memref.load %out[%id] : memref<8xi32>\n"
                        "%s = arith.addi %o, %x : i32\n"
                        "memref.store %s, %out[%id] : memref<8xi32>\n";
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits(
                "", loop(produce + arrive("%i1", "%i8") + sync("%i2", "%i8")),
                loop(sync("%i1", "%i8") + consume + arrive("%i2", "%i8")))),
            (Values{0, 0, 0, 0, 10, 15, 20, 25}));
  // Without waiting for `empty` the next round overwrites what is read.
  EXPECT_EQ(faultInOfWaits(kernelOfWaits("", loop(produce + sync("%i1", "%i8")),
                                         loop(sync("%i1", "%i8") + consume))),
            "race");
}

TEST(Waiting, ANamedBarrierCountsItsThreads) {
  EXPECT_EQ(errorIn(kernelOfWaits("", write + arrive("%i1", "%i12"),
                                  sync("%i1", "%i12") + read)),
            "'nvvm.barrier' op deadlock: subgroup 1 waits at barrier 1 for 4 "
            "more of 12 threads, but all subgroups have arrived");
  EXPECT_EQ(errorIn(kernelOfWaits("", write, sync("%i1", "%i8") + read)),
            "'nvvm.barrier' op deadlock: subgroup 1 waits at barrier 1 for 4 "
            "more of 8 threads, but subgroup 0 has finished without reaching "
            "it");
  EXPECT_EQ(faultInOfWaits(
                kernelOfWaits("", arrive("%i1", "%i8"), sync("%i1", "%i12"))),
            "misuse");
  EXPECT_EQ(errorIn(kernelOfWaits("", sync("%i1", "%i6"), "")),
            "'nvvm.barrier' op misuse: a barrier counts whole subgroups of 4 "
            "threads, found 6");
  EXPECT_EQ(errorIn(kernelOfWaits("", sync("%i16", "%i4"), "")),
            "'nvvm.barrier' op misuse: there are barriers 0 to 15, not 16");
}

TEST(Waiting, ANamedBarrierThatSomeLanesMissIsDivergent) {
  EXPECT_EQ(faultInOfWaits(kernelOfWaits(
                "", "scf.if %isZero {\n" + sync("%i1", "%i4") + "}", "")),
            "divergent barrier");
}

TEST(Waiting, LanesOfASubgroupSynchronize) {
  std::string all = "%all = arith.constant -1 : i32\nnvvm.bar.warp.sync %all : "
                    "i32\n";
  std::string mirror = "%mirror = arith.subi %c3, %low : index\n"
                       "%y = memref.load %m[%mirror] : SHARED\n"
                       "memref.store %y, %out[%id] : memref<8xi32>\n";
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits("", write + all + mirror, "")),
            (Values{3, 2, 1, 0, 0, 0, 0, 0}));
  // It orders no other subgroup.
  EXPECT_EQ(faultInOfWaits(kernelOfWaits("", write + all, all + read)), "race");
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

std::string create(std::string count) {
  return "%b = nvgpu.mbarrier.create -> GROUP\n"
         "nvgpu.mbarrier.init %b[%c0], %" +
         count + ", predicate = %isZero : GROUP\n";
}
const std::string mbarrierArrive =
    "%t = nvgpu.mbarrier.arrive %b[%c0] : GROUP -> !nvgpu.mbarrier.token\n";
std::string await(std::string parity) {
  return "nvgpu.mbarrier.try_wait.parity %b[%c0], " + parity +
         ", %c1 : GROUP\n";
}

TEST(Waiting, AnMBarrierPassesOnWhatItsArrivalsDid) {
  std::string both = create("c4") + "gpu.barrier\n";
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits(both, write + mbarrierArrive,
                                          await("%false") + read)),
            passedOn);
  EXPECT_EQ(faultInOfWaits(kernelOfWaits(both, mbarrierArrive + write,
                                         await("%false") + read)),
            "race");
}

TEST(Waiting, ThePhaseBeforeTheFirstOneIsOver) {
  // Who waits for it does not wait for the first, or waits for the second.
  std::string source =
      kernelOfWaits(create("c4") + "gpu.barrier\n", write + mbarrierArrive,
                    await("%true") + read);
  EXPECT_EQ(faultsOf(source), (std::set<std::string>{"deadlock", "race"}));
}

TEST(Waiting, AnMBarrierCountsItsArrivals) {
  auto withCount = [](std::string count) {
    return kernelOfWaits("%c5 = arith.constant 5 : index\n" + create(count) +
                             "gpu.barrier\n",
                         write + mbarrierArrive, await("%false") + read);
  };
  EXPECT_EQ(errorIn(withCount("c5")),
            "'nvgpu.mbarrier.try_wait.parity' op deadlock: subgroup 1 waits "
            "for phase 0 of mbarrier 0, which misses 1 of 5 arrivals; no "
            "thread that runs on could bring them");
  // The last lane's arrival is of the next phase.
  EXPECT_EQ(faultInOfWaits(withCount("c3")), "race");
}

TEST(Waiting, AnElectedLaneArrivesForItsSubgroup) {
  std::string all = "%all = arith.constant -1 : i32\nnvvm.bar.warp.sync %all : "
                    "i32\n";
  std::string elected = "scf.if %isZero {\n" + mbarrierArrive + "}\n";
  std::string both = create("c1") + "gpu.barrier\n";
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits(both, write + all + elected,
                                          await("%false") + read)),
            passedOn);
  EXPECT_EQ(faultInOfWaits(
                kernelOfWaits(both, write + elected, await("%false") + read)),
            "race");
}

TEST(Waiting, MBarriersHavePhases) {
  // mbarrier 0 is full, mbarrier 1 is empty; the parity changes every round.
  auto loop = [](std::string body) {
    return R"(%c5 = arith.constant 5 : index
      scf.for %i = %c0 to %c5 step %c1 iter_args(%p = %false) -> (i1) {
)" + body + R"(
        %q = arith.xori %p, %true : i1
        scf.yield %q : i1
      })";
  };
  std::string both = create("c4") +
                     "nvgpu.mbarrier.init %b[%c1], %c4, predicate = %isZero : "
                     "GROUP\ngpu.barrier\n";
  std::string produce = R"(%k = arith.index_cast %i : index to i32
    %w = arith.addi %v, %k : i32
    memref.store %w, %m[%low] : SHARED
)" + mbarrierArrive +
                        "nvgpu.mbarrier.try_wait.parity %b[%c1], %p, %c1 : "
                        "GROUP\n";
  std::string consume = await("%p") + R"(
    %x = memref.load %m[%low] : SHARED
    %o = memref.load %out[%id] : memref<8xi32>
    %s = arith.addi %o, %x : i32
    memref.store %s, %out[%id] : memref<8xi32>
    %u = nvgpu.mbarrier.arrive %b[%c1] : GROUP -> !nvgpu.mbarrier.token)";
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits(both, loop(produce), loop(consume))),
            (Values{0, 0, 0, 0, 10, 15, 20, 25}));
}

TEST(Waiting, AnMBarrierWaitsForItsBytes) {
  std::string source = kernelOfWaits(
      "%c64 = arith.constant 64 : index\n" + create("c4") + "gpu.barrier\n",
      "nvgpu.mbarrier.arrive.expect_tx %b[%c0], %c64, predicate = "
      "%isZero : GROUP\n"
      "%rest = arith.cmpi ne, %id, %c0 : index\n"
      "scf.if %rest {\n" +
          mbarrierArrive + "}\n",
      await("%false"));
  EXPECT_EQ(errorIn(source),
            "'nvgpu.mbarrier.try_wait.parity' op deadlock: subgroup 1 waits "
            "for phase 0 of mbarrier 0, which misses 64 bytes; no thread that "
            "runs on could bring them");
}

TEST(Waiting, TokensAreTested) {
  auto spin = [](std::string arrival) {
    return arrival + R"(
      scf.while : () -> () {
        %done = nvgpu.mbarrier.test.wait %b[%c0], %t : GROUP, !nvgpu.mbarrier.token
        %more = arith.xori %done, %true : i1
        scf.condition(%more)
      } do {
        scf.yield
      }
)";
  };
  std::string both =
      "%c8 = arith.constant 8 : index\n" + create("c8") + "gpu.barrier\n";
  EXPECT_EQ(valuesInOfWaits(kernelOfWaits(both, write + mbarrierArrive,
                                          spin(mbarrierArrive) + read)),
            passedOn);
  // The second subgroup's lanes arrive for two each.
  both = "%c9 = arith.constant 9 : index\n" + create("c9") + "gpu.barrier\n";
  EXPECT_EQ(
      valuesInOfWaits(kernelOfWaits(
          both, write + mbarrierArrive,
          spin("%t = nvgpu.mbarrier.arrive.nocomplete %b[%c0], %c1 : "
               "GROUP -> !nvgpu.mbarrier.token\n"
               "scf.if %last {\n%u = nvgpu.mbarrier.arrive %b[%c0] : "
               "GROUP -> !nvgpu.mbarrier.token\n}\n")
                  .insert(0, "%c7 = arith.constant 7 : index\n"
                             "%last = arith.cmpi eq, %id, %c7 : index\n") +
              read)),
      passedOn);
}

TEST(Waiting, MisusedMBarriersAreFaults) {
  std::string init = "nvgpu.mbarrier.init %b[%c0], %c4 : GROUP\n";
  std::string make = "%b = nvgpu.mbarrier.create -> GROUP\n";
  EXPECT_EQ(faultInOfWaits(kernelOfWaits(make, mbarrierArrive, "")), "misuse");
  EXPECT_EQ(faultInOfWaits(kernelOfWaits(make + init, "", "")),
            "race"); // by every lane
  EXPECT_EQ(faultInOfWaits(kernelOfWaits(
                create("c4") + create("c4").substr(make.size()), "", "")),
            "misuse");
  // Whoever arrives must know that it has been initialised.
  EXPECT_EQ(faultOf(kernelOfWaits(create("c4"), mbarrierArrive, ""), {out()},
                    launch(4, 8)),
            "race");
  EXPECT_EQ(
      faultInOfWaits(kernelOfWaits(make,
                                   "%c2 = arith.constant 2 : index\n"
                                   "nvgpu.mbarrier.init %b[%c2], %c4 : GROUP\n",
                                   "")),
      "out of bounds");
  EXPECT_EQ(faultInOfWaits(kernelOfWaits(
                create("c4") + "gpu.barrier\n",
                "%t = nvgpu.mbarrier.arrive.nocomplete %b[%c0], %c4 "
                ": GROUP -> !nvgpu.mbarrier.token",
                "")),
            "misuse");
}

// On hardware the other lanes of the subgroup may arrive meanwhile; the machine
// runs them after the branch, and does not call that a deadlock.
TEST(Waiting, LanesThatWaitForTheirOwnSubgroupAreNotModelled) {
  std::string source = kernelOfWaits(create("c3") + "gpu.barrier\n",
                                     "scf.if %isZero {\n" + await("%false") +
                                         "} else {\n" + mbarrierArrive + "}\n",
                                     "");
  EXPECT_EQ(faultsOf(source), (std::set<std::string>{"", "not modelled"}));
}

} // namespace
