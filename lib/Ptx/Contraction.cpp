//===- Contraction.cpp - Contraction of products and sums (fma) -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Contraction.h"
#include "ControlFlow.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace distaff::ptx {
namespace {

/// Returns what must agree: "ftz.f32" of "mul.ftz.f32", or of
/// "add.ftz.sat.f32". Empty for a rounding and for a type that is not
/// contracted.
std::string styleOf(const Instruction &one) {
  size_t dot = one.opcode.find('.');
  if (dot == std::string::npos)
    return "";
  std::string style = one.opcode.substr(dot + 1);
  bool mayClamp = rootOf(one) == "add" || rootOf(one) == "sub";
  if (size_t sat = style.find("sat."); mayClamp && sat != std::string::npos)
    style.erase(sat, 4);
  constexpr std::string_view known[] = {"f32",  "ftz.f32", "f64",
                                        "f16",  "ftz.f16", "ftz.f16x2",
                                        "bf16", "f16x2",   "bf16x2"};
  return std::ranges::count(known, style) ? style : "";
}

bool isProduct(const Instruction &one) {
  return rootOf(one) == "mul" && one.guard == none &&
         one.operands.size() == 3 && !styleOf(one).empty() &&
         one.operands[0].kind == Operand::Kind::Register;
}

bool isSum(const Instruction &one) {
  return (rootOf(one) == "add" || rootOf(one) == "sub") &&
         one.operands.size() == 3 && !styleOf(one).empty() &&
         one.operands[0].kind == Operand::Kind::Register;
}

/// Returns whether the first operand is a source, like the others.
bool hasNoResult(std::string_view root) {
  constexpr std::string_view roots[] = {
      "st",       "red",    "bar",       "barrier", "mbarrier",  "cp",
      "bra",      "brx",    "ret",       "exit",    "trap",      "prefetch",
      "stmatrix", "membar", "nanosleep", "fence",   "prefetchu", "call"};
  return std::ranges::count(roots, root) != 0;
}

/// The registers that an instruction reads and writes.
struct Registers {
  std::vector<unsigned> reads, writes;
  /// Whether it writes in every lane, so that it replaces the whole value.
  bool replaces = true;

  explicit Registers(const Instruction &one) {
    std::string_view root = rootOf(one);
    bool hasResult = !hasNoResult(root) && !one.operands.empty() &&
                     one.operands[0].kind != Operand::Kind::Address;
    for (size_t i = 0; i < one.operands.size(); ++i)
      note(one.operands[i], i == 0 && hasResult ? writes : reads);
    if (root == "call") // its results are among its operands
      writes = reads;
    replaces = one.guard == none && root != "call";
  }

private:
  void note(const Operand &operand, std::vector<unsigned> &list) {
    for (unsigned reg : {operand.reg, operand.second})
      if (reg != none)
        list.push_back(reg);
    for (const Operand &element : operand.elements)
      note(element, list);
  }
};

/// A product that may be contracted into the sums that use it.
struct Product {
  bool isRounded = false; ///< whether it is needed as a rounded number
  unsigned uses = 0;
};

/// A register that holds a product, or a negated product.
struct Held {
  size_t product = 0;
  bool negated = false;
  unsigned reads = 0; ///< seen so far
};

/// A sum of one or two products.
struct Sum {
  size_t at = 0;
  struct Term {
    size_t product = 0;
    unsigned operand = 1;
    bool negated = false;
  };
  std::vector<Term> terms;
};

class Finder {
public:
  Finder(const Program &program, const Function &function)
      : program(program), function(function),
        successors(findSuccessors(program, function)) {}

  std::vector<Contraction> run() {
    if (!hasProducts())
      return {};
    countReads();
    findBlocks();
    for (size_t i = function.begin; i < function.end; ++i) {
      if (startsBlock[i - function.begin])
        leaveBlock(i);
      visit(i);
    }
    leaveBlock(function.end);
    return choose();
  }

private:
  const Instruction &at(size_t i) const { return program.instructions[i]; }

  bool hasProducts() const {
    for (size_t i = function.begin; i < function.end; ++i)
      if (isProduct(at(i)))
        return true;
    return false;
  }

  void countReads() {
    reads.resize(program.registerBits.size());
    for (size_t i = function.begin; i < function.end; ++i)
      for (unsigned reg : Registers(at(i)).reads)
        ++reads[reg];
  }

  void findBlocks() {
    size_t count = function.end - function.begin;
    startsBlock.assign(count, false);
    for (size_t i = 0; i < count; ++i) {
      bool isPlain = successors[i].size() == 1 && successors[i][0] == i + 1;
      if (isPlain)
        continue;
      for (size_t to : successors[i])
        if (to < count)
          startsBlock[to] = true;
      if (i + 1 < count)
        startsBlock[i + 1] = true;
    }
  }

