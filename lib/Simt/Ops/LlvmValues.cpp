//===- LlvmValues.cpp - llvm operations that move values ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of them emit no instruction: a field of a struct and an element of a
// vector are existing registers and get another name, and a vector that is
// built element by element is one register.
//
//===----------------------------------------------------------------------===//
#include "../Translate/OpRegistry.h"
#include "LlvmTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

std::optional<int64_t> simt::bytesOf(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    std::optional<int64_t> each = bytesOf(array.getElementType());
    if (each)
      *each *= array.getNumElements();
    return each;
  }
  std::optional<Kind> kind = Kind::of(type);
  if (!kind)
    return std::nullopt;
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return kind->bytes();
  if (vector.isScalable() || kind->width != 8 * kind->bytes())
    return std::nullopt;
  return int64_t(llvm::PowerOf2Ceil(vector.getNumElements() * kind->bytes()));
}

std::optional<ArrayOfNumbers> simt::arrayOfNumbers(Type type) {
  ArrayOfNumbers array;
  std::optional<int64_t> bytes = bytesOf(type);
  if (!bytes)
    return std::nullopt;
  array.bytes = *bytes;
  Type element = type;
  while (auto outer = dyn_cast<LLVM::LLVMArrayType>(element))
    element = outer.getElementType();
  array.alignment = *bytesOf(element);
  while (auto outer = dyn_cast<LLVM::LLVMArrayType>(type)) {
    array.shape.push_back(outer.getNumElements());
    type = outer.getElementType();
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    array.shape.append(vector.getShape().begin(), vector.getShape().end());
    type = vector.getElementType();
  }
  std::optional<Kind> kind = Kind::of(type);
  if (!kind || isa<ShapedType>(type))
    return std::nullopt;
  array.kind = *kind;
  return array;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static std::optional<uint64_t> scalarPattern(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().bitcastToAPInt().getZExtValue();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue().getZExtValue();
  return std::nullopt;
}

/// Returns the bit pattern of each element, or one for all if they are equal.
static std::optional<SmallVector<uint64_t>> patternsOf(Attribute value) {
  if (std::optional<uint64_t> pattern = scalarPattern(value))
    return SmallVector<uint64_t>{*pattern};
  SmallVector<uint64_t> patterns;
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  auto append = [&](const auto &values) {
    for (const auto &element : values) {
      if constexpr (std::is_same_v<std::decay_t<decltype(element)>, APFloat>)
        patterns.push_back(element.bitcastToAPInt().getZExtValue());
      else
        patterns.push_back(element.getZExtValue());
      if (dense.isSplat())
        break;
    }
  };
  if (isa<FloatType>(dense.getElementType()))
    append(dense.getValues<APFloat>());
  else
    append(dense.getValues<APInt>());
  return patterns;
}

/// Translates a constant of two registers: the shift amount of a product.
static LogicalResult translateWideConstant(LLVM::ConstantOp op, Translator &t) {
  SmallVector<APInt> values;
  if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
    values.push_back(number.getValue());
  else if (auto dense = dyn_cast<DenseIntElementsAttr>(op.getValue()))
    values.assign(dense.value_begin<APInt>(), dense.value_end<APInt>());
  else
    return t.notModelled(op, "a constant of this type");
  SmallVector<Reg> halves = t.parts(t.reg(op.getResult()));
  for (auto [e, value] : llvm::enumerate(values)) {
    APInt wide = value.sext(128);
    t.setConstant(halves.front(), e, wide.extractBitsAsZExtValue(64, 0));
    t.setConstant(halves.back(), e, wide.extractBitsAsZExtValue(64, 64));
  }
  return success();
}

static LogicalResult translateLlvmConstant(LLVM::ConstantOp op, Translator &t) {
  if (isWideInteger(op.getType()))
    return translateWideConstant(op, t);
  std::optional<Kind> kind = Kind::of(op.getType());
  std::optional<SmallVector<uint64_t>> patterns = patternsOf(op.getValue());
  if (!kind || !patterns)
    return t.notModelled(op, "a constant of this type");
  if (!isa<VectorType>(op.getType())) {
    t.bind(op.getResult(), t.constant(*kind, patterns->front()));
    return success();
  }
  Reg r = t.reg(op.getResult());
  for (int64_t e = 0; e < r.elements; ++e)
    t.setConstant(r, e, (*patterns)[patterns->size() == 1 ? 0 : e]);
  return success();
}

/// Translates undefined values to an unlikely one: a NaN, or a large odd
/// number.
static LogicalResult translateUndefined(Operation *op, Translator &t) {
  for (Reg part : t.parts(t.reg(op->getResult(0)))) {
    uint64_t bits = part.kind.isFloat ? ~uint64_t(0) : 0x5BADBADBADBADBAD;
    bits &= ~uint64_t(0) >> (64 - part.kind.width);
    for (int64_t e = 0; e < part.elements; ++e)
      t.setConstant(part, e, bits);
  }
  return success();
}

static LogicalResult translateZero(LLVM::ZeroOp op, Translator &t) {
  for (Reg part : t.parts(t.reg(op.getResult())))
    for (int64_t e = 0; e < part.elements; ++e)
      t.setConstant(part, e, 0);
  return success();
}

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

/// Returns the number of registers of a value.
static size_t numParts(Type type) {
  size_t count = 0;
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
    for (Type field : structure.getBody())
      count += numParts(field);
    return count;
  }
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return array.getNumElements() * numParts(array.getElementType());
  return 1;
}

