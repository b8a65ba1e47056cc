//===- RankedKernels.cpp - A cache of rankings of kernels -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RankedKernels.h"
#include "mlir/IR/OperationSupport.h"

using namespace distaff;

/// Hashes the names and the types, which distinguish most kernels.
static llvm::hash_code hashOf(func::FuncOp kernel) {
  llvm::hash_code hash = llvm::hash_value(0);
  kernel->walk([&](Operation *op) {
    if (op == kernel)
      return;
    hash = llvm::hash_combine(hash, op->getName());
    for (Type type :
         llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                  llvm::to_vector(op->getResultTypes())))
      hash = llvm::hash_combine(hash, type);
  });
  return hash;
}

static bool areEqual(const UserChoices &a, const UserChoices &b) {
  return a.workgroupSize == b.workgroupSize &&
         a.subgroupSize == b.subgroupSize && a.config == b.config &&
         a.strictFp == b.strictFp && a.phases == b.phases;
}

const Ranking *RankedKernels::find(func::FuncOp kernel,
                                   const UserChoices &user) const {
  auto found = entries.find(hashOf(kernel));
  if (found == entries.end())
    return nullptr;
  for (const Entry &entry : found->second)
    if (areEqual(entry.user, user) &&
        OperationEquivalence::isRegionEquivalentTo(
            &entry.kernel.get().getBody(), &kernel.getBody(),
            OperationEquivalence::IgnoreLocations))
      return &entry.ranking;
  return nullptr;
}

/// Returns whether a kernel uses values that are defined outside of it. A copy
/// of it would outlive them.
[[maybe_unused]] static bool capturesValues(func::FuncOp kernel) {
  return kernel
      .walk([&](Operation *op) {
        return llvm::all_of(op->getOperands(),
                            [&](Value value) {
                              return kernel.getBody().isAncestor(
                                  value.getParentRegion());
                            })
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void RankedKernels::add(func::FuncOp kernel, const UserChoices &user,
                        Ranking ranking) {
  assert(!capturesValues(kernel) && "a kernel is isolated from above");
  entries[hashOf(kernel)].push_back(
      Entry{kernel.clone(), user, std::move(ranking)});
}
