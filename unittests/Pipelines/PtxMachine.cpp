//===- PtxMachine.cpp - Runs PTX on the CPU -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxMachine.h"
#include "PtxControlFlow.h"
#include "PtxDecoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace distaff::ptx {
namespace {

using llvm::ArrayRef;

constexpr int lanes = 32;
constexpr uint32_t everyLane = ~uint32_t(0);
using Lanes = std::array<uint64_t, lanes>;

uint64_t mask(uint64_t value, unsigned bits) {
  return value & llvm::maskTrailingOnes<uint64_t>(bits);
}

/// Lanes that run together until they stand at `rejoin`.
struct Path {
  size_t pc = 0, rejoin = 0;
  uint32_t lanes = everyLane;
};

struct Subgroup {
  std::vector<Lanes> registers;
  std::vector<Path> paths;      ///< the last one runs
  uint32_t running = everyLane; ///< lanes that have not returned
  bool waits = false;           ///< at a barrier
};

class Machine {
public:
  Machine(const Kernel &kernel, const Launch &launch)
      : kernel(kernel), launch(launch), shared(kernel) {}

  KernelTraffic::Run traffic;

  Fault run() {
    if (Fault fault = passArguments(); !fault.empty())
      return fault;
    for (const Instruction &instruction : kernel.instructions) {
      std::optional<Step> step = decode(instruction);
      if (!step)
        return "line " + std::to_string(instruction.line) +
               ": unknown instruction: " + instruction.text;
      steps.push_back(std::move(*step));
    }
    postDominators = immediatePostDominators(kernel);
    for (cta[2] = 0; cta[2] < launch.grid[2]; ++cta[2])
      for (cta[1] = 0; cta[1] < launch.grid[1]; ++cta[1])
        for (cta[0] = 0; cta[0] < launch.grid[0]; ++cta[0])
          if (!runWorkgroup())
            return fault;
    return {};
  }

private:
  Fault passArguments() {
    if (launch.arguments.size() != kernel.parameters.size())
      return "the kernel takes " + std::to_string(kernel.parameters.size()) +
             " parameters, given are " +
             std::to_string(launch.arguments.size());
    for (auto [parameter, argument] :
         llvm::zip_equal(kernel.parameters, launch.arguments)) {
      uint64_t size = argument.isBuffer ? 8 : argument.bytes.size();
      if (size != parameter.size)
        return parameter.name + " has " + std::to_string(parameter.size) +
               " bytes, given are " + std::to_string(size);
      block.resize(parameter.offset + size);
      uint64_t address = argument.isBuffer ? global.add(argument.bytes) : 0;
      memcpy(&block[parameter.offset],
             argument.isBuffer ? reinterpret_cast<uint8_t *>(&address)
                               : argument.bytes.data(),
             size);
    }
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Scheduling
  //===--------------------------------------------------------------------===//

  bool runWorkgroup() {
    auto [x, y, z] = kernel.workgroup;
    int count = x * y * z / lanes;
    if (count * lanes != x * y * z || count == 0) {
      fault = "a workgroup of " + std::to_string(x * y * z) + " threads";
      return false;
    }
    shared.reset();
    subgroups.assign(count, Subgroup());
    for (Subgroup &one : subgroups) {
      fillWithGarbage(one);
      one.paths = {{0, kernel.instructions.size(), everyLane}};
    }
    while (true) {
      for (int i = 0; i < count; ++i) {
        current = launch.schedule & 1 ? count - 1 - i : i;
        if (!runToBarrier(subgroups[current]))
          return false;
      }
      auto waits = [](const Subgroup &one) { return one.waits; };
      if (llvm::none_of(subgroups, waits))
        return true;
      if (!llvm::all_of(subgroups, waits)) {
        fault = "deadlock: a barrier that only some subgroups reach";
        return false;
      }
      for (Subgroup &one : subgroups)
        one.waits = false;
      shared.barrier();
    }
  }

  void fillWithGarbage(Subgroup &subgroup) {
    subgroup.registers.resize(kernel.registerBits.size());
    for (auto [lanes, bits] :
         llvm::zip_equal(subgroup.registers, kernel.registerBits))
      for (uint64_t &value : lanes) {
        garbage = garbage * 6364136223846793005u + 1442695040888963407u;
        value = mask(garbage >> 20, bits);
      }
  }

  bool runToBarrier(Subgroup &subgroup) {
    while (!subgroup.paths.empty() && !subgroup.waits) {
      Path &path = subgroup.paths.back();
      path.lanes &= subgroup.running;
      if (path.lanes == 0 || path.pc == path.rejoin)
        subgroup.paths.pop_back();
      else if (!execute(subgroup, path))
        return false;
    }
    return true;
  }

  /// Sends the lanes of `taken` to `target`; if others go on, both run up to
  /// where they meet again.
  void branch(Subgroup &subgroup, Path &path, size_t target, uint32_t taken) {
    uint32_t stay = path.lanes & ~taken;
    if (taken == 0)
      return;
    if (stay == 0) {
      path.pc = target;
      return;
    }
    size_t next = path.pc, rejoin = postDominators[next - 1];
    path.pc = rejoin;
    Path staying = {next, rejoin, stay}, leaving = {target, rejoin, taken};
    if (launch.schedule & 1)
      std::swap(staying, leaving);
    subgroup.paths.insert(subgroup.paths.end(), {staying, leaving});
  }

  //===--------------------------------------------------------------------===//
  // One instruction
  //===--------------------------------------------------------------------===//

  template <typename Function>
  static void forEachLane(uint32_t active, Function function) {
    for (; active; active &= active - 1)
      function(llvm::countr_zero(active));
  }

  bool fail(const Instruction &instruction, const std::string &message,
            int lane = -1) {
    fault = "line " + std::to_string(instruction.line) + ": " +
            instruction.text + ": workgroup (" + std::to_string(cta[0]) + ", " +
            std::to_string(cta[1]) + ", " + std::to_string(cta[2]) +
            "), subgroup " + std::to_string(current) +
            (lane < 0 ? "" : ", lane " + std::to_string(lane)) + ": " + message;
    return false;
  }

  bool execute(Subgroup &subgroup, Path &path) {
    const Instruction &instruction = kernel.instructions[path.pc];
    const Step &step = steps[path.pc++];
    uint32_t active = path.lanes;
    if (instruction.guard)
      forEachLane(path.lanes, [&](int lane) {
        bool holds = subgroup.registers[*instruction.guard][lane];
        if (holds == instruction.guardNegated)
          active &= ~(uint32_t(1) << lane);
      });
    switch (step.kind) {
    case Step::Kind::Arithmetic:
      return calculate(subgroup, instruction, step, active);
    case Step::Kind::Cast:
      forEachLane(active, [&](int lane) {
        write(subgroup, instruction.operands[0], lane,
              read(subgroup, instruction.operands[1], lane));
      });
      return true;
    case Step::Kind::Move:
      return move(subgroup, instruction, step.bits, active);
    case Step::Kind::Load:
    case Step::Kind::Store:
      return access(subgroup, instruction, step, active);
    case Step::Kind::Branch:
      branch(subgroup, path, instruction.operands[0].value, active);
      return true;
    case Step::Kind::Exit:
      subgroup.running &= ~active;
      return true;
    case Step::Kind::Barrier:
      if (active != everyLane)
        return fail(instruction, "divergent barrier");
      subgroup.waits = true;
      return true;
    case Step::Kind::Shuffle:
      return shuffle(subgroup, instruction, step.mode, active);
    case Step::Kind::Mma:
      if (active != everyLane)
        return fail(instruction, "divergent mma");
      return multiply(subgroup, instruction, step);
    }
  }

  uint64_t read(const Subgroup &subgroup, const Operand &operand,
                int lane) const {
    if (operand.kind == Operand::Kind::Register) {
      uint64_t value = subgroup.registers[*operand.reg][lane];
      return operand.negated ? value ^ 1 : value;
    }
    if (operand.kind != Operand::Kind::Special)
      return operand.value;
    int64_t thread = current * lanes + lane;
    auto [x, y, z] = kernel.workgroup;
    switch (operand.special) {
    case Special::TidX:
      return thread % x;
    case Special::TidY:
      return thread / x % y;
    case Special::TidZ:
      return thread / x / y;
    case Special::CtaX:
      return cta[0];
    case Special::CtaY:
      return cta[1];
    case Special::CtaZ:
      return cta[2];
    case Special::Lane:
      return lane;
    }
  }

  void write(Subgroup &subgroup, const Operand &operand, int lane,
             uint64_t value) const {
    if (operand.reg)
      subgroup.registers[*operand.reg][lane] =
          mask(value, kernel.registerBits[*operand.reg]);
  }

  bool calculate(Subgroup &subgroup, const Instruction &instruction,
                 const Step &step, uint32_t active) {
    ArrayRef<Operand> operands = instruction.operands;
    forEachLane(active, [&](int lane) {
      uint64_t sources[3] = {};
      for (size_t i = 1; i < operands.size(); ++i)
        sources[i - 1] = read(subgroup, operands[i], lane);
      write(subgroup, operands[0], lane,
            step.compute(sources[0], sources[1], sources[2]));
    });
    return true;
  }

  /// Vectors hold the parts of a wider register, the lowest bits first.
  bool move(Subgroup &subgroup, const Instruction &instruction, unsigned bits,
            uint32_t active) {
    const Operand &to = instruction.operands[0],
                  &from = instruction.operands[1];
    forEachLane(active, [&](int lane) {
      uint64_t value = 0;
      if (from.kind == Operand::Kind::Vector) {
        unsigned part = bits / from.elements.size();
        for (auto [i, element] : llvm::enumerate(from.elements))
          value |= mask(read(subgroup, element, lane), part) << (i * part);
      } else {
        value = mask(read(subgroup, from, lane), bits);
      }
      if (to.kind != Operand::Kind::Vector)
        return write(subgroup, to, lane, value);
      unsigned part = bits / to.elements.size();
      for (auto [i, element] : llvm::enumerate(to.elements))
        write(subgroup, element, lane, mask(value >> (i * part), part));
    });
    return true;
  }

  bool access(Subgroup &subgroup, const Instruction &instruction,
              const Step &step, uint32_t active) {
    bool isLoad = step.kind == Step::Kind::Load;
    const Operand &value = instruction.operands[isLoad ? 0 : 1];
    const Operand &where = instruction.operands[isLoad ? 1 : 0];
    ArrayRef<Operand> elements = value;
    if (value.kind == Operand::Kind::Vector)
      elements = value.elements;
    unsigned bytes = step.bits / 8, size = bytes * elements.size();
    Fault what;
    LaneAddresses addresses;
    for (int lane = 0; lane < lanes && what.empty(); ++lane) {
      if (!(active >> lane & 1))
        continue;
      uint64_t address = where.value;
      if (where.reg)
        address += subgroup.registers[*where.reg][lane];
      addresses.push_back({lane, address});
      uint8_t data[64] = {};
      if (!isLoad)
        for (auto [i, element] : llvm::enumerate(elements)) {
          uint64_t bits = read(subgroup, element, lane);
          memcpy(data + i * bytes, &bits, bytes);
        }
      what = transfer(step, address, size, current * lanes + lane, data);
      if (!what.empty())
        return fail(instruction, what, lane);
      if (isLoad)
        for (auto [i, element] : llvm::enumerate(elements)) {
          uint64_t bits = 0;
          memcpy(&bits, data + i * bytes, bytes);
          write(subgroup, element, lane,
                step.isSigned ? llvm::SignExtend64(bits, step.bits) : bits);
        }
    }
    if (step.space == Step::Space::Shared)
      countShared(addresses, size, traffic.shared);
    else if (step.space == Step::Space::Global)
      countGlobal(addresses, size, traffic.global);
    return true;
  }

  Fault transfer(const Step &step, uint64_t address, uint64_t size, int thread,
                 uint8_t *data) {
    bool isLoad = step.kind == Step::Kind::Load;
    if (step.space == Step::Space::Shared)
      return isLoad ? shared.load(address, size, thread, data)
                    : shared.store(address, size, thread, data);
    if (step.space == Step::Space::Param) {
      if (!isLoad || address + size > block.size())
        return "out of bounds: of the parameters";
      memcpy(data, &block[address], size);
      return {};
    }
    Fault what;
    if (isLoad)
      if (const uint8_t *constant = findConstant(kernel, address, size)) {
        memcpy(data, constant, size);
        return {};
      }
    uint8_t *memory = global.find(address, size, what);
    if (memory)
      memcpy(isLoad ? data : memory, isLoad ? memory : data, size);
    return what;
  }

  /// shfl.sync, section "Data Movement": c holds the clamp in bits 0-4 and the
  /// mask of the bits that name a segment in bits 8-12; a source outside of the
  /// segment leaves a lane its own value.
  bool shuffle(Subgroup &subgroup, const Instruction &instruction,
               Step::Mode mode, uint32_t active) {
    ArrayRef<Operand> operands = instruction.operands;
    if (operands.size() != 5)
      return fail(instruction, "unknown instruction");
    Lanes values = {};
    forEachLane(active, [&](int lane) {
      values[lane] = read(subgroup, operands[1], lane);
    });
    for (int lane = 0; lane < lanes; ++lane) {
      if (!(active >> lane & 1))
        continue;
      uint32_t members = read(subgroup, operands[4], lane);
      if ((members & subgroup.running) != active)
        return fail(instruction, "divergent shuffle", lane);
      int b = read(subgroup, operands[2], lane) & 31;
      uint64_t c = read(subgroup, operands[3], lane);
      int segment = (c >> 8) & 31, clamp = c & 31;
      int first = lane & segment, last = first | (clamp & ~segment);
      int source = mode == Step::Mode::Butterfly ? lane ^ b
                   : mode == Step::Mode::Index   ? first | (b & ~segment)
                   : mode == Step::Mode::Up      ? lane - b
                                                 : lane + b;
      bool inside = mode == Step::Mode::Up ? source >= last : source <= last;
      if (!inside)
        source = lane;
      if (!(active >> source & 1))
        return fail(instruction, "divergent shuffle: reads an absent lane",
                    lane);
      write(subgroup, operands[0], lane, values[source]);
      if (operands[0].predicate)
        subgroup.registers[*operands[0].predicate][lane] = inside;
    }
    return true;
  }

  /// mma.m16n8k8 and m16n8k16, section "Matrix Fragments": with group = lane /
  /// 4 and t = lane % 4, element i of a lane's fragment is
  ///   A: row group + 8 (i / 2 % 2),     column 2 t + i % 2 + 8 (i / 4)
  ///   B: row 2 t + i % 2 + 8 (i / 2),   column group
  ///   C: row group + 8 (i / 2),         column 2 t + i % 2
  bool multiply(Subgroup &subgroup, const Instruction &instruction,
                const Step &step) {
    double a[16][16] = {}, b[16][8] = {}, c[16][8] = {};
    auto element = [&](unsigned operand, unsigned i, int lane,
                       FloatFormat format) {
      unsigned perRegister = format.mantissaBits == 23 ? 1 : 2;
      uint64_t bits =
          read(subgroup,
               instruction.operands[operand].elements[i / perRegister], lane);
      return decodeFloat(
          perRegister == 1 ? bits : mask(bits >> (16 * (i % 2)), 16), format);
    };
    unsigned perRegister = step.accumulator.mantissaBits == 23 ? 1 : 2;
    unsigned registers[] = {4 / perRegister, step.k / 4, step.k / 8,
                            4 / perRegister};
    for (auto [operand, count] : llvm::zip(instruction.operands, registers))
      if (operand.elements.size() != count)
        return fail(instruction, "unknown instruction: fragment of " +
                                     std::to_string(operand.elements.size()) +
                                     " registers");
    for (int lane = 0; lane < lanes; ++lane) {
      int group = lane / 4, t = lane % 4;
      for (unsigned i = 0; i < step.k / 2; ++i)
        a[group + 8 * (i / 2 % 2)][2 * t + i % 2 + 8 * (i / 4)] =
            element(1, i, lane, step.multiplicand);
      for (unsigned i = 0; i < step.k / 4; ++i)
        b[2 * t + i % 2 + 8 * (i / 2)][group] =
            element(2, i, lane, step.multiplicand);
      for (unsigned i = 0; i < 4; ++i)
        c[group + 8 * (i / 2)][2 * t + i % 2] =
            element(3, i, lane, step.accumulator);
    }
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 8; ++column)
        for (unsigned k = 0; k < step.k; ++k)
          c[row][column] += a[row][k] * b[k][column];
    for (int lane = 0; lane < lanes; ++lane)
      for (unsigned r = 0; r < registers[0]; ++r) {
        uint64_t bits = 0;
        for (unsigned i = r * perRegister; i < (r + 1) * perRegister; ++i)
          bits |= encodeFloat(c[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2],
                              step.accumulator)
                  << (16 * (i - r * perRegister));
        write(subgroup, instruction.operands[0].elements[r], lane, bits);
      }
    return true;
  }

  const Kernel &kernel;
  const Launch &launch;
  std::vector<Step> steps;
  std::vector<size_t> postDominators;
  std::vector<uint8_t> block; ///< the parameters
  GlobalMemory global;
  SharedMemory shared;
  std::array<int64_t, 3> cta = {};
  std::vector<Subgroup> subgroups;
  int current = 0; ///< number of the subgroup that runs
  uint64_t garbage = launch.schedule;
  Fault fault;
};

} // namespace

Fault run(const Kernel &kernel, const Launch &launch,
          KernelTraffic::Run *traffic) {
  Machine machine(kernel, launch);
  Fault fault = machine.run();
  if (traffic)
    *traffic = machine.traffic;
  return fault;
}

} // namespace distaff::ptx
