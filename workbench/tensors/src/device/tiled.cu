/* Products in tiles: c = alpha a b + beta c for matrices (m, k) and (k, n) that lie anywhere, with the columns of c side by side. The device's
   library reads four numbers at once, which it cannot where rows lie a number of numbers apart that is no multiple of four. Here every
   number is read by itself, and threads side by side read what lies side by side.

   A block of threads makes 136 x 65 numbers of a result, eight terms of each at a time from shared memory while the next eight are on
   their way; a thread makes 8 rows and every thirteenth column, 40 numbers that stay in its registers. So few sides are left over:

   | m x n x k           | rows            | columns   | threads   | together |
   | 257 x 65 x 65       | 257 / 272       | 65 / 65   | 221 / 224 | 93 %     |
   | 257 x 65 x 257      | 257 / 272       | 65 / 65   | 221 / 224 | 93 %     |
   | 257 x 257 x 65      | 257 / 272       | 257 / 260 | 221 / 224 | 92 %     |
   | 65 x 257 x 257      | 65 / 136        | 257 / 260 | 221 / 224 | 47 %     |
   | 1024 257 x 130 x 65 | 263168 / 263296 | 130 / 130 | 221 / 224 | 99 %     |

   Terms are never filled up: the last ones, fewer than eight, go one by one. In blocks of 64 x 64 the first four would come to 41, 41, 65
   and 41 %.

   `kernels.cu` includes this text once for each type of numbers T, whose name OF puts behind that of a function. The null driver runs it
   too, block by block: what a thread does between two barriers is there a loop over the block's threads, and what it keeps from one
   barrier to the next is an array with a place for each of them. */

#ifndef TILE_ROWS
#define TILE_ROWS 136
#define TILE_COLUMNS 65
#define TILE_TERMS 8
#define TILE_THREADS 224
/* Numbers of a thread, and threads across a tile and down. */
#define TALL 8
#define WIDE 5
#define ACROSS 13
#define DOWN 17
/* Rows of a, or columns of b, that are fetched at once with eight terms each, how often that is done, and the room for all of them. The
   rooms are 12 and 20 banks apart, up to whole rounds, so that four rows of eight terms are kept in 32 different banks. */
#define LINES 28
#define TIMES_A 5
#define TIMES_B 3
#define ROOM_A 140
#define ROOM_B 84

#ifdef __CUDACC__
#define PART static __device__ __forceinline__ void
#define BLOCKS_OF(COUNT) __launch_bounds__(TILE_THREADS, COUNT)
#define SHARED __shared__ __align__(16)
#define EACH_THREAD for (unsigned thread = threadIdx.x, once = 1; once; once = 0)
#define TOGETHER __syncthreads()
#define HELD 1
#define OWN 0
#else
#define PART static inline void
#define BLOCKS_OF(COUNT)
#define SHARED static __thread
#define EACH_THREAD for (unsigned thread = 0; thread < TILE_THREADS; thread++)
#define TOGETHER
#define HELD TILE_THREADS
#define OWN thread
#endif
#endif

/* A thread's share of eight terms: `there` numbers, `step` apart. Those of the next eight lie `along` further for each term. */
PART OF(fetch)(T *got, unsigned times, const T **from, unsigned step, unsigned along, unsigned there) {
#pragma unroll
  for (unsigned j = 0; j < times; j++) got[j] = j < there ? (*from)[(size_t)step * (LINES * j)] : 0;
  *from += (size_t)along * TILE_TERMS;
}

/* What was fetched, in shared memory. */
PART OF(keep)(T *to, const T *got, unsigned times) {
#pragma unroll
  for (unsigned j = 0; j < times; j++) to[LINES * j] = got[j];
}

/* One term of each of a thread's numbers. */
PART OF(add)(T sums[TALL][WIDE], const T *left, const T *right) {
  T x[TALL], y[WIDE];
#pragma unroll
  for (unsigned i = 0; i < TALL; i++) x[i] = left[i];
#pragma unroll
  for (unsigned j = 0; j < WIDE; j++) y[j] = right[ACROSS * j];
#pragma unroll
  for (unsigned i = 0; i < TALL; i++)
#pragma unroll
    for (unsigned j = 0; j < WIDE; j++) sums[i][j] += x[i] * y[j];
}

/* A thread's numbers where they belong. Of four rows it reads all before it writes one, so that reads do not wait for each other. */
PART OF(leave)(T *to, unsigned down, int rows, int columns, T sums[TALL][WIDE], T alpha, T beta) {
#pragma unroll
  for (int half = 0; half < TALL; half += TALL / 2) {
    T *next = to;
#pragma unroll
    for (int i = half; i < half + TALL / 2; i++, next += down)
#pragma unroll
      for (int j = 0; j < WIDE; j++)
        sums[i][j] = alpha * sums[i][j] + (beta != 0 && i < rows && ACROSS * j < columns ? beta * next[ACROSS * j] : 0);
#pragma unroll
    for (int i = half; i < half + TALL / 2; i++, to += down)
#pragma unroll
      for (int j = 0; j < WIDE; j++)
        if (i < rows && ACROSS * j < columns) to[ACROSS * j] = sums[i][j];
  }
}

