#include "Sum/Sum.h"
#include <gtest/gtest.h>

TEST(Sum, FindsTheLargest) { EXPECT_EQ(largest({2, 5, 3}), 5); }
TEST(Sum, KnowsWhatIsSmall) {
  EXPECT_TRUE(isSmall(3));
  EXPECT_FALSE(isSmall(300));
}
TEST(Sum, MakesMaps) { EXPECT_EQ(makeMap(4).size, 4); }
TEST(Sum, Counts) { EXPECT_EQ(count(100), 100); }
TEST(Sum, IsNotUsed) { FAIL() << "with nothing planted"; }
