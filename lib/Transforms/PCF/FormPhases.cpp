//===- FormPhases.cpp - A workgroup's program as phases -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage form-flow for programs that are not one contraction on tensors. The
// body of an executor is cut at its loops: what stands between two of them is a
// phase, a loop carries payload in the place of vectors, and its body is cut in
// the same way. Arithmetic on numbers that no phase computes stays outside.
//
//   %x = transfer_read             phase A yields %x, %init
//   scf.for iter_args(%s = %init)  scf.for iter_args(%h = A's payload)
//     %y = f(%s, %x)         =>      phase B takes %h and A's %x, yields %y
//     yield %y                       yield B's payload
//   transfer_write                 phase C takes the loop's payload
//
// A loop of which a bound comes out of a phase, and any other op with regions,
// is a part of one phase. Phases have no order but what barriers make, so one
// stands wherever a phase may access memory that another one wrote, or write
// memory that another one accessed.
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"

#include "PhaseConflicts.h"
#include "PhaseMemory.h"
#include "distaff/Analysis/LayoutPropagation.h"
#include "distaff/Analysis/Multiplicand.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace distaff {
#define GEN_PASS_DEF_FORMPHASES
#include "distaff/Transforms/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
/// Where a value that phases compute is found.
struct PayloadPlace {
  Value handle;
  unsigned field = 0;
};

/// A loop that carries payload: which of its values are.
struct OpenLoop {
  scf::ForOp loop;
  SmallVector<unsigned> payload; // numbers of iter_args
  bool isPayload(unsigned number) const {
    return llvm::is_contained(payload, number);
  }
};

class PhaseFormer {
public:
  PhaseFormer(SharedExecutorOp executor, IRRewriter &rewriter)
      : executor(executor), rewriter(rewriter) {}

  void run();

private:
  bool isComputed(Value value) const { return computed.contains(value); }
  bool usesComputed(Operation &op) const;
  bool staysOutside(Operation &op) const;
  std::optional<OpenLoop> open(scf::ForOp loop);
  void findComputed(Block &block);
  void formBlock(Block &block, ArrayRef<Value> wanted);
  void formPhase(ArrayRef<Operation *> ops, ArrayRef<Value> wanted);
  void formLoop(const OpenLoop &open);
  Value handleOf(ArrayRef<Value> values, Location loc);
  void emitYield(ArrayRef<Value> values, const IRMapping &mapping,
                 RunClusterOp phase);
  RunClusterOp makePhase(ArrayRef<Value> inputs, ArrayRef<Type> yields,
                         Location loc, IRMapping &mapping);

