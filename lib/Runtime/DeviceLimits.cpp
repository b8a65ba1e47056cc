//===- DeviceLimits.cpp - Launch limits of devices ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/DeviceLimits.h"

#include <cctype>

namespace distaff::runtime {
namespace {

struct SharedMemory {
  const char *architecture; ///< name without the letter of sm_90a
  int64_t kibibytes;
};

/// The most KiB that one workgroup may have, allocated at launch.
constexpr SharedMemory sharedMemory[] = {
    {"sm_70", 96},   {"sm_75", 64},   {"sm_80", 163},  {"sm_86", 99},
    {"sm_87", 163},  {"sm_89", 99},   {"sm_90", 227},  {"sm_100", 227},
    {"sm_120", 99},  {"gfx908", 64},  {"gfx90a", 64},  {"gfx942", 64},
    {"gfx950", 160}, {"gfx1100", 64}, {"gfx1201", 64},
};

constexpr DeviceLimits nvidia = {
    {0x7fffffff, 0xffff, 0xffff}, {1024, 1024, 64}, 1024, 227 * 1024, 32764};
constexpr DeviceLimits amd = {
    {0x7fffffff, 0xffff, 0xffff}, {1024, 1024, 1024}, 1024, 160 * 1024, 32764};
/// Workgroup numbers have 64 bits; each dimension has Target's limit.
constexpr DeviceLimits host = {
    {0x7fffffff, 0x7fffffff, 0x7fffffff}, {1, 1, 1}, 1, 0, 1 << 20};

} // namespace

std::optional<DeviceLimits> limitsOf(const std::string &architecture) {
  std::string name = architecture;
  auto isOfFamily = [&](const std::string &prefix) {
    return name.compare(0, prefix.size(), prefix) == 0 &&
           name.size() > prefix.size() &&
           std::isdigit(static_cast<unsigned char>(name[prefix.size()]));
  };
  DeviceLimits limits;
  if (name.compare(0, 4, "host") == 0 && (name.size() == 4 || name[4] == ':'))
    return host;
  if (isOfFamily("sm_")) {
    limits = nvidia;
    if (std::isalpha(static_cast<unsigned char>(name.back())))
      name.pop_back();
  } else if (isOfFamily("gfx")) {
    limits = amd;
  } else {
    return std::nullopt;
  }
  for (const SharedMemory &row : sharedMemory)
    if (name == row.architecture)
      limits.sharedMemory = row.kibibytes * 1024;
  return limits;
}

} // namespace distaff::runtime
