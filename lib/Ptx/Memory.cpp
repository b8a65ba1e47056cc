//===- Memory.cpp - Memories of a launch ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Memory.h"

#include <algorithm>
#include <cassert>
#include <cstdio>

namespace distaff::ptx {
namespace {

constexpr unsigned bufferBits = 40;

uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string bytesAt(uint64_t size, int64_t offset) {
  return std::to_string(size) + " bytes at " + std::to_string(offset);
}

/// Returns whether the variables do not overlap.
[[maybe_unused]] bool areApart(const Pieces &pieces) {
  for (size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].address < pieces[i - 1].address + pieces[i - 1].size)
      return false;
  return true;
}

} // namespace

std::string hexadecimal(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return text;
}

std::optional<AccessError> checkAlignment(uint64_t address, uint64_t alignment,
                                          uint64_t size) {
  assert(alignment > 0 && "what is aligned is so to some bytes");
  if (address % alignment == 0)
    return std::nullopt;
  return AccessError{FaultKind::Misaligned,
                     std::to_string(size) + " bytes at " +
                         hexadecimal(address) + ", which is no multiple of " +
                         std::to_string(alignment)};
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

uint64_t GlobalMemory::add(Buffer buffer) {
  assert(buffer.alignment > 0 &&
         (buffer.alignment & (buffer.alignment - 1)) == 0 &&
         "an alignment is a power of two");
  assert(buffer.size < uint64_t(1) << (bufferBits - 1) &&
         "addresses near a buffer are not near another");
  uint64_t number = buffers.size() + 1;
  buffer.address = (number << bufferBits) + buffer.alignment;
  buffer.shadow = std::make_unique<Shadow>(buffer.size, buffer.isWritten);
  buffers.push_back(std::move(buffer));
  return buffers.back().address;
}

const GlobalMemory::Buffer *GlobalMemory::near(uint64_t address) const {
  uint64_t number = (address + (uint64_t(1) << (bufferBits - 1))) >> bufferBits;
  return number == 0 || number > buffers.size() ? nullptr
                                                : &buffers[number - 1];
}

bool GlobalMemory::isConstant(uint64_t address) const {
  const Buffer *buffer = near(address);
  return buffer && buffer->isConstant;
}

std::optional<AccessError> GlobalMemory::find(uint64_t address, uint64_t size,
                                              uint64_t alignment,
                                              Place &place) {
  const Buffer *buffer = near(address);
  if (!buffer)
    return AccessError{FaultKind::OutOfBounds,
                       "no memory near " + hexadecimal(address)};
  int64_t offset = int64_t(address - buffer->address);
  if (offset < 0 || uint64_t(offset) + size > buffer->size)
    return AccessError{FaultKind::OutOfBounds,
                       bytesAt(size, offset) + " of " + buffer->name +
                           ", which has " + std::to_string(buffer->size)};
  place = {buffer->data + offset,
           buffer->shadow.get(),
           nullptr,
           uint64_t(offset),
           buffer->isConstant ? Space::Const : Space::Global,
           buffer->isConstant};
  return checkAlignment(address, alignment, size);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

std::optional<AccessError> checkPiece(const Pieces &pieces, const char *what,
                                      uint64_t address, uint64_t size) {
  auto next = std::upper_bound(
      pieces.begin(), pieces.end(), address,
      [](uint64_t at, const Piece &piece) { return at < piece.address; });
  std::string near;
  if (next != pieces.begin()) {
    const Piece &piece = *std::prev(next);
    uint64_t offset = address - piece.address;
    if (offset < piece.size && size <= piece.size - offset)
      return std::nullopt;
    near = ", in or behind '" + piece.name + "' of " +
           std::to_string(piece.size) + " bytes at " +
           hexadecimal(piece.address);
  }
  return AccessError{FaultKind::OutOfBounds, std::to_string(size) +
                                                 " bytes of " + what + " at " +
                                                 hexadecimal(address) + near};
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

bool SharedMemory::place(const Program &program, const Function &kernel,
                         uint64_t dynamicBytes, uint64_t limit) {
  uint64_t end = 0, used = dynamicBytes;
  addresses.assign(program.variables.size(), 0);
  // Dynamic memory follows everything else; its names share it.
  for (bool isDynamic : {false, true})
    for (unsigned i : kernel.shared) {
      const Variable &variable = program.variables[i];
      if (variable.isDynamic != isDynamic)
        continue;
      used += variable.size;
      if (used > limit)
        return false;
      uint64_t alignment = variable.alignment;
      if (!isDynamic || pieces.empty() || pieces.back().name != "dynamic") {
        // The address has exactly the required alignment.
        uint64_t address = alignTo(end + 256, 2 * alignment) + alignment;
        uint64_t size = isDynamic ? dynamicBytes : variable.size;
        pieces.push_back(
            {address, size, isDynamic ? "dynamic" : variable.name});
        end = address + size;
      }
      addresses[i] = pieces.back().address;
    }
  // A kernel that names no shared memory may count from 0, where sm_80 puts the
  // launch's memory. Halide's kernels do.
  if (pieces.empty() && dynamicBytes > 0) {
    pieces.push_back({0, dynamicBytes, "dynamic"});
    end = dynamicBytes;
  }
  assert(areApart(pieces) && "shared variables do not overlap");
  bytes.resize(end);
  shadow = std::make_unique<Shadow>(end, /*startsWritten=*/false);
  return true;
}

void SharedMemory::reset() {
  assert(shadow && "variables are placed before a workgroup begins");
  shadow->reset();
}

std::optional<AccessError> SharedMemory::find(uint64_t address, uint64_t size,
                                              uint64_t alignment,
                                              Place &place) {
  if (std::optional<AccessError> error =
          checkPiece(pieces, "shared memory", address, size))
    return error;
  place = {&bytes[address], shadow.get(),  nullptr,
           address,         Space::Shared, false};
  return checkAlignment(address, alignment, size);
}

//===----------------------------------------------------------------------===//
// Private memory
//===----------------------------------------------------------------------===//

OwnMemory::OwnMemory(const Program &program)
    : localBytes(program.localBytes), stride(localBytes + program.callBytes),
      bytes(stride * laneCount), written(stride * laneCount) {
  // Variables of each space have ascending offsets.
  for (const Variable &one : program.variables) {
    if (one.space == Space::Local)
      local.push_back({one.offset, one.size, one.name});
    if (one.space == Space::Param && !one.isOfEntry)
      parameters.push_back({one.offset, one.size, one.name});
  }
  assert(areApart(local) && areApart(parameters) &&
         "each space has given its variables ascending places");
}

void OwnMemory::reset() { std::fill(written.begin(), written.end(), 0); }

std::optional<AccessError> OwnMemory::find(Space space, uint64_t address,
                                           uint64_t size, uint64_t alignment,
                                           unsigned lane, Place &place) {
  assert(lane < laneCount && "a subgroup has 32 lanes");
  bool isLocal = space == Space::Local;
  if (std::optional<AccessError> error = checkPiece(
          isLocal ? local : parameters,
          isLocal ? "local memory" : "the parameters of calls", address, size))
    return error;
  uint64_t at = lane * stride + (isLocal ? 0 : localBytes) + address;
  place = {&bytes[at], nullptr, &written[at], 0, space, false};
  return checkAlignment(address, alignment, size);
}

} // namespace distaff::ptx
