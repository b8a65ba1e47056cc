//===- FormMatrixLoads.cpp - MMA fragments by ldmatrix --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers of an MMA operand that a lane loads from workgroup memory one
// by one are grouped into words of 32 bits. If over all lanes a word is a tile
// of 8 rows of 16 bytes, plain or transposed, up to four of them are one matrix
// load: lane 8 t + r then computes the address of row r of word t, which
// another lane would compute as the address of its own element. That address
// must be a sum over the bits of the lane's id. A lane that reads its own
// writes without a barrier gets no matrix load (SeparatedLoads.h). For
// registers that a loop carries, the loads before the loop and in the previous
// iteration are examined.
//
//===----------------------------------------------------------------------===//
#include "ConstantsLast.h"
#include "LaneForms.h"
#include "SeparatedLoads.h"
#include "SwizzleSharedMemory.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/IndexFacts.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Staging/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace distaff {
#define GEN_PASS_DEF_FORMMATRIXLOADS
#include "distaff/Staging/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// The source of one register.
struct Element {
  Operation *load = nullptr;
  Value memref;
  SmallVector<const LaneForm *> indices;
  int64_t behind = 0; // elements, along the last dim

  int64_t at(unsigned dim, int64_t lane) const {
    return indices[dim]->lane[lane] + (dim + 1 == indices.size() ? behind : 0);
  }
};

/// The uses of registers that one MMA instruction takes together, now or in a
/// later iteration of a loop.
using Operands = SmallVector<OpOperand *>;

/// The addresses of rows: a number per dim for each lane that gives one.
using Rows = SmallVector<std::array<int64_t, LaneForm::lanes>>;

class Former {
public:
  Former(gpu::GPUFuncOp function)
      : function(function), forms(function), separated(function) {}

  void run(ArrayRef<Operands> fragments);

private:
  void form(ArrayRef<Value> registers);
  void formTogether(SmallVector<Operands> &fragments);
  void formShort(const Operands &fragment, ArrayRef<Value> registers);
  bool formTiles(ArrayRef<Value> registers, int64_t tiles, bool transposed);
  std::optional<Element> elementOf(Value value);
  bool isTile(ArrayRef<Element> word, bool transposed) const;
  bool haveAlignedRows(const Element &any, const Rows &rows, int64_t spoken);
  bool areReadTogether(ArrayRef<Element> elements) const;
  Value emitIndex(OpBuilder &b, Location loc, const LaneForm &alike,
                  ArrayRef<int64_t> perBit);

