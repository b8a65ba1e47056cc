//===- LowerVectors.cpp - One scalar value per register -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the traversal, the elementwise rule, and the pass.
// ScalarRegisters.h explains the design.
//
//===----------------------------------------------------------------------===//
#include "Pieces.h"
#include "ScalarRegisters.h"
#include "distaff/Analysis/Legality/CpuInstructions.h"
#include "distaff/Analysis/Legality/ScalableVectors.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringExtras.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERVECTORS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::registers;

void registers::forEachIndex(
    ArrayRef<int64_t> shape,
    llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> visit) {
  int64_t count = ShapedType::getNumElements(shape);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t position = 0; position < count; ++position) {
    visit(position, index);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

int64_t registers::linearIndex(ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [extent, digit] : llvm::zip_equal(shape, index))
    position = position * extent + digit;
  return position;
}

//===----------------------------------------------------------------------===//
// Register lists
//===----------------------------------------------------------------------===//

SmallVector<int64_t> Lowering::widthsOf(int64_t extent) const {
  SmallVector<int64_t> widths(extent / width, width);
  if (int64_t rest = extent % width)
    widths.push_back(rest);
  return widths;
}

Type Lowering::pieceType(Type element, int64_t width) {
  return width == 1 ? element : VectorType::get({width}, element);
}

SmallVector<Type> Lowering::pieceTypes(TypeRange types) const {
  SmallVector<Type> result;
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector) {
      result.push_back(type);
      continue;
    }
    int64_t extent = vector.getRank() ? vector.getShape().back() : 1;
    SmallVector<int64_t> widths = widthsOf(extent);
    for (int64_t row = 0; row < vector.getNumElements(); row += extent)
      for (int64_t each : widths)
        result.push_back(pieceType(vector.getElementType(), each));
  }
  return result;
}

OpBuilder Lowering::behind(Value value, ArrayRef<Value> registers) {
  // The old op stays until the end, after its replacements.
  if (Operation *op = value.getDefiningOp())
    return OpBuilder(op);
  Operation *last = nullptr;
  for (Value each : registers)
    if (Operation *op = each.getDefiningOp();
        op && (!last || last->isBeforeInBlock(op)))
      last = op;
  OpBuilder b(function.getContext());
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(Value(registers.front()).getParentBlock());
  return b;
}

ArrayRef<Value> Lowering::elements(Value value) {
  auto [it, isNew] = elementLists.try_emplace(value);
  SmallVector<Value, 0> &list = it->second;
  if (!isNew)
    return list;
  if (!isa<VectorType>(value.getType())) {
    list = {value};
    return list;
  }
  if (passed.contains(value))
    (void)pieces(value);
  auto rows = pieceLists.find(value);
  auto flat = flatLists.find(value);
  assert((rows != pieceLists.end() || flat != flatLists.end()) &&
         "operands are lowered first");
  ArrayRef<Value> known =
      rows != pieceLists.end() ? rows->second : flat->second;
  OpBuilder b = behind(value, known);
  for (Value piece : known) {
    if (!isa<VectorType>(piece.getType())) {
      list.push_back(piece);
      continue;
    }
    auto parts = vector::ToElementsOp::create(b, value.getLoc(), piece);
    llvm::append_range(list, parts.getElements());
  }
  return list;
}

void Lowering::setElements(Value vector, ArrayRef<Value> elements) {
  if (auto type = dyn_cast<VectorType>(vector.getType())) {
    assert(type.getNumElements() == int64_t(elements.size()) &&
           "one value per element");
    elementLists[vector].assign(elements.begin(), elements.end());
    return;
  }
  vector.replaceAllUsesWith(elements.front());
  // A scalar that was read before its replacement may be in no list: the users
  // of a result come after its op.
  elementLists[vector] = {elements.front()};
}

