//===- Backend.cpp - Look up backends and their kinds of code -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Backend.h"
#include "Backends/Backends.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;

/// Returns the built-in backends, then those that were registered.
static SmallVectorImpl<const Backend *> &backends() {
  static SmallVector<const Backend *> list = {&nvptxBackend, &amdgpuBackend,
                                              &hostBackend};
  return list;
}

const CodeKind *Backend::findKind(StringRef name) const {
  auto found = llvm::find_if(
      kinds, [&](const CodeKind &kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : found;
}

std::string Backend::listKinds() const {
  return llvm::join(
      llvm::map_range(kinds, [](const CodeKind &kind) { return kind.name; }),
      ", ");
}

const Backend *distaff::lookupBackend(const Target &target) {
  auto found = llvm::find_if(backends(), [&](const Backend *backend) {
    return backend->family == target.family;
  });
  return found == backends().end() ? nullptr : *found;
}

ArrayRef<const Backend *> distaff::allBackends() { return backends(); }

std::string distaff::listAllKinds() {
  llvm::SetVector<StringRef> names;
  for (const Backend *backend : backends())
    for (const CodeKind &kind : backend->kinds)
      names.insert(kind.name);
  return llvm::join(names, ", ");
}

bool distaff::isKindKnown(StringRef kind) {
  return llvm::any_of(backends(), [&](const Backend *backend) {
    return backend->findKind(kind);
  });
}

bool distaff::isKindOf(const Target &target, StringRef kind) {
  const Backend *backend = lookupBackend(target);
  return backend && backend->findKind(kind);
}

BackendRegistration::BackendRegistration(const Backend &backend)
    : backend(&backend) {
  assert(llvm::none_of(backends(),
                       [&](const Backend *known) {
                         return known->family == backend.family;
                       }) &&
         "a family has one backend");
  backends().push_back(&backend);
}

BackendRegistration::~BackendRegistration() {
  llvm::erase(backends(), backend);
}
