//===- GroupHandles.cpp - Registers of worker groups ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Translator.h"
#include "distaff/Dialect/PCF/PCF.h"

using namespace distaff;
using namespace distaff::simt;

SmallVector<Reg> Translator::Handle::group() const {
  SmallVector<Reg> registers(low);
  registers.append(size);
  registers.push_back(isOwn);
  return registers;
}

SmallVector<Reg> Translator::Handle::all() const {
  SmallVector<Reg> registers = group();
  registers.append(payload);
  return registers;
}

Reg Translator::allocateHandle(Type type) {
  Handle handle;
  for ([[maybe_unused]] int64_t dim :
       llvm::seq(cast<pcf::ScopeAttrInterface>(pcf::getHandleScope(type))
                     .getNativeNumProcessorIds())) {
    handle.low.push_back(scratch(Kind::index()));
    handle.size.push_back(scratch(Kind::index()));
  }
  handle.isOwn = scratch(Kind::integer(1));
  Reg reg;
  unsigned numShared = pcf::getSharedPayload(type).size();
  for (auto [i, field] : llvm::enumerate(pcf::getPayload(type))) {
    Reg value = allocate(field);
    if (value.storage == Reg::Storage::None)
      return value;
    if (i >= numShared) {
      value.storage = Reg::Storage::Members;
      value.location = program.numMembers++;
    }
    handle.payload.push_back(value);
  }
  reg.storage = Reg::Storage::Handle;
  reg.location = uint32_t(handles.size());
  handles.push_back(std::move(handle));
  return reg;
}
