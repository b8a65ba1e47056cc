//===- SyncObjectsTest.cpp - What agents wait for, without agents ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects of a workgroup's table, called as the ops call them. MMA groups
// and bytes that complete at an mbarrier have no op yet, and are tested here
// alone.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Machine/AsyncGroups.h"
#include "../../lib/Simt/Machine/MBarrier.h"
#include "../../lib/Simt/Machine/Shadow.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <iterator>
#include <random>
#include <set>

using namespace distaff;
using namespace distaff::simt;

namespace {

const std::nullopt_t fine = std::nullopt;

using Times = std::set<std::pair<int64_t, uint32_t>>;

/// Of threads and times that the tests draw, one by one.
Times timesOf(const Spans &spans) {
  Times times;
  for (int64_t thread = 0; thread < 4; ++thread)
    for (uint32_t time = 0; time < 25; ++time)
      if (spans.has(thread, time))
        times.insert({thread, time});
  return times;
}

MBarrier mbarrier(int64_t arrivals) {
  MBarrier barrier("mbarrier 0");
  EXPECT_EQ(barrier.initialize(arrivals, 0, 0), fine);
  return barrier;
}

bool mayPass(const SyncObject &object, int64_t ticket, uint64_t lanes = 1) {
  Wait wait;
  wait.ticket = ticket;
  wait.lanes = lanes;
  return object.isOpen(wait);
}

TEST(SyncObjects, AnMBarrierOpensAtTheLastArrivalOfEachPhase) {
  MBarrier barrier = mbarrier(3);
  for (int64_t phase = 0; phase < 4; ++phase) {
    int64_t parity = phase & 1;
    for (int arrival = 0; arrival < 3; ++arrival) {
      EXPECT_FALSE(mayPass(barrier, parity));
      EXPECT_TRUE(mayPass(barrier, 1 - parity));
      EXPECT_FALSE(barrier.isOver(phase));
      EXPECT_EQ(barrier.arrive(), fine);
    }
    EXPECT_TRUE(mayPass(barrier, parity));
    EXPECT_TRUE(barrier.isOver(phase));
  }
}

TEST(SyncObjects, AnMBarrierWaitsForBytesInAnyOrder) {
  MBarrier barrier = mbarrier(1);
  EXPECT_EQ(barrier.expect(48), fine);
  EXPECT_EQ(barrier.arrive(), fine);
  EXPECT_EQ(barrier.complete(32), fine);
  EXPECT_FALSE(mayPass(barrier, 0)); // too few
  EXPECT_EQ(barrier.complete(16), fine);
  EXPECT_TRUE(mayPass(barrier, 0));
  // Bytes before they are expected do not end a phase by themselves.
  EXPECT_EQ(barrier.complete(16), fine);
  EXPECT_FALSE(mayPass(barrier, 1));
  EXPECT_EQ(barrier.expect(16), fine);
  EXPECT_EQ(barrier.arrive(), fine);
  EXPECT_TRUE(mayPass(barrier, 1));
}

TEST(SyncObjects, MoreBytesThanExpectedAreAMisuse) {
  MBarrier barrier = mbarrier(1);
  EXPECT_EQ(barrier.expect(16), fine);
  EXPECT_EQ(barrier.complete(32), fine); // the rest may be expected yet
  EXPECT_EQ(barrier.arrive(),
            "16 bytes more than expected by mbarrier 0 have arrived");
  barrier = mbarrier(1);
  EXPECT_EQ(barrier.expect(16), fine);
  EXPECT_EQ(barrier.arrive(), fine);
  EXPECT_EQ(barrier.complete(17),
            "1 bytes more than expected by mbarrier 0 have arrived");
}

TEST(SyncObjects, MBarriersHaveLimits) {
  MBarrier barrier("mbarrier 7");
  EXPECT_EQ(barrier.arrive(), "mbarrier 7 has not been initialised");
  EXPECT_NE(barrier.initialize(0, 0, 0), fine);
  EXPECT_NE(barrier.initialize(MBarrier::most + 1, 0, 0), fine);
  EXPECT_EQ(barrier.initialize(MBarrier::most, 0, 0), fine);
  EXPECT_NE(barrier.initialize(1, 0, 0), fine);
  EXPECT_EQ(barrier.expect(MBarrier::most), fine);
  EXPECT_NE(barrier.expect(1), fine);
  EXPECT_NE(barrier.expect(-1), fine);
  EXPECT_EQ(barrier.arriveWithoutCompleting(MBarrier::most - 1), fine);
  EXPECT_NE(barrier.arriveWithoutCompleting(1), fine);
}

void testGroups(AsyncGroups::Of operations) {
  AsyncGroups groups(operations, 1);
  auto mayPassWith = [&](int64_t inFlight) {
    groups.await(0, groups.firstInFlight(0, inFlight));
    return mayPass(groups, 0);
  };
  EXPECT_TRUE(mayPassWith(0)); // there are none
  EXPECT_EQ(groups.start(0), 0);
  EXPECT_EQ(groups.start(0), 0);
  EXPECT_TRUE(mayPassWith(0)); // they are in no group yet
  EXPECT_EQ(groups.commit(0), 0);
  EXPECT_EQ(groups.start(0), 1);
  EXPECT_EQ(groups.commit(0), 1);
  EXPECT_EQ(groups.commit(0), 2); // an empty one
  EXPECT_TRUE(mayPassWith(3));
  EXPECT_FALSE(mayPassWith(2));
  // The younger group completes first: the order is not that of the groups.
  groups.finish(0, 1);
  EXPECT_FALSE(mayPassWith(2));
  EXPECT_FALSE(mayPassWith(1));
  groups.finish(0, 0);
  EXPECT_FALSE(mayPassWith(2));
  groups.finish(0, 0);
  EXPECT_TRUE(mayPassWith(2));
  EXPECT_TRUE(mayPassWith(0));
}

TEST(SyncObjects, CopyGroupsCompleteInAnyOrder) {
  testGroups(AsyncGroups::Of::Copies);
}

TEST(SyncObjects, MmaGroupsCompleteInAnyOrder) {
  testGroups(AsyncGroups::Of::Mma);
}

TEST(SyncObjects, EveryLaneHasItsOwnGroups) {
  AsyncGroups groups(AsyncGroups::Of::Copies, 2);
  groups.start(1);
  groups.commit(0);
  groups.commit(1);
  for (int64_t lane : {0, 1})
    groups.await(lane, 1);
  EXPECT_TRUE(mayPass(groups, 0, 0b01));
  EXPECT_FALSE(mayPass(groups, 0, 0b10));
  EXPECT_FALSE(mayPass(groups, 0, 0b11));
  groups.finish(1, 0);
  EXPECT_TRUE(mayPass(groups, 0, 0b11));
}

TEST(SyncObjects, CopiesOfATableAreApart) {
  SyncTable table;
  int64_t number = table.find({nullptr, 3}, 1, [](int64_t) {
    return std::make_unique<MBarrier>(mbarrier(1));
  });
  SyncTable copy(table);
  EXPECT_EQ(table.as<MBarrier>(number).arrive(), fine);
  EXPECT_TRUE(mayPass(table.at(number), 0));
  EXPECT_FALSE(mayPass(copy.at(number), 0));
  EXPECT_EQ(copy.find({nullptr, 3}, 1,
                      [](int64_t) { return std::unique_ptr<SyncObject>(); }),
            number);
}

// Against a set of times, one by one.
TEST(SyncObjects, SpansAreSetsOfTimes) {
  std::mt19937 random(7);
  auto draw = [&](uint32_t below) { return uint32_t(random() % below); };
  auto drawn = [&](Times &times) {
    Spans spans;
    for (uint32_t count = draw(6); count > 0; --count) {
      int64_t thread = draw(3);
      Span span{draw(20), draw(20)}; // some are empty
      spans.add(thread, span);
      for (uint32_t time = span.from; time <= span.to; ++time)
        times.insert({thread, time});
    }
    return spans;
  };
  for (int trial = 0; trial < 2000; ++trial) {
    Times a, b, both, either;
    Spans first = drawn(a), second = drawn(b), met = first;
    EXPECT_EQ(timesOf(first), a);
    std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                   std::inserter(either, either.end()));
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                          std::inserter(both, both.end()));
    met.meet(second);
    first.add(second);
    EXPECT_EQ(timesOf(first), either);
    EXPECT_EQ(timesOf(met), both);
  }
}