ArrayRef<Value> Lowering::pieces(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || width == 1)
    return elements(value);
  auto [it, isNew] = pieceLists.try_emplace(value);
  SmallVector<Value, 0> &list = it->second;
  if (!isNew)
    return list;
  if (Value whole = passed.lookup(value)) {
    OpBuilder b = behind(value, whole);
    list.assign(regroup(whole, pieceTypes(vector), b));
    return list;
  }
  if (auto flat = flatLists.find(value); flat != flatLists.end()) {
    OpBuilder b = behind(value, flat->second);
    list.assign(regroup(flat->second, pieceTypes(vector), b));
    return list;
  }
  auto known = elementLists.find(value);
  assert(known != elementLists.end() && "operands are lowered first");
  ArrayRef<Value> rest = known->second;
  OpBuilder b = behind(value, rest);
  for (Type type : pieceTypes(vector)) {
    auto piece = dyn_cast<VectorType>(type);
    int64_t count = piece ? piece.getNumElements() : 1;
    list.push_back(piece ? vector::FromElementsOp::create(
                               b, value.getLoc(), piece, rest.take_front(count))
                         : rest.front());
    rest = rest.drop_front(count);
  }
  return list;
}

SmallVector<Value> Lowering::pieces(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    llvm::append_range(result, pieces(value));
  return result;
}

void Lowering::setPieces(Value vector, ArrayRef<Value> pieces) {
  if (!isa<VectorType>(vector.getType()) || width == 1)
    return setElements(vector, pieces);
  assert(pieceTypes(vector.getType()).size() == pieces.size() &&
         "one value per piece");
  pieceLists[vector].assign(pieces.begin(), pieces.end());
}

bool Lowering::isCutAnew(Type type) const {
  auto vector = dyn_cast<VectorType>(type);
  return isFlattened && vector && vector.getRank() > 1 &&
         vector.getShape().back() % width != 0;
}

SmallVector<Type> Lowering::flatTypes(TypeRange types) const {
  SmallVector<Type> result;
  for (Type type : types) {
    Type flat = type;
    if (isCutAnew(type))
      flat = VectorType::get(cast<VectorType>(type).getNumElements(),
                             getElementTypeOrSelf(type));
    llvm::append_range(result, pieceTypes(flat));
  }
  return result;
}

ArrayRef<Value> Lowering::flatPieces(Value value) {
  if (!isCutAnew(value.getType()))
    return pieces(value);
  if (auto known = flatLists.find(value); known != flatLists.end())
    return known->second;
  SmallVector<Type> types = flatTypes(value.getType());
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat()) {
    SmallVector<Value, 0> &list = flatLists[value];
    for (Type type : types) {
      Attribute element = splat.getSplatValue<Attribute>();
      auto piece = dyn_cast<VectorType>(type);
      list.push_back(constant(cast<TypedAttr>(
          piece ? DenseElementsAttr::get(piece, element) : element)));
    }
    return list;
  }
  SmallVector<Value> rows(pieces(value)); // while there are no other lists
  OpBuilder b = behind(value, rows);
  return flatLists[value] = regroup(rows, types, b);
}

SmallVector<Value> Lowering::flatPieces(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    llvm::append_range(result, flatPieces(value));
  return result;
}

void Lowering::setFlatPieces(Value vector, ArrayRef<Value> pieces) {
  if (!isCutAnew(vector.getType()))
    return setPieces(vector, pieces);
  flatLists[vector].assign(pieces.begin(), pieces.end());
}

Value Lowering::constant(TypedAttr attribute) {
  Value &value = constants[attribute];
  if (!value) {
    OpBuilder atEntry = OpBuilder::atBlockBegin(&function.front());
    value = arith::ConstantOp::create(atEntry, function.getLoc(), attribute);
  }
  return value;
}

Value Lowering::offset(Value base, int64_t by) {
  if (by == 0)
    return base;
  return builder.createOrFold<arith::AddIOp>(base.getLoc(), base, index(by));
}

//===----------------------------------------------------------------------===//
// Traversal
//===----------------------------------------------------------------------===//

static bool isVector(Type type) { return isa<VectorType>(type); }

static bool touchesVectors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

LogicalResult Lowering::run() {
  if (llvm::any_of(function.getArgumentTypes(), isVector) ||
      llvm::any_of(function.getResultTypes(), isVector)) {
    if (!target.isHost() || function.isPublic())
      return function.emitOpError("has vector arguments or results; a kernel "
                                  "takes and returns them through memory");
    if (failed(flattenSignature()))
      return failure();
  }
  if (failed(lowerRegion(function.getFunctionBody())))
    return failure();
  for (Operation *op : llvm::reverse(lowered))
    op->erase();
  for (auto [block, count] : replacedArguments)
    block->eraseArguments(0, count);
  return success();
}

/// Returns the type of an argument or a result: one vector, for any rank.
Type registers::passedAs(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return type;
  return Lowering::pieceType(vector.getElementType(), vector.getNumElements());
}

