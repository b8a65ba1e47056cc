//===- MadeUpOps.cpp - A machine with permuting instructions --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MadeUpOps.h"

using namespace distaff;
using namespace distaff::made_up;
using simt::TargetOpSlot;

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

namespace {
constexpr Digit lane(int64_t size, int64_t stride) {
  return {Axis::Lane, size, stride};
}
constexpr Digit reg(int64_t size, int64_t stride) {
  return {Axis::Register, size, stride};
}

// 32 lanes.
constexpr Digit rows32[] = {lane(4, 8), lane(2, 4), lane(4, 1)};
constexpr Digit swapped32[] = {lane(4, 1), lane(2, 4), lane(4, 8)};
constexpr Digit outer32[] = {lane(4, 8), lane(8, 1)};
constexpr Digit turned32[] = {lane(4, 1), lane(8, 4)};
constexpr Digit pairs32[] = {lane(4, 8), lane(2, 4), lane(4, 1), reg(2, 1)};
constexpr Digit swappedPairs32[] = {lane(4, 1), lane(2, 4), lane(4, 8),
                                    reg(2, 1)};
constexpr Digit matrix32[] = {lane(8, 4), lane(4, 1)};
constexpr Digit transposed32[] = {lane(8, 1), lane(4, 8)};
constexpr Digit halves32[] = {lane(8, 4), lane(4, 1), reg(2, 1)};
constexpr Digit turnedHalves32[] = {lane(4, 1), reg(2, 1), lane(8, 4)};

// 64 lanes.
constexpr Digit rows64[] = {lane(8, 8), lane(8, 1)};
constexpr Digit swapped64[] = {lane(8, 1), lane(8, 8)};
constexpr Digit outer64[] = {lane(4, 16), lane(16, 1)};
constexpr Digit turned64[] = {lane(4, 1), lane(16, 4)};
constexpr Digit pairs64[] = {lane(8, 8), lane(8, 1), reg(2, 1)};
constexpr Digit swappedPairs64[] = {lane(8, 1), lane(8, 8), reg(2, 1)};

using Places = llvm::ArrayRef<Digit>;
constexpr Places ofRows32[] = {rows32}, ofOuter32[] = {outer32},
                 ofTurned32[] = {turned32}, ofPairs32[] = {pairs32},
                 ofCross32[] = {rows32, swapped32}, ofMatrix32[] = {matrix32},
                 ofHalves32[] = {halves32};
constexpr Places ofRows64[] = {rows64}, ofOuter64[] = {outer64},
                 ofTurned64[] = {turned64}, ofPairs64[] = {pairs64},
                 ofCross64[] = {rows64, swapped64};

constexpr int64_t of32[] = {32}, of64[] = {64}, of128[] = {128},
                  of8x4[] = {8, 4}, of8x8[] = {8, 8};

constexpr ScalarKind f32 = ScalarKind::F32, f16 = ScalarKind::F16;
constexpr TargetOpEmitter none = TargetOpEmitter::None;

constexpr TargetOp table32[] = {
    {"MADE_UP_SWAP_EXP2", "math.exp2", f32, f32, of32, ofRows32, swapped32, 32,
     5, none},
    {"MADE_UP_TURN_EXP2", "math.exp2", f32, f32, of32, ofOuter32, turned32, 32,
     5, none},
    {"MADE_UP_UNTURN_NEG", "arith.negf", f32, f32, of32, ofTurned32, outer32,
     32, 1, none},
    {"MADE_UP_PAIR_EXP2", "math.exp2", f32, f32, of64, ofPairs32,
     swappedPairs32, 32, 12, none},
    {"MADE_UP_CROSS_ADD", "arith.addf", f32, f32, of32, ofCross32, rows32, 32,
     3, none},
    {"MADE_UP_TRANSPOSE", "vector.transpose", f32, f32, of8x4, ofMatrix32,
     transposed32, 32, 3, none},
    {"MADE_UP_TILE_EXP2", "math.exp2", f16, f16, of8x8, ofHalves32,
     turnedHalves32, 32, 6, none},
};

constexpr TargetOp table64[] = {
    {"MADE_UP_SWAP_EXP2", "math.exp2", f32, f32, of64, ofRows64, swapped64, 64,
     5, none},
    {"MADE_UP_TURN_EXP2", "math.exp2", f32, f32, of64, ofOuter64, turned64, 64,
     5, none},
    {"MADE_UP_UNTURN_NEG", "arith.negf", f32, f32, of64, ofTurned64, outer64,
     64, 1, none},
    {"MADE_UP_PAIR_EXP2", "math.exp2", f32, f32, of128, ofPairs64,
     swappedPairs64, 64, 12, none},
    {"MADE_UP_CROSS_ADD", "arith.addf", f32, f32, of64, ofCross64, rows64, 64,
     3, none},
    {"MADE_UP_TRANSPOSE", "vector.transpose", f32, f32, of8x8, ofRows64,
     swapped64, 64, 3, none},
};

//===----------------------------------------------------------------------===//
// What they compute, of lane numbers alone
//===----------------------------------------------------------------------===//

/// The lane whose outer and inner digits are those of `lane`, swapped.
int64_t swapped(int64_t lane, int64_t lanes) {
  if (lanes == 64)
    return lane % 8 * 8 + lane / 8;
  return lane % 4 * 8 + lane / 4 % 2 * 4 + lane / 8;
}

/// The outer two bits of a lane's number come to be the inner two.
int64_t turned(int64_t lane, int64_t lanes) {
  return lane % (lanes / 4) * 4 + lane / (lanes / 4);
}

std::vector<simt::TargetOpMeaning> meaningsOf(int64_t lanes) {
  auto swap = [=](TargetOpSlot to, int64_t) {
    return TargetOpSlot{swapped(to.lane, lanes), to.reg};
  };
  auto turn = [=](TargetOpSlot to, int64_t) {
    for (int64_t from = 0;; ++from)
      if (turned(from, lanes) == to.lane)
        return TargetOpSlot{from, to.reg};
  };
  auto unturn = [=](TargetOpSlot to, int64_t) {
    return TargetOpSlot{turned(to.lane, lanes), to.reg};
  };
  auto cross = [=](TargetOpSlot to, int64_t operand) {
    return operand ? TargetOpSlot{swapped(to.lane, lanes), to.reg} : to;
  };
  // Lane l of a result of `columns` rows of 8 has row l / 8, column l % 8.
  auto transpose = [=](TargetOpSlot to, int64_t) {
    return TargetOpSlot{to.lane % 8 * (lanes / 8) + to.lane / 8, 0};
  };
  // Lane l has columns 2 (l % 4) and the next of row l / 4.
  auto tile = [](TargetOpSlot to, int64_t) {
    int64_t row = to.lane / 4, column = 2 * (to.lane % 4) + to.reg;
    return TargetOpSlot{4 * column + row / 2, row % 2};
  };
  return {{"MADE_UP_SWAP_EXP2", lanes, {1}, 1, "math.exp2", swap},
          {"MADE_UP_TURN_EXP2", lanes, {1}, 1, "math.exp2", turn},
          {"MADE_UP_UNTURN_NEG", lanes, {1}, 1, "arith.negf", unturn},
          {"MADE_UP_PAIR_EXP2", lanes, {2}, 2, "math.exp2", swap},
          {"MADE_UP_CROSS_ADD", lanes, {1, 1}, 1, "arith.addf", cross},
          {"MADE_UP_TRANSPOSE", lanes, {1}, 1, "", transpose},
          {"MADE_UP_TILE_EXP2", lanes, {2}, 2, "math.exp2", tile}};
}

std::string number(int64_t value) { return std::to_string(value); }

/// `8x32xf32`.
std::string typeOf(ArrayRef<int64_t> shape, StringRef element) {
  std::string text;
  for (int64_t extent : shape)
    text += number(extent) + "x";
  return text + element.str();
}
} // namespace

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

