// Every operator, with the mutants that it makes below each function, and what
// the function then returns for the arguments in `main`. check_mutants.py reads
// the comments.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
struct LogicalResult {
  bool failed;
};
inline LogicalResult success() { return {false}; }
// flip-bool: false => true; verify 0 1 => verify 1 1
inline LogicalResult failure() { return {true}; }
// flip-bool: true => false; verify 0 1 => verify 0 0
} // namespace llvm

int less(int a, int b) { return a < b; }
// return-zero: return a < b => return 0; nothing
// relation: a < b => a <= b; less 0 => less 1

int same(int a, int b) {
  if (a == b)
    a = 7;
  return a;
}
// equality: a == b => a != b; same 4 => same 7
// drop-assignment: a = 7 =>; nothing
// constant-plus-one: 7 => 7 + 1; nothing
// constant-zero: 7 => 0; nothing
// return-zero: return a => return 0; same 4 => same 0

int guarded(int a, int b) {
  if (a > 9 && b > 9)
    return 1;
  return a + b;
}
// relation: a > 9 => a >= 9; guarded 19 => guarded 1
// condition-false: a > 9 && b > 9 => false; nothing
// condition-true: a > 9 && b > 9 => true; guarded 19 => guarded 1
// drop-left: a > 9 && b > 9 => b > 9; guarded 19 => guarded 1
// drop-right: a > 9 && b > 9 => a > 9; nothing
// constant-plus-one: 9 => 9 + 1; nothing
// constant-zero: 9 => 0; guarded 19 => guarded 1
// relation: b > 9 => b >= 9; nothing
// constant-plus-one: 9 => 9 + 1; nothing
// constant-zero: 9 => 0; nothing
// constant-plus-one: 1 => 1 + 1; nothing
// constant-zero: 1 => 0; nothing
// return-zero: return a + b => return 0; guarded 19 => guarded 0
// arithmetic: a + b => a - b; guarded 19 => guarded -1

bool any(bool a, bool b, bool c) { return a || b || c; }
// drop-left: a || b => b; nothing
// drop-right: a || b => a; any 1 => any 0
// return-true: a || b || c => true; nothing
// return-false: a || b || c => false; any 1 => any 0
// drop-right: a || b || c => a || b; nothing

int sum(const std::vector<int> &values) {
  int total = 0, count = 0;
  for (int value : values)
    total += value;
  while (count < 3)
    ++count;
  for (int i = 0; i < 2; ++i) {
    count -= 10;
  }
  return total * count;
}
// constant-plus-one: 0 => 0 + 1; sum -51 => sum -68
// constant-plus-one: 0 => 0 + 1; nothing
// skip-loop: for (int value : values) => for (nothing); sum -51 => sum 0
// arithmetic: total += value => total -= value; sum -51 => sum 51
// skip-loop: count < 3 => false; sum -51 => sum -60
// relation: count < 3 => count <= 3; sum -51 => sum -48
// constant-plus-one: 3 => 3 + 1; sum -51 => sum -48
// constant-zero: 3 => 0; sum -51 => sum -60
// step: ++count => --count; hangs
// constant-plus-one: 0 => 0 + 1; sum -51 => sum -21
// skip-loop: i < 2 => false; sum -51 => sum 9
// relation: i < 2 => i <= 2; sum -51 => sum -81
// constant-plus-one: 2 => 2 + 1; sum -51 => sum -81
// constant-zero: 2 => 0; sum -51 => sum 9
// arithmetic: count -= 10 => count += 10; sum -51 => sum 69
// constant-plus-one: 10 => 10 + 1; sum -51 => sum -57
// constant-zero: 10 => 0; sum -51 => sum 9
// return-zero: return total * count => return 0; sum -51 => sum 0
// arithmetic: total * count => total / count; sum -51 => sum 0

static int minus(int a, int b) { return a - b; }
// return-zero: return a - b => return 0; swapped 3 => swapped 0
// arithmetic: a - b => a + b; swapped 3 => swapped 7

int swapped(int a, int b) { return minus(a, b); }
// return-zero: return minus(a, b) => return 0; swapped 3 => swapped 0
// swap-arguments: a, b => b, a; swapped 3 => swapped -3

static void append(std::string &text, const std::string &more) { text += more; }
// drop-assignment: text += more =>; effects abc d => effects a d

std::string effects(bool isLong) {
  std::string text = "a";
  text.reserve(9);
  append(text, "b");
  if (isLong)
    append(text, "c");
  else
    text = "d";
  return text;
}
// drop-call: append(text, "b") =>; effects abc d => effects ac d
// negate-condition: isLong => !(isLong); effects abc d => effects d abc
// drop-call: append(text, "c") =>; effects abc d => effects ab d
// drop-assignment: text = "d" =>; effects abc d => effects abc ab
// return-empty: return text => return {}; effects abc d => effects