LogicalResult registers::verifyPassed(Operation *op, TypeRange types) {
  for (Type type : types)
    if (auto vector = dyn_cast<VectorType>(type);
        vector && vector.getNumElements() > mostFlattened)
      return op->emitOpError("takes or returns ")
             << vector << ", and vectors are passed of at most "
             << mostFlattened << " elements; pass it through memory";
  return success();
}

LogicalResult registers::flattenTypes(FunctionOpInterface function) {
  ArrayRef<Type> arguments = function.getArgumentTypes(),
                 results = function.getResultTypes();
  if (failed(verifyPassed(function, arguments)) ||
      failed(verifyPassed(function, results)))
    return failure();
  function.setType(FunctionType::get(function.getContext(),
                                     llvm::map_to_vector(arguments, passedAs),
                                     llvm::map_to_vector(results, passedAs)));
  return success();
}

LogicalResult Lowering::flattenSignature() {
  if (failed(flattenTypes(function)))
    return failure();
  Block &entry = function.front();
  SmallVector<BlockArgument> old(entry.getArguments());
  for (BlockArgument argument : old) {
    Value whole =
        entry.addArgument(passedAs(argument.getType()), argument.getLoc());
    if (isVector(argument.getType()))
      passed[argument] = whole; // split on first use
    else
      argument.replaceAllUsesWith(whole);
  }
  replacedArguments.push_back({&entry, old.size()});
  return success();
}

/// Returns the blocks of a region: a block's dominators come before it, and
/// unreachable blocks come last.
static llvm::SetVector<Block *> sortBlocks(Region &region) {
  llvm::SetVector<Block *> blocks;
  if (!region.empty())
    blocks.insert_range(
        llvm::ReversePostOrderTraversal<Block *>(&region.front()));
  blocks.insert_range(llvm::make_pointer_range(region));
  return blocks;
}

LogicalResult Lowering::lowerRegion(Region &region) {
  for (Block &block : llvm::drop_begin(region, !region.empty()))
    flattenArguments(block);
  for (Block *block : sortBlocks(region)) {
    SmallVector<Operation *> ops =
        llvm::map_to_vector(*block, [](Operation &op) { return &op; });
    for (Operation *op : ops)
      if (failed(lowerOp(op)))
        return failure();
  }
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op) {
  if (failed(checkFixedSizes(op, target)))
    return failure();
  if (!touchesVectors(op) && !isMatrixInstruction(op)) {
    for (Region &region : op->getRegions())
      if (failed(lowerRegion(region)))
        return failure();
    return success();
  }
  builder.setInsertionPoint(op);
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    lowerBranch(branch);
    return success();
  }
  // Recorded before the rule, so that ops of a region are erased before its op.
  lowered.push_back(op);
  if (const Rule *rule = rules.lookup(op))
    return (*rule)(op, *this);
  if (OpTrait::hasElementwiseMappableTraits(op))
    return lowerElementwise(op);
  if (target.isHost() && isCpuInstruction(op))
    return lowerCpuInstruction(op, *this);
  return op->emitOpError("has no lowering to registers");
}

Operation *Lowering::recreate(Operation *op, TypeRange types,
                              ValueRange operands) {
  return builder.insert(Operation::create(
      op->getLoc(), op->getName(), types, operands,
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      /*successors=*/{}, /*numRegions=*/0));
}

LogicalResult Lowering::lowerElementwise(Operation *op) {
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.emplace_back(flatPieces(operand));

  SmallVector<SmallVector<Type>> types;
  for (Type type : op->getResultTypes())
    types.push_back(flatTypes(type));
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (size_t i = 0; i < types.front().size(); ++i) {
    SmallVector<Value> parts;
    for (auto [operand, list] : llvm::zip_equal(op->getOperands(), operands))
      parts.push_back(isVector(operand.getType()) ? list[i] : list.front());
    Operation *part = recreate(
        op,
        llvm::map_to_vector(types, [&](const auto &list) { return list[i]; }),
        parts);
    for (auto [list, value] : llvm::zip_equal(results, part->getResults()))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip_equal(op->getResults(), results))
    setFlatPieces(result, list);
  return success();
}

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

