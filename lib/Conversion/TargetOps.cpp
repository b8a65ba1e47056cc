//===- TargetOps.cpp - Target instructions besides MMA --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Layout/PlaceMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;

/// Returns the registers of an issue, as scalars: LLVM has no vectors of two
/// dims.
static SmallVector<Value> registersOf(OpBuilder &b, Value issue) {
  if (auto made = issue.getDefiningOp<vector::FromElementsOp>())
    return SmallVector<Value>(made.getElements());
  auto type = cast<VectorType>(issue.getType());
  if (auto alike = issue.getDefiningOp<vector::BroadcastOp>();
      alike && alike.getSourceType() == type.getElementType())
    return SmallVector<Value>(type.getNumElements(), alike.getSource());
  Location loc = issue.getLoc();
  if (DenseElementsAttr constant; matchPattern(issue, m_Constant(&constant)))
    return llvm::map_to_vector(
        constant.getValues<TypedAttr>(), [&](TypedAttr value) -> Value {
          return arith::ConstantOp::create(b, loc, value);
        });
  return SmallVector<Value>(
      vector::ToElementsOp::create(b, loc, issue).getElements());
}

/// Packs two registers of 16 bits into a word.
static Value wordOf(OpBuilder &b, Location loc, ValueRange registers) {
  int64_t count = registers.size();
  Value row = vector::FromElementsOp::create(
      b, loc, VectorType::get({count}, registers.front().getType()), registers);
  Value word = vector::BitCastOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()), row);
  return vector::ExtractOp::create(b, loc, word, ArrayRef<int64_t>{0});
}

static SmallVector<Value> partsOf(OpBuilder &b, Location loc, Value word,
                                  VectorType type) {
  Value row = vector::FromElementsOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()), word);
  auto flat = VectorType::get({type.getNumElements()}, type.getElementType());
  Value pair = vector::BitCastOp::create(b, loc, flat, row);
  return SmallVector<Value>(
      vector::ToElementsOp::create(b, loc, pair).getElements());
}

static SmallVector<Value> emitMovMatrix(OpBuilder &b, core::TargetOpOp op) {
  Location loc = op.getLoc();
  Value word = wordOf(b, loc, registersOf(b, op.getInputs().front()));
  // All lanes take part: the instruction must not move.
  Value moved = LLVM::InlineAsmOp::create(
                    b, loc, b.getI32Type(), word,
                    "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r",
                    /*has_side_effects=*/true, /*is_align_stack=*/false,
                    LLVM::TailCallKind::None,
                    /*asm_dialect=*/LLVM::AsmDialectAttr(),
                    /*operand_attrs=*/ArrayAttr())
                    .getResult(0);
  return partsOf(b, loc, moved, op.getResult().getType());
}

/// Returns the words of an issue, of two elements each if they have 16 bits.
static SmallVector<Value> wordsOf(OpBuilder &b, Location loc,
                                  ArrayRef<Value> registers) {
  unsigned perWord = 32 / registers.front().getType().getIntOrFloatBitWidth();
  SmallVector<Value> words;
  for (size_t i = 0; i < registers.size(); i += perWord)
    words.push_back(perWord == 1 ? arith::BitcastOp::create(
                                       b, loc, b.getI32Type(), registers[i])
                                       .getResult()
                                 : wordOf(b, loc, registers.slice(i, perWord)));
  return words;
}

/// Returns the swaps of a row, by the lanes of a group.
static SmallVector<int64_t, 2> swapsOf(TargetOpEmitter emitter) {
  switch (emitter) {
  case TargetOpEmitter::RocdlSwap16:
    return {16};
  case TargetOpEmitter::RocdlSwap32:
    return {32};
  case TargetOpEmitter::RocdlSwap32Then16:
    return {32, 16};
  case TargetOpEmitter::RocdlSwap16Then32:
    return {16, 32};
  default:
    return {};
  }
}

/// Returns the registers of an issue with the given words.
static SmallVector<Value> registersOfWords(OpBuilder &b, core::TargetOpOp op,
                                           ArrayRef<Value> words) {
  Location loc = op.getLoc();
  Type element = op.getResult().getType().getElementType();
  int64_t perWord = 32 / element.getIntOrFloatBitWidth();
  auto parts = VectorType::get({perWord}, element);
  SmallVector<Value> registers;
  for (Value value : words)
    if (perWord == 1)
      registers.push_back(arith::BitcastOp::create(b, loc, element, value));
    else
      llvm::append_range(registers, partsOf(b, loc, value, parts));
  return registers;
}

/// Swaps groups of lanes of the two words of an issue.
static SmallVector<Value> emitSwaps(OpBuilder &b, core::TargetOpOp op,
                                    TargetOpEmitter emitter) {
  Location loc = op.getLoc();
  SmallVector<Value> words =
      wordsOf(b, loc, registersOf(b, op.getInputs().front()));
  Type word = b.getI32Type();
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {word, word});
  for (int64_t width : swapsOf(emitter)) {
    Value both =
        width == 16
            ? ROCDL::Permlane16SwapOp::create(b, loc, pair, words[0], words[1],
                                              /*fi=*/false,
                                              /*boundControl=*/false)
                  .getRes()
            : ROCDL::Permlane32SwapOp::create(b, loc, pair, words[0], words[1],
                                              /*fi=*/false,
                                              /*boundControl=*/false)
                  .getRes();
    for (auto [number, value] : llvm::enumerate(words))
      value = LLVM::ExtractValueOp::create(b, loc, both, int64_t(number));
  }
  return registersOfWords(b, op, words);
}