  gpu::GPUFuncOp function;
  LaneForms forms;
  SeparatedLoads separated;
  IndexFacts facts;
  /// Fragments of fewer than four words, by the memory and the block of their
  /// loads.
  llvm::MapVector<std::pair<Value, Block *>, SmallVector<Operands>>
      shortFragments;
  /// Allocations that matrix loads read now.
  llvm::SetVector<Value> swizzled;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sources of registers
//===----------------------------------------------------------------------===//

std::optional<Element> Former::elementOf(Value value) {
  Element element;
  ValueRange indices;
  if (auto load = value.getDefiningOp<memref::LoadOp>()) {
    element.load = load;
    element.memref = load.getMemRef();
    indices = load.getIndices();
  } else if (auto parts = value.getDefiningOp<vector::ToElementsOp>()) {
    auto load = parts.getSource().getDefiningOp<vector::LoadOp>();
    if (!load || load.getVectorType().getRank() != 1)
      return std::nullopt;
    element.load = load;
    element.memref = load.getBase();
    element.behind = cast<OpResult>(value).getResultNumber();
    indices = load.getIndices();
  } else {
    return std::nullopt;
  }
  auto type = cast<MemRefType>(element.memref.getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getRank() == 0 || !element.memref.getDefiningOp<memref::AllocOp>() ||
      !separated.contains(element.load) || !forms.isConverged(element.load))
    return std::nullopt;
  for (Value index : indices) {
    const LaneForm *form = forms.of(index);
    if (!form)
      return std::nullopt;
    element.indices.push_back(form);
  }
  return element;
}

/// Returns the lane that gives the address of a row. A plain tile's row r is
/// the first element of lane 4 r; a transposed one's row 2 q + e is element e
/// of lane q.
static int64_t speaker(int64_t row, bool transposed) {
  return transposed ? row / 2 : 4 * row;
}

bool Former::isTile(ArrayRef<Element> word, bool transposed) const {
  unsigned last = word[0].indices.size() - 1;
  int64_t perWord = word.size();
  for (int64_t lane = 0; lane < LaneForm::lanes; ++lane)
    for (int64_t e = 0; e < perWord; ++e) {
      int64_t row = transposed ? 2 * (lane % 4) + e : lane / 4;
      int64_t inRow = transposed ? lane / 4 : lane % 4 * perWord + e;
      const Element &first = word[transposed ? e : 0];
      for (unsigned dim = 0; dim <= last; ++dim)
        if (word[e].at(dim, lane) !=
            first.at(dim, speaker(row, transposed)) + (dim == last ? inRow : 0))
          return false;
    }
  return true;
}

bool Former::haveAlignedRows(const Element &any, const Rows &rows,
                             int64_t spoken) {
  auto type = cast<MemRefType>(any.memref.getType());
  int64_t perRow = 16 / bytesInMemory(type.getElementType());
  auto [strides, offset] = type.getStridesAndOffset();
  for (auto [form, stride] : llvm::zip_equal(any.indices, strides))
    for (auto [number, factor] : form->terms)
      if (stride * factor * facts.divisor(forms.termValue(number)) % perRow !=
          0)
        return false;
  for (int64_t lane = 0; lane < spoken; ++lane) {
    int64_t address = 0;
    for (auto [row, stride] : llvm::zip_equal(rows, strides))
      address += row[lane] * stride;
    if (address % perRow != 0)
      return false;
  }
  return true;
}

/// Returns whether the loads are in one block, and nothing between the first
/// and the last one writes or waits.
bool Former::areReadTogether(ArrayRef<Element> elements) const {
  Operation *first = elements[0].load, *last = first;
  for (const Element &element : elements) {
    if (element.load->getBlock() != first->getBlock())
      return false;
    if (element.load->isBeforeInBlock(first))
      first = element.load;
    if (last->isBeforeInBlock(element.load))
      last = element.load;
  }
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Returns the lane's number as a sum over the bits of its id that are read,
/// followed by the constant; nothing where it is not such a sum.
static std::optional<SmallVector<int64_t>>
sumOverBits(const std::array<int64_t, LaneForm::lanes> &numbers,
            int64_t spoken) {
  SmallVector<int64_t> perBit;
  for (int64_t bit = 1; bit < spoken; bit *= 2)
    perBit.push_back(numbers[bit] - numbers[0]);
  for (int64_t lane = 0; lane < spoken; ++lane) {
    int64_t sum = numbers[0];
    for (auto [bit, step] : llvm::enumerate(perBit))
      sum += lane >> bit & 1 ? step : 0;
    if (sum != numbers[lane])
      return std::nullopt;
  }
  perBit.push_back(numbers[0]);
  return perBit;
}

/// Emits an index. `perBit` has a number for each bit, then the constant.
Value Former::emitIndex(OpBuilder &b, Location loc, const LaneForm &alike,
                        ArrayRef<int64_t> perBit) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  Value sum = constant(perBit.back());
  auto add = [&](Value value, int64_t factor) {
    Value scaled = b.createOrFold<arith::MulIOp>(loc, value, constant(factor));
    sum = b.createOrFold<arith::AddIOp>(loc, sum, scaled);
  };
  for (auto [number, factor] : alike.terms)
    add(forms.termValue(number), factor);
  ArrayRef<int64_t> steps = perBit.drop_back();
  Value lane;
  for (size_t bit = 0; bit < steps.size();) {
    // Neighbouring bits with doubling steps are one number.
    size_t end = bit + 1;
    while (end < steps.size() && steps[end] == 2 * steps[end - 1])
      ++end;
    if (steps[bit] != 0) {
      if (!lane)
        lane = gpu::LaneIdOp::create(b, loc, b.getIndexType(), IntegerAttr());
      Value part = lane;
      if (bit > 0)
        part = arith::ShRUIOp::create(b, loc, part, constant(bit));
      part =
          arith::AndIOp::create(b, loc, part, constant((1 << (end - bit)) - 1));
      add(part, steps[bit]);
    }
    bit = end;
  }
  return sum;
}

/// Erases loads whose registers have no use any more.
static void eraseUnused(ArrayRef<Value> registers, ArrayRef<Element> elements) {
  llvm::SmallPtrSet<Operation *, 8> ops;
  for (Value value : registers)
    ops.insert(value.getDefiningOp());
  for (Operation *op : ops)
    if (op->use_empty())
      op->erase();
  llvm::SmallPtrSet<Operation *, 8> loads;
  for (const Element &element : elements)
    if (!ops.contains(element.load))
      loads.insert(element.load);
  for (Operation *load : loads)
    if (load->use_empty())
      load->erase();
}

bool Former::formTiles(ArrayRef<Value> registers, int64_t tiles,
                       bool transposed) {
  int64_t perWord = registers.size() / tiles;
  SmallVector<Element> elements;
  for (Value value : registers) {
    std::optional<Element> element = elementOf(value);
    if (!element)
      return false;
    elements.push_back(std::move(*element));
  }
  const Element &any = elements[0];
  for (const Element &element : elements) {
    if (element.memref != any.memref)
      return false;
    for (auto [a, b] : llvm::zip_equal(element.indices, any.indices))
      if (a->terms != b->terms)
        return false;
  }
  Rows rows(any.indices.size());
  for (int64_t t = 0; t < tiles; ++t) {
    ArrayRef<Element> word = ArrayRef(elements).slice(t * perWord, perWord);
    if (!isTile(word, transposed))
      return false;
    for (int64_t r = 0; r < 8; ++r)
      for (auto [dim, row] : llvm::enumerate(rows))
        row[8 * t + r] =
            word[transposed ? r % 2 : 0].at(dim, speaker(r, transposed));
  }
  SmallVector<SmallVector<int64_t>> sums;
  for (const auto &row : rows) {
    auto sum = sumOverBits(row, 8 * tiles);
    if (!sum)
      return false;
    sums.push_back(std::move(*sum));
  }
  if (!haveAlignedRows(any, rows, 8 * tiles) || !areReadTogether(elements))
    return false;

  Operation *first = any.load;
  for (const Element &element : elements)
    if (element.load->isBeforeInBlock(first))
      first = element.load;
  OpBuilder b(first);
  Location loc = first->getLoc();
  SmallVector<Value> position;
  for (auto [form, sum] : llvm::zip_equal(any.indices, sums))
    position.push_back(emitIndex(b, loc, *form, sum));
  auto type = VectorType::get({tiles, perWord}, registers[0].getType());
  Value loaded = nvgpu::LdMatrixOp::create(b, loc, type, any.memref, position,
                                           transposed, tiles);
  auto parts = vector::ToElementsOp::create(b, loc, loaded);
  for (auto [old, value] : llvm::zip_equal(registers, parts.getElements()))
    Value(old).replaceAllUsesWith(value);
  eraseUnused(registers, elements);
  swizzled.insert(any.memref);
  return true;
}

/// Returns the registers of a fragment, if matrix loads have elements of this
/// width and no register occurs twice: it would be replaced twice.
static SmallVector<Value> registersOf(const Operands &fragment) {
  SmallVector<Value> registers = llvm::map_to_vector(
      fragment, [](OpOperand *operand) { return operand->get(); });
  llvm::SmallPtrSet<Value, 16> known(registers.begin(), registers.end());
  if (registers.empty() || known.size() != registers.size() ||
      !llvm::is_contained({8u, 16u, 32u},
                          registers[0].getType().getIntOrFloatBitWidth()))
    return {};
  return registers;
}

static int64_t elementsPerWord(ArrayRef<Value> registers) {
  return 32 / registers[0].getType().getIntOrFloatBitWidth();
}

/// Forms matrix loads of as many words at once as are tiles of one kind.
void Former::form(ArrayRef<Value> registers) {
  int64_t perWord = elementsPerWord(registers);
  int64_t words = registers.size() / perWord;
  if (words * perWord != int64_t(registers.size()))
    return;
  for (int64_t word = 0; word < words;) {
    int64_t taken = 0;
    for (int64_t tiles = 4; tiles > 0 && !taken; tiles /= 2) {
      if (word + tiles > words)
        continue;
      auto some = registers.slice(word * perWord, tiles * perWord);
      if (formTiles(some, tiles, /*transposed=*/false) ||
          (perWord == 2 && formTiles(some, tiles, /*transposed=*/true)))
        taken = tiles;
    }
    word += std::max<int64_t>(1, taken);
  }
}

/// Forms loads of all fragments at once; their registers may have been replaced
/// by now.
void Former::formTogether(SmallVector<Operands> &fragments) {
  SmallVector<SmallVector<Value>> each =
      llvm::map_to_vector(fragments, registersOf);
  fragments.clear();
  SmallVector<Value> all;
  for (ArrayRef<Value> registers : each)
    llvm::append_range(all, registers);
  if (llvm::SmallPtrSet<Value, 16>(all.begin(), all.end()).size() == all.size())
    each = {all};
  for (ArrayRef<Value> registers : each)
    if (!registers.empty())
      form(registers);
}

/// Combines a fragment of fewer than four words with others from the same
/// memory: two of two words are one instruction.
void Former::formShort(const Operands &fragment, ArrayRef<Value> registers) {
  std::optional<Element> first = elementOf(registers[0]);
  if (!first)
    return;
  int64_t perWord = elementsPerWord(registers);
  SmallVector<Operands> &waiting =
      shortFragments[{first->memref, first->load->getBlock()}];
  if (!waiting.empty() &&
      (waiting[0].size() != fragment.size() ||
       waiting[0][0]->get().getType() != registers[0].getType()))
    formTogether(waiting);
  waiting.push_back(fragment);
  if (int64_t(waiting.size() * registers.size()) >= 4 * perWord)
    formTogether(waiting);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Returns the loop that carries a value, and the number of its iter arg.
static std::pair<scf::ForOp, unsigned> carrierOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      if (argument != loop.getInductionVar())
        return {loop, argument.getArgNumber() - 1};
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop, cast<OpResult>(value).getResultNumber()};
  return {};
}

