//===- GcnMemory.cpp - Constants as bytes, and memory of a workgroup ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GcnMemory.h"

using namespace llvm;
using namespace distaff;
using gcn::Fault;

//===----------------------------------------------------------------------===//
// Constants and their bytes
//===----------------------------------------------------------------------===//

bool gcn::toBytes(const Constant *value, const DataLayout &layout,
                  uint8_t *bytes) {
  Type *type = value->getType();
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    uint64_t size = layout.getTypeStoreSize(vector->getElementType());
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Constant *element = value->getAggregateElement(i);
      if (!element || !toBytes(element, layout, bytes + i * size))
        return false;
    }
    return true;
  }
  APInt bits;
  if (auto *number = dyn_cast<ConstantInt>(value))
    bits = number->getValue();
  else if (auto *number = dyn_cast<ConstantFP>(value))
    bits = number->getValueAPF().bitcastToAPInt();
  else
    return false;
  uint64_t size = layout.getTypeStoreSize(type);
  bits = bits.zextOrTrunc(8 * size);
  for (uint64_t i = 0; i < size; ++i)
    bytes[i] = uint8_t(bits.extractBitsAsZExtValue(8, 8 * i));
  return true;
}

Constant *gcn::fromBytes(const uint8_t *bytes, Type *type,
                         const DataLayout &layout) {
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    uint64_t size = layout.getTypeStoreSize(vector->getElementType());
    SmallVector<Constant *> elements;
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      elements.push_back(
          fromBytes(bytes + i * size, vector->getElementType(), layout));
    return ConstantVector::get(elements);
  }
  uint64_t size = layout.getTypeStoreSize(type);
  APInt bits(8 * size, 0);
  for (uint64_t i = 0; i < size; ++i)
    bits.insertBits(bytes[i], 8 * i, 8);
  bits = bits.trunc(layout.getTypeSizeInBits(type));
  if (type->isFloatingPointTy())
    return ConstantFP::get(type->getContext(),
                           APFloat(type->getFltSemantics(), bits));
  return ConstantInt::get(type, bits);
}

double gcn::toDouble(const Constant *element) {
  APFloat number = cast<ConstantFP>(element)->getValueAPF();
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static constexpr uint64_t firstAddress = 16;

uint64_t gcn::Scratch::place(uint64_t size, uint64_t alignment) {
  uint64_t address =
      alignTo(bytes.size() + firstAddress, 2 * alignment) + alignment;
  bytes.resize(address - firstAddress + size);
  return address;
}

uint64_t gcn::GlobalMemory::add(MutableArrayRef<uint8_t> buffer) {
  buffers.push_back(buffer);
  return (uint64_t(buffers.size()) << 40) + 16;
}

uint8_t *gcn::GlobalMemory::find(uint64_t address, uint64_t size,
                                 Fault &fault) const {
  uint64_t number = (address + (uint64_t(1) << 39)) >> 40;
  if (number == 0 || number > buffers.size()) {
    fault = "out of bounds: no buffer near address " + std::to_string(address);
    return nullptr;
  }
  MutableArrayRef<uint8_t> buffer = buffers[number - 1];
  int64_t offset = address - (number << 40) - 16;
  if (offset < 0 || offset + size > buffer.size()) {
    fault = "out of bounds: " + std::to_string(size) + " bytes at " +
            std::to_string(offset) + " of buffer " +
            std::to_string(number - 1) + ", which has " +
            std::to_string(buffer.size());
    return nullptr;
  }
  return buffer.data() + offset;
}

Fault gcn::Scratch::check(uint64_t address, uint64_t size) const {
  if (address >= firstAddress && address - firstAddress + size <= bytes.size())
    return {};
  return "out of bounds: " + std::to_string(size) + " bytes at " +
         std::to_string(address) + " of workgroup or private memory";
}

Fault gcn::Scratch::load(uint64_t address, MutableArrayRef<uint8_t> to) const {
  if (Fault fault = check(address, to.size()); !fault.empty())
    return fault;
  for (auto [i, byte] : enumerate(to)) {
    const Byte &from = bytes[address - firstAddress + i];
    if (!from.written)
      return "unwritten: a byte of workgroup or private memory";
    byte = from.value;
  }
  return {};
}

Fault gcn::Scratch::store(uint64_t address, ArrayRef<uint8_t> from) {
  if (Fault fault = check(address, from.size()); !fault.empty())
    return fault;
  for (auto [i, byte] : enumerate(from))
    bytes[address - firstAddress + i] = {byte, true};
  return {};
}
