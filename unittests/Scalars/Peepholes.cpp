//===- Peepholes.cpp - Expressions that folds look at ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trees of ops whose bits are defined, over operands and constants: those that
// are known to be folded wrongly somewhere, and random ones. Their definition
// is that of their ops, one after the other.
//
//===----------------------------------------------------------------------===//
#include "Definitions.h"
#include "Inputs.h"
#include "Random.h"
#include "llvm/ADT/StringExtras.h"

#include <memory>

using namespace distaff::scalars;

namespace {

/// A tree: an operand, a constant, or an op on trees.
struct Tree {
  const Format *type;
  const ScalarOp *op = nullptr;
  int operand = -1;
  uint64_t constant = 0;
  std::vector<Tree> kids = {};
};

const char *operandNames[] = {"%a", "%b", "%c"};

std::string literal(const Format &type, uint64_t bits) {
  if (!type.isFloat())
    return type.bits == 1 ? (bits ? "true" : "false")
                          : std::to_string(type.integer(bits).getSExtValue());
  return "0x" + llvm::utohexstr(bits, false, type.bits / 4);
}

/// Appends the tree's code; returns the name of its value.
std::string print(const Tree &tree, std::string &code, int &count,
                  bool isRoot) {
  if (tree.operand >= 0)
    return operandNames[tree.operand];
  std::vector<std::string> kids;
  for (const Tree &kid : tree.kids)
    kids.push_back(print(kid, code, count, false));
  std::string name = isRoot ? "%v" : "%n" + std::to_string(count++);
  if (!tree.op) {
    code += name + " = arith.constant " + literal(*tree.type, tree.constant);
    if (tree.type->bits != 1)
      code += std::string(" : ") + tree.type->name;
    code += "\n    ";
    return name;
  }
  std::string body = tree.op->body;
  for (size_t at = 0; (at = body.find('%', at)) != std::string::npos;) {
    char letter = body[at + 1];
    std::string with = letter == 'v'   ? name
                       : letter == 'w' ? name + "w"
                                       : kids[letter - 'a'];
    body.replace(at, 2, with);
    at += with.size();
  }
  code += body + (isRoot ? "" : "\n    ");
  return name;
}

/// Of a tree without ops that leave a choice.
Expected evaluate(const Tree &tree, llvm::ArrayRef<uint64_t> operands) {
  if (tree.operand >= 0)
    return Expected::exactly(operands[tree.operand]);
  if (!tree.op)
    return Expected::exactly(tree.constant);
  std::vector<uint64_t> values;
  for (const Tree &kid : tree.kids) {
    Expected value = evaluate(kid, operands);
    if (value.kind == Expected::Kind::Nan)
      value.bits = bitsOf(llvm::APFloat::getNaN(*kid.type->semantics));
    else if (value.kind != Expected::Kind::Bits)
      return Expected();
    values.push_back(value.bits);
  }
  return tree.op->define(values);
}

std::string describe(const Tree &tree) {
  if (tree.operand >= 0)
    return operandNames[tree.operand] + 1;
  if (!tree.op)
    return literal(*tree.type, tree.constant);
  std::vector<std::string> kids;
  for (const Tree &kid : tree.kids)
    kids.push_back(describe(kid));
  return tree.op->name + "(" + llvm::join(kids, ", ") + ")";
}

/// What trees are made of.
class Forest {
public:
  explicit Forest(std::vector<ScalarOp> all)
      : table(std::make_shared<std::vector<ScalarOp>>(std::move(all))) {}

