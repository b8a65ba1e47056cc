//===- DistributeArgCompare.cpp - arg_compare (argmin/argmax) -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arg_compare finds the best value along a dim and its position. A lane carries
// a candidate: value, position, and the given index, if any. Only values that
// beat the init are candidates; of two, the later one (by position) wins if it
// beats the earlier. Where the comparator is a weak order on the values that
// beat the init, that is the result of the sequential loop over the positions,
// ties and NaN included (specification 6.4, VX-91, W27).
//
// Candidates are combined as a reduction combines values: registers, then
// lanes, then subgroups. Carrying the position makes the combination
// commutative, so every lane ends with the same bits.
//
// Any other comparator (`une`, to which a NaN is better than all and all are
// better than a NaN) compares the positions one by one (OrderedReduction.h).
//
//===----------------------------------------------------------------------===//
#include "../Exchange/BlockExchange.h"
#include "../Exchange/OrderedReduction.h"
#include "../Records.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include <map>

using namespace distaff;
using vector_ext::ArgCompareOp;

namespace {
/// A candidate; position -1 means that there is none. The index is null where
/// it follows from the position.
struct Candidate {
  Value value, position, index;
};

struct ArgComparePlan {
  ArgCompareOp op;
  const Placement *source, *result;
  int64_t dim;
  /// The source registers of each result register, by increasing position.
  SmallVector<SmallVector<int64_t>> registers;
  Reach reach;
  bool inOrder; // position by position
};

/// Emits comparisons and choices of candidates.
class Chooser {
public:
  Chooser(OpBuilder &b, ArgCompareOp op) : b(b), op(op), loc(op.getLoc()) {}

  /// Returns whether `candidate` beats `best`: clones the op's region.
  Value beats(Value candidate, Value best) {
    Block &body = op.getRegion().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), ValueRange{candidate, best});
    for (Operation &inner : body.without_terminator())
      b.clone(inner, mapping);
    return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  }

  Candidate select(Value condition, const Candidate &yes, const Candidate &no) {
    auto one = [&](Value a, Value c) -> Value {
      return a ? arith::SelectOp::create(b, loc, condition, a, c).getResult()
               : Value();
    };
    return {one(yes.value, no.value), one(yes.position, no.position),
            one(yes.index, no.index)};
  }

  Value isValid(const Candidate &candidate) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                 candidate.position,
                                 arith::ConstantIntOp::create(b, loc, 0, 32));
  }

  /// Returns the better of two, of which `later` has the larger position.
  Candidate choose(const Candidate &earlier, const Candidate &later) {
    Value none = negated(isValid(earlier));
    Value better =
        arith::OrIOp::create(b, loc, none, beats(later.value, earlier.value));
    Value wins = arith::AndIOp::create(b, loc, isValid(later), better);
    return select(wins, later, earlier);
  }

  /// Returns the better of two in unknown order.
  Candidate chooseAny(const Candidate &first, const Candidate &second) {
    Value inOrder = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          first.position, second.position);
    return choose(select(inOrder, first, second),
                  select(inOrder, second, first));
  }

  Candidate candidate(Value value, Value position, Value index, Value init) {
    Value none = arith::ConstantIntOp::create(b, loc, -1, 32);
    Value valid = beats(value, init);
    return {value, arith::SelectOp::create(b, loc, valid, position, none),
            index};
  }

private:
  Value negated(Value bit) {
    return arith::XOrIOp::create(b, loc, bit,
                                 arith::ConstantIntOp::create(b, loc, 1, 1));
  }

  OpBuilder &b;
  ArgCompareOp op;
  Location loc;
};
} // namespace

/// Returns whether trees of candidates give the result of a sequential walk. Of
/// two candidates, which both beat the init, the later must beat the earlier if
/// and only if it would beat the best of all before it; so the comparator must
/// be transitive, also through the init. That is known of one comparison of the
/// two arguments: of integers and of floats by an ordered predicate, for which
/// a NaN is no candidate, and if it is the init there are no candidates. It
/// fails for unequal (0, 1, 0 alternate) and, with NaNs, for unordered
/// predicates.
static bool isWeakOrder(ArgCompareOp op) {
  Block &body = op.getRegion().front();
  Operation *compare = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!compare || compare->getBlock() != &body ||
      !isa<arith::CmpFOp, arith::CmpIOp>(compare))
    return false;
  Value lhs = compare->getOperand(0), rhs = compare->getOperand(1);
  Value candidate = body.getArgument(0), best = body.getArgument(1);
  if (!(lhs == candidate && rhs == best) && !(lhs == best && rhs == candidate))
    return false;
  if (auto integers = dyn_cast<arith::CmpIOp>(compare))
    return integers.getPredicate() != arith::CmpIPredicate::ne;
  switch (cast<arith::CmpFOp>(compare).getPredicate()) {
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ORD:
  case arith::CmpFPredicate::AlwaysFalse:
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  default:
    return false;
  }
}

