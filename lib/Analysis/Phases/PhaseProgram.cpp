//===- PhaseProgram.cpp - Phases of a kernel as plain records -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "PhaseReader.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether the op is more than plain code between two barriers.
static bool isStep(Operation *op) {
  return isa<RunClusterOp, RunThreadOp, BarrierOp, TileGroupOp,
             RefOwnerOpInterface>(op);
}

static bool holdsSteps(Operation &op) {
  return op
      .walk([&](Operation *nested) {
        return nested != &op && isStep(nested) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

PhaseRecord PhaseReader::newPhase(Operation *op, size_t group,
                                  StringRef operation) {
  PhaseRecord phase{.group = group,
                    .operation = operation.str(),
                    .label = "",
                    .line = lineOf(op->getLoc())};
  phase.number = ++program.phases;
  return phase;
}

/// Returns the payload of a handle that a phase takes or yields; the rest
/// bypasses it.
template <typename RunOp>
static std::vector<PhasePayload> payloadsOf(Type handle) {
  std::vector<PhasePayload> payloads;
  for (Type type : RunOp::getOwnPayload(handle)) {
    PhasePayload &payload = payloads.emplace_back();
    llvm::raw_string_ostream(payload.type) << type;
    payload.isPrivate = std::is_same_v<RunOp, RunThreadOp>;
    payload.bytes = bytesOf(type);
  }
  return payloads;
}

template <typename RunOp> void PhaseReader::readPhase(RunOp op, Steps &steps) {
  PhaseRecord phase = newPhase(
      op, groupOf(op, op.getGroupType()),
      std::is_same_v<RunOp, RunClusterOp> ? "run_cluster" : "run_thread");
  for (Value source : op.getSources())
    llvm::append_range(phase.takes, payloadsOf<RunOp>(source.getType()));
  if (op.getResult())
    phase.gives = payloadsOf<RunOp>(op.getResult().getType());
  SmallVector<Operation *> body;
  for (Operation &nested : op.getBody().front())
    body.push_back(&nested);
  readBody(body, phase);
  if (holdsSteps(*op))
    program.notes.push_back("what phase " + std::to_string(phase.number) +
                            " does to wait, or among finer workers, is not "
                            "shown");
  steps.push_back({std::move(phase)});
}

void PhaseReader::noteCode() {
  constexpr StringLiteral note =
      "code outside of phases: a box is what stands between two barriers";
  if (!llvm::is_contained(program.notes, note))
    program.notes.push_back(note.str());
}

void PhaseReader::addCode(Code &code, size_t group, Steps &steps) {
  if (code.empty())
    return;
  size_t number = program.phases;
  PhaseRecord phase = newPhase(code.front(), group, "code");
  readBody(code, phase);
  if (phase.label == "nothing") // index arithmetic
    program.phases = number;
  else {
    noteCode();
    steps.push_back({std::move(phase)});
  }
  code.clear();
}

void PhaseReader::readBarrier(BarrierOp op, Steps &steps) {
  PhaseBarrier barrier{.scope = workersOf(op.getScope()),
                       .line = lineOf(op.getLoc())};
  for (Value cluster : op.getClusters())
    barrier.among.push_back(groupOf(op, cluster.getType()));
  for (Value ref : op.getRefs())
    barrier.orders.push_back(memoryOf(ref));
  steps.push_back({std::move(barrier)});
}

/// Returns `pcf.loop over (in, im) < (ntn, ntm) of workgroups`,
/// `pcf.shared_executor of subgroups`; delinearized ids as `i = (tile0,
/// tile1)`, fastest first.
static std::string titleOf(RefOwnerOpInterface owner, const IndexText &text) {
  std::string title = owner->getName().getStringRef().str();
  if (auto loop = dyn_cast<LoopOp>(owner.getOperation())) {
    SmallVector<std::string> ids, counts;
    for (Value id : owner.getTrailingArgs()) {
      ids.push_back(text.nameOf(id));
      if (affine::AffineDelinearizeIndexOp digits = digitsOf(id)) {
        SmallVector<std::string> names;
        for (Value digit : llvm::reverse(digits.getResults()))
          names.push_back(text.nameOf(digit));
        ids.back() += " = (" + llvm::join(names, ", ") + ")";
      }
    }
    for (Value count : loop.getCounts())
      counts.push_back(text.of(count));
    title += " over (" + llvm::join(ids, ", ") + ") < (" +
             llvm::join(counts, ", ") + ")";
  }
  return title + " of " + workersOf(owner.getScope());
}

void PhaseReader::readOwner(RefOwnerOpInterface owner, Steps &steps) {
  PhaseBlock block{.kind = PhaseBlock::Kind::Owner,
                   .title = titleOf(owner, text),
                   .trips = "",
                   .steps = {},
                   .line = lineOf(owner.getLoc())};
  readRegion(owner.getExecute(), members.lookup(owner), block.steps);
  if (owner.getSyncOnReturn())
    block.steps.push_back({PhaseBarrier{.scope = workersOf(owner.getScope()),
                                        .line = block.line}});
  steps.push_back({std::move(block)});
}

void PhaseReader::readRegion(Region &region, size_t group, Steps &steps) {
  for (Block &block : region)
    readBlock(block, group, steps);
  if (!region.empty() && !region.hasOneBlock())
    program.notes.push_back("jumps between blocks are not shown");
}

/// Returns how often `lower`, `lower + step`, ... is below `upper`.
static std::string tripsOf(const std::string &lower, const std::string &upper,
                           const std::string &step) {
  int64_t from = 0, to = 0, by = 0;
  if (llvm::to_integer(lower, from) && llvm::to_integer(upper, to) &&
      llvm::to_integer(step, by) && by > 0)
    return std::to_string(from < to ? llvm::divideCeilSigned(to - from, by)
                                    : 0);
  std::string range = lower == "0" ? upper : upper + "-" + inParentheses(lower);
  if (step == "1")
    return range;
  return "ceil(" + inParentheses(range) + "/" + inParentheses(step) + ")";
}

void PhaseReader::readBranch(Block &block, size_t group, std::string title,
                             int64_t line, Steps &steps) {
  PhaseBlock branch{.kind = PhaseBlock::Kind::Branch,
                    .title = std::move(title),
                    .trips = "",
                    .steps = {},
                    .line = line};
  readBlock(block, group, branch.steps);
  if (!branch.steps.empty())
    steps.push_back({std::move(branch)});
}

void PhaseReader::readRegions(Operation &op, size_t group, Steps &steps) {
  int64_t line = lineOf(op.getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    text.call(loop.getInductionVar(), "i");
    std::string lower = text.of(loop.getLowerBound()),
                upper = text.of(loop.getUpperBound()),
                step = text.of(loop.getStep());
    PhaseBlock block{.kind = PhaseBlock::Kind::Loop,
                     .title = text.nameOf(loop.getInductionVar()) + " = " +
                              lower + " .. " + upper +
                              (step == "1" ? "" : " step " + step),
                     .trips = tripsOf(lower, upper, step),
                     .steps = {},
                     .line = line};
    readBlock(*loop.getBody(), group, block.steps);
    return steps.push_back({std::move(block)});
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::string condition = text.ofCondition(branch.getCondition());
    readBranch(*branch.thenBlock(), group, "if " + condition, line, steps);
    if (Block *otherwise = branch.elseBlock())
      readBranch(*otherwise, group, "if not " + condition, line, steps);
    return;
  }
  if (auto select = dyn_cast<scf::IndexSwitchOp>(op)) {
    std::string what = text.of(select.getArg());
    for (auto [value, region] :
         llvm::zip(select.getCases(), select.getCaseRegions()))
      readBranch(region.front(), group, what + " = " + std::to_string(value),
                 line, steps);
    return readBranch(select.getDefaultRegion().front(), group,
                      what + " is another", line, steps);
  }
  if (isa<scf::ExecuteRegionOp>(op))
    return readRegion(op.getRegion(0), group, steps);
  bool isLoop = isa<LoopLikeOpInterface>(op);
  PhaseBlock block{.kind = isLoop ? PhaseBlock::Kind::Loop
                                  : PhaseBlock::Kind::Branch,
                   .title = op.getName().getStringRef().str(),
                   .trips = "",
                   .steps = {},
                   .line = line};
  if (!isLoop)
    program.notes.push_back("when '" + block.title +
                            "' runs what is in it is not shown");
  for (Region &region : op.getRegions())
    readRegion(region, group, block.steps);
  steps.push_back({std::move(block)});
}

void PhaseReader::readOp(Operation &op, size_t group, Steps &steps,
                         Code &code) {
  if (!isStep(&op) && !holdsSteps(op)) {
    code.push_back(&op);
    return;
  }
  addCode(code, group, steps);
  llvm::TypeSwitch<Operation *>(&op)
      .Case<RunClusterOp, RunThreadOp>([&](auto run) { readPhase(run, steps); })
      .Case<BarrierOp>([&](BarrierOp barrier) { readBarrier(barrier, steps); })
      .Case<TileGroupOp>([&](TileGroupOp split) {
        readBlock(split.getBody().front(),
                  groupOf(split, split.getSource().getType()), steps);
      })
      .Case<RefOwnerOpInterface>([&](auto owner) { readOwner(owner, steps); })
      .Default([&](Operation *) { readRegions(op, group, steps); });
}

void PhaseReader::readBlock(Block &block, size_t group, Steps &steps) {
  Code code;
  for (Operation &op : block)
    readOp(op, group, steps, code);
  addCode(code, group, steps);
}

void PhaseReader::read(RefOwnerOpInterface outermost) {
  outermost->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto owner = dyn_cast<RefOwnerOpInterface>(op)) {
      addMembers(owner);
      addMemories(owner);
    } else if (auto split = dyn_cast<TileGroupOp>(op)) {
      addClusters(split);
    }
  });
  program.line = lineOf(outermost.getLoc());
  readOwner(outermost, program.steps);
}

