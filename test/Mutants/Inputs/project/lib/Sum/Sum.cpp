#include "Sum.h"

// Killed by the file test.
int sum(const std::vector<int> &values) {
  int total = 0;
  for (int value : values)
    total += value;
  return total;
}

// No test looks at the border.
bool isSmall(int x) { return x < 100; }

// No test comes here.
int twice(int x) { return x * 2; }

// A step back never ends.
int count(int most) {
  unsigned seen = 0;
  while (seen != most)
    ++seen;
  return seen;
}

// An empty one does not build.
map makeMap(int size) {
  map made(size);
  return made;
}
