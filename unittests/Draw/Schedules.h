//===- Schedules.h - Schedules that tests draw ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_DRAW_SCHEDULES_H
#define DISTAFF_UNITTESTS_DRAW_SCHEDULES_H

#include "distaff/Draw/Picture.h"

namespace distaff::test {

/// Roles `r0`, `r1`, ...
draw::Schedule withRoles(size_t count);

/// A producer a panel ahead of a consumer.
draw::Schedule producerConsumer();

/// `roles` roles through `slots` slots: phases of one and of several roles,
/// barriers of all and of some, blocks in blocks, labels of many lengths.
draw::Schedule mixed(size_t roles, size_t slots);

/// As a printer writes it.
std::string textOf(const draw::Schedule &schedule);
std::string svgOf(const draw::Schedule &schedule);
std::string htmlOf(llvm::ArrayRef<draw::Schedule> schedules);

} // namespace distaff::test

#endif // DISTAFF_UNITTESTS_DRAW_SCHEDULES_H