  SharedExecutorOp executor;
  IRRewriter &rewriter;
  /// What is computed in phases.
  DenseSet<Value> computed;
  DenseMap<Value, PayloadPlace> places;
  /// What the last phase with results yields.
  struct {
    Value handle;
    SmallVector<Value> values;
  } last;
  /// How vectors are laid out in the program as a whole.
  LayoutMap layouts;
  /// Loops whose body another loop has now.
  SmallVector<scf::ForOp> emptied;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is in a phase
//===----------------------------------------------------------------------===//

static bool isNumberType(Type type) { return type.isIntOrIndexOrFloat(); }

/// Whether an op, or one in it, takes what a phase computes.
bool PhaseFormer::usesComputed(Operation &op) const {
  return op
      .walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value value) { return isComputed(value); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether every worker computes the op for itself: numbers of numbers, or a
/// view of memory; or whether it allocates memory of all.
bool PhaseFormer::staysOutside(Operation &op) const {
  if (isa<memref::AllocOp, AllocOp>(op))
    return true;
  auto isPosition = [](Type type) {
    return isNumberType(type) || isa<BaseMemRefType>(type);
  };
  return isPure(&op) && op.getNumRegions() == 0 &&
         llvm::all_of(op.getResultTypes(), isPosition) &&
         llvm::all_of(op.getOperandTypes(), isPosition) && !usesComputed(op);
}

/// The loop as one that carries payload; none if a bound is computed in a
/// phase, which the loop could not see.
std::optional<OpenLoop> PhaseFormer::open(scf::ForOp loop) {
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (isComputed(bound))
      return std::nullopt;
  OpenLoop opened{loop, {}};
  auto add = [&](unsigned number) {
    opened.payload.push_back(number);
    computed.insert(loop.getRegionIterArg(number));
    computed.insert(loop.getResult(number));
  };
  for (unsigned number : llvm::seq(loop.getNumRegionIterArgs()))
    if (!isNumberType(loop.getRegionIterArg(number).getType()) ||
        isComputed(loop.getInitArgs()[number]))
      add(number);
  // Numbers that come out of phases, or of such numbers, are payload, too.
  for (bool changed = true; std::exchange(changed, false);) {
    findComputed(*loop.getBody());
    for (unsigned number : llvm::seq(loop.getNumRegionIterArgs()))
      if (!opened.isPayload(number) &&
          isComputed(loop.getYieldedValues()[number])) {
        add(number);
        changed = true;
      }
  }
  llvm::sort(opened.payload);
  return opened;
}

/// Adds what the phases of a block compute.
void PhaseFormer::findComputed(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (staysOutside(op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && open(loop))
      continue;
    computed.insert_range(op.getResults());
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// A phase with the payload that has `inputs` in it, which are mapped to its
/// arguments.
RunClusterOp PhaseFormer::makePhase(ArrayRef<Value> inputs,
                                    ArrayRef<Type> yields, Location loc,
                                    IRMapping &mapping) {
  llvm::SetVector<Value> sources;
  for (Value input : inputs)
    sources.insert(places.at(input).handle);
  if (sources.empty())
    sources.insert(executor.getThreadgroup());
  Type result = yields.empty()
                    ? Type()
                    : withPayload(executor.getThreadgroup().getType(), yields,
                                  /*isPrivate=*/false);
  auto phase = RunClusterOp::create(rewriter, loc, result,
                                    sources.getArrayRef(), ValueRange());
  DenseMap<Value, unsigned> first;
  unsigned number = 0;
  for (Value source : sources) {
    first[source] = number;
    number += getPayload(source.getType()).size();
  }
  for (Value input : inputs) {
    PayloadPlace place = places.at(input);
    mapping.map(input,
                phase.getPayloadArgs()[first.at(place.handle) + place.field]);
  }
  return phase;
}

/// Ends a phase. Vectors leave it as they are laid out, so that it follows from
/// no phase but the one that makes them.
void PhaseFormer::emitYield(ArrayRef<Value> values, const IRMapping &mapping,
                            RunClusterOp phase) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&phase.getBody().front());
  SmallVector<Value> yields;
  for (Value value : values) {
    Value inside = mapping.lookupOrDefault(value);
    if (vector_ext::VectorLayoutInterface layout = layouts.get(value))
      inside = vector_ext::ToLayoutOp::create(rewriter, value.getLoc(), inside,
                                              layout);
    yields.push_back(inside);
  }
  ClusterYieldOp::create(rewriter, phase.getLoc(), yields);
}

/// A handle whose payload is `values`, in order; another phase passes them on
/// if no phase yields just them.
Value PhaseFormer::handleOf(ArrayRef<Value> values, Location loc) {
  if (last.handle && ArrayRef(last.values) == values &&
      last.handle.getParentBlock() == rewriter.getInsertionBlock())
    return last.handle;
  SmallVector<Value> inputs = llvm::filter_to_vector(
      values, [&](Value value) { return places.contains(value); });
  IRMapping mapping;
  RunClusterOp phase = makePhase(
      inputs, llvm::to_vector(ValueRange(values).getTypes()), loc, mapping);
  emitYield(values, mapping, phase);
  return phase.getResult();
}

/// Moves ops into a phase in front of them, which yields what is used behind
/// them; as `wanted` if that is all of it.
void PhaseFormer::formPhase(ArrayRef<Operation *> ops, ArrayRef<Value> wanted) {
  if (ops.empty())
    return;
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  Block *block = ops.front()->getBlock();
  auto isInside = [&](Operation *user) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    return ancestor && inside.contains(ancestor);
  };
  llvm::SetVector<Value> inputs, live;
  for (Operation *op : ops) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (places.contains(operand))
          inputs.insert(operand);
    });
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(), isInside))
        live.insert(result);
  }
  auto canYield = [&](Value value) {
    return live.contains(value) || places.contains(value) || !isComputed(value);
  };
  SmallVector<Value> yields(live.begin(), live.end());
  bool suits = !wanted.empty() && llvm::all_of(wanted, canYield) &&
               llvm::all_of(live, [&](Value value) {
                 return llvm::is_contained(wanted, value);
               });
  if (suits) {
    yields.assign(wanted.begin(), wanted.end());
    for (Value value : yields)
      if (places.contains(value))
        inputs.insert(value);
  }
  Location loc = ops.front()->getLoc();
  rewriter.setInsertionPoint(ops.back());
  IRMapping mapping;
  RunClusterOp phase =
      makePhase(inputs.getArrayRef(),
                llvm::to_vector(ValueRange(yields).getTypes()), loc, mapping);
  emitYield(yields, mapping, phase);
  Operation *end = &phase.getBody().front().front();
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, end);
  for (Value input : inputs)
    rewriter.replaceUsesWithIf(input, mapping.lookup(input),
                               [&](OpOperand &use) {
                                 return phase->isProperAncestor(use.getOwner());
                               });
  for (auto [number, value] : llvm::enumerate(yields))
    if (live.contains(value))
      places[value] = {phase.getResult(), unsigned(number)};
  last = {phase.getResult(), yields};
}

