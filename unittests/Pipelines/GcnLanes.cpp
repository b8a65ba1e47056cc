//===- GcnLanes.cpp - Whom lanes of gfx9 read -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GcnLanes.h"

std::optional<uint64_t> dppSource(uint64_t control, uint64_t id) {
  if (control < 0x100)
    return id / 4 * 4 + (control >> 2 * (id % 4)) % 4;
  if (control > 0x120 && control < 0x130)
    return id / 16 * 16 + (id % 16 + 16 - control % 16) % 16;
  if (control == 0x140)
    return id / 16 * 16 + 15 - id % 16;
  if (control == 0x141)
    return id / 8 * 8 + 7 - id % 8;
  return std::nullopt;
}

std::optional<uint64_t> swizzleSource(uint64_t offset, uint64_t id) {
  if (offset >= 0x8000)
    return std::nullopt;
  uint64_t lane = ((id % 32 & offset % 32) | offset / 32 % 32) ^ offset / 1024;
  return id / 32 * 32 + lane;
}
