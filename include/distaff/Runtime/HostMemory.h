//===- HostMemory.h - The memory of this machine ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_HOSTMEMORY_H
#define DISTAFF_RUNTIME_HOSTMEMORY_H

#include "distaff/CheckedSize.h"
#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace distaff {

/// Returns the bytes that this process may have: the machine's memory, or the
/// shell's limit.
inline int64_t hostMemory() {
  int64_t bytes = checkedProduct(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE))
                      .value_or(largestArrayBytes);
  for (auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur < rlim_t(bytes))
      bytes = int64_t(limit.rlim_cur);
  }
  return bytes;
}

} // namespace distaff

#endif // DISTAFF_RUNTIME_HOSTMEMORY_H