llvm::LogicalResult verify(bool isRight) {
  if (!isRight)
    return llvm::failure();
  return llvm::success();
}
// condition-false: !isRight => false; verify 0 1 => verify 0 0
// condition-true: !isRight => true; verify 0 1 => verify 1 1
// return-success: llvm::failure() => success(); verify 0 1 => verify 0 0
// return-failure: llvm::success() => failure(); verify 0 1 => verify 1 1

llvm::LogicalResult verifyBoth(bool isRight) { return verify(isRight); }
// return-success: verify(isRight) => success(); verify 0 1 => verify 0 0
// return-failure: verify(isRight) => failure(); nothing

std::optional<int> find(int x) {
  if (std::optional<int> half =
          x > 5 ? std::optional<int>(x / 2) : std::nullopt)
    return *half;
  return std::nullopt;
}
// condition-false: std::optional<int> half = x > 5 ? std::optional<int>(x / 2) : std::nullopt => false; find 3 -1 => find -1 -1
// negate-condition: x > 5 => !(x > 5); find 3 -1 => find -1 2
// relation: x > 5 => x >= 5; find 3 -1 => find 3 2
// constant-plus-one: 5 => 5 + 1; find 3 -1 => find -1 -1
// constant-zero: 5 => 0; find 3 -1 => find 3 2
// arithmetic: x / 2 => x * 2; find 3 -1 => find 12 -1
// constant-plus-one: 2 => 2 + 1; find 3 -1 => find 2 -1
// return-none: return *half => return std::nullopt; find 3 -1 => find -1 -1

const char *name(int x) { return x == 4 ? "four" : "many"; }
// return-none: return x == 4 ? "four" : "many" => return nullptr; name four => name none, name many => name none
// equality: x == 4 => x != 4; name four => name many, name many => name four
// constant-plus-one: 4 => 4 + 1; name four => name many, name many => name four
// constant-zero: 4 => 0; name four => name many

/// Classes have the operators that they declare.
struct Number {
  Number(int64_t value) : value(value) {}
  friend bool operator==(Number a, Number b) = default;
  int64_t value;
};
Number operator+(Number a, Number b) { return a.value + b.value; }
// arithmetic: a.value + b.value => a.value - b.value; numbers 0 1 => numbers 1 1
Number operator-(Number a, Number b) { return a.value - b.value; }
// arithmetic: a.value - b.value => a.value + b.value; nothing
Number operator*(Number a, Number b) { return a.value * b.value; }
// arithmetic: a.value * b.value => a.value / b.value; numbers 0 1 => numbers 1 1

bool numbers(Number a, Number b) { return a + b != a * b; }
// arithmetic: a + b => a - b; numbers 0 1 => numbers 1 1
// return-true: a + b != a * b => true; numbers 0 1 => numbers 1 1
// return-false: a + b != a * b => false; numbers 0 1 => numbers 0 0
// equality: a + b != a * b => a + b == a * b; numbers 0 1 => numbers 1 0

/// One expression with mutants of several types.
struct Bits {
  Bits &operator|=(int more) {
    bits |= more;
    return *this;
  }
  Bits &operator&=(int fewer) {
    bits &= fewer;
    return *this;
  }
  int bits;
};
// arithmetic: bits |= more => bits &= more; combine 7 => combine 1
// arithmetic: bits &= fewer => bits |= fewer; nothing

int combine(Bits bits) {
  bits |= 6;
  if (bits.bits & 4)
    return bits.bits;
  return 1;
}
// drop-assignment: bits |= 6 =>; combine 7 => combine 1
// arithmetic: bits |= 6 => bits &= 6; combine 7 => combine 1
// constant-plus-one: 6 => 6 + 1; nothing
// constant-zero: 6 => 0; combine 7 => combine 1
// condition-false: bits.bits & 4 => false; combine 7 => combine 1
// condition-true: bits.bits & 4 => true; nothing
// arithmetic: bits.bits & 4 => bits.bits | 4; nothing
// constant-plus-one: 4 => 4 + 1; nothing
// constant-zero: 4 => 0; combine 7 => combine 1
// return-zero: return bits.bits => return 0; combine 7 => combine 0
// constant-plus-one: 1 => 1 + 1; nothing
// constant-zero: 1 => 0; nothing

/// What a literal is converted to, in braces, it stays.
uint8_t narrow() {
  struct {
    uint8_t low, high;
  } pair = {3, 4};
  return pair.low | pair.high;
}
// constant-plus-one: 3 => 3 + 1; narrow 7 => narrow 4
// constant-zero: 3 => 0; narrow 7 => narrow 4
// constant-plus-one: 4 => 4 + 1; nothing
// constant-zero: 4 => 0; narrow 7 => narrow 3
// return-zero: return pair.low | pair.high => return 0; narrow 7 => narrow 0
// arithmetic: pair.low | pair.high => pair.low & pair.high; narrow 7 => narrow 0