static FailureOr<ArgComparePlan> planArgCompare(ArgCompareOp op,
                                                Distributor &out) {
  ArgComparePlan plan;
  plan.op = op;
  plan.source = out.placementOf(op.getInputValueMutable());
  plan.result = out.placementOf(op.getResultValue());
  plan.dim = op.getDimension();
  plan.inOrder = !isWeakOrder(op);
  SmallVector<bool> reduced(plan.source->rank(), false);
  reduced[plan.dim] = true;
  plan.reach = reachOf(*plan.source, reduced, plan.result);
  if (failed(requireReach(op, plan.reach, out)))
    return failure();

  std::map<SmallVector<int64_t>, std::map<int64_t, int64_t>> groups;
  for (int64_t reg = 0; reg < plan.source->numRegisters(); ++reg) {
    SmallVector<int64_t> index = plan.source->offsetOf(reg);
    int64_t at = index[plan.dim];
    index.erase(index.begin() + plan.dim);
    groups[index][at] = reg;
  }
  for (int64_t reg = 0; reg < plan.result->numRegisters(); ++reg) {
    plan.registers.emplace_back();
    for (auto [at, from] : groups.at(plan.result->offsetOf(reg)))
      plan.registers.back().push_back(from);
  }
  return plan;
}

static Value positionOf(OpBuilder &b, const ArgComparePlan &plan, int64_t reg,
                        Distributor &out) {
  Location loc = plan.op->getLoc();
  Value at = out.ids.offset(b, loc, out.ids.base(*plan.source, plan.dim),
                            plan.source->offsetOf(reg)[plan.dim]);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), at);
}

static Candidate reduceRegisters(OpBuilder &b, const ArgComparePlan &plan,
                                 Chooser &chooser, ArrayRef<int64_t> registers,
                                 ArrayRef<Value> values,
                                 ArrayRef<Value> indices, Value init,
                                 Distributor &out) {
  Candidate best;
  for (int64_t reg : registers) {
    Candidate next =
        chooser.candidate(values[reg], positionOf(b, plan, reg, out),
                          indices.empty() ? Value() : indices[reg], init);
    best = best.value ? chooser.choose(best, next) : next;
  }
  return best;
}

/// Moves all values together, then all positions, then all indices.
static SmallVector<Candidate>
shuffled(ArrayRef<Candidate> candidates,
         function_ref<SmallVector<Value>(ArrayRef<Value>)> move) {
  SmallVector<Candidate> moved(candidates.size());
  for (Value Candidate::*field :
       {&Candidate::value, &Candidate::position, &Candidate::index}) {
    if (!(candidates.front().*field))
      continue;
    SmallVector<Value> own =
        llvm::map_to_vector(candidates, [&](const Candidate &candidate) {
          return candidate.*field;
        });
    for (auto [candidate, value] : llvm::zip_equal(moved, move(own)))
      candidate.*field = value;
  }
  return moved;
}

/// Combines in every lane the candidates of the digit's other lanes.
static void reduceLanes(OpBuilder &b, const ArgComparePlan &plan,
                        Chooser &chooser, const Digit &digit,
                        MutableArrayRef<Candidate> best, Distributor &out) {
  Location loc = plan.op->getLoc();
  int64_t lanes = out.options.subgroupSize;
  if (isButterfly(digit, lanes)) {
    for (int64_t bit = digit.stride; bit < digit.stride * digit.size;
         bit *= 2) {
      auto others = shuffled(best, [&](ArrayRef<Value> values) {
        return shuffleXor(b, loc, values, bit, lanes);
      });
      for (auto [candidate, other] : llvm::zip_equal(best, others))
        candidate = chooser.chooseAny(candidate, other);
    }
    return;
  }
  // All lanes read all digit values one by one; the position makes duplicates
  // harmless.
  Value first = out.ids.canonical(plan.reach.lanes, digit);
  SmallVector<Candidate> own(best);
  for (int64_t at = 0; at < digit.size; ++at) {
    Value lane = out.ids.offset(b, loc, first, at * digit.stride);
    auto others = shuffled(own, [&](ArrayRef<Value> values) {
      return shuffleFrom(b, loc, values, lane, lanes);
    });
    for (auto [candidate, other] : llvm::zip_equal(best, others))
      candidate = at == 0 ? other : chooser.chooseAny(candidate, other);
  }
}