/// Returns, where a loop carries all registers of a fragment, their initial
/// values and the yielded ones.
static SmallVector<Operands> carriedAs(const Operands &fragment) {
  Operands before, next;
  scf::ForOp all = carrierOf(fragment.front()->get()).first;
  for (OpOperand *operand : fragment) {
    auto [loop, number] = carrierOf(operand->get());
    if (!loop || loop != all)
      return {};
    before.push_back(&loop.getInitArgsMutable()[number]);
    next.push_back(&loop.getYieldedValuesMutable()->slice(number, 1)[0]);
  }
  return {before, next};
}

/// Returns the operands of MMA instructions, and the loop-carried ones among
/// them.
static SmallVector<Operands> fragmentsOf(Operation *function) {
  llvm::SetVector<Value> read;
  function->walk([&](iree::InnerTiledOp op) {
    read.insert(op.getLhs());
    read.insert(op.getRhs());
  });
  SmallVector<Operands> fragments;
  for (Value value : read)
    if (auto made = value.getDefiningOp<vector::FromElementsOp>())
      fragments.push_back(llvm::map_to_vector(
          made->getOpOperands(), [](OpOperand &operand) { return &operand; }));
  llvm::SmallPtrSet<OpOperand *, 16> known;
  for (size_t at = 0; at < fragments.size(); ++at)
    for (Operands &carried : carriedAs(Operands(fragments[at])))
      if (known.insert(carried.front()).second)
        fragments.push_back(std::move(carried));
  return fragments;
}

void Former::run(ArrayRef<Operands> fragments) {
  for (const Operands &fragment : fragments) {
    SmallVector<Value> registers = registersOf(fragment);
    if (registers.empty())
      continue;
    if (int64_t(registers.size()) < 4 * elementsPerWord(registers))
      formShort(fragment, registers);
    else
      form(registers);
  }
  for (auto &[where, waiting] : shortFragments)
    formTogether(waiting);
  // In swizzled memory constants are separated from the rest of an index.
  if (!swizzled.empty())
    moveConstantsLast(function);
  for (Value memref : swizzled)
    swizzleSharedMemory(memref.getDefiningOp<memref::AllocOp>());
}

namespace {
struct FormMatrixLoads final
    : distaff::impl::FormMatrixLoadsBase<FormMatrixLoads> {
  using FormMatrixLoadsBase::FormMatrixLoadsBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    if (!machine->banks.loadsMatrices)
      return;
    SmallVector<Operands> fragments = fragmentsOf(getOperation());
    if (fragments.empty())
      return;
    Former(getOperation()).run(fragments);
    // Merges the equal indices of one matrix's rows, and erases dead single
    // loads.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};
} // namespace
