//===- Turn.cpp - One instruction of one subgroup -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Decoding.h"

#include <cassert>
#include <cstring>

namespace distaff::ptx {

void Turn::fail(FaultKind kind, int lane, std::string text,
                std::optional<uint64_t> address) {
  Fault fault;
  fault.kind = kind;
  fault.line = instruction.line;
  fault.workgroup = workgroup.position;
  if (lane >= 0)
    fault.thread = subgroup.number * laneCount + lane;
  fault.address = address;
  if (!text.empty())
    text += ": ";
  fault.text = std::move(text) + instruction.text;
  machine.report(std::move(fault));
}

void Turn::notModelled(const std::string &what) {
  fail(FaultKind::NotModelled, -1, what);
}

void Turn::checkWritten(Mask unwritten, const char *use) {
  unwritten &= active;
  if (!unwritten)
    return;
  fail(FaultKind::Unwritten, __builtin_ctz(unwritten),
       std::string(use) +
           " comes from memory that nobody wrote, read at line " +
           std::to_string(subgroup.unwrittenLine));
}

const Lanes &Turn::read(const Source &source, Lanes &scratch,
                        Mask &unwritten) const {
  switch (source.kind) {
  case Source::Kind::Register: {
    assert(source.reg < subgroup.registers.size() &&
           "a register is one of the file's");
    const Register &reg = subgroup.registers[source.reg];
    unwritten |= reg.unwritten;
    if (!source.negated)
      return reg.bits;
    for (unsigned lane = 0; lane < laneCount; ++lane)
      scratch[lane] = reg.bits[lane] ^ 1;
    return scratch;
  }
  case Source::Kind::Constant:
    scratch.fill(source.value);
    return scratch;
  case Source::Kind::Special:
    for (unsigned lane = 0; lane < laneCount; ++lane)
      scratch[lane] = specialValue(source.special, *this, lane);
    return scratch;
  }
  return scratch;
}

uint64_t Turn::readLane(const Source &source, unsigned lane) const {
  switch (source.kind) {
  case Source::Kind::Register:
    return subgroup.registers[source.reg].bits[lane] ^ uint64_t(source.negated);
  case Source::Kind::Constant:
    return source.value;
  case Source::Kind::Special:
    return specialValue(source.special, *this, lane);
  }
  return 0;
}

uint64_t Turn::addressOf(const Address &address, unsigned lane) const {
  uint64_t base =
      address.reg == none ? 0 : subgroup.registers[address.reg].bits[lane];
  return (base * address.scale + address.displacement) & address.mask;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Space resolveGeneric(uint64_t &address) {
  constexpr std::pair<uint64_t, Space> windows[] = {
      {sharedWindow, Space::Shared},
      {localWindow, Space::Local},
      {paramWindow, Space::Param}};
  for (auto [begin, space] : windows)
    if (address >= begin && address - begin < windowSize) {
      address -= begin;
      return space;
    }
  return Space::Global;
}

bool Turn::find(Space space, uint64_t address, uint64_t size,
                uint64_t alignment, unsigned lane, Place &place) {
  uint64_t where = address;
  if (space == Space::Generic)
    space = resolveGeneric(where);
  std::optional<AccessError> error;
  const std::vector<uint8_t> &block = machine.parameterBlock();
  switch (space) {
  case Space::Shared:
    error = workgroup.shared.find(where, size, alignment, place);
    break;
  case Space::Local:
    error = subgroup.own.find(space, where, size, alignment, lane, place);
    break;
  case Space::Param:
    if (where >= callParameters) {
      error = subgroup.own.find(space, where - callParameters, size, alignment,
                                lane, place);
    } else if (!(error = checkPiece(machine.parameters(), "the parameters",
                                    where, size))) {
      place = {const_cast<uint8_t *>(&block[where]),
               nullptr,
               nullptr,
               where,
               Space::Param,
               true};
      error = checkAlignment(where, alignment, size);
    }
    break;
  default:
    error = machine.global.find(where, size, alignment, place);
  }
  if (error)
    fail(error->kind, lane, error->text, address);
  return !error;
}

void Turn::judge(const Shadow::Finding &finding, uint64_t address,
                 unsigned lane, const char *what) {
  machine.counters.sameValueWrites += finding.sameValues;
  if (!finding.races)
    return;
  if (finding.isInFlight)
    return fail(FaultKind::Race, lane,
                std::string(what) +
                    " what a copy that nobody waited for may write",
                address);
  if (finding.isUnwritten && finding.other.workgroup == workgroup.number)
    machine.wasRace(finding.other);
  std::string other = "thread " + std::to_string(finding.other.number);
  if (finding.other.workgroup != workgroup.number)
    other += " of workgroup number " + std::to_string(finding.other.workgroup);
  fail(FaultKind::Race, lane,
       std::string(what) + " what " + other +
           " accessed, with nothing in between that orders the two",
       address);
}

bool Turn::load(const Place &place, uint64_t address, uint64_t size,
                unsigned lane, bool isStrong, uint8_t *to, bool &unwritten) {
  assert(place.bytes && "memory is found before it is read");
  std::memcpy(to, place.bytes, size);
  if (place.written)
    unwritten = std::memchr(place.written, 0, size) != nullptr;
  if (place.shadow && !place.isReadOnly) {
    Shadow::Finding finding =
        place.shadow->read(place.offset, size, access(lane, isStrong));
    unwritten = finding.isUnwritten;
    judge(finding, address, lane, "reads");
  }
  if (unwritten)
    subgroup.unwrittenLine = instruction.line;
  return !machine.stopped;
}

bool Turn::store(const Place &place, uint64_t address, uint64_t size,
                 unsigned lane, bool isStrong, const uint8_t *from) {
  assert(place.bytes && "memory is found before it is written");
  if (place.isReadOnly) {
    fail(FaultKind::OutOfBounds, lane, "a write to constant memory", address);
    return false;
  }
  if (place.written)
    std::memset(place.written, 1, size);
  if (place.shadow)
    judge(place.shadow->write(place.offset, size, access(lane, isStrong),
                              place.bytes, from),
          address, lane, "writes");
  std::memcpy(place.bytes, from, size);
  return !machine.stopped;
}

} // namespace distaff::ptx