// Copies share what they hold, and what one has been told is told again by its
// address: whoever learns more, nobody else does, and what is told is all of
// it.
TEST(SyncObjects, SpansThatShareAreTheirOwn) {
  std::mt19937 random(11);
  auto draw = [&](uint32_t below) { return uint32_t(random() % below); };
  for (int trial = 0; trial < 500; ++trial) {
    Spans spans[5];
    Times times[5];
    for (int step = 0; step < 60; ++step) {
      uint32_t to = draw(5), from = draw(5);
      if (uint32_t kind = draw(8); kind < 3) {
        uint32_t first = draw(20);
        Span span{first, first + draw(4)};
        int64_t thread = draw(3);
        spans[to].add(thread, span);
        for (uint32_t time = span.from; time <= span.to; ++time)
          times[to].insert({thread, time});
      } else if (kind < 6) {
        spans[to].add(spans[from]);
        times[to].insert(times[from].begin(), times[from].end());
      } else if (kind < 7) {
        spans[to] = spans[from];
        times[to] = times[from];
      } else {
        spans[to].meet(spans[from]);
        Times both;
        std::set_intersection(times[to].begin(), times[to].end(),
                              times[from].begin(), times[from].end(),
                              std::inserter(both, both.end()));
        times[to] = std::move(both);
      }
      for (int i = 0; i < 5; ++i)
        ASSERT_EQ(timesOf(spans[i]), times[i])
            << "trial " << trial << ", step " << step << ", spans " << i;
    }
  }
}

