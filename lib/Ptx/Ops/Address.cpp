//===- Address.cpp - Generic addresses ------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

namespace distaff::ptx {
namespace {

struct Window {
  const char *name;
  uint64_t base; ///< 0: generic addresses are the space's own
};

constexpr Window windows[] = {{"global", 0},
                              {"const", 0},
                              {"shared", sharedWindow},
                              {"shared::cta", sharedWindow},
                              {"local", localWindow},
                              {"param", paramWindow},
                              {"param::entry", paramWindow}};

const Window *takeWindow(Decoding &d) {
  for (const Window &one : windows)
    if (d.take(one.name))
      return &one;
  return nullptr;
}

/// Decodes cvta{.to}.space.{u32,u64} d, a.
Execute decodeConvert(Decoding &d) {
  bool leaves = d.take("to");
  const Window *window = takeWindow(d);
  std::optional<Type> type = d.type();
  if (!window || !type || type->kind != Type::Kind::Unsigned ||
      type->bits != 64)
    return {};
  uint64_t base = window->base;
  return lanewise<1>(d, *type,
                     [=](uint64_t a) { return leaves ? a - base : a + base; });
}

/// Decodes isspacep.space p, a.
Execute decodeIsSpace(Decoding &d) {
  const Window *window = takeWindow(d);
  if (!window || d.operandCount() != 2)
    return {};
  Destination to = d.destination(0, predicateType);
  Source from = d.source(1, u64Type);
  if (!d.complete(2))
    return {};
  bool isConstant = std::string_view(window->name) == "const";
  return [=, base = window->base](Turn &turn) {
    Mask unwritten = 0;
    Lanes scratch;
    const Lanes &addresses = turn.read(from, scratch, unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      uint64_t a = addresses[lane];
      bool isIn = base ? a >= base && a - base < windowSize
                       : a < sharedWindow &&
                             turn.machine.global.isConstant(a) == isConstant;
      turn.write(to, lane, isIn);
    });
    turn.mark(to, unwritten);
  };
}

constexpr Row addressTable[] = {{"cvta", decodeConvert},
                                {"isspacep", decodeIsSpace}};

} // namespace

std::span<const Row> addressRows() { return addressTable; }

} // namespace distaff::ptx
