//===- RegionProgram.cpp - Program of a region for many points ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RegionProgram.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using namespace distaff::simt;

static constexpr int64_t pointsAtOnce = 64;

FailureOr<std::shared_ptr<RegionProgram>>
RegionProgram::get(Block &block, Translator &outer, ValueRange indices,
                   std::optional<ValueRange> results) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(*block.getParent(), captured);
  bool capturesTensor = llvm::any_of(
      captured, [](Value value) { return isa<TensorType>(value.getType()); });

  TranslationOptions options = outer.options();
  options.lanes = capturesTensor ? 1 : pointsAtOnce;
  Translator inner(outer.domain(), options);
  auto region = std::make_shared<RegionProgram>();
  Operation *terminator = block.getTerminator();
  for (BlockArgument argument : block.getArguments())
    region->arguments.push_back(inner.reg(argument));
  for (Value index : indices)
    region->indices.push_back(inner.reg(index));
  for (Value value : captured)
    region->captured.push_back({outer.reg(value), inner.reg(value)});
  auto isHeld = [](Reg reg) { return reg.storage != Reg::Storage::None; };
  if (!llvm::all_of(region->arguments, isHeld) ||
      !llvm::all_of(llvm::make_second_range(region->captured), isHeld))
    return outer.notModelled(terminator->getParentOp(),
                             "a value of this type in the body");

  if (failed(inner.translateBody(block)))
    return outer.fail(inner.fault());
  for (Value value : results ? *results : ValueRange(terminator->getOperands()))
    region->results.push_back(inner.reg(value));
  inner.returnFrom(terminator);
  region->program = inner.finish();
  region->straight =
      llvm::all_of(region->program.code, [](const Instruction &i) {
        return i.flow != Instruction::Flow::Branch &&
               i.flow != Instruction::Flow::Sync;
      });
  return region;
}

static uint64_t allPoints(int64_t points) {
  return ~uint64_t(0) >> (64 - points);
}

BodyRun::BodyRun(const RegionProgram &region, Agent &outer)
    : region(region),
      body(Agent::inside(region.program, outer.workgroup(), outer.seat(),
                         allPoints(region.points()))) {
  for (auto [from, to] : region.captured) {
    if (to.isTensor()) {
      body.tensor(to) = outer.tensor(from);
      continue;
    }
    outer.checkWritten(from);
    // Broadcasts one value to all points.
    for (int64_t e = 0; e < to.elements; ++e)
      for (int64_t point = 0; point < region.points(); ++point)
        std::memcpy(body.cellsAs<uint8_t>(to, point, e),
                    outer.cellsAs<uint8_t>(from, 0, e), to.cellBytes);
  }
}

bool BodyRun::execute() {
  if (!region.straight)
    return runBranching();
  const std::vector<Instruction> &code = region.program.code;
  for (uint32_t pc = 0; pc < code.size();) {
    const Instruction &instruction = code[pc++];
    if (instruction.flow == Instruction::Flow::Return)
      break;
    if (instruction.flow == Instruction::Flow::Jump)
      pc = instruction.targets.front();
    else
      instruction.execute(body);
  }
  return body.status() != Agent::Status::Faulted;
}

bool BodyRun::runBranching() {
  // An agent runs once; arguments are in the registers of a copy.
  Agent running = body;
  while (running.status() == Agent::Status::Running)
    running.step();
  Agent::Status status = running.status();
  for (Reg result : region.results)
    std::memcpy(body.cells(result), running.cells(result),
                body.numCells(result) * result.cellBytes);
  return status == Agent::Status::Done;
}