/// Returns the first register of a field, and the number of its registers.
static std::pair<size_t, size_t> partsAt(Type type,
                                         ArrayRef<int64_t> position) {
  size_t first = 0;
  for (int64_t index : position) {
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
      type = array.getElementType();
      first += index * numParts(type);
      continue;
    }
    ArrayRef<Type> fields = cast<LLVM::LLVMStructType>(type).getBody();
    for (Type field : fields.take_front(index))
      first += numParts(field);
    type = fields[index];
  }
  return {first, numParts(type)};
}

static LogicalResult translateExtractValue(LLVM::ExtractValueOp op,
                                           Translator &t) {
  SmallVector<Reg> parts = t.parts(t.reg(op.getContainer()));
  auto [first, count] = partsAt(op.getContainer().getType(), op.getPosition());
  ArrayRef<Reg> taken = ArrayRef(parts).slice(first, count);
  bool isField = numParts(op.getType()) == 1 &&
                 !isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(op.getType());
  t.bind(op.getResult(), isField ? taken.front() : t.aggregate(taken));
  return success();
}

static LogicalResult translateInsertValue(LLVM::InsertValueOp op,
                                          Translator &t) {
  SmallVector<Reg> parts = t.parts(t.reg(op.getContainer())),
                   inserted = t.parts(t.reg(op.getValue()));
  auto [first, count] = partsAt(op.getContainer().getType(), op.getPosition());
  std::copy_n(inserted.begin(), count, parts.begin() + first);
  t.bind(op.getResult(), t.aggregate(parts));
  return success();
}

