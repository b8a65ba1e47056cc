// What has no mutants: what the compiler computes, and what is no code.
#include <array>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

constexpr int extent = 4 + 4;
constinit int start = 3;
const int64_t usable = 6;
static_assert(extent == 4 * 2);
enum Kind { First = 1, Second = First << 3 };
template <int n> struct Sized {
  int values[n + 1];
  int wide : 3 + 2;
};
constexpr int square(int x) { return x * x; }
consteval int cube(int x) { return x * x * x; }

#define RETURN_LARGER(a, b) return (a) > (b) ? (a) : (b);
int larger(int a, int b) { RETURN_LARGER(a, b) }

template <typename T> constexpr bool isWide() {
  if constexpr (sizeof(T) > 4)
    return true;
  return false;
}

struct Members {
  int value = 3;
  bool isSet = true;
  Members() = default;
  bool operator==(const Members &) const = default;
};

void none(int x, Kind kind, int more = 5, bool isLast = false) {
  assert(x == 3 && "text");
  std::array<int, 2 * 2> values;
  Sized<3 - 1> sized;
  int larger = LARGER(x, more);
  alignas(8 * 2) char bytes[sizeof(int) + 1];
  static_cast<void>(sizeof(x + 1));
  auto adds = [y = x + 1](int z) noexcept(1 + 1 == 2) {};
  constexpr int constant = square(4) + cube(2);
  std::vector<int> reserved;
  reserved.reserve(40);
  switch (kind) {
  case First + 1:
  case Second:
  default:
    break;
  }
  std::abort();
}