//===----------------------------------------------------------------------===//
// What is cheaper to make than to pass on
//===----------------------------------------------------------------------===//

/// Whether a vector is made again where it is used: constants, masks and the
/// like, which hold no data, and extensions of numbers. Payload is narrow then,
/// and instructions multiply the narrow numbers, for which the extension has to
/// be beside the product.
static bool isMadeAgain(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isa<VectorType>(op->getResult(0).getType()) || !isPure(op))
    return false;
  return isExactExtension(op) || LayoutMap::isLayoutFree(op->getResult(0));
}

/// Gives every use behind or in a loop its own copy.
static void rematerialize(SharedExecutorOp executor, IRRewriter &rewriter) {
  SmallVector<Operation *> made;
  executor.getExecute().walk([&](Operation *op) {
    if (isMadeAgain(op))
      made.push_back(op);
  });
  auto isInPhaseOf = [](Operation *op, Operation *user) {
    if (op->getBlock() != user->getBlock())
      return false;
    for (; op != user; op = op->getNextNode())
      if (isa<scf::ForOp>(op))
        return false;
    return true;
  };
  // What makes an operand of another comes after it.
  for (Operation *op : llvm::reverse(made)) {
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(op->getUses(), [](OpOperand &use) { return &use; });
    for (OpOperand *use : uses) {
      Operation *user = use->getOwner();
      if (isInPhaseOf(op, user) ||
          (isa<scf::YieldOp, scf::ForOp>(user) && !isExactExtension(op) &&
           op->getBlock() == user->getBlock()))
        continue;
      rewriter.setInsertionPoint(user);
      Value copy = rewriter.clone(*op)->getResult(0);
      rewriter.modifyOpInPlace(user, [&] { use->set(copy); });
    }
    if (op->use_empty())
      rewriter.eraseOp(op);
  }
}

/// Writes down the layout of what is reshaped where it does not follow from
/// that of the result, which spells the same registers in another way.
static void anchorReshapes(SharedExecutorOp executor, const LayoutMap &layouts,
                           IRRewriter &rewriter) {
  executor.getExecute().walk([&](vector::ShapeCastOp op) {
    auto layout = layouts.get(op.getSource());
    auto reshaped = layouts.get(op.getResult());
    if (!layout || !reshaped ||
        reshaped.reshape(op.getSourceVectorType().getShape()) == layout)
      return;
    rewriter.setInsertionPoint(op);
    Value anchored = vector_ext::ToLayoutOp::create(rewriter, op.getLoc(),
                                                    op.getSource(), layout);
    rewriter.modifyOpInPlace(op,
                             [&] { op.getSourceMutable().assign(anchored); });
  });
}

//===----------------------------------------------------------------------===//
// Blocks and loops
//===----------------------------------------------------------------------===//

