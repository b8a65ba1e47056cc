//===- Launch.cpp - Kernel launches and their arguments -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ControlFlow.h"
#include "Decoding.h"
#include "distaff/CheckedSize.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <string_view>

namespace distaff::ptx {
namespace {

/// Limits of the largest GPU; a kernel that needs more runs on none.
constexpr uint64_t mostShared = 227 * 1024;
constexpr int64_t mostThreads = 1024;
constexpr int64_t mostRegisterBytes = int64_t(1) << 32;
/// The alignment that the kernel ABI promises for a pointer.
constexpr uint64_t pointerAlignment = 16;

} // namespace

Argument Argument::buffer(void *data, size_t size, bool written) {
  Argument argument;
  argument.written = written;
  argument.kind = Kind::Buffer;
  argument.data = static_cast<uint8_t *>(data);
  argument.size = size;
  return argument;
}

Argument Argument::scalar(std::vector<uint8_t> bytes) {
  Argument argument;
  argument.kind = Kind::Scalar;
  argument.bytes = std::move(bytes);
  return argument;
}

Argument Argument::scalar(uint64_t bits) {
  std::vector<uint8_t> bytes(8);
  std::memcpy(bytes.data(), &bits, 8);
  return scalar(std::move(bytes));
}

Machine::Machine(const Program &program, const Function &function,
                 const Launch &launch)
    : program(program), function(function), launch(launch) {}

bool Machine::refuse(std::string text) {
  outcome.verdict = Verdict::Refused;
  outcome.text = std::move(text);
  return false;
}

static std::string triple(const std::array<int64_t, 3> &sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" +
         std::to_string(sizes[2]);
}

bool Machine::checkSizes(const Entry &entry) {
  std::optional<int64_t> threads =
      checkedElements(launch.workgroup, mostThreads);
  if (!threads || *threads == 0)
    return refuse("a workgroup of " + triple(launch.workgroup) +
                  " threads, a GPU has room for 1 to 1024");
  std::optional<int64_t> workgroups =
      checkedElements(launch.grid, int64_t(1) << 32);
  if (!workgroups)
    return refuse("a grid of " + triple(launch.grid) + " workgroups");
  if (entry.requiredSize[0] && launch.workgroup != entry.requiredSize)
    return refuse("a workgroup of " + triple(launch.workgroup) +
                  " threads, the kernel requires " +
                  triple(entry.requiredSize));
  if (entry.largestSize[0] && *threads > *checkedElements(entry.largestSize))
    return refuse("a workgroup of " + triple(launch.workgroup) +
                  " threads, the kernel allows " + triple(entry.largestSize));
  return true;
}

bool Machine::checkLaunch() {
  const Entry &entry = program.entries[function.number];
  if (!checkSizes(entry))
    return false;
  if (launch.dynamicSharedBytes < 0 ||
      launch.dynamicSharedBytes > int64_t(mostShared) ||
      !workgroup.shared.place(program, function, launch.dynamicSharedBytes,
                              mostShared))
    return refuse("more than " + std::to_string(mostShared) +
                  " bytes of shared memory");
  int64_t threads = *checkedElements(launch.workgroup);
  int64_t count = (threads + laneCount - 1) / laneCount;
  findContractions();
  if (!checkedProduct(registerCount(), sizeof(Register) * count,
                      mostRegisterBytes))
    return refuse(std::to_string(registerCount()) +
                  " registers, which no host holds for " +
                  std::to_string(threads) + " threads");
  return passArguments(entry) && addVariables();
}

//===----------------------------------------------------------------------===//
// Arguments and variables
//===----------------------------------------------------------------------===//

bool Machine::passArguments(const Entry &entry) {
  if (launch.arguments.size() != entry.parameters.size())
    return refuse(
        "the kernel takes " + std::to_string(entry.parameters.size()) +
        " arguments, given are " + std::to_string(launch.arguments.size()));
  alignArrays(entry);
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    uint64_t offset = program.variables[function.parameters[i].variable].offset;
    block.resize(offset + entry.parameters[i].size);
    blockPieces.push_back(
        {offset, entry.parameters[i].size, entry.parameters[i].name});
    if (!passArgument(entry.parameters[i], offset, launch.arguments[i], i))
      return false;
  }
  return true;
}