/// Moves an op that opens a scope and is the only step into the title.
static void unwrap(PhaseProgram &program) {
  while (program.steps.size() == 1) {
    auto *block = std::get_if<PhaseBlock>(&program.steps.front().what);
    if (!block || block->kind != PhaseBlock::Kind::Owner)
      return;
    program.title += (program.title.empty() ? "" : ", in it ") + block->title;
    std::vector<PhaseStep> inner = std::move(block->steps);
    program.steps = std::move(inner);
  }
}

std::vector<PhaseProgram> distaff::readPhasePrograms(FunctionOpInterface kernel,
                                                     const SourceNames &names) {
  std::vector<PhaseProgram> programs;
  kernel.walk<WalkOrder::PreOrder>([&](RefOwnerOpInterface owner) {
    IndexText text(names);
    PhaseReader(programs.emplace_back(), text).read(owner);
    unwrap(programs.back());
    return WalkResult::skip();
  });
  return programs;
}

/// Returns `2*nk` for `2` and `nk`, `nk` for `1` and `nk`.
static std::string times(const std::string &count, const std::string &trips) {
  if (count == "1" || trips == "1")
    return count == "1" ? trips : count;
  return inParentheses(count) + "*" + inParentheses(trips);
}

/// Returns the number of barriers for which `counts` holds.
static std::string
countBarriers(const std::vector<PhaseStep> &steps,
              function_ref<bool(const PhaseBarrier &)> counts) {
  int64_t here = 0;
  SmallVector<std::string> terms;
  for (const PhaseStep &step : steps) {
    if (auto *barrier = std::get_if<PhaseBarrier>(&step.what))
      here += counts(*barrier);
    auto *block = std::get_if<PhaseBlock>(&step.what);
    std::string inner = block ? countBarriers(block->steps, counts) : "0";
    int64_t count = 0, trips = 0;
    bool isLoop = block && block->kind == PhaseBlock::Kind::Loop;
    if (inner == "0" || (isLoop && block->trips == "0"))
      continue;
    if (isLoop && llvm::to_integer(inner, count) &&
        llvm::to_integer(block->trips, trips))
      here += count * trips;
    else if (isLoop)
      terms.push_back(times(inner, block->trips.empty()
                                       ? "trips of " + block->title
                                       : block->trips));
    else if (block->kind == PhaseBlock::Kind::Branch)
      terms.push_back("(" + block->title + ": " + inner + ")");
    else
      terms.push_back(inner);
  }
  if (here > 0 || terms.empty())
    terms.insert(terms.begin(), std::to_string(here));
  return llvm::join(terms, " + ");
}

std::string distaff::barriersIn(const std::vector<PhaseStep> &steps) {
  return countBarriers(steps, [](const PhaseBarrier &) { return true; });
}

std::string distaff::waitsOf(const PhaseProgram &program, size_t group) {
  assert(group < program.groups.size() && "a group is one of the program's");
  return countBarriers(program.steps, [&](const PhaseBarrier &barrier) {
    if (barrier.among.empty())
      return true;
    // A barrier of a group includes all its parts.
    for (std::optional<size_t> up = group; up; up = program.groups[*up].parent)
      if (llvm::is_contained(barrier.among, *up))
        return true;
    return false;
  });
}