/// The loop with a handle in the place of what is payload.
void PhaseFormer::formLoop(const OpenLoop &open) {
  scf::ForOp loop = open.loop;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto pick = [&](ValueRange values) {
    return llvm::map_to_vector(open.payload,
                               [&](unsigned number) { return values[number]; });
  };
  auto rest = [&](ValueRange values) {
    SmallVector<Value> others;
    for (auto [number, value] : llvm::enumerate(values))
      if (!open.isPayload(number))
        others.push_back(value);
    return others;
  };
  SmallVector<Value> inits = rest(loop.getInitArgs());
  if (!open.payload.empty())
    inits.push_back(handleOf(pick(loop.getInitArgs()), loc));
  auto made = scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = made.getBody(), *old = loop.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());
  auto setPlaces = [&](ValueRange values, Value handle) {
    for (auto [field, value] : llvm::enumerate(pick(values)))
      places[value] = {handle, unsigned(field)};
  };
  setPlaces(loop.getRegionIterArgs(),
            open.payload.empty() ? Value() : body->getArguments().back());
  rewriter.replaceAllUsesWith(loop.getInductionVar(), made.getInductionVar());
  for (auto [from, to] :
       llvm::zip(rest(loop.getRegionIterArgs()), made.getRegionIterArgs()))
    rewriter.replaceAllUsesWith(from, to);
  body->getOperations().splice(body->end(), old->getOperations());
  SmallVector<Value> yields = pick(body->getTerminator()->getOperands());
  formBlock(*body, yields);
  rewriter.setInsertionPoint(body->getTerminator());
  SmallVector<Value> results = rest(body->getTerminator()->getOperands());
  if (!open.payload.empty())
    results.push_back(handleOf(yields, loc));
  rewriter.replaceOpWithNewOp<scf::YieldOp>(body->getTerminator(), results);
  setPlaces(loop.getResults(),
            open.payload.empty() ? Value() : made.getResults().back());
  for (auto [from, to] : llvm::zip(rest(loop.getResults()), made.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  emptied.push_back(loop);
}

/// Makes phases of a block; the last one before its end or before a loop yields
/// what is wanted there, if it can.
void PhaseFormer::formBlock(Block &block, ArrayRef<Value> wanted) {
  SmallVector<Operation *> ops, phase;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (staysOutside(*op)) {
      if (!phase.empty())
        rewriter.moveOpBefore(op, phase.front());
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<OpenLoop> opened = loop ? open(loop) : std::nullopt;
    if (!opened) {
      phase.push_back(op);
      computed.insert_range(op->getResults());
      continue;
    }
    SmallVector<Value> inits =
        llvm::map_to_vector(opened->payload, [&](unsigned number) {
          return loop.getInitArgs()[number];
        });
    formPhase(phase, inits);
    phase.clear();
    formLoop(*opened);
  }
  formPhase(phase, wanted);
}

void PhaseFormer::run() {
  rematerialize(executor, rewriter);
  layouts = propagateWhatIsKnown(executor.getExecute(), {});
  anchorReshapes(executor, layouts, rewriter);
  formBlock(*executor.getBody(), {});
  for (scf::ForOp loop : llvm::reverse(emptied))
    rewriter.eraseOp(loop);
}

/// Whether an executor holds one contraction with a `lowering_config`, which
/// distaff-form-flow forms phases of.
static bool holdsProduct(SharedExecutorOp executor) {
  int64_t products = 0;
  executor.getExecute().walk([&](linalg::LinalgOp op) {
    products += linalg::isaContractionOpInterface(op) &&
                op->hasAttr(compat::LoweringConfigAttr::attributeName);
  });
  return products == 1;
}

namespace {
struct FormPhases final : distaff::impl::FormPhasesBase<FormPhases> {
  void runOnOperation() override {
    SmallVector<SharedExecutorOp> executors;
    getOperation()->walk([&](SharedExecutorOp executor) {
      if (holdsProduct(executor))
        return;
      if (isa<compat::SubgroupScopeAttr>(executor.getScope()) &&
          !hasPhases(executor))
        executors.push_back(executor);
    });
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors) {
      PhaseFormer(executor, rewriter).run();
      orderPhases(executor, rewriter);
    }
  }
};
} // namespace