static void reduceSubgroups(OpBuilder &b, const ArgComparePlan &plan,
                            Chooser &chooser, MutableArrayRef<Candidate> best,
                            Distributor &out) {
  Location loc = plan.op->getLoc();
  auto share = [&](Value Candidate::*field) {
    SmallVector<Value> scalars = llvm::map_to_vector(
        best, [&](const Candidate &candidate) { return candidate.*field; });
    return scalars.front()
               ? shareAcrossSubgroups(b, loc, scalars, plan.reach, out)
               : SmallVector<SmallVector<Value>>();
  };
  auto values = share(&Candidate::value),
       positions = share(&Candidate::position),
       indices = share(&Candidate::index);
  for (auto [reg, candidate] : llvm::enumerate(best))
    for (size_t slot = 0; slot < values.size(); ++slot) {
      Candidate other{values[slot][reg], positions[slot][reg],
                      indices.empty() ? Value() : indices[slot][reg]};
      candidate = slot == 0 ? other : chooser.chooseAny(candidate, other);
    }
}

static Value castInteger(OpBuilder &b, Location loc, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::TruncIOp::create(b, loc, type, value);
}

/// Returns the index that belongs to the candidate.
static Value indexOf(OpBuilder &b, const ArgComparePlan &plan,
                     const Candidate &best, Type type) {
  if (best.index)
    return best.index;
  Location loc = plan.op->getLoc();
  ArgCompareOp op = plan.op;
  Value position = castInteger(b, loc, best.position, b.getIndexType());
  if (Value base = op.getIndexBase())
    position = arith::AddIOp::create(b, loc, position, base);
  return castInteger(b, loc, position, type);
}

namespace {
/// The values and indices of the result, by register.
struct ArgCompareResult {
  SmallVector<Value> values, indices;
};
} // namespace

static ArgCompareResult compareInTrees(OpBuilder &b, const ArgComparePlan &plan,
                                       ArrayRef<Value> values,
                                       ArrayRef<Value> indices,
                                       const ArgCompareResult &inits,
                                       Distributor &out) {
  Location loc = plan.op->getLoc();
  Chooser chooser(b, plan.op);
  SmallVector<Candidate> best;
  for (auto [registers, init] : llvm::zip_equal(plan.registers, inits.values))
    best.push_back(reduceRegisters(b, plan, chooser, registers, values, indices,
                                   init, out));
  for (const Digit &digit : plan.reach.reducedLanes)
    reduceLanes(b, plan, chooser, digit, best, out);
  if (!plan.reach.reducedSubgroups.empty())
    reduceSubgroups(b, plan, chooser, best, out);

  Type indexType = inits.indices.front().getType();
  ArgCompareResult result;
  for (auto [candidate, value, index] :
       llvm::zip_equal(best, inits.values, inits.indices)) {
    Value valid = chooser.isValid(candidate);
    result.values.push_back(
        arith::SelectOp::create(b, loc, valid, candidate.value, value));
    result.indices.push_back(arith::SelectOp::create(
        b, loc, valid, indexOf(b, plan, candidate, indexType), index));
  }
  return result;
}

