//===- PtxDecoder.cpp - From PTX opcodes to steps -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxDecoder.h"
#include "llvm/ADT/STLExtras.h"

namespace distaff::ptx {
namespace {

using llvm::ArrayRef;
using llvm::StringRef;

std::optional<Step> decodeMemory(ArrayRef<std::string> opcode) {
  Step step;
  step.kind = opcode[0] == "ld" ? Step::Kind::Load : Step::Kind::Store;
  if (opcode.size() < 3)
    return std::nullopt;
  if (opcode[1] == "param")
    step.space = Step::Space::Param;
  else if (opcode[1] == "shared")
    step.space = Step::Space::Shared;
  else if (opcode[1] != "global")
    return std::nullopt;
  for (StringRef word : opcode.drop_front(2).drop_back())
    if (word != "nc" && word != "v2" && word != "v4")
      return std::nullopt;
  StringRef type = opcode.back();
  step.isSigned = type.front() == 's';
  if (type.drop_front().getAsInteger(10, step.bits))
    return std::nullopt;
  return step;
}

std::optional<Step> decodeShuffle(ArrayRef<std::string> opcode) {
  if (opcode.size() != 4 || opcode[1] != "sync" || opcode[3] != "b32")
    return std::nullopt;
  Step step;
  step.kind = Step::Kind::Shuffle;
  constexpr std::pair<llvm::StringLiteral, Step::Mode> modes[] = {
      {"bfly", Step::Mode::Butterfly},
      {"idx", Step::Mode::Index},
      {"up", Step::Mode::Up},
      {"down", Step::Mode::Down}};
  for (const auto &[name, mode] : modes)
    if (opcode[2] == name) {
      step.mode = mode;
      return step;
    }
  return std::nullopt;
}

/// mma.sync.aligned.m16n8k16.row.col.d.a.b.c
std::optional<Step> decodeMma(ArrayRef<std::string> opcode) {
  if (opcode.size() != 10 || opcode[1] != "sync" || opcode[2] != "aligned" ||
      opcode[4] != "row" || opcode[5] != "col" || opcode[6] != opcode[9] ||
      opcode[7] != opcode[8])
    return std::nullopt;
  Step step;
  step.kind = Step::Kind::Mma;
  step.k = opcode[3] == "m16n8k16" ? 16 : opcode[3] == "m16n8k8" ? 8 : 0;
  step.multiplicand = opcode[7] == "bf16" ? bfloat : half;
  step.accumulator = opcode[6] == "f16" ? half : single;
  bool known =
      (opcode[6] == "f32" && opcode[7] == "bf16") ||
      ((opcode[6] == "f32" || opcode[6] == "f16") && opcode[7] == "f16");
  return step.k && known ? std::optional(step) : std::nullopt;
}

} // namespace

std::optional<Step> decode(const Instruction &instruction) {
  ArrayRef<std::string> opcode = instruction.opcode;
  StringRef root = opcode[0];
  Step step;
  if (root == "ld" || root == "st")
    return decodeMemory(opcode);
  if (root == "shfl")
    return decodeShuffle(opcode);
  if (root == "mma")
    return decodeMma(opcode);
  if (root == "mov" && opcode.size() == 2) {
    step.kind = Step::Kind::Move;
    bool isPredicate = opcode[1] == "pred";
    step.bits = 1;
    if (!isPredicate &&
        StringRef(opcode[1]).drop_front().getAsInteger(10, step.bits))
      return std::nullopt;
    return step;
  }
  if (root == "bra" && (opcode.size() == 1 || opcode[1] == "uni")) {
    step.kind = Step::Kind::Branch;
    return step;
  }
  if (root == "ret" || root == "exit") {
    step.kind = Step::Kind::Exit;
    return step;
  }
  if ((root == "bar" || root == "barrier") && opcode.size() > 1 &&
      opcode[1 + (opcode[1] == "cta")] == "sync" &&
      instruction.operands.size() == 1 && instruction.operands[0].value == 0) {
    step.kind = Step::Kind::Barrier;
    return step;
  }
  if (root == "cvta" && llvm::is_contained(opcode, "global")) {
    step.kind = Step::Kind::Cast; // generic and global addresses are the same
    return step;
  }
  if (std::optional<Arithmetic> arithmetic = decodeArithmetic(opcode))
    if (instruction.operands.size() == 1 + arithmetic->operands) {
      step.compute = std::move(arithmetic->compute);
      return step;
    }
  return std::nullopt;
}

} // namespace distaff::ptx