  /// Marks products that a later block reads as rounded.
  void leaveBlock(size_t next) {
    for (const auto &[reg, one] : held)
      if (one.reads != reads[reg] && isReadFrom(next - 1, reg))
        products[one.product].isRounded = true;
    held.clear();
  }

  /// Returns whether the value that a register has after instruction `last` is
  /// read.
  bool isReadFrom(size_t last, unsigned reg) const {
    std::vector<bool> seen(successors.size());
    std::vector<size_t> left = successors[last - function.begin];
    while (!left.empty()) {
      size_t i = left.back();
      left.pop_back();
      if (seen[i] || i == function.end - function.begin)
        continue;
      seen[i] = true;
      Registers registers(at(function.begin + i));
      if (std::ranges::count(registers.reads, reg))
        return true;
      if (!registers.replaces || !std::ranges::count(registers.writes, reg))
        left.insert(left.end(), successors[i].begin(), successors[i].end());
    }
    return false;
  }

  Held *find(const Operand &operand) {
    auto found = operand.kind == Operand::Kind::Register && !operand.negated
                     ? held.find(operand.reg)
                     : held.end();
    return found == held.end() ? nullptr : &found->second;
  }

  void visit(size_t i) {
    const Instruction &one = at(i);
    Registers registers(one);
    std::optional<Held> result = resultOf(i);
    bool isTerm = isSum(one) && noteSum(i);
    for (unsigned reg : registers.reads)
      if (auto found = held.find(reg); found != held.end()) {
        ++found->second.reads;
        if (!result && !isTerm)
          products[found->second.product].isRounded = true;
      }
    for (unsigned reg : registers.writes)
      if (auto found = held.find(reg); found != held.end()) {
        if (!registers.replaces)
          products[found->second.product].isRounded = true;
        held.erase(found);
      }
    if (isProduct(one)) {
      products.emplace(i, Product());
      result = Held{i, false, 0};
    }
    if (result)
      held[one.operands[0].reg] = *result;
  }

  /// Returns the product that the result of a `mov` or `neg` holds.
  std::optional<Held> resultOf(size_t i) {
    const Instruction &one = at(i);
    bool isMove = rootOf(one) == "mov", isNegation = rootOf(one) == "neg";
    if ((!isMove && !isNegation) || one.guard != none ||
        one.operands.size() != 2 ||
        one.operands[0].kind != Operand::Kind::Register)
      return std::nullopt;
    const Held *from = find(one.operands[1]);
    if (!from || (isNegation && styleOf(one) != styleOf(at(from->product))))
      return std::nullopt;
    return Held{from->product, from->negated != isNegation, 0};
  }

  bool noteSum(size_t i) {
    const Instruction &one = at(i);
    Sum sum{i, {}};
    for (unsigned operand : {1u, 2u})
      if (const Held *term = find(one.operands[operand]))
        sum.terms.push_back({term->product, operand, term->negated});
    bool isTwice =
        sum.terms.size() == 2 && sum.terms[0].product == sum.terms[1].product;
    for (const Sum::Term &term : sum.terms)
      if (isTwice || styleOf(one) != styleOf(at(term.product)))
        return false;
    for (const Sum::Term &term : sum.terms)
      ++products[term.product].uses;
    if (!sum.terms.empty())
      sums.push_back(std::move(sum));
    return true;
  }

  /// Returns the term of a sum that is not rounded before the addition.
  const Sum::Term *choose(const Sum &sum) const {
    const Sum::Term *chosen = nullptr;
    for (const Sum::Term &term : sum.terms) {
      const Product &product = products.at(term.product);
      if (product.isRounded)
        continue;
      if (!chosen ||
          (products.at(chosen->product).uses > 1 && product.uses == 1))
        chosen = &term;
    }
    return chosen;
  }

  /// Chooses the contractions; a product that some sum rounds is rounded for
  /// all.
  std::vector<Contraction> choose() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Sum &sum : sums) {
        const Sum::Term *chosen = choose(sum);
        for (const Sum::Term &term : sum.terms)
          if (Product &product = products.at(term.product);
              &term != chosen && !product.isRounded)
            changed = product.isRounded = true;
      }
    }
    std::vector<Contraction> all;
    for (const Sum &sum : sums)
      if (const Sum::Term *term = choose(sum))
        all.push_back({term->product, sum.at, term->operand, term->negated});
    return all;
  }

  const Program &program;
  const Function &function;
  std::vector<std::vector<size_t>> successors;
  std::vector<unsigned> reads; ///< by register, in the whole function
  std::vector<bool> startsBlock;
  std::map<unsigned, Held> held;
  std::map<size_t, Product> products; ///< by instruction
  std::vector<Sum> sums;
};

} // namespace

std::vector<Contraction> findContractions(const Program &program,
                                          const Function &function) {
  return Finder(program, function).run();
}

} // namespace distaff::ptx