const Candidate &Lowering::pick(Operation *op,
                                const core::StrategyChoice &choice,
                                ArrayRef<Candidate> candidates) const {
  StringRef asked = core::strategyAskedFor(op, choice);
  const Candidate *best = nullptr;
  for (bool anyName : {asked.empty(), true}) {
    for (const Candidate &candidate : candidates)
      if ((anyName || candidate.name == asked) &&
          (!best || candidate.cost < best->cost))
        best = &candidate;
    if (best)
      break;
  }
  return *best;
}

const Candidate &Lowering::choose(Operation *op,
                                  const core::StrategyChoice &choice,
                                  ArrayRef<Candidate> candidates) const {
  const Candidate &chosen = pick(op, choice, candidates);
  StringRef asked = core::strategyAskedFor(op, choice);
  if (log && (candidates.size() > 1 || !asked.empty()))
    recordStrategies(op->getLoc(), FunctionOpInterface(function).getName(),
                     choice, asked, chosen, candidates, *log);
  return chosen;
}

void registers::recordStrategies(Location loc, StringRef function,
                                 const core::StrategyChoice &choice,
                                 StringRef asked, const Candidate &chosen,
                                 ArrayRef<Candidate> candidates,
                                 DecisionLog &log) {
  ChoiceDecision decision;
  decision.line = lineOf(loc);
  decision.function = function.str();
  decision.subject = choice.subject.str();
  std::string reason; // recorded in place of the cost
  if (chosen.name == asked)
    reason = "as asked, cost " + llvm::itostr(chosen.cost);
  else if (!asked.empty())
    reason = ("'" + asked + "' is asked for, and not possible here").str();
  decision.chosen = {chosen.name.str(), chosen.cost, reason};
  for (const Candidate &candidate : candidates)
    if (&candidate != &chosen)
      decision.losers.push_back({candidate.name.str(), candidate.cost, ""});
  llvm::stable_sort(decision.losers,
                    [](const Alternative &a, const Alternative &b) {
                      return a.cost < b.cost;
                    });
  auto isAlike = [](const Alternative &a, const Alternative &b) {
    return a.what == b.what && a.cost == b.cost;
  };
  // A choice that one line makes many times is recorded once.
  bool isKnown = llvm::any_of(log.choices, [&](const ChoiceDecision &known) {
    return known.line == decision.line && known.function == decision.function &&
           known.subject == decision.subject &&
           isAlike(known.chosen, decision.chosen) &&
           llvm::equal(known.losers, decision.losers, isAlike);
  });
  if (!isKnown)
    log.choices.push_back(std::move(decision));
}

static RuleSet rulesOf(const Target &target) {
  RuleSet rules;
  addControlFlowRules(rules);
  addIndexedAccessRules(rules);
  addInnerTiledRules(rules);
  addMaskRules(rules);
  addMatrixInstructionRules(rules);
  addMatrixLoadRules(rules);
  addMemoryRules(rules);
  addReductionRules(rules);
  addSemiringRules(rules);
  addShapeRules(rules);
  addTargetOpRules(rules);
  if (target.isHost()) {
    addCallRules(rules);
    addChunkCompressionRules(rules);
    addChunkContractionRules(rules);
    addChunkMemoryRules(rules);
    addChunkReductionRules(rules);
    addChunkShapeRules(rules);
  }
  return rules;
}

namespace {
struct LowerVectors final : distaff::impl::LowerVectorsBase<LowerVectors> {
  using LowerVectorsBase::LowerVectorsBase;
  LowerVectors(LowerVectorsOptions options, DecisionLog *log)
      : LowerVectorsBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    FunctionOpInterface function = getOperation();
    const Target *machine = requireTarget(function->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    if (function.isExternal()) {
      // Other functions may call this one.
      if (machine->isHost() && isa<func::FuncOp>(function) &&
          failed(flattenTypes(function)))
        signalPassFailure();
      return;
    }
    if (failed(verifyLaneVectors(function, *machine)))
      return signalPassFailure();
    RuleSet rules = rulesOf(*machine);
    LegalWidth cut = machine->isHost()
                         ? chooseCut(function, rules, *machine, strictFp, log)
                         : LegalWidth();
    if (failed(Lowering(function, rules, *machine, strictFp, cut, log).run()))
      return signalPassFailure();
    function->removeAttr(core::strategiesAttributeName);
  }

  DecisionLog *log = nullptr;
};
} // namespace

std::unique_ptr<Pass> distaff::createLowerVectors(LowerVectorsOptions options,
                                                  DecisionLog *log) {
  return std::make_unique<LowerVectors>(std::move(options), log);
}
