//===- PtxMemory.cpp - Where PTX's loads and stores go --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxMemory.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

namespace distaff::ptx {
namespace {

constexpr unsigned bufferBits = 40;
constexpr uint64_t bufferOffset = 16;

std::string describe(uint64_t address, uint64_t size) {
  return std::to_string(size) + " bytes at 0x" + llvm::utohexstr(address);
}

Fault checkAlignment(uint64_t address, uint64_t size) {
  return address % size ? "misaligned: " + describe(address, size) : Fault();
}

} // namespace

uint64_t GlobalMemory::add(llvm::MutableArrayRef<uint8_t> buffer) {
  buffers.push_back(buffer);
  return (uint64_t(buffers.size()) << bufferBits) + bufferOffset;
}

uint8_t *GlobalMemory::find(uint64_t address, uint64_t size, Fault &fault,
                            uint64_t alignment) const {
  uint64_t number = (address + (uint64_t(1) << (bufferBits - 1))) >> bufferBits;
  if (number == 0 || number > buffers.size()) {
    fault = "out of bounds: no buffer near " + describe(address, size);
    return nullptr;
  }
  llvm::MutableArrayRef<uint8_t> buffer = buffers[number - 1];
  int64_t offset = address - (number << bufferBits) - bufferOffset;
  if (offset < 0 || offset + size > buffer.size()) {
    fault = "out of bounds: " + std::to_string(size) + " bytes at " +
            std::to_string(offset) + " of buffer " +
            std::to_string(number - 1) + ", which has " +
            std::to_string(buffer.size());
    return nullptr;
  }
  fault = checkAlignment(address, alignment ? alignment : size);
  return fault.empty() ? buffer.data() + offset : nullptr;
}

const uint8_t *findConstant(const Kernel &kernel, uint64_t address,
                            uint64_t size) {
  for (const Table &table : kernel.tables)
    if (address >= table.address && address % size == 0 &&
        address + size <= table.address + table.bytes.size())
      return &table.bytes[address - table.address];
  return nullptr;
}

SharedMemory::SharedMemory(const Kernel &kernel)
    : kernel(kernel), bytes(kernel.sharedEnd) {}

void SharedMemory::reset() {
  std::fill(bytes.begin(), bytes.end(), Byte());
  epoch = 1;
}

Fault SharedMemory::check(uint64_t address, uint64_t size) const {
  for (const SharedVariable &variable : kernel.shared)
    if (address >= variable.address &&
        address + size <= variable.address + variable.size)
      return checkAlignment(address, size);
  return "out of bounds: no shared variable has " + describe(address, size);
}

Fault SharedMemory::load(uint64_t address, uint64_t size, int thread,
                         uint8_t *to) {
  if (Fault fault = check(address, size); !fault.empty())
    return fault;
  for (uint64_t i = 0; i < size; ++i) {
    Byte &byte = bytes[address + i];
    if (byte.writeEpoch == 0)
      return "unwritten: " + describe(address, size) + " of shared memory";
    if (byte.writeEpoch == epoch && byte.writer != thread)
      return "race: thread " + std::to_string(thread) + " reads what thread " +
             std::to_string(byte.writer) + " wrote since the last barrier";
    byte.reader =
        byte.readEpoch == epoch && byte.reader != thread ? several : thread;
    byte.readEpoch = epoch;
    to[i] = byte.value;
  }
  return {};
}

Fault SharedMemory::store(uint64_t address, uint64_t size, int thread,
                          const uint8_t *from) {
  if (Fault fault = check(address, size); !fault.empty())
    return fault;
  for (uint64_t i = 0; i < size; ++i) {
    Byte &byte = bytes[address + i];
    bool changes = byte.writeEpoch == 0 || byte.value != from[i];
    bool othersWrote = byte.writeEpoch == epoch && byte.writer != thread;
    bool othersRead = byte.readEpoch == epoch && byte.reader != thread;
    if (changes && (othersWrote || othersRead))
      return "race: thread " + std::to_string(thread) +
             " changes what another thread touched since the last barrier";
    byte.writer = othersWrote ? several : thread;
    byte.writeEpoch = epoch;
    byte.value = from[i];
  }
  return {};
}

static void countRequest(const LaneAddresses &lanes, uint64_t size,
                         Traffic &traffic) {
  traffic.requests += !lanes.empty();
  traffic.bytes += lanes.size() * size;
}

void countShared(const LaneAddresses &lanes, uint64_t size, Traffic &traffic) {
  countRequest(lanes, size, traffic);
  constexpr uint64_t word = 4, banks = 32;
  int perPhase = banks * word / std::max(size, word);
  std::map<int, std::set<uint64_t>> wordsOfPhase;
  for (auto [lane, address] : lanes)
    for (uint64_t at = address / word; at <= (address + size - 1) / word; ++at)
      wordsOfPhase[lane / perPhase].insert(at);
  for (const auto &[phase, words] : wordsOfPhase) {
    std::array<int64_t, banks> perBank = {};
    for (uint64_t at : words)
      ++perBank[at % banks];
    traffic.cost += *std::max_element(perBank.begin(), perBank.end()) - 1;
  }
}

void countGlobal(const LaneAddresses &lanes, uint64_t size, Traffic &traffic) {
  countRequest(lanes, size, traffic);
  std::set<uint64_t> sectors;
  for (auto [lane, address] : lanes)
    for (uint64_t at = address - bufferOffset;
         at < address + size - bufferOffset; at += std::min<uint64_t>(size, 32))
      sectors.insert(at / 32);
  traffic.cost += sectors.size();
}

} // namespace distaff::ptx
