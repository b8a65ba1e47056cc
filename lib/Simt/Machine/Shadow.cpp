//===- Shadow.cpp - Who touched each element of memory, and when ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Shadow.h"
#include "llvm/ADT/STLExtras.h"
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
    size_t number = size_t(element / pageSize);
    if (number >= pages.size())
      pages.resize(number + 1);
    std::vector<Cell> &page = pages[number];
    if (page.empty())
      page.resize(pageSize);
    Cell &cell = page[element % pageSize];
    if (touched.writeEpoch &&
        widen(cell.firstWriter, cell.lastWriter, workgroup))
      cell.writeAt = touched.writeAt;
    if (touched.readEpoch &&
        widen(cell.firstReader, cell.lastReader, workgroup))
      cell.readAt = touched.readAt;
  });
}

/// Whether one workgroup writes what another touches.
static bool isShared(const LaunchShadow::Cell &cell) {
  if (cell.firstWriter < 0)
    return false;
  bool otherWriter = cell.lastWriter != cell.firstWriter;
  bool otherReader =
      cell.firstReader >= 0 && (cell.firstReader != cell.firstWriter ||
                                cell.lastReader != cell.firstWriter);
  return otherWriter || otherReader;
}

int64_t LaunchShadow::findRace() const {
  for (auto [number, page] : llvm::enumerate(pages))
    if (auto cell = llvm::find_if(page, isShared); cell != page.end())
      return int64_t(number) * pageSize + (cell - page.begin());
  return -1;
}

int64_t LaunchShadow::findUnwritten() const {
  for (int64_t element = 0; element < elements; ++element) {
    size_t number = size_t(element / pageSize);
    if (number >= pages.size() || pages[number].empty() ||
        pages[number][element % pageSize].firstWriter < 0)
      return element;
  }
  return -1;
}
