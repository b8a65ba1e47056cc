"""Products of matrices in plain Python, the reference of kernels that multiply whole numbers. A matrix is a list, row by row."""
import operator


def dot(row, column):
    return sum(map(operator.mul, row, column))


def matmul(a, b, m, n, k):
    """a (m x k) times b (k x n)."""
    columns = [b[j:k * n:n] for j in range(n)]
    return [dot(row, column) for row in (a[i * k:(i + 1) * k] for i in range(m)) for column in columns]