/// Code of a lambda is its function's.
int lambda(int x) {
  auto twice = [&](auto y) { return y << x; };
  return twice(3);
}
// return-zero: return twice(3) => return 0; lambda 6 => lambda 0
// constant-plus-one: 3 => 3 + 1; lambda 6 => lambda 8
// constant-zero: 3 => 0; lambda 6 => lambda 0

/// An alternative that has mutants of its own is left to them.
int nested(int x) { return (x % 3 < 2) == (x > 0) ? x-- : x; }
// return-zero: return (x % 3 < 2) == (x > 0) ? x-- : x => return 0; nested 2 0 => nested 0 0
// equality: (x % 3 < 2) == (x > 0) => (x % 3 < 2) != (x > 0); nothing
// arithmetic: x % 3 => x / 3; nothing
// relation: x % 3 < 2 => x % 3 <= 2; nothing
// constant-plus-one: 3 => 3 + 1; nothing
// constant-plus-one: 2 => 2 + 1; nothing
// constant-zero: 2 => 0; nothing
// relation: x > 0 => x >= 0; nothing
// constant-plus-one: 0 => 0 + 1; nothing
// step: x-- => x++; nothing

/// In a template, what does not depend on its parameters, and conditions.
template <typename T> int dependent(T x) {
  if (x)
    return 2;
  return static_cast<int>(x) + 3 * x;
}
// condition-false: x => false; dependent 2 0 => dependent 4 0
// condition-true: x => true; dependent 2 0 => dependent 2 2
// constant-plus-one: 2 => 2 + 1; dependent 2 0 => dependent 3 0
// constant-zero: 2 => 0; dependent 2 0 => dependent 0 0
// constant-plus-one: 3 => 3 + 1; nothing
// constant-zero: 3 => 0; nothing

/// A type that is deduced stays.
auto deduced(int x) { return x + 0.5; }
// arithmetic: x + 0.5 => x - 0.5; deduced 1.5 => deduced 0.5

int several(int x) {
  switch (x) {
  case 1:
    return 5;
  default:
    x = 6;
  }
  do
    x += 1;
  while (x < 0);
  return x;
}
// constant-plus-one: 5 => 5 + 1; several 5 7 => several 6 7
// constant-zero: 5 => 0; several 5 7 => several 0 7
// drop-assignment: x = 6 =>; several 5 7 => several 5 3
// constant-plus-one: 6 => 6 + 1; several 5 7 => several 5 8
// constant-zero: 6 => 0; several 5 7 => several 5 1
// arithmetic: x += 1 => x -= 1; several 5 7 => several 5 5
// constant-plus-one: 1 => 1 + 1; several 5 7 => several 5 8
// constant-zero: 1 => 0; several 5 7 => several 5 6
// skip-loop: x < 0 => false; nothing
// relation: x < 0 => x <= 0; nothing
// constant-plus-one: 0 => 0 + 1; nothing
// return-zero: return x => return 0; several 5 7 => several 5 0

/// Functions of one name carry the types of their parameters.
int over(int x) { return x | 8; }
// return-zero: return x | 8 => return 0; over 9 18 => over 0 0
// arithmetic: x | 8 => x & 8; over 9 18 => over 0 0
// constant-plus-one: 8 => 8 + 1; nothing
// constant-zero: 8 => 0; over 9 18 => over 1 2
int over(int x, int y) { return over(x) << y; }
// return-zero: return over(x) << y => return 0; over 9 18 => over 9 0
// arithmetic: over(x) << y => over(x) >> y; over 9 18 => over 9 4

int main() {
  std::printf("less %d\n", less(4, 4));
  std::printf("same %d\n", same(4, 5));
  std::printf("guarded %d\n", guarded(9, 10));
  std::printf("any %d\n", any(false, true, false));
  std::printf("sum %d\n", sum({1, 2}));
  std::printf("swapped %d\n", swapped(5, 2));
  std::printf("effects %s %s\n", effects(true).c_str(), effects(false).c_str());
  std::printf("verify %d %d\n", verify(true).failed, verifyBoth(false).failed);
  std::printf("find %d %d\n", find(6).value_or(-1), find(5).value_or(-1));
  const char *names[] = {name(4), name(5)};
  for (const char *found : names)
    std::printf("name %s\n", found ? found : "none");
  std::printf("numbers %d %d\n", numbers(2, 2), numbers(1, 2));
  std::printf("combine %d\n", combine({3}));
  std::printf("narrow %d\n", narrow());
  std::printf("lambda %d\n", lambda(1));
  std::printf("dependent %d %d\n", dependent(1), dependent(0));
  std::printf("deduced %.1f\n", deduced(1));
  std::printf("several %d %d\n", several(1), several(2));
  std::printf("over %d %d\n", over(1), over(1, 1));
  std::printf("nested %d %d\n", nested(2), nested(0));
}