TEST(SyncObjects, KnowledgeIsPassedOn) {
  Clocks clocks(3, /*partial=*/true);
  uint32_t time = clocks.now(0);
  EXPECT_TRUE(clocks.knows(0, 0, time, 0));
  EXPECT_FALSE(clocks.knows(2, 0, time, 0));
  Knowledge first, second;
  clocks.release(0, 1, first);
  clocks.acquire(1, 1, first); // 0 to 1, 1 to 2
  clocks.release(1, 1, second);
  clocks.acquire(2, 1, second);
  EXPECT_TRUE(clocks.knows(2, 0, time, 0));
  // What 0 has done since, nobody knows.
  EXPECT_FALSE(clocks.knows(2, 0, clocks.now(0), 0));
  EXPECT_FALSE(clocks.knows(0, 1, 1, 0));
}

TEST(SyncObjects, EveryReaderSinceTheLastWriteCounts) {
  Clocks clocks(3, /*partial=*/true);
  Shadow shadow;
  auto touch = [&](uint16_t thread, bool isStore) {
    return shadow.touch(7, shadow.at(7), clocks, {0, thread, 0, isStore});
  };
  EXPECT_EQ(touch(0, false), Shadow::Conflict::None);
  EXPECT_EQ(touch(1, false), Shadow::Conflict::None);
  // 2 waits for the later reader and not for the first.
  Knowledge later;
  clocks.release(1, 1, later);
  clocks.acquire(2, 1, later);
  EXPECT_EQ(touch(2, true), Shadow::Conflict::WithRead);
  EXPECT_EQ(shadow.at(7).reader, 0);
  Knowledge first;
  clocks.release(0, 1, first);
  clocks.acquire(2, 1, first);
  EXPECT_EQ(touch(2, true), Shadow::Conflict::None);
  EXPECT_EQ(touch(1, false), Shadow::Conflict::WithWrite);
}

} // namespace