  const ScalarOp *find(llvm::StringRef name, const Format &result,
                       llvm::ArrayRef<const Format *> operands) const {
    for (const ScalarOp &op : *table)
      if (op.name == name && op.result == &result &&
          llvm::ArrayRef(op.operands) == operands)
        return &op;
    llvm_unreachable("the table has an op of these types");
  }
  Tree apply(llvm::StringRef name, const Format &result,
             std::vector<Tree> kids) const {
    std::vector<const Format *> types;
    for (const Tree &kid : kids)
      types.push_back(kid.type);
    return {&result, find(name, result, types), -1, 0, std::move(kids)};
  }
  void add(std::vector<ScalarOp> &ops, Tree tree,
           std::vector<const Format *> operands) const {
    std::string code;
    int count = 0;
    print(tree, code, count, true);
    ops.push_back({describe(tree), code, std::move(operands), tree.type,
                   [tree, keep = table](llvm::ArrayRef<uint64_t> x) {
                     return evaluate(tree, x);
                   }});
  }
  /// A random tree of a type, its operands of the types given.
  Tree grow(Random &random, const Format &type, int depth,
            llvm::ArrayRef<const Format *> operands) const;

private:
  std::shared_ptr<std::vector<ScalarOp>> table;
};

/// Ops whose bits are defined, and that trees may have.
bool isDefinite(const ScalarOp &op) {
  llvm::StringRef name = op.name;
  if (llvm::StringRef(op.body).contains('\n')) // trees are made of single ops
    return false;
  for (const Format *each : op.operands)
    if (each->isFloat() && each->bits == 8)
      return false;
  return !(op.result->isFloat() && op.result->bits == 8) && name != "bitcast" &&
         name != "copysign" && name != "maxnumf" && name != "minnumf" &&
         !name.contains("ipowi");
}

Tree Forest::grow(Random &random, const Format &type, int depth,
                  llvm::ArrayRef<const Format *> operands) const {
  std::vector<Tree> leaves;
  for (auto [i, each] : llvm::enumerate(operands))
    if (each == &type)
      leaves.push_back({&type, nullptr, int(i)});
  if (depth == 0 || random.below(8) == 0) {
    if (!leaves.empty() && random.below(3) != 0)
      return leaves[random.below(leaves.size())];
    llvm::ArrayRef<uint64_t> edges = edgesOf(type);
    return {&type, nullptr, -1, edges[random.below(edges.size())]};
  }
  std::vector<const ScalarOp *> fitting;
  for (const ScalarOp &op : *table)
    if (op.result == &type && isDefinite(op))
      fitting.push_back(&op);
  const ScalarOp &op = *fitting[random.below(fitting.size())];
  Tree tree{&type, &op};
  for (const Format *each : op.operands)
    tree.kids.push_back(grow(random, *each, depth - 1, operands));
  return tree;
}

/// x if it compares so with y, or the other way round.
void addSelects(const Forest &forest, std::vector<ScalarOp> &ops,
                const Format &type) {
  const Format &truth = format("i1");
  Tree x{&type, nullptr, 0}, y{&type, nullptr, 1};
  Tree whole = forest.apply("sitofp", type, {{&format("i32"), nullptr, 1}});
  for (std::string predicate :
       {"olt", "ole", "ogt", "oge", "ult", "ule", "ugt", "uge"})
    for (bool swapped : {false, true}) {
      auto select = [&](const Tree &other) {
        Tree condition = forest.apply("cmpf " + predicate, truth, {x, other});
        return forest.apply("select", type,
                            swapped ? std::vector{condition, other, x}
                                    : std::vector{condition, x, other});
      };
      for (double number : {0.0, -0.0, 1.0, -2.5})
        forest.add(ops, select({&type, nullptr, -1, type.round(number)}),
                   {&type});
      forest.add(ops, select(y), {&type, &type});
      forest.add(ops, select(whole), {&type, &format("i32")});
    }
}

void addChains(const Forest &forest, std::vector<ScalarOp> &ops,
               const Format &type) {
  Tree a{&type, nullptr, 0}, b{&type, nullptr, 1}, c{&type, nullptr, 2};
  for (std::string first : {"addf", "subf", "mulf", "divf"})
    for (std::string second : {"addf", "subf", "mulf", "divf"})
      for (bool swapped : {false, true}) {
        Tree inner = forest.apply(first, type, {a, b});
        forest.add(ops,
                   forest.apply(second, type,
                                swapped ? std::vector{c, inner}
                                        : std::vector{inner, c}),
                   {&type, &type, &type});
      }
  for (std::string op :
       {"addf", "subf", "mulf", "divf", "maximumf", "minimumf", "remf"})
    for (double number : {0.0, -0.0, 1.0, -1.0, 2.0, 0.1, 3.0})
      for (bool swapped : {false, true}) {
        Tree constant{&type, nullptr, -1, type.round(number)};
        forest.add(ops,
                   forest.apply(op, type,
                                swapped ? std::vector{constant, a}
                                        : std::vector{a, constant}),
                   {&type});
      }
}

} // namespace

void distaff::scalars::addPeepholes(std::vector<ScalarOp> &ops) {
  Forest forest(ops);
  for (const char *name : {"f16", "bf16", "f32", "f64"}) {
    addSelects(forest, ops, format(name));
    addChains(forest, ops, format(name));
  }
  Random random(40);
  std::vector<const Format *> types;
  for (const Format &each : formats())
    if (!each.isFloat() || each.bits > 8)
      types.push_back(&each);
  for (int i = 0; i < 2000; ++i) {
    std::vector<const Format *> operands = {types[random.below(types.size())],
                                            types[random.below(types.size())],
                                            types[random.below(types.size())]};
    const Format &result = *types[random.below(types.size())];
    Tree tree = forest.grow(random, result, 2 + random.below(2), operands);
    if (tree.op)
      forest.add(ops, tree, operands);
  }
}
