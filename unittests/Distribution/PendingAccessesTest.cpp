//===- PendingAccessesTest.cpp - Accesses near an access ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random boxes in arguments, views and allocations, in layers, against a list
// of which each entry is looked at.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Distribution/Sync/PendingAccesses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <deque>
#include <random>

using namespace distaff;

namespace {

class PendingAccessesTest : public testing::Test {
protected:
  PendingAccessesTest() {
    context.loadDialect<func::FuncDialect, memref::MemRefDialect>();
    module = parseSourceString<ModuleOp>(R"(
      memref.global "private" @g : memref<64x64xf32>
      func.func @f(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
        %view = memref.subview %a[0, 0] [64, 64] [1, 1]
          : memref<64x64xf32> to memref<64x64xf32>
        %g0 = memref.get_global @g : memref<64x64xf32>
        %g1 = memref.get_global @g : memref<64x64xf32>
        %c = memref.alloc() : memref<64x64xf32>
        %d = memref.alloc() : memref<64x64xf32>
        %e = func.call @unknown() : () -> memref<64x64xf32>
        return
      }
      func.func private @unknown() -> memref<64x64xf32>)",
                                         &context);
    auto function = module->lookupSymbol<func::FuncOp>("f");
    memrefs.append(function.args_begin(), function.args_end());
    function.walk([&](Operation *op) {
      memrefs.append(op->result_begin(), op->result_end());
    });
    // @c and @d share bytes 64 to 128.
    places[memrefs[5]] = {0, 128};
    places[memrefs[6]] = {64, 128};
  }

  int64_t draw(int64_t below) { return generator() % below; }

  MemoryAccess drawAccess() {
    MemoryAccess access{memrefs[draw(memrefs.size())], draw(3) == 0, draw(500),
                        MemoryBox()};
    if (draw(10) == 0)
      return access; // all of it
    for (int d = 0; d < 2; ++d) {
      access.box.start.push_back(
          draw(8) == 0 ? std::nullopt : std::optional<int64_t>(draw(60) - 2));
      access.box.motion.push_back(LoopMotion());
      access.box.extent.push_back(draw(20) == 0 ? 64 : 1 + draw(6));
    }
    return access;
  }

  /// What `find` must not miss: without cells, lists or layers.
  bool mayTouch(const PendingAccesses::Entry &entry, const MemoryAccess &b) {
    const MemoryAccess &a = *entry.access;
    if (!a.writes && !b.writes)
      return false;
    auto kindOf = [&](Value memref) {
      int64_t i = llvm::find(memrefs, memref) - memrefs.begin();
      return i == 2 ? 0 : i == 4 ? 3 : i; // views and reads of one global
    };
    int64_t x = kindOf(a.memref), y = kindOf(b.memref);
    if (x != y)
      return x == 7 || y == 7 || (std::min(x, y) == 5 && std::max(x, y) == 6);
    if (a.memref != b.memref || entry.loop)
      return true;
    for (size_t d = 0; d < std::min(a.box.start.size(), b.box.start.size());
         ++d) {
      auto s = a.box.start[d], t = b.box.start[d];
      if (s && t && (*s + a.box.extent[d] <= *t || *t + b.box.extent[d] <= *s))
        return false;
    }
    return true;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SmallVector<Value> memrefs;
  BufferPlaces places;
  std::deque<MemoryAccess> accesses; // that entries point to
  std::mt19937 generator{7};
};

TEST_F(PendingAccessesTest, NothingNearIsMissed) {
  int64_t near = 0, visited = 0, all = 0;
  for (int round = 0; round < 60; ++round) {
    PendingAccesses outer(places);
    PendingAccesses inner(places, &outer);
    SmallVector<PendingAccesses::Entry> known;
    llvm::DenseSet<std::pair<int64_t, Operation *>> keys;
    int64_t count = 1 + draw(150);
    for (int64_t i = 0; i < count; ++i) {
      accesses.push_back(drawAccess());
      Operation *loop = draw(6) == 0 ? module.get() : nullptr;
      PendingAccesses::Entry entry{&accesses.back(), loop};
      (i < count / 2 ? outer : inner).insert(entry);
      if (keys.insert({entry.access->group, loop}).second)
        known.push_back(entry);
    }
    if (draw(8) == 0) {
      inner.clear();
      known.clear();
    }
    for (int i = 0; i < 50; ++i) {
      MemoryAccess access = drawAccess();
      llvm::DenseSet<std::pair<int64_t, Operation *>> seen;
      inner.find(access, [&](const PendingAccesses::Entry &entry) {
        ++visited;
        seen.insert({entry.access->group, entry.loop});
        return false;
      });
      all += known.size();
      for (const PendingAccesses::Entry &entry : known)
        if (mayTouch(entry, access)) {
          ++near;
          EXPECT_TRUE(seen.contains({entry.access->group, entry.loop}))
              << "round " << round;
        }
    }
  }
  EXPECT_GT(near, 1000);
  EXPECT_LT(visited, all / 3); // most of what is elsewhere is not looked at
}

TEST_F(PendingAccessesTest, TheEntryFoundIsTheOneThatPassed) {
  PendingAccesses pending(places);
  for (int i = 0; i < 100; ++i)
    accesses.push_back(drawAccess());
  for (const MemoryAccess &access : accesses)
    pending.insert({&access, nullptr});
  MemoryAccess all{memrefs[0], true, 1000, MemoryBox()};
  const PendingAccesses::Entry *third = nullptr;
  int64_t count = 0;
  const PendingAccesses::Entry *found =
      pending.find(all, [&](const PendingAccesses::Entry &entry) {
        third = &entry;
        return ++count == 3;
      });
  EXPECT_EQ(found, third);
  EXPECT_EQ(count, 3);
  pending.clear();
  EXPECT_EQ(pending.find(all, [](const auto &) { return true; }), nullptr);
  EXPECT_TRUE(pending.own().empty());
}

} // namespace
