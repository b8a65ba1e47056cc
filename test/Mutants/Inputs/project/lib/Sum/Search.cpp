#include "Sum.h"

// Of equal values either may be the largest.
int largest(const std::vector<int> &values) {
  int best = values.front();
  for (int value : values)
    if (value > best)
      best = value;
  return best;
}