/* The distances are those from one matrix to the next (each), from row to row (down) and from column to column (across). */
KERNEL BLOCKS_OF(BLOCKS) OF(tiled)(unsigned m, unsigned n, unsigned k, unsigned each_c, unsigned down_c, unsigned each_a,
                                   unsigned down_a, unsigned across_a, unsigned each_b, unsigned down_b, unsigned across_b,
                                   T alpha, T beta, const T *a, const T *b, T *c) {
  SHARED T left[2][TILE_TERMS * ROOM_A], right[2][TILE_TERMS * ROOM_B];
  T sums[HELD][TALL][WIDE];
  const T *from_a[HELD], *from_b[HELD];
  unsigned term_a[HELD], term_b[HELD], there_a[HELD], there_b[HELD], to_a[HELD], to_b[HELD];
  unsigned across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS, down = (m + TILE_ROWS - 1) / TILE_ROWS;
  unsigned column = blockIdx.x % across * TILE_COLUMNS, row = blockIdx.x / across % down * TILE_ROWS;
  size_t which = blockIdx.x / across / down;
  unsigned rows = m - row < TILE_ROWS ? m - row : TILE_ROWS;
  unsigned columns = n - column < TILE_COLUMNS ? n - column : TILE_COLUMNS;
  EACH_THREAD {
    /* Threads side by side fetch terms where these lie side by side, and else rows of a, or columns of b. */
    unsigned line_a = across_a == 1 ? thread / TILE_TERMS : thread % LINES;
    unsigned line_b = down_b == 1 ? thread / TILE_TERMS : thread % LINES;
    term_a[OWN] = across_a == 1 ? thread % TILE_TERMS : thread / LINES;
    term_b[OWN] = down_b == 1 ? thread % TILE_TERMS : thread / LINES;
    from_a[OWN] = a + which * each_a + (size_t)(row + line_a) * down_a + (size_t)term_a[OWN] * across_a;
    from_b[OWN] = b + which * each_b + (size_t)(column + line_b) * across_b + (size_t)term_b[OWN] * down_b;
    there_a[OWN] = line_a < rows ? (rows - line_a + LINES - 1) / LINES : 0;
    there_b[OWN] = line_b < columns ? (columns - line_b + LINES - 1) / LINES : 0;
    to_a[OWN] = term_a[OWN] * ROOM_A + line_a;
    to_b[OWN] = term_b[OWN] * ROOM_B + line_b;
    T got_a[TIMES_A], got_b[TIMES_B];
    OF(fetch)(got_a, TIMES_A, &from_a[OWN], down_a, across_a, term_a[OWN] < k ? there_a[OWN] : 0);
    OF(fetch)(got_b, TIMES_B, &from_b[OWN], across_b, down_b, term_b[OWN] < k ? there_b[OWN] : 0);
    OF(keep)(&left[0][to_a[OWN]], got_a, TIMES_A);
    OF(keep)(&right[0][to_b[OWN]], got_b, TIMES_B);
#pragma unroll
    for (unsigned i = 0; i < TALL * WIDE; i++) sums[OWN][i / WIDE][i % WIDE] = 0;
  }
  TOGETHER;
  for (unsigned done = 0, now = 0; done < k; done += TILE_TERMS, now ^= 1) {
    EACH_THREAD {
      T got_a[TIMES_A], got_b[TIMES_B];
      unsigned next = done + TILE_TERMS;
      OF(fetch)(got_a, TIMES_A, &from_a[OWN], down_a, across_a, next + term_a[OWN] < k ? there_a[OWN] : 0);
      OF(fetch)(got_b, TIMES_B, &from_b[OWN], across_b, down_b, next + term_b[OWN] < k ? there_b[OWN] : 0);
      /* Three threads have no numbers of their own. */
      const T *x = &left[now][thread < ACROSS * DOWN ? thread / ACROSS * TALL : 0];
      const T *y = &right[now][thread % ACROSS];
      if (next <= k) {
#pragma unroll
        for (unsigned p = 0; p < TILE_TERMS; p++) OF(add)(sums[OWN], x + p * ROOM_A, y + p * ROOM_B);
      } else {
#pragma unroll 1
        for (unsigned p = 0; p < k - done; p++) OF(add)(sums[OWN], x + p * ROOM_A, y + p * ROOM_B);
      }
      OF(keep)(&left[now ^ 1][to_a[OWN]], got_a, TIMES_A);
      OF(keep)(&right[now ^ 1][to_b[OWN]], got_b, TIMES_B);
    }
    TOGETHER;
  }
  EACH_THREAD {
    int line = thread / ACROSS * TALL, at = thread % ACROSS;
    T *to = c + which * each_c + (size_t)(row + line) * down_c + column + at;
    if (thread >= ACROSS * DOWN) continue;
    if (beta == 0) OF(leave)(to, down_c, (int)rows - line, (int)columns - at, sums[OWN], alpha, 0);
    else OF(leave)(to, down_c, (int)rows - line, (int)columns - at, sums[OWN], alpha, beta);
  }
}
