//===- Run.cpp - Execution of kernels and their arguments -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Runtime/ScalarType.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

int64_t Array::numElements() const {
  return checkedElements(shape).value_or(0);
}

int64_t distaff::simt::elementBytes(Type elementType) {
  std::optional<Kind> kind = Kind::of(elementType);
  return kind ? kind->bytes() : 0;
}

Array Array::unwritten(Type elementType, ArrayRef<int64_t> shape) {
  Array array{elementType, SmallVector<int64_t>(shape), {}, false};
  array.bytes.assign(array.numElements() * elementBytes(elementType), 0xFF);
  return array;
}

//===----------------------------------------------------------------------===//
// Grid and levels
//===----------------------------------------------------------------------===//

/// Returns the extents that are dynamic in the signature, in the order of the
/// arguments of a grid function.
static SmallVector<Array> dynamicExtents(const KernelSignature &signature,
                                         ArrayRef<Array *> arguments,
                                         Type index) {
  SmallVector<Array> extents;
  for (auto [argument, dim] : signature.dynamicExtents()) {
    Array extent{index, {}, std::vector<uint8_t>(8)};
    unsigned position = signature.arguments[argument].position;
    std::memcpy(extent.bytes.data(), &arguments[position]->shape[dim], 8);
    extents.push_back(std::move(extent));
  }
  return extents;
}

LogicalResult Execution::fail(FaultKind kind, Operation *op,
                              const Twine &message) {
  outcome.faults.push_back({kind, message.str(), op, {}, {}});
  return failure();
}

FailureOr<std::array<int64_t, 3>>
Execution::evaluateGrid(func::FuncOp grid, ArrayRef<Array *> arguments) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return fail(FaultKind::Unfit, kernel,
                "says of its arguments what cannot "
                "be");
  SmallVector<Array> extents = dynamicExtents(
      *signature, arguments, IndexType::get(kernel.getContext()));
  SmallVector<Array *> pointers;
  for (Array &extent : extents)
    pointers.push_back(&extent);
  SmallVector<Array> results;
  Outcome evaluated = simt::run(grid, nullptr, pointers, results, options);
  if (!evaluated.isFine()) {
    outcome.faults = std::move(evaluated.faults);
    return failure();
  }
  if (results.size() != 3)
    return fail(FaultKind::Unfit, grid,
                "a grid function has 3 results, found " +
                    Twine(results.size()));
  std::array<int64_t, 3> extentsOfGrid;
  for (auto [extent, result] : llvm::zip_equal(extentsOfGrid, results))
    std::memcpy(&extent, result.bytes.data(), sizeof(extent));
  return extentsOfGrid;
}

