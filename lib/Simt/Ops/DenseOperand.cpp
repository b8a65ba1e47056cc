//===- DenseOperand.cpp - Tensors and memrefs as dense cells --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DenseOperand.h"

using namespace distaff;
using namespace distaff::simt;

std::vector<int64_t> DenseOperand::positions(Agent &agent, Reg reg) const {
  MemRefView view = agent.memRef(reg);
  int64_t rank = reg.memRefRank();
  LinearAccess access{view.offset(0), {}};
  for (int64_t d = 0; d < rank; ++d)
    access.strides.push_back(view.stride(rank, d, 0));
  return offsetsOf(access, shape);
}

bool DenseOperand::read(Agent &agent, const Access &access, Reg reg,
                        bool isRead) {
  if (reg.isTensor()) {
    shape.assign(agent.tensor(reg).shape.begin(),
                 agent.tensor(reg).shape.end());
    cells = agent.cells(reg);
    return true;
  }
  if (!reg.isMemRef()) {
    cells = agent.cells(reg);
    return true;
  }
  MemRefView view = agent.memRef(reg);
  int64_t rank = reg.memRefRank();
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(view.size(rank, d, 0));
  // The cells of a tensor register differ from those of a descriptor.
  int64_t bytes = agent.code().domain->cellBytes(reg.kind);
  if (!agent.mayAllocate(access.op, shape, bytes))
    return false;
  loaded.resize((numElements(shape) * bytes + 7) / 8);
  cells = loadedCells();
  if (!isRead)
    return true;
  std::vector<int64_t> from = positions(agent, reg);
  Access all = access;
  all.elements = numElements(shape);
  return agent.load(all, reg, from.data(), loadedCells());
}

bool DenseOperand::write(Agent &agent, const Access &access, Reg reg) const {
  std::vector<int64_t> to = positions(agent, reg);
  Access all = access;
  all.elements = numElements(shape);
  return agent.store(all, reg, to.data(), cells);
}