static ArgCompareResult compareInOrder(OpBuilder &b, const ArgComparePlan &plan,
                                       ArrayRef<Value> values,
                                       ArrayRef<Value> indices,
                                       const ArgCompareResult &inits,
                                       Distributor &out) {
  Location loc = plan.op->getLoc();
  Type indexType = inits.indices.front().getType();
  SmallVector<Value> own(indices);
  if (own.empty())
    for (int64_t reg = 0, e = values.size(); reg < e; ++reg) {
      Candidate here{values[reg], positionOf(b, plan, reg, out), Value()};
      own.push_back(indexOf(b, plan, here, indexType));
    }
  SmallVector<bool> dims(plan.source->rank(), false);
  dims[plan.dim] = true;
  RegisterMap registers(*plan.source);
  auto step = [&](OpBuilder &b, ArrayRef<int64_t> offset,
                  OrderedReductionState &state) {
    Chooser chooser(b, plan.op);
    for (auto [reg, best] : llvm::enumerate(state.passed[0])) {
      SmallVector<int64_t> at = plan.result->offsetOf(reg);
      at.insert(at.begin() + plan.dim, offset[plan.dim]);
      int64_t from = registers.at(at);
      Value &index = state.passed[1][reg];
      Value wins = chooser.beats(values[from], best);
      best = arith::SelectOp::create(b, loc, wins, values[from], best);
      index = arith::SelectOp::create(b, loc, wins, own[from], index);
    }
  };
  OrderedReductionState state{{inits.values, inits.indices}, {}};
  runOrderedReduction(b, loc,
                      orderedReductionAlong(*plan.source, dims, plan.reach),
                      state, step, out);
  return {state.passed[0], state.passed[1]};
}

static void record(const ArgComparePlan &plan, const Distributor &out) {
  std::optional<int64_t> rounds;
  if (!plan.inOrder) {
    rounds = 0;
    for (const Digit &digit : plan.reach.reducedLanes)
      *rounds += isButterfly(digit, out.options.subgroupSize)
                     ? llvm::Log2_64_Ceil(digit.size)
                     : digit.size;
  }
  recordReduction(plan.op, "arg_compare", {plan.dim},
                  plan.registers.front().size(), plan.reach, rounds, out);
}

/// Returns the comparison that is all of a comparator, if by it no value is
/// better than itself (`ogt`): then the init as a candidate never beats an
/// equal value that was found.
static Operation *findStrictComparison(ArgCompareOp op) {
  Operation *compare =
      op.getRegion().front().getTerminator()->getOperand(0).getDefiningOp();
  if (auto integers = dyn_cast_or_null<arith::CmpIOp>(compare))
    return llvm::is_contained(
               {arith::CmpIPredicate::slt, arith::CmpIPredicate::sgt,
                arith::CmpIPredicate::ult, arith::CmpIPredicate::ugt},
               integers.getPredicate())
               ? compare
               : nullptr;
  auto floats = dyn_cast_or_null<arith::CmpFOp>(compare);
  return floats && llvm::is_contained(
                       {arith::CmpFPredicate::OLT, arith::CmpFPredicate::OGT},
                       floats.getPredicate())
             ? compare
             : nullptr;
}

/// Returns whether each subgroup can run the op on its block, because the best
/// of the blocks' results is the best of all.
static bool isOfBlocks(const ArgComparePlan &plan) {
  return plan.reach.reducedSubgroups.empty() || !plan.inOrder;
}

namespace {
/// The result of a subgroup's block. With a comparator that is not strict
/// (`oge`), the init of a block would beat an equal value that another block
/// found; so the position is there, too, -1 where no element of the block beats
/// the init (VX-208). It is null with a strict comparator.
struct BlockBest {
  Value value, index, position;
};
} // namespace

/// Returns the better of two blocks; `next` is the later one along the dim.
static BlockBest betterOf(OpBuilder &b, ArgCompareOp op, const BlockBest &best,
                          const BlockBest &next) {
  Location loc = op.getLoc();
  Block &body = op.getRegion().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), ValueRange{next.value, best.value});
  Operation *compare = body.getTerminator()->getOperand(0).getDefiningOp();
  Value wins = b.clone(*compare, mapping)->getResult(0);
  if (auto type = dyn_cast<VectorType>(best.value.getType()))
    wins.setType(type.clone(b.getI1Type()));
  auto select = [&](Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, wins, yes, no);
  };
  if (!best.position)
    return {select(next.value, best.value), select(next.index, best.index), {}};
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(best.position.getType()));
  auto isFound = [&](const BlockBest &block) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                 block.position, zero);
  };
  // Where the earlier block found no element the later one wins, in any case.
  Value both = arith::AndIOp::create(b, loc, isFound(next), wins);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        best.position, zero);
  wins = arith::OrIOp::create(b, loc, isFirst, both);
  return {select(next.value, best.value), select(next.index, best.index),
          select(next.position, best.position)};
}

