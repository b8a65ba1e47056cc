//===- Shadow.cpp - Who touched each element of memory, and when ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Shadow.h"
#include <algorithm>

using namespace distaff::simt;

void Shadow::forEach(
    llvm::function_ref<void(int64_t, const Cell &)> visit) const {
  for (size_t page = 0; page < pages.size(); ++page)
    for (size_t i = 0; i < pages[page].size(); ++i) {
      const Cell &cell = pages[page][i];
      if (cell.writeEpoch || cell.readEpoch)
        visit(int64_t(page) * pageSize + int64_t(i), cell);
    }
}

/// Widens [first, last] by a workgroup; true when it became the first.
static bool widen(int32_t &first, int32_t &last, int32_t workgroup) {
  bool isFirst = first < 0 || workgroup < first;
  if (isFirst)
    first = workgroup;
  last = std::max(last, workgroup);
  return isFirst;
}

void LaunchShadow::add(int32_t workgroup, const Shadow &shadow) {
  shadow.forEach([&](int64_t element, const Shadow::Cell &touched) {
    if (cells.empty())
      cells.resize(elements);
    Cell &cell = cells[element];
    if (touched.writeEpoch &&
        widen(cell.firstWriter, cell.lastWriter, workgroup))
      cell.writeAt = touched.writeAt;
    if (touched.readEpoch &&
        widen(cell.firstReader, cell.lastReader, workgroup))
      cell.readAt = touched.readAt;
  });
}

int64_t LaunchShadow::findRace() const {
  for (size_t i = 0; i < cells.size(); ++i) {
    const Cell &cell = cells[i];
    if (cell.firstWriter < 0)
      continue;
    bool otherWriter = cell.lastWriter != cell.firstWriter;
    bool otherReader =
        cell.firstReader >= 0 && (cell.firstReader != cell.firstWriter ||
                                  cell.lastReader != cell.firstWriter);
    if (otherWriter || otherReader)
      return int64_t(i);
  }
  return -1;
}

int64_t LaunchShadow::findUnwritten() const {
  if (cells.empty())
    return elements > 0 ? 0 : -1;
  for (size_t i = 0; i < cells.size(); ++i)
    if (cells[i].firstWriter < 0)
      return int64_t(i);
  return -1;
}