static LogicalResult translateFreeze(LLVM::FreezeOp op, Translator &t) {
  t.bind(op.getResult(), t.reg(op.getVal()));
  return success();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Returns one element of a vector, as a register of its own.
static Reg elementOf(Reg vector, int64_t element, const Translator &t) {
  vector.location += uint32_t(element * t.lanes() * vector.cellBytes);
  vector.elements = 1;
  return vector;
}

static LogicalResult translateExtractElement(LLVM::ExtractElementOp op,
                                             Translator &t) {
  Reg vector = t.reg(op.getVector());
  std::optional<int64_t> constant =
      Translator::constantInteger(op.getPosition());
  if (constant) {
    if (*constant < 0 || *constant >= vector.elements)
      return t.notModelled(op, "an element that the vector does not have");
    Reg element = elementOf(vector, *constant, t);
    t.passMarks(op, element);
    t.bind(op.getResult(), element);
    return success();
  }
  Reg position = t.reg(op.getPosition()), r = t.reg(op.getResult());
  t.passMarks(op, r);
  t.emit(op, [=](Agent &agent) {
    agent.noteIfUndecided(op, position);
    forEachLane(agent.mask(), [&](int64_t l) {
      int64_t at = agent.integer(position, l);
      if (at >= 0 && at < vector.elements)
        std::memcpy(agent.cellsAs<uint8_t>(r, l, 0),
                    agent.cellsAs<uint8_t>(vector, l, at), r.cellBytes);
    });
  });
  return success();
}

/// Returns whether a vector has no other reader, so that it may be changed in
/// place.
static bool isOwn(LLVM::InsertElementOp op) {
  auto from = op.getVector().getDefiningOp<LLVM::InsertElementOp>();
  return from && from->hasOneUse() && from->getBlock() == op->getBlock();
}

static LogicalResult translateInsertElement(LLVM::InsertElementOp op,
                                            Translator &t) {
  Reg vector = t.reg(op.getVector()), value = t.reg(op.getValue());
  if (isOwn(op))
    t.bind(op.getResult(), vector);
  Reg r = t.reg(op.getResult());
  std::optional<int64_t> constant =
      Translator::constantInteger(op.getPosition());
  bool copies = r.location != vector.location;
  if (constant && (*constant < 0 || *constant >= r.elements))
    return t.notModelled(op, "an element that the vector does not have");
  if (constant) {
    Reg element = elementOf(r, *constant, t);
    t.emit(op, [=](Agent &agent) {
      if (copies)
        agent.copy(vector, r);
      agent.copy(value, element);
    });
    t.passMarks(op, r);
    return success();
  }
  Reg position = t.reg(op.getPosition());
  t.emit(op, [=](Agent &agent) {
    if (copies)
      agent.copy(vector, r);
    agent.noteIfUndecided(op, position);
    forEachLane(agent.mask(), [&](int64_t l) {
      int64_t at = agent.integer(position, l);
      if (at >= 0 && at < r.elements)
        std::memcpy(agent.cellsAs<uint8_t>(r, l, at),
                    agent.cellsAs<uint8_t>(value, l, 0), r.cellBytes);
    });
  });
  t.passMarks(op, r);
  return success();
}

static LogicalResult translateShuffle(LLVM::ShuffleVectorOp op, Translator &t) {
  Reg a = t.reg(op.getV1()), b = t.reg(op.getV2()), r = t.reg(op.getResult());
  SmallVector<int64_t> origins(op.getMask().begin(), op.getMask().end());
  int64_t step = t.lanes() * r.cellBytes;
  t.passMarks(op, r);
  t.emit(op, [=](Agent &agent) {
    for (auto [e, origin] : llvm::enumerate(origins)) {
      if (origin < 0) // poison
        continue;
      bool isFirst = origin < a.elements;
      const uint8_t *from = agent.cells(isFirst ? a : b) +
                            (isFirst ? origin : origin - a.elements) * step;
      std::memcpy(agent.cells(r) + e * step, from, step);
    }
  });
  return success();
}

/// Translates llvm.vector.reverse, which has no op.
static LogicalResult translateReverse(Operation *op, Translator &t) {
  Reg a = t.reg(op->getOperand(0)), r = t.reg(op->getResult(0));
  int64_t step = t.lanes() * r.cellBytes;
  t.emit(op, [=](Agent &agent) {
    for (int64_t e = 0; e < r.elements; ++e)
      std::memcpy(agent.cells(r) + e * step,
                  agent.cells(a) + (r.elements - 1 - e) * step, step);
  });
  return success();
}

static LogicalResult translateBitcast(LLVM::BitcastOp op, Translator &t) {
  Reg a = t.reg(op.getArg()), r = t.reg(op.getResult());
  if (a.kind == r.kind && a.elements == r.elements) {
    t.copy(op, a, r);
    return success();
  }
  Regroup regroup = t.domain().bitcast(a.kind, r.kind);
  if (!regroup)
    return t.notModelled(op, "a bitcast in this domain");
  t.emit(op, [=](Agent &agent) {
    regroup(agent.lanes(), a.elements, agent.cells(a), r.elements,
            agent.cells(r));
  });
  return success();
}

/// Emits the choice of every field of a struct by one condition.
static LogicalResult selectParts(LLVM::SelectOp op, Reg condition,
                                 ArrayRef<Reg> ifTrue, ArrayRef<Reg> ifFalse,
                                 ArrayRef<Reg> results, Translator &t) {
  for (auto [yes, no, part] : llvm::zip_equal(ifTrue, ifFalse, results)) {
    Ternary select = t.domain().select(part.kind);
    if (!select)
      return t.notModelled(op, "select of this type");
    int64_t step = t.lanes() * part.cellBytes;
    t.emit(op, [=, yes = yes, no = no, part = part](Agent &agent) {
      for (int64_t e = 0; e < part.elements; ++e)
        select(agent.lanes(), agent.cells(condition),
               agent.cells(yes) + e * step, agent.cells(no) + e * step,
               agent.cells(part) + e * step);
    });
  }
  return success();
}

static LogicalResult translateSelect(LLVM::SelectOp op, Translator &t) {
  Reg condition = t.reg(op.getCondition()), r = t.reg(op.getResult());
  Reg ifTrue = t.reg(op.getTrueValue()), ifFalse = t.reg(op.getFalseValue());
  if (!r.isAggregate() && condition.elements == r.elements)
    if (Ternary select = t.domain().select(r.kind))
      return t.elementwise(op, select);
  return selectParts(op, condition, t.parts(ifTrue), t.parts(ifFalse),
                     t.parts(r), t);
}

void distaff::simt::registerLlvmValues(OpRegistry &registry) {
  registry.add<LLVM::ConstantOp>(translateLlvmConstant);
  registry.add(LLVM::UndefOp::getOperationName(), translateUndefined);
  registry.add(LLVM::PoisonOp::getOperationName(), translateUndefined);
  registry.add<LLVM::ZeroOp>(translateZero);
  registry.add<LLVM::ExtractValueOp>(translateExtractValue);
  registry.add<LLVM::InsertValueOp>(translateInsertValue);
  registry.add<LLVM::FreezeOp>(translateFreeze);
  registry.add<LLVM::ExtractElementOp>(translateExtractElement);
  registry.add<LLVM::InsertElementOp>(translateInsertElement);
  registry.add<LLVM::ShuffleVectorOp>(translateShuffle);
  registry.add<LLVM::BitcastOp>(translateBitcast);
  registry.addByOperands("llvm.intr.vector.reverse", translateReverse);
  registry.add<LLVM::SelectOp>(translateSelect);
}