Machine::Machine(int64_t lanes)
    : lanes(lanes), target(*lookupTarget(lanes == 32 ? "sm_80" : "gfx90a")) {
  target.name = "permuting";
  target.family = {"made-up"};
  target.mma = {};
  target.issue.function = 9;
  target.costs = {.move = 0,
                  .bytePermute = 3,
                  .select = 1,
                  .shuffle = 6,
                  .sharedWavefront = 5,
                  .barrier = 30,
                  .addressOp = 1};
  rows = lanes == 32 ? ArrayRef(table32).vec() : ArrayRef(table64).vec();
  target.ops = rows;
  known = std::make_unique<TargetRegistration>(target);
  for (simt::TargetOpMeaning &meaning : meaningsOf(lanes))
    meanings.push_back(
        std::make_unique<simt::TargetOpRegistration>(std::move(meaning)));
  withOnly({"MADE_UP_SWAP_EXP2"});
}

void Machine::withOnly(ArrayRef<StringRef> names) {
  std::vector<TargetOp> kept;
  for (const TargetOp &row :
       lanes == 32 ? ArrayRef(table32) : ArrayRef(table64))
    if (llvm::is_contained(names, StringRef(row.name)))
      kept.push_back(row);
  rows = std::move(kept);
  target.ops = rows;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string Machine::rowsLayout(int64_t registers) const {
  return "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = "
         "[" +
         number(registers) + ", 1], outer_tile = [1, 1], thread_tile = [1, " +
         number(lanes) +
         "], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides "
         "= [0, 1]>";
}

std::string Machine::swappedLayout(int64_t registers) const {
  std::string first =
      registers == 1 ? "[]" : "[reg(" + number(registers) + ", 1)]";
  return "#iree_vector_ext.digit_layout<[" + first +
         (lanes == 32 ? ", [lane(4, 1), lane(2, 4), lane(4, 8)]]>"
                      : ", [lane(8, 1), lane(8, 8)]]>");
}

std::string Machine::head() const {
  return "#info = #iree_codegen.translation_info<workgroup_size = [" +
         number(lanes) + ", 1, 1] subgroup_size = " + number(lanes) + ">\n";
}

std::string Machine::around(const std::string &from, const std::string &to,
                            const std::string &first, const std::string &last,
                            const std::string &body) const {
  std::string element = from.substr(from.rfind('x') + 1);
  auto anchor = [](const std::string &name, const std::string &value,
                   const std::string &layout, const std::string &type) {
    return "  " + name + " = iree_vector_ext.to_layout " + value +
           " to layout(" + layout + ") : vector<" + type + ">\n";
  };
  return head() + "func.func @kernel(%m: memref<" + from + ">, %o: memref<" +
         to +
         ">) attributes {translation_info = #info} {\n"
         "  %c0 = arith.constant 0 : index\n  %z = arith.constant 0.0 : " +
         element +
         "\n  %read = vector.transfer_read %m[%c0, %c0], %z {in_bounds = "
         "[true, true]} : memref<" +
         from + ">, vector<" + from + ">\n" +
         anchor("%x", "%read", first, from) + body +
         anchor("%last", "%y", last, to) +
         "  vector.transfer_write %last, %o[%c0, %c0] {in_bounds = [true, "
         "true]} : vector<" +
         to + ">, memref<" + to + ">\n  return\n}\n";
}

/// The ops one after the other, from `from` to `to`.
static std::string inARow(ArrayRef<StringRef> ops, const std::string &type,
                          const std::string &from, const std::string &to,
                          bool damped) {
  std::string text, value = from;
  for (auto [i, op] : llvm::enumerate(ops)) {
    std::string stem = to + "_" + number(i);
    if (damped) {
      text +=
          "  " + stem + "n = arith.negf " + value + " : vector<" + type + ">\n";
      value = stem + "n";
    }
    std::string name = i + 1 == ops.size() ? to : stem;
    text += "  " + name + " = " + op.str() + " " + value + " : vector<" + type +
            ">\n";
    value = name;
  }
  return text;
}

std::string Machine::kernel(int64_t registers, ArrayRef<StringRef> ops,
                            StringRef first, StringRef last) const {
  auto layout = [&](StringRef name) {
    return name == "rows" ? rowsLayout(registers) : swappedLayout(registers);
  };
  std::string type = typeOf({registers, lanes}, "f32");
  return around(type, type, layout(first), layout(last),
                inARow(ops, type, "%x", "%y", exp2IsDamped));
}

std::string Machine::crossed() const {
  std::string type = typeOf({1, lanes}, "f32");
  return around(type, type, rowsLayout(1), rowsLayout(1),
                "  %e = math.exp2 %x : vector<" + type +
                    ">\n  %y = arith.addf %x, %e : vector<" + type + ">\n");
}

std::string Machine::transposition(int64_t tiles) const {
  int64_t columns = lanes / 8;
  std::string from = typeOf({8 * tiles, columns}, "f32"),
              to = typeOf({columns, 8 * tiles}, "f32");
  auto layout = [&](bool turned) {
    std::string batches =
                    turned ? "1, " + number(tiles) : number(tiles) + ", 1",
                threads =
                    turned ? number(columns) + ", 8" : "8, " + number(columns),
                stride = turned ? "8" : number(columns);
    return "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile "
           "= [" +
           batches + "], outer_tile = [1, 1], thread_tile = [" + threads +
           "], element_tile = [1, 1], subgroup_strides = [0, 0], "
           "thread_strides = [" +
           stride + ", 1]>";
  };
  return around(from, to, layout(false), layout(true),
                "  %y = vector.transpose %x, [1, 0] : vector<" + from +
                    "> to vector<" + to + ">\n");
}

std::string Machine::tiles(int64_t tiles, StringRef op, int64_t length,
                           StringRef last) const {
  std::string type = typeOf({8 * tiles, 8}, "f16");
  auto layout = [&](bool rows) {
    return "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile "
           "= [" +
           number(tiles) + ", 1], outer_tile = [1, 1], thread_tile = " +
           (rows ? "[8, 4], element_tile = [1, 2]"
                 : "[4, 8], element_tile = [2, 1]") +
           ", subgroup_strides = [0, 0], thread_strides = " +
           (rows ? "[4, 1]>" : "[1, 4]>");
  };
  return around(type, type, layout(true), layout(last == "rows"),
                inARow(SmallVector<StringRef>(length, op), type, "%x", "%y",
                       exp2IsDamped));
}

std::string Machine::loop(int64_t length) const {
  std::string type = typeOf({1, lanes}, "f32");
  std::string body = inARow(SmallVector<StringRef>(length, "math.exp2"), type,
                            "%i", "%j", /*damped=*/true);
  return around(type, type, rowsLayout(1), rowsLayout(1),
                "  %c1 = arith.constant 1 : index\n  %c3 = arith.constant 3 : "
                "index\n  %y = scf.for %t = %c0 to %c3 step %c1 iter_args(%i = "
                "%x) -> (vector<" +
                    type + ">) {\n" + body + "  scf.yield %j : vector<" + type +
                    ">\n  }\n");
}

std::string Machine::branches() const {
  std::string type = " : vector<" + typeOf({1, lanes}, "f32") + ">\n";
  std::string shape = typeOf({1, lanes}, "f32");
  return around(shape, shape, rowsLayout(1), rowsLayout(1),
                "  %a = math.exp2 %x" + type + "  %n = arith.negf %a" + type +
                    "  %b = math.exp2 %a" + type + "  %c = math.exp2 %n" +
                    type + "  %y = arith.addf %b, %c" + type);
}

std::string Machine::unanchored(StringRef shape, int64_t length) const {
  std::string type = shape.empty() ? "f32" : shape.str() + "xf32";
  int64_t rank = shape.empty() ? 0 : shape.count('x') + 1;
  std::string at, bounds;
  for (int64_t dim = 0; dim < rank; ++dim) {
    at += dim ? ", %c0" : "%c0";
    bounds += dim ? ", true" : "true";
  }
  std::string in = rank ? " {in_bounds = [" + bounds + "]}" : "";
  return head() + "func.func @kernel(%m: memref<" + type + ">, %o: memref<" +
         type +
         ">) attributes {translation_info = #info} {\n  %c0 = arith.constant 0 "
         ": index\n  %z = arith.constant 0.0 : f32\n  %x = "
         "vector.transfer_read %m[" +
         at + "], %z" + in + " : memref<" + type + ">, vector<" + type + ">\n" +
         inARow(SmallVector<StringRef>(length, "math.exp2"), type, "%x", "%y",
                false) +
         "  vector.transfer_write %y, %o[" + at + "]" + in + " : vector<" +
         type + ">, memref<" + type + ">\n  return\n}\n";
}

std::string Machine::random(
    std::mt19937 &random,
    function_ref<std::string(const std::string &, std::mt19937 &)> body) const {
  bool isWhole = random() % 4; // else lanes are no whole digits
  int64_t registers = 1 + random() % 4;
  std::string shape = typeOf({registers, isWhole ? lanes : lanes - 5}, "f32");
  std::string numbers = "  %c1 = arith.constant 1 : index\n"
                        "  %c2 = arith.constant 2 : index\n";
  std::string text = numbers + body(shape, random);
  auto layout = [&] {
    return random() % 2 ? rowsLayout(registers) : swappedLayout(registers);
  };
  if (isWhole && random() % 2)
    return around(shape, shape, layout(), layout(), text);
  // Where anchors would be is an op that has no layout of its own.
  std::string whole = around(shape, shape, "", "", text);
  for (auto [name, from] :
       {std::pair<StringRef, StringRef>{"%x", "%read"}, {"%last", "%y"}}) {
    std::string line = "  " + name.str() + " = iree_vector_ext.to_layout " +
                       from.str() + " to layout() : vector<" + shape + ">\n";
    whole.replace(whole.find(line), line.size(),
                  "  " + name.str() + " = math.absf " + from.str() +
                      " : vector<" + shape + ">\n");
  }
  return whole;
}

std::string Machine::demanding(StringRef name) const {
  std::string type = typeOf({1, lanes}, "f32");
  return around(type, type, rowsLayout(1), rowsLayout(1),
                "  %named = iree_vector_ext.to_layout %x to layout(" +
                    rowsLayout(1) + ") {mma_kind = #distaff.target_op<" +
                    name.str() + ">} : vector<" + type +
                    ">\n  %y = math.exp2 %named : vector<" + type + ">\n");
}