/// Returns the lane of its row that each lane of 16 takes its register from.
static SmallVector<int64_t> sourceLanes(const TargetOp &row) {
  PlaceMap map = *PlaceMap::get(row.operandPlaces.front(), row.resultPlaces,
                                row.subgroupSize);
  SmallVector<int64_t> sources;
  for (int64_t lane = 0; lane < 16; ++lane)
    sources.push_back(map.inverse().to({.lane = lane}).lane);
  return sources;
}

static Value wordConstant(OpBuilder &b, Location loc, uint32_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), int32_t(value));
}

/// Permutes within four lanes.
static Value emitQuadPerm(OpBuilder &b, Location loc, Value word,
                          ArrayRef<int64_t> sources) {
  constexpr int64_t all = 0xF;
  int64_t control = 0;
  for (int64_t lane = 0; lane < 4; ++lane)
    control |= sources[lane] << (2 * lane);
  return ROCDL::DPPUpdateOp::create(b, loc, word.getType(), word, word, control,
                                    /*rowMask=*/all, /*bankMask=*/all,
                                    /*boundControl=*/true);
}

/// Permutes within a row: four bits per lane select the lane that it reads.
static Value emitPermlane16(OpBuilder &b, Location loc, Value word,
                            ArrayRef<int64_t> sources) {
  uint32_t selectors[2] = {0, 0};
  for (auto [lane, source] : llvm::enumerate(sources))
    selectors[lane / 8] |= uint32_t(source) << 4 * (lane % 8);
  auto flag = [&](bool value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI1Type(),
                                    b.getBoolAttr(value));
  };
  Value operands[] = {word,
                      word,
                      wordConstant(b, loc, selectors[0]),
                      wordConstant(b, loc, selectors[1]),
                      /*fetchInactive=*/flag(false),
                      /*boundControl=*/flag(true)};
  return LLVM::CallIntrinsicOp::create(
             b, loc, word.getType(),
             b.getStringAttr("llvm.amdgcn.permlane16.i32"), operands)
      .getResult(0);
}

/// Permutes each word of an issue among the lanes of their row.
static SmallVector<Value> emitLanePermutation(OpBuilder &b, core::TargetOpOp op,
                                              const TargetOp &row) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sources = sourceLanes(row);
  SmallVector<Value> words =
      wordsOf(b, loc, registersOf(b, op.getInputs().front()));
  for (Value &word : words)
    word = row.emitter == TargetOpEmitter::RocdlQuadPerm
               ? emitQuadPerm(b, loc, word, sources)
               : emitPermlane16(b, loc, word, sources);
  return registersOfWords(b, op, words);
}

static SmallVector<Value> emitIssue(OpBuilder &b, core::TargetOpOp op,
                                    const TargetOp &row) {
  switch (row.emitter) {
  case TargetOpEmitter::PtxMovMatrix:
    return emitMovMatrix(b, op);
  case TargetOpEmitter::RocdlQuadPerm:
  case TargetOpEmitter::RocdlPermlane16:
    return emitLanePermutation(b, op, row);
  default:
    return emitSwaps(b, op, row.emitter);
  }
}

/// Replaces the extracted elements of a result by its registers.
static void replaceResult(OpBuilder &b, core::TargetOpOp op,
                          ArrayRef<Value> registers) {
  for (Operation *user : llvm::make_early_inc_range(op.getResult().getUsers()))
    if (auto parts = dyn_cast<vector::ToElementsOp>(user)) {
      parts->replaceAllUsesWith(registers);
      parts.erase();
    }
  if (!op.getResult().use_empty())
    op.replaceAllUsesWith(
        vector::FromElementsOp::create(b, op.getLoc(), op.getResult().getType(),
                                       registers)
            .getResult());
  SmallVector<Value> inputs(op.getInputs());
  op.erase();
  for (Value input : inputs)
    if (Operation *made = input.getDefiningOp();
        made && isOpTriviallyDead(made))
      made->erase();
}

LogicalResult distaff::lowerTargetOps(func::FuncOp kernel,
                                      const Target &target) {
  SmallVector<core::TargetOpOp> ops;
  kernel.walk([&](core::TargetOpOp op) { ops.push_back(op); });
  for (core::TargetOpOp op : ops) {
    const TargetOp *row = target.findOp(op.getKind().getName());
    if (!row)
      return op.emitOpError("needs ") << op.getKind().getName() << ", which "
                                      << target.name << " does not have";
    if (op.getIssues() != 1)
      return op.emitOpError("has more than one issue; lower-vectors unrolls "
                            "it");
    if (row->emitter == TargetOpEmitter::None)
      return op.emitOpError("needs ")
             << row->name << ", which nothing emits; the row of " << target.name
             << " names no emitter";
    OpBuilder builder(op);
    replaceResult(builder, op, emitIssue(builder, op, *row));
  }
  return success();
}
