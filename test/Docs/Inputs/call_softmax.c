// Calls the kernel of examples/softmax.mlir as a function of C: one array in,
// one array out, on the thread of the caller.
#include "softmax.h"
#include <stdio.h>

static float x[1024][768], y[1024][768];

int main(void) {
  for (int row = 0; row < 1024; ++row)
    for (int column = 0; column < 768; ++column)
      x[row][column] = (float)((row + column) % 7);

  if (softmax(&x[0][0], &y[0][0], /*parallel_for=*/NULL) != 0)
    return 1;

  double sum = 0;
  for (int column = 0; column < 768; ++column)
    sum += y[0][column];
  printf("row 0 sums to %.3f\n", sum);
  return 0;
}