/// Combines the results of the subgroups' blocks, which lie one after the other
/// along the dim.
static BlockBest combineBlocks(OpBuilder &b, const ArgComparePlan &plan,
                               const BlockBest &own, Distributor &out) {
  auto share = [&](Value of) {
    return of ? shareBlocks(b, plan.op->getLoc(), of, plan.reach, out)
              : SmallVector<Value>();
  };
  SmallVector<Value> values = share(own.value), indices = share(own.index),
                     positions = share(own.position);
  auto at = [&](size_t block) -> BlockBest {
    return {values[block], indices[block],
            positions.empty() ? Value() : positions[block]};
  };
  BlockBest best = at(0);
  for (size_t block = 1; block < values.size(); ++block)
    best = betterOf(b, plan.op, best, at(block));
  return best;
}

/// Clones the op on a block with positions as indices, which begin with -1.
static ArgCompareOp cloneByPosition(OpBuilder &b, ArgCompareOp ofBlock) {
  auto ofPositions = cast<ArgCompareOp>(b.clone(*ofBlock));
  ofPositions.getInputIndexMutable().clear();
  ofPositions.getIndexBaseMutable().clear();
  auto type =
      cast<VectorType>(ofBlock.getInitIndex().getType()).clone(b.getI32Type());
  auto none = DenseElementsAttr::get(type, b.getI32IntegerAttr(-1).getValue());
  b.setInsertionPoint(ofPositions);
  ofPositions.getInitIndexMutable().assign(
      arith::ConstantOp::create(b, ofBlock.getLoc(), none));
  b.setInsertionPointAfter(ofPositions);
  ofPositions.getResultIndex().setType(type);
  return ofPositions;
}

/// Replaces the op by one on each subgroup's block, which is distributed over
/// lanes later.
static void compareBlocks(const ArgComparePlan &plan, Distributor &out) {
  ArgCompareOp op = plan.op;
  OpBuilder b(op);
  bool isShared = !plan.reach.reducedSubgroups.empty();
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<VectorType>(operand.get().getType()))
      mapping.map(operand.get(), out.get(b, operand));
  auto ofBlock = cast<ArgCompareOp>(b.clone(*op, mapping));
  if (!op.getInputIndex() && isShared) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(ofBlock);
    Value base = out.ids.base(*plan.source, plan.dim);
    if (Value given = op.getIndexBase())
      base = arith::AddIOp::create(b, op.getLoc(), given, base);
    ofBlock.getIndexBaseMutable().assign(base);
  }
  for (Value result : ofBlock->getResults())
    result.setType(plan.result->type(getElementTypeOrSelf(result.getType())));
  BlockBest best{ofBlock.getResultValue(), ofBlock.getResultIndex(), {}};
  if (isShared && !findStrictComparison(op))
    best.position = cloneByPosition(b, ofBlock).getResultIndex();
  if (isShared)
    best = combineBlocks(b, plan, best, out);
  out.replace(op, {best.value, best.index});
}

LogicalResult distaff::distribute(ArgCompareOp op, Distributor &out) {
  FailureOr<ArgComparePlan> plan = planArgCompare(op, out);
  if (failed(plan))
    return failure();
  record(*plan, out);
  if (out.options.keepsBlocks && isOfBlocks(*plan)) {
    compareBlocks(*plan, out);
    return success();
  }
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto scalarsOf = [&](OpOperand &operand) {
    return toScalars(b, loc, out.get(b, operand));
  };
  SmallVector<Value> values = scalarsOf(op.getInputValueMutable()), indices;
  if (op.getInputIndex())
    indices = scalarsOf(op.getInputIndexMutable()[0]);
  ArgCompareResult inits{scalarsOf(op.getInitValueMutable()),
                         scalarsOf(op.getInitIndexMutable())};
  ArgCompareResult result = (plan->inOrder ? compareInOrder : compareInTrees)(
      b, *plan, values, indices, inits, out);
  auto whole = [&](ArrayRef<Value> scalars) {
    Type type = plan->result->type(scalars.front().getType());
    return fromScalars(b, loc, scalars, type);
  };
  out.replace(op, {whole(result.values), whole(result.indices)});
  return success();
}
