//===- ElementPlan.h - Memory positions of vector elements ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes of vectors differ in how an element of the vector is mapped
// to an element of the base, a memref or a tensor. The static part of the
// mapping is an element plan: for each element and each dimension of the base,
// a distance from the op's index, optionally an element of an index vector to
// add, and the mask element that guards it.
//
//   transfer_read %m[%i, %j], map (d0, d1) -> (d1, d0), vector<2x3>
//   element (1, 2), number 5: distance (2, 1)
//
// `locate` converts the plan to positions, for all active lanes. Elements that
// are not accessed (masked off, outside where that is allowed, or a copy of
// another element along a broadcast dimension) get position -1.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_ELEMENTPLAN_H
#define DISTAFF_LIB_SIMT_OPS_ELEMENTPLAN_H

#include "../Translate/OpRegistry.h"
#include "../Values/IndexSpace.h"

namespace distaff::simt {

/// Index vectors that replace distances: element e of the vector adds
/// `indices[element[e]]` along each of `dimensions`.
struct IndexVector {
  Reg indices;
  SmallVector<unsigned> dimensions;
  std::vector<int32_t> element;
};

struct ElementPlan {
  int64_t elements = 1;                // of the vector
  int64_t rank = 0;                    // of the base
  std::vector<int64_t> distance;       // [element][dimension]
  SmallVector<bool> mayLeave;          // per dimension: no access out of bounds
  std::vector<int32_t> maskElement;    // per element, if there is a mask
  std::vector<int32_t> representative; // per element, empty: each its own
  SmallVector<IndexVector> indexVectors;
  bool packs = false; // accessed elements are contiguous in the base
  int64_t perRequest = 1, requestStride = 1;

  int64_t &at(int64_t element, int64_t dimension) {
    return distance[element * rank + dimension];
  }
  void allocate(int64_t numElements, int64_t baseRank) {
    elements = numElements;
    rank = baseRank;
    distance.assign(elements * rank, 0);
    mayLeave.assign(rank, false);
  }
};

/// The base, indices and mask of an op, as registers.
struct Target {
  Operation *op;
  Reg base;
  SmallVector<Reg> indices;
  std::optional<Reg> mask;
};

/// Fills positions[e * lanes + lane]. Positions in a tensor count its cells.
/// \returns false after a fault.
bool locate(Agent &agent, const Target &target, const ElementPlan &plan,
            int64_t *positions);

/// Reads the elements at `positions` into r; other elements of r stay.
bool loadElements(Agent &agent, const Access &access, const ElementPlan &plan,
                  int64_t *positions, Reg base, Reg r);

/// Writes the elements of `source` to `positions`, in a memref or a tensor.
bool storeElements(Agent &agent, const Access &access, const ElementPlan &plan,
                   int64_t *positions, Reg source, Reg base);

/// Fills every cell of r with the scalar's value in its lane.
void fill(Agent &agent, Reg scalar, Reg r);

/// Makes r the tensor of `from`, for a change: moved if this is the last use of
/// `from`, else shared until written.
inline void takeTensor(Agent &agent, Reg from, Reg r, bool isLastUse) {
  if (isLastUse && from.location != r.location)
    agent.tensor(r) = std::move(agent.tensor(from));
  else
    agent.tensor(r) = agent.tensor(from);
}

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_ELEMENTPLAN_H