/// Applies the largest alignment that a parameter promises for an array to all
/// parameters that pass the array.
void Machine::alignArrays(const Entry &entry) {
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const Argument &argument = launch.arguments[i];
    if (argument.kind != Argument::Kind::Buffer)
      continue;
    uint64_t &alignment = arrays[{argument.data, argument.size}].alignment;
    alignment = std::max(alignment, entry.parameters[i].pointeeAlignment);
  }
}

bool Machine::passArgument(const Parameter &parameter, uint64_t offset,
                           const Argument &argument, size_t number) {
  std::string name =
      "arg" + std::to_string(number) + " ('" + parameter.name + "')";
  switch (argument.kind) {
  case Argument::Kind::Null:
    return true;
  case Argument::Kind::Scalar:
    if (argument.bytes.size() < parameter.size)
      return refuse(name + " has " + std::to_string(parameter.size) +
                    " bytes, given are " +
                    std::to_string(argument.bytes.size()));
    std::memcpy(&block[offset], argument.bytes.data(), parameter.size);
    for (const Argument::Pointer &pointer : argument.pointers) {
      if (parameter.size < 8 || pointer.offset > parameter.size - 8)
        return refuse(name + " has " + std::to_string(parameter.size) +
                      " bytes, which hold no pointer at byte " +
                      std::to_string(pointer.offset));
      passPointer(pointer, offset + pointer.offset,
                  "argument " + std::to_string(number) + "@" +
                      std::to_string(pointer.offset));
    }
    return true;
  case Argument::Kind::Buffer:
    break;
  }
  if (parameter.size != 8)
    return refuse(name + " has " + std::to_string(parameter.size) +
                  " bytes, which hold no pointer");
  passPointer({0, argument.data, argument.size, argument.written}, offset,
              "argument " + std::to_string(number));
  return true;
}

void Machine::passPointer(const Argument::Pointer &pointer, uint64_t offset,
                          const std::string &name) {
  // One array for two pointers is one array in memory; an empty one has no
  // memory.
  PassedArray none;
  PassedArray &array =
      pointer.size == 0 ? none : arrays[{pointer.data, pointer.size}];
  if (array.address == 0)
    array.address = global.add({pointer.data, pointer.size,
                                std::max(pointerAlignment, array.alignment),
                                name, /*isConstant=*/false, pointer.written});
  std::memcpy(&block[offset], &array.address, 8);
}

/// Replaces the initial values of variables by a loader's data.
bool Machine::fillVariables() {
  for (const Launch::VariableData &data : launch.variables) {
    size_t i = 0;
    while (i < program.variables.size() &&
           (program.variables[i].name != data.name ||
            program.variables[i].space != Space::Global))
      ++i;
    if (i == program.variables.size())
      return refuse("the module has no global variable '" +
                    std::string(data.name) + "'");
    if (program.variables[i].size != data.bytes.size())
      return refuse("'" + std::string(data.name) + "' has " +
                    std::to_string(program.variables[i].size) +
                    " bytes, given are " + std::to_string(data.bytes.size()));
    std::memcpy(variableBytes[i].data(), data.bytes.data(), data.bytes.size());
  }
  return true;
}

bool Machine::addVariables() {
  variableAddresses.resize(program.variables.size());
  variableBytes.resize(program.variables.size());
  for (size_t i = 0; i < program.variables.size(); ++i) {
    const Variable &variable = program.variables[i];
    bool isConstant = variable.space == Space::Const;
    if (variable.space != Space::Global && !isConstant)
      continue;
    variableBytes[i] = variable.bytes;
    variableAddresses[i] =
        global.add({variableBytes[i].data(), variable.size, variable.alignment,
                    "'" + variable.name + "'", isConstant});
  }
  for (size_t i = 0; i < program.variables.size(); ++i)
    for (const Variable::Link &link : program.variables[i].links) {
      uint64_t address = variableAddresses[link.variable] + link.addend;
      std::memcpy(&variableBytes[i][link.offset], &address, link.size);
    }
  return fillVariables();
}

