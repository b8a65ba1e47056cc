//===- GcnLanes.h - Whom lanes of gfx9 read ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the CDNA3 ISA manual: data parallel processing (DPP), and
// DS_SWIZZLE_B32.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_GCNLANES_H
#define DISTAFF_UNITTESTS_PIPELINES_GCNLANES_H

#include <cstdint>
#include <optional>

/// The lane that lane `id` reads by a DPP control word: quad_perm, row_ror,
/// row_mirror or row_half_mirror; a row is 16 lanes. Nothing of others.
std::optional<uint64_t> dppSource(uint64_t control, uint64_t id);

/// The lane that lane `id` reads by ds_swizzle_b32 without bit 15: five bits
/// each to and, or and xor its number among 32 with.
std::optional<uint64_t> swizzleSource(uint64_t offset, uint64_t id);

#endif // DISTAFF_UNITTESTS_PIPELINES_GCNLANES_H