/// Returns whether a kernel is the program of all workgroups and starts them
/// itself.
static bool startsWorkgroups(FunctionOpInterface kernel) {
  return kernel
      ->walk([](pcf::RefOwnerOpInterface op) {
        return isa<iree::WorkgroupScopeAttr>(op.getScope())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Execution::chooseGrid(func::FuncOp grid,
                                    ArrayRef<Array *> arguments) {
  if (startsWorkgroups(kernel)) {
    FailureOr<std::array<int64_t, 3>> extents = extentsOfScope;
    if (grid && failed(extents = evaluateGrid(grid, arguments)))
      return failure();
    extentsOfScope = *extents;
    return success();
  }
  if (mentionsTensors(kernel))
    return success(); // every iteration, one after another
  if (grid) {
    FailureOr<std::array<int64_t, 3>> extents = evaluateGrid(grid, arguments);
    if (failed(extents))
      return failure();
    extentsOfGrid = *extents;
    translation.forallIsGrid = true;
    return success();
  }
  if (levelOf(kernel) == Level::Lane) {
    if (std::optional<std::array<int64_t, 3>> extents = fixedGridOf(kernel))
      extentsOfGrid = *extents;
    return success();
  }
  if (scf::ForallOp loop = findWorkgroupLoop(kernel))
    if (std::optional<std::array<int64_t, 3>> extents = countWorkgroups(loop)) {
      extentsOfGrid = *extents;
      translation.forallIsGrid = true;
    }
  return success();
}

LogicalResult Execution::prepare(func::FuncOp grid,
                                 ArrayRef<Array *> arguments) {
  size_t taken = kernel.getNumArguments();
  while (taken > 0 && isPassedExtent(kernel, taken - 1))
    --taken;
  if (arguments.size() != taken)
    return fail(FaultKind::Unfit, kernel,
                "takes " + Twine(taken) + " arguments, found " +
                    Twine(arguments.size()));
  if (failed(chooseGrid(grid, arguments)))
    return failure();
  bool distributed = levelOf(kernel) == Level::Lane;
  if (Operation *op = distributed ? nullptr : findLaneOp(kernel))
    return fail(FaultKind::Unfit, op, kLaneOpOutsideLane);
  if (distributed && (options.subgroupSize < 1 || options.subgroupSize > 64))
    return fail(FaultKind::Unfit, kernel,
                "a subgroup has 1 to 64 lanes, found " +
                    Twine(options.subgroupSize));
  if (failed(translate(distributed)))
    return failure();
  if (failed(passAll(arguments)) || failed(passGlobals()))
    return failure();
  return checkResults();
}

/// Passes the arguments, then the extents that a converted kernel takes.
LogicalResult Execution::passAll(ArrayRef<Array *> arguments) {
  size_t number = 0;
  for (const Array *array : arguments)
    if (failed(passArgument(number++, *array)))
      return failure();
  if (number == kernel.getNumArguments())
    return success();
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  for (const Array &extent : dynamicExtents(
           *signature, arguments, IntegerType::get(kernel.getContext(), 64)))
    if (failed(passArgument(number++, extent)))
      return failure();
  return success();
}

/// The limit of threads with vector clocks: each has a clock per thread
/// (Clocks.h).
static constexpr int64_t mostOrderedPartly = 2048;

LogicalResult Execution::translate(bool distributed) {
  translation.lanes = distributed ? options.subgroupSize : 1;
  translation.launch = options;
  Translator translator(domain, translation);
  if (failed(translator.translateFunction(kernel))) {
    outcome.faults.push_back(*translator.fault());
    return failure();
  }
  program = translator.finish();
  program.number(0);
  launch = std::make_unique<Launch>(program, options, extentsOfGrid);
  launch->kernel = kernel;
  launch->scopeGrid = extentsOfScope;
  if (distributed) {
    launch->numThreads = options.workgroupSize[0] * options.workgroupSize[1] *
                         options.workgroupSize[2];
    launch->numAgents = llvm::divideCeil(launch->numThreads, program.lanes);
    if (program.ordersPartly && launch->numThreads > mostOrderedPartly)
      return fail(FaultKind::NotModelled, kernel,
                  "barriers of some threads among more than " +
                      Twine(mostOrderedPartly));
  }
  return success();
}

LogicalResult Execution::run() {
  if (std::optional<Fault> fault = launch->run(outcome.counters))
    outcome.faults.push_back(std::move(*fault));
  outcome.undecidedAt = launch->undecided;
  return success(outcome.isFine());
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

const Buffer &Execution::finalBuffer(const MemRefArgument &argument) const {
  if (!argument.inWorkgroup)
    return launch->globals[argument.buffer];
  return launch->first->buffer(int64_t(launch->globals.size()) +
                               argument.buffer);
}

std::vector<uint64_t> Execution::cellsOf(const MemRefArgument &argument) const {
  const Buffer &buffer = finalBuffer(argument);
  std::vector<int64_t> positions = argument.positions();
  std::vector<uint64_t> cells(
      positions.size() * domain.cellBytes(buffer.kind) / 8 + 1);
  domain.load(buffer.kind)(positions.size(), buffer.cells.data(),
                           positions.data(), cells.data());
  return cells;
}

LogicalResult Execution::checkResults() {
  for (auto [number, reg] : llvm::enumerate(program.results))
    if (reg.storage == Reg::Storage::None || reg.isMemRef())
      return fail(FaultKind::NotModelled, kernel,
                  "result " + Twine(number) + " of this type");
  return success();
}

/// Returns cells and shape of a returned value, from the first lane of the
/// first agent.
std::pair<std::vector<uint64_t>, SmallVector<int64_t>>
Execution::resultOf(size_t number) const {
  Reg reg = program.results[number];
  Agent &agent = launch->first->agents.front();
  SmallVector<int64_t> shape;
  int64_t count = reg.elements;
  if (reg.isTensor()) {
    shape.assign(agent.tensor(reg).shape.begin(),
                 agent.tensor(reg).shape.end());
    count = agent.tensor(reg).numElements();
  } else if (auto vector =
                 dyn_cast<VectorType>(kernel.getResultTypes()[number])) {
    shape.assign(vector.getShape().begin(), vector.getShape().end());
  }
  std::vector<uint64_t> cells(count * reg.cellBytes / 8 + 1);
  const uint8_t *from = agent.cells(reg);
  for (int64_t e = 0; e < count; ++e)
    std::memcpy(reinterpret_cast<uint8_t *>(cells.data()) + e * reg.cellBytes,
                from + e * program.lanes * reg.cellBytes, reg.cellBytes);
  return {std::move(cells), std::move(shape)};
}

static std::vector<uint8_t> patterns(const Domain &domain, Kind kind,
                                     const void *cells, int64_t count) {
  std::vector<uint8_t> bytes(count * kind.bytes());
  unsigned cellBytes = domain.cellBytes(kind);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = *domain.pattern(kind, static_cast<const uint8_t *>(cells) +
                                              i * cellBytes);
    std::memcpy(bytes.data() + i * kind.bytes(), &bits, kind.bytes());
  }
  return bytes;
}

/// Returns the bytes of the elements at those positions, in the IEEE domain.
static std::vector<uint8_t> writtenBytesOf(const Buffer &buffer,
                                           ArrayRef<int64_t> positions) {
  if (int64_t(positions.size()) == buffer.elements)
    return buffer.cells;
  std::vector<uint8_t> bytes(positions.size() * buffer.cellBytes);
  for (auto [to, from] : llvm::enumerate(positions))
    std::memcpy(&bytes[to * buffer.cellBytes],
                &buffer.cells[from * buffer.cellBytes], buffer.cellBytes);
  return bytes;
}

Outcome distaff::simt::run(FunctionOpInterface kernel, func::FuncOp grid,
                           ArrayRef<Array *> arguments,
                           SmallVectorImpl<Array> &results,
                           const Options &options) {
  Execution execution(kernel, ieeeDomain(), options);
  if (failed(execution.prepare(grid, arguments)) || failed(execution.run()))
    return std::move(execution.outcome);
  for (const MemRefArgument &argument : execution.memRefs) {
    Array &array = *arguments[argument.number];
    if (execution.hasRun())
      array.bytes =
          writtenBytesOf(execution.finalBuffer(argument), argument.positions());
    if (execution.hasRun() && execution.isPacked(argument.number)) {
      unsigned bits = array.elementType.getIntOrFloatBitWidth();
      array.bytes =
          runtime::unpackNumbers(array.bytes, bits, bits, array.numElements());
    }
    array.written = true;
  }
  for (auto [number, reg] : llvm::enumerate(execution.program.results)) {
    auto [cells, shape] = execution.resultOf(number);
    Array array{
        getElementTypeOrSelf(kernel.getResultTypes()[number]), shape, {}};
    array.bytes =
        patterns(execution.domain, reg.kind, cells.data(), array.numElements());
    results.push_back(std::move(array));
  }
  return std::move(execution.outcome);
}

static EstimateArray estimates(Execution &execution, Kind kind,
                               const void *cells, ArrayRef<int64_t> shape) {
  EstimateArray array;
  array.shape.assign(shape.begin(), shape.end());
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  unsigned cellBytes = execution.domain.cellBytes(kind);
  for (int64_t i = 0; i < count; ++i) {
    array.elements.push_back(execution.domain.estimate(
        kind, static_cast<const uint8_t *>(cells) + i * cellBytes));
    // An undecided choice decided whether the code ran at all.
    bool &undecided = array.elements.back().undecided;
    undecided |= execution.outcome.undecidedAt != nullptr;
    execution.outcome.undecidedElements += undecided;
  }
  return array;
}

Outcome distaff::simt::evaluate(FunctionOpInterface kernel, func::FuncOp grid,
                                ArrayRef<Array *> arguments,
                                SmallVectorImpl<EstimateArray> &finals,
                                SmallVectorImpl<EstimateArray> &results,
                                const Options &options) {
  Quotients quotients =
      options.nearestQuotients ? Quotients::Nearest : Quotients::ByReciprocals;
  Execution execution(kernel, boundedDomain(quotients), options);
  if (failed(execution.prepare(grid, arguments)) || failed(execution.run()))
    return std::move(execution.outcome);
  finals.resize(arguments.size());
  for (const MemRefArgument &argument : execution.memRefs) {
    if (!execution.hasRun() && argument.inWorkgroup)
      continue;
    const Buffer &buffer = execution.finalBuffer(argument);
    finals[argument.number] =
        estimates(execution, buffer.kind, execution.cellsOf(argument).data(),
                  argument.shape);
  }
  for (auto [number, reg] : llvm::enumerate(execution.program.results)) {
    auto [cells, shape] = execution.resultOf(number);
    results.push_back(estimates(execution, reg.kind, cells.data(), shape));
  }
  return std::move(execution.outcome);
}