uint64_t Machine::addressOf(unsigned number) const {
  const Variable &variable = program.variables[number];
  switch (variable.space) {
  case Space::Shared:
    return workgroup.shared.addressOf(number);
  case Space::Local:
    return variable.offset;
  case Space::Param:
    return variable.offset + (variable.isOfEntry ? 0 : callParameters);
  default:
    return variableAddresses[number];
  }
}

static uint64_t mix(uint64_t value) {
  value *= 0x9E3779B97F4A7C15u;
  value = (value ^ value >> 29) * 0xBF58476D1CE4E5B9u;
  return value ^ value >> 32;
}

bool Machine::isLate(uint64_t what) const {
  if (launch.seed < 2)
    return launch.seed == 0;
  return mix(what + launch.seed) & 1;
}

Order Machine::order(uint64_t count, uint64_t what) const {
  if (!launch.seed || count < 2)
    return {count, 1, 0};
  if (launch.seed == 1)
    return {count, count - 1, count - 1};
  uint64_t random = mix(launch.seed + mix(what + count));
  uint64_t factor = 1 + random % (count - 1);
  while (std::gcd(factor, count) != 1)
    ++factor;
  assert(factor < count && "the factor of an order is prime to its count");
  return {count, factor, (random >> 32) % count};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Returns whether an instruction is collective: lanes of a subgroup execute it
/// together.
static bool isOfAll(const Instruction &one) {
  constexpr std::string_view roots[] = {
      "bar",   "barrier", "ldmatrix",  "match", "mma",
      "redux", "shfl",    "movmatrix", "vote",  "stmatrix"};
  return std::ranges::count(roots, rootOf(one)) != 0;
}

void Machine::findContractions() {
  if (!launch.contracts)
    return;
  for (const Function &one : program.functions) {
    if (one.isEntry && &one != &function)
      continue;
    for (const Contraction &found : ptx::findContractions(program, one)) {
      contractions.push_back(found);
      factorRegisters.try_emplace(found.product, registerCount());
    }
  }
}

void Machine::contract(const Contraction &contraction) {
  unsigned first = factorRegisters.at(contraction.product);
  Factors factors;
  for (unsigned i = 0; i < 2; ++i) {
    factors[i].kind = Source::Kind::Register;
    factors[i].reg = first + i;
  }
  Decoding product(program, this, program.instructions[contraction.product]);
  Decoding sum(program, this, program.instructions[contraction.sum]);
  executes[contraction.product] = decodeContractedProduct(product, factors);
  executes[contraction.sum] = decodeContractedSum(sum, contraction, factors);
  assert(executes[contraction.product] && executes[contraction.sum] &&
         "both have been decoded without the other");
}

void Machine::decodeAll() {
  // Other kernels of the module, and their callees, are left out.
  executes.resize(program.instructions.size());
  rejoins.resize(program.instructions.size());
  areOfAll.resize(program.instructions.size());
  for (const Function &one : program.functions) {
    if (one.isEntry && &one != &function)
      continue;
    for (size_t i = one.begin; i < one.end; ++i) {
      executes[i] = decode(*this, program.instructions[i]);
      areOfAll[i] = isOfAll(program.instructions[i]);
    }
    findRejoins(program, one, rejoins);
  }
  for (const Contraction &one : contractions)
    if (executes[one.product] && executes[one.sum])
      contract(one);
}

/// Collects the registers of instructions that can run.
void Machine::findUsed() {
  std::vector<bool> isUsed(program.registerBits.size());
  auto note = [&](unsigned reg) {
    if (reg != none)
      isUsed[reg] = true;
  };
  auto noteOperand = [&](const Operand &operand, const auto &self) -> void {
    note(operand.reg);
    note(operand.second);
    for (const Operand &element : operand.elements)
      self(element, self);
  };
  for (size_t i = 0; i < executes.size(); ++i) {
    note(program.instructions[i].guard);
    if (!executes[i])
      continue;
    for (const Operand &operand : program.instructions[i].operands)
      noteOperand(operand, noteOperand);
  }
  for (const Function &one : program.functions)
    for (const auto *formals : {&one.results, &one.parameters})
      for (const Function::Formal &formal : *formals)
        note(formal.reg);
  for (unsigned i = 0; i < isUsed.size(); ++i)
    if (isUsed[i])
      used.push_back(i);
}

void Machine::prepareWorkgroup() {
  int64_t threads = *checkedElements(launch.workgroup);
  workgroup.subgroups.resize((threads + laneCount - 1) / laneCount);
  assert(workgroup.subgroups.size() <= mostSubgroups &&
         "a launch is checked before it is prepared");
  for (Subgroup &one : workgroup.subgroups) {
    one.number = &one - workgroup.subgroups.data();
    int64_t left = threads - int64_t(one.number) * laneCount;
    one.exists = left >= laneCount ? everyLane : (Mask(1) << left) - 1;
    one.own = OwnMemory(program);
    one.registers.resize(registerCount());
  }
}

/// Checks that every byte of a result without data is written at the end.
void Machine::checkResults() {
  for (const GlobalMemory::Buffer &buffer : global.all()) {
    std::optional<uint64_t> byte = buffer.shadow->firstUnwritten(buffer.size);
    if (!byte)
      continue;
    Fault fault;
    fault.kind = FaultKind::Unwritten;
    fault.text = buffer.name + ": nobody wrote byte " + std::to_string(*byte) +
                 " of " + std::to_string(buffer.size);
    report(std::move(fault));
  }
}

Outcome Machine::run() {
  if (!checkLaunch())
    return outcome;
  decodeAll();
  findUsed();
  prepareWorkgroup();
  auto [x, y, z] = launch.grid;
  int64_t count = x * y * z;
  Order order = this->order(count, 0);
  for (int64_t i = 0; i < count && !stopped; ++i) {
    int64_t number = order(i);
    workgroup.number = uint32_t(number);
    workgroup.position = {number % x, number / x % y, number / x / y};
    startWorkgroup();
    runWorkgroup();
  }
  if (!stopped)
    checkResults();
  outcome.counters = counters;
  return outcome;
}

void Machine::report(Fault fault) {
  bool goesOn =
      fault.kind == FaultKind::Race || fault.kind == FaultKind::Unwritten;
  stopped |= !goesOn;
  for (const Fault &other : outcome.faults)
    if (goesOn && fault.line > 0 && other.line == fault.line &&
        other.kind == fault.kind)
      return;
  outcome.verdict =
      fault.kind == FaultKind::NotModelled && outcome.faults.empty()
          ? Verdict::NotModelled
          : Verdict::Faulted;
  outcome.faults.push_back(std::move(fault));
  stopped |= outcome.faults.size() == 16;
}

void Machine::wasRace(Thread reader) {
  std::erase_if(outcome.faults, [&](const Fault &fault) {
    return fault.kind == FaultKind::Unwritten &&
           fault.thread == reader.number &&
           fault.workgroup == workgroup.position;
  });
}

Outcome run(const Module &module, const Launch &launch) {
  const Program &program = module.program();
  const Function *found = nullptr;
  unsigned entries = 0;
  for (const Function &function : program.functions) {
    entries += function.isEntry;
    if (function.isEntry &&
        (launch.entry.empty() || function.name == launch.entry))
      found = &function;
  }
  Outcome refused;
  refused.verdict = Verdict::Refused;
  refused.text = "the module has no kernel '" + launch.entry + "'";
  if (launch.entry.empty() && entries != 1) {
    refused.text = "the module has " + std::to_string(entries) +
                   " kernels, and the launch names none";
    return refused;
  }
  return found ? Machine(program, *found, launch).run() : refused;
}

//===----------------------------------------------------------------------===//
// Faults as text
//===----------------------------------------------------------------------===//

const char *toString(FaultKind kind) {
  switch (kind) {
  case FaultKind::Race:
    return "race";
  case FaultKind::DivergentBarrier:
    return "divergent barrier";
  case FaultKind::OutOfBounds:
    return "out of bounds";
  case FaultKind::Unwritten:
    return "unwritten";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::NotModelled:
    return "not modelled";
  }
  return "";
}

std::string toString(const Fault &fault) {
  auto [x, y, z] = fault.workgroup;
  std::string where = "workgroup (" + std::to_string(x) + ", " +
                      std::to_string(y) + ", " + std::to_string(z) + ")";
  if (fault.thread >= 0)
    where += ", thread " + std::to_string(fault.thread);
  return "line " + std::to_string(fault.line) + ": " + where + ": " +
         toString(fault.kind) + ": " + fault.text;
}

} // namespace distaff::ptx
