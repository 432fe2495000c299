/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sweeps of flat domains by blocks that walk along y, so that each value is read from beyond the block once.
 *
 * A block has COLUMNS columns in x of at most MOST_WALKED layers, whole, and solves one row of them after the other. A
 * thread has WALKED layers of a column. In shared memory the block has a ring of three rows of w = u + P coarse, with
 * the column beside them on either side, and one or two rows of f. Seen from above, while row j is solved:
 *
 *      y       block: COLUMNS columns
 *      ^    +---+----------------+---+
 *      |    |   | row j+2        |   |   w on its way (cp.async), into the place of row j-1
 *      |    | b | row j+1  north | b |   w in the ring
 *      |    | e | row j    here  | e |   w in the ring; f in its own row of shared memory; v is stored
 *      |    | s | row j-1  south | s |   w in the ring until its coupling is taken
 *      |    | . |                | . |   beside: one value per layer
 *      |    +---+----------------+---+
 *
 * For each row j:
 *   1. row j+1 of w and row j of f have come; a coarse correction is added to row j+1, once for each value;
 *   2. a thread takes f - N w of its layers, N being the couplings to south, here and north (v = (1 - damping) w +
 *      damping M^-1 (f - N w), M the lines upwards);
 *   3. row j+2 of w and row j+1 of f are requested;
 *   4. the threads of a column solve its line together (flat_lines.cuh);
 *   5. v is stored, and its inner product with f taken.
 * The requests travel while the lines are solved. A warp reads of w and f only what it has fetched itself, the layers
 * of its threads, so that it waits for its own copies alone. A walk reads a row of w beyond each of its ends; so walks
 * are as long as leaves every multiprocessor its blocks.
 *
 * Where the columns of a grid are of few types (flat_factors.h), KNOWN, their elimination comes from a table that the
 * block keeps in shared memory; else each thread eliminates its layers anew in each row.
 *
 * Words per unknown: 2 from zero, 3, and 3.25 with a correction, and of the ends of walks 2 rows in each. H200 at 4.2
 * TB/s, 512 x 512 x 128, f64: 128, 192 and 208 us. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_WALK_CUH
#define STARFISH_MULTIGRID_KERNELS_FLAT_WALK_CUH

#include "krylov/kernels/multiprocessors.cuh"
#include "multigrid/kernels/flat_lines.cuh"

#include <algorithm>
#include <cuda_pipeline.h>

namespace flat
{

constexpr int RING = 3;                         /* rows of w */
constexpr int WALKED = 8;                       /* layers of a thread */
constexpr int MOST_WALKED = WALKED * MOST_RUNS; /* layers of a column */

/* Columns of a block: so many that two blocks share a multiprocessor, of which one computes while the other waits. */
template <typename real> constexpr int COLUMNS = sizeof(real) == 4 ? LANES : LEAST_COLUMNS;
/* Elements of 16 bytes. The ring has as many beside the block's columns, of which one is used on each side. */
template <typename real> constexpr int CHUNK = 16 / int(sizeof(real));
template <typename real> constexpr int WIDTH = COLUMNS<real> + 2 * CHUNK<real>;
template <typename real> constexpr int PIECES = COLUMNS<real> / CHUNK<real>;        /* of a line */
template <typename real> constexpr int WARP_LAYERS = WALKED *LANES / COLUMNS<real>; /* of the threads of a warp */

template <typename real> struct alignas(2 * sizeof(real)) Numbers {
    real a, b, c, d;
};

/* Rows of f: the one that is solved is needed to the end for sums, and where registers are few. */
template <int START, bool KNOWN> constexpr int F_ROWS = KNOWN &&START != ZERO ? 1 : 2;

template <typename real, int START, bool KNOWN> size_t walk_bytes(int runs, int types)
{
    const size_t layers = size_t(runs) * WALKED;
    const size_t lines = (START == ZERO ? 0 : RING * WIDTH<real>)+F_ROWS<START, KNOWN> * COLUMNS<real>;
    if (KNOWN)
        return (layers * (lines + 1) + known_words(runs, COLUMNS<real>) + types * factors_of(runs)) * sizeof(real);
    return layers * (sizeof(Numbers<real>) + lines * sizeof(real)) + exchange_bytes<real, COLUMNS<real>>;
}

/* Couplings of which those to columns that are not there are 0, but not in their sum `faces`. */
template <typename real, bool SKEW> struct Inner : Couplings<real, SKEW> {
    real faces;
    int type; /* of the column, where types are known */

    __device__ Inner(const Matrix<real> &m, int i, int j) : Couplings<real, SKEW>(m, i, j)
    {
        faces = this->west + this->east + this->south + this->north;
#pragma unroll
        for (int side = 0; side < 4 && SKEW; side++)
            faces += this->corner[side];
        this->west = i > 0 || m.periodic_x ? this->west : real(0);
        this->east = i + 1 < m.nx || m.periodic_x ? this->east : real(0);
        this->south = j > 0 || m.periodic_y ? this->south : real(0);
        this->north = j + 1 < m.ny || m.periodic_y ? this->north : real(0);
        type = m.types > 0 ? int(__ldg(m.type + size_t(i) + size_t(m.nx) * j)) : 0;
    }
};

/* A thread's place: the column that it solves, and the layers k0 .. k0 + WALKED - 1 of it, those beyond the top being
 * the top; and in the layers of its warp what it fetches: pieces of 16 bytes, of every fourth layer, or where rows are
 * not made of such pieces its own column, and of the columns beside the block one value. */
template <typename real, int START, bool KNOWN> struct Walker {
    const Smooth<real> &a;
    int lane, k0, warp_k0, column, i0;
    int start, steps;         /* of layer k0 in a row; how many layers are above it */
    int beside, beside_k;     /* the column and the layer of the value beside the block; beside_k negative: none */
    int row, f_row;           /* elements of a row of the ring, and of f */
    real *ring, *f;           /* layer k0 of the first row: the column before the thread's, the thread's */
    real *ring_rows, *border; /* the rows of w, and where the value beside goes in the first of them */
    real *f_rows;

    __device__ Walker(const Smooth<real> &smooth, real *shared, int first) : a(smooth)
    {
        const Matrix<real> &m = a.matrix;
        const int layers = int(blockDim.y) * WALKED, thread = int(threadIdx.x + threadIdx.y * COLUMNS<real>);
        lane = thread % LANES;
        k0 = int(threadIdx.y) * WALKED;
        warp_k0 = thread / LANES * WARP_LAYERS<real>;
        i0 = first;
        start = m.nx * min(k0, m.nz - 1);
        steps = m.nz - 1 - k0;
        column = place_of(i0 + int(threadIdx.x), m.nx, m.periodic_x);
        beside = place_of(lane % 2 == 0 ? i0 - 1 : i0 + COLUMNS<real>, m.nx, m.periodic_x);
        beside_k = lane < 2 * WARP_LAYERS<real> ? min(warp_k0 + lane / 2, m.nz - 1) : -1;
        row = layers * WIDTH<real>;
        f_row = layers * COLUMNS<real>;
        f_rows = shared;
        ring_rows = shared + F_ROWS<START, KNOWN> * f_row;
        f = f_rows + k0 * COLUMNS<real> + int(threadIdx.x);
        ring = ring_rows + k0 * WIDTH<real> + CHUNK<real> - 1 + int(threadIdx.x);
        border = ring_rows + (warp_k0 + lane / 2) * WIDTH<real> +
                 (lane % 2 == 0 ? CHUNK<real> - 1 : CHUNK<real> + COLUMNS<real>);
    }
    /* The block's columns of a row, whose first column is `from`, to lines of shared memory that begin at `to`. */
    __device__ void fetch(const real *from, real *to, int line) const
    {
        const Matrix<real> &m = a.matrix;
        if ((KNOWN || START != ZERO) && a.wide) { /* lines from zero that are eliminated anew are slower so */
            const int piece = lane % PIECES<real> * CHUNK<real>;
#pragma unroll
            for (int layer = lane / PIECES<real>; layer < WARP_LAYERS<real>; layer += LANES / PIECES<real>)
                __pipeline_memcpy_async(to + (warp_k0 + layer) * line + piece,
                                        from + m.nx * min(warp_k0 + layer, m.nz - 1) + i0 + piece, 16);
            return;
        }
        from += start + column;
#pragma unroll
        for (int s = 0; s < WALKED; s++) {
            __pipeline_memcpy_async(to + (k0 + s) * line + threadIdx.x, from, sizeof(real));
            from += s < steps ? m.nx : 0;
        }
    }
    __device__ void fetch_f(int slot, int j) const
    {
        fetch(a.f + a.matrix.row() * j, f_rows + slot * f_row, COLUMNS<real>);
    }
    __device__ void fetch_row(int slot, int j) const
    {
        const Matrix<real> &m = a.matrix;
        if (!a.u)
            return;
        const real *const from = a.u + m.row() * place_of(j, m.ny, m.periodic_y);
        fetch(from, ring_rows + slot * row + CHUNK<real>, WIDTH<real>);
        if (beside_k >= 0)
            __pipeline_memcpy_async(border + slot * row, from + m.nx * beside_k + beside, sizeof(real));
    }
    /* The correction of layer k, where rows and columns of the coarse grid have these weights. */
    __device__ real interpolated(const Terms<real> &y, const Terms<real> &across, int k) const
    {
        const int nx = a.transfer[0].coarse;
        const size_t size = size_t(nx) * a.matrix.nz;
        const real *const low = a.coarse + size * y.index[0] + nx * k, *const high =
                                                                           a.coarse + size * y.index[1] + nx * k;
        return y.weight[0] *
                   (across.weight[0] * __ldg(low + across.index[0]) + across.weight[1] * __ldg(low + across.index[1])) +
               y.weight[1] * (across.weight[0] * __ldg(high + across.index[0]) +
                              across.weight[1] * __ldg(high + across.index[1]));
    }
    __device__ void correct_beside(int slot, const Terms<real> &y) const
    {
        real *const w = border + slot * row;
        if (beside_k >= 0)
            *w = (a.u ? *w : real(0)) + interpolated(y, terms_of(a.transfer[0], beside), beside_k);
    }
};

/* How w = u + P coarse is made of a row of the ring that has come. CARRIED: a thread keeps, for its run of its column,
 * the values between two coarse columns in the two coarse rows that the row lies between, since two rows lie between
 * the same ones. BY_PIECES of 16 bytes, each from the coarse values around it. DIRECT: each value from four coarse
 * ones; where rows are not made of pieces or are not coarser in x too. By measurement: registers decide. */
enum Way { CARRIED, BY_PIECES, DIRECT };
template <typename real, bool KNOWN>
constexpr Way WAY = sizeof(real) == 8 ? (KNOWN ? CARRIED : BY_PIECES) : (KNOWN ? BY_PIECES : DIRECT);

template <typename real, int START, bool KNOWN> struct Corrector {
    static constexpr Way way = START == CORRECTED ? WAY<real, KNOWN> : DIRECT;
    static constexpr int PIECE = way == BY_PIECES ? CHUNK<real> : 1, AROUND = PIECE / 2 + 2;
    struct alignas(16) Piece {
        real w[PIECE];
    };
    const Walker<real, START, KNOWN> &walker;
    int piece, index[AROUND]; /* in the block; coarse columns around it, or around the thread's column */
    real weight[PIECE][2];
    int row[2]; /* what is carried */
    real carried[2][way == CARRIED ? WALKED : 1];

    __device__ explicit Corrector(const Walker<real, START, KNOWN> &of) : walker(of), piece(0), row{-1, -1}
    {
        if constexpr (way == BY_PIECES) {
            piece = walker.lane % PIECES<real> * PIECE;
            if (!walker.a.wide_coarse)
                return;
        }
        if constexpr (way != DIRECT) {
#pragma unroll
            for (int c = 0; c < PIECE; c++) {
                const Terms<real> x =
                    terms_of(walker.a.transfer[0], way == CARRIED ? walker.column : walker.i0 + piece + c);
                weight[c][0] = x.weight[0];
                weight[c][1] = x.weight[1];
                index[(c + 1) / 2] = x.index[0];
                index[(c + 1) / 2 + 1] = x.index[1];
            }
        }
    }
    __device__ const real *coarse_row(int number) const
    {
        return walker.a.coarse + size_t(walker.a.transfer[0].coarse) * walker.a.matrix.nz * number;
    }
    /* What the thread carries of a coarse row. */
    __device__ void load(int number, real to[WALKED]) const
    {
        const int nx = walker.a.transfer[0].coarse;
        const real *from = coarse_row(number) + nx * min(walker.k0, walker.a.matrix.nz - 1);
#pragma unroll
        for (int s = 0; s < WALKED; s++) {
            to[s] = weight[0][0] * __ldg(from + index[0]) + weight[0][1] * __ldg(from + index[1]);
            from += s < walker.steps ? nx : 0;
        }
    }
    __device__ void correct_carried(real *w, const Terms<real> &y)
    {
        if (y.index[0] != row[0] && y.index[0] == row[1]) {
#pragma unroll
            for (int s = 0; s < WALKED; s++)
                carried[0][s] = carried[1][s];
        } else if (y.index[0] != row[0]) {
            load(y.index[0], carried[0]);
        }
        if (y.index[1] != row[1])
            load(y.index[1], carried[1]);
        row[0] = y.index[0];
        row[1] = y.index[1];
#pragma unroll
        for (int s = 0; s < WALKED; s++)
            w[s * WIDTH<real>] = (walker.a.u ? w[s * WIDTH<real>] : real(0)) +
                                 (y.weight[0] * carried[0][s] + y.weight[1] * carried[1][s]);
    }
    __device__ void correct_pieces(real *ring_row, const Terms<real> &y) const
    {
        const Smooth<real> &a = walker.a;
        const int nx = a.transfer[0].coarse;
        const real *const low = coarse_row(y.index[0]), *const high = coarse_row(y.index[1]);
#pragma unroll 2
        for (int layer = walker.lane / PIECES<real>; layer < WARP_LAYERS<real>; layer += LANES / PIECES<real>) {
            const int k = walker.warp_k0 + layer, start = nx * min(k, a.matrix.nz - 1);
            Piece &w = *reinterpret_cast<Piece *>(ring_row + k * WIDTH<real> + piece);
            Piece result = a.u ? w : Piece{};
            real value[AROUND];
#pragma unroll
            for (int c = 0; c < AROUND; c++)
                value[c] = y.weight[0] * __ldg(low + start + index[c]) + y.weight[1] * __ldg(high + start + index[c]);
#pragma unroll
            for (int c = 0; c < PIECE; c++)
                result.w[c] += weight[c][0] * value[(c + 1) / 2] + weight[c][1] * value[(c + 1) / 2 + 1];
            w = result;
        }
    }
    __device__ void correct_directly(real *w, const Terms<real> &y) const
    {
        const Terms<real> x = terms_of(walker.a.transfer[0], walker.column);
#pragma unroll 4
        for (int s = 0; s < WALKED; s++)
            w[s * WIDTH<real>] = (walker.a.u ? w[s * WIDTH<real>] : real(0)) +
                                 walker.interpolated(y, x, min(walker.k0 + s, walker.a.matrix.nz - 1));
    }
    __device__ Terms<real> terms(int j) const
    {
        const Matrix<real> &m = walker.a.matrix;
        return terms_of(walker.a.transfer[1], place_of(j, m.ny, m.periodic_y));
    }
    /* Asks for the upper one of the coarse rows that row j lies between, a layer or more by each thread: the lower one
     * has been asked for with the row before. */
    __device__ void prefetch(int j) const
    {
        const int nx = walker.a.transfer[0].coarse, threads = int(blockDim.y) * COLUMNS<real>;
        const real *const from = coarse_row(terms(j).index[1]) + min(walker.i0 / 2, nx - 1);
        for (int k = int(threadIdx.x + threadIdx.y * COLUMNS<real>); k < walker.a.matrix.nz; k += threads)
            asm volatile("prefetch.global.L1 [%0];" ::"l"(from + nx * k));
    }
    __device__ void correct(int slot, int j)
    {
        const Terms<real> y = terms(j);
        real *const w = walker.ring + slot * walker.row + 1;
        walker.correct_beside(slot, y);
        if constexpr (way == CARRIED) {
            correct_carried(w, y);
            return;
        }
        if constexpr (way == BY_PIECES) {
            if (walker.a.wide_coarse) {
                correct_pieces(walker.ring_rows + slot * walker.row + CHUNK<real>, y);
                return;
            }
        }
        if constexpr (way != CARRIED)
            correct_directly(w, y);
    }
};

/* f - N w of the run; N is what couples columns, across(s) its factor in a layer. Rows `south`, `here` and `north` of
 * the ring. */
template <typename real, bool SKEW, int START, bool KNOWN, typename Across>
__device__ void couple(const Walker<real, START, KNOWN> &walker, const Inner<real, SKEW> &at, const Across &across,
                       const int slot[RING], real value[WALKED])
{
    const real *const south = walker.ring + slot[0] * walker.row, *const here = walker.ring + slot[1] * walker.row;
    const real *const north = walker.ring + slot[2] * walker.row;
#pragma unroll
    for (int s = 0; s < WALKED; s++) {
        const int e = s * WIDTH<real>;
        real sum = at.west * here[e] + at.east * here[e + 2] + (at.south * south[e + 1] + at.north * north[e + 1]);
        if constexpr (SKEW)
            sum += at.corner[0] * south[e] + at.corner[1] * south[e + 2] +
                   (at.corner[2] * north[e] + at.corner[3] * north[e + 2]);
        value[s] += across(s) * sum;
    }
}

/* Stores v of the run in column i; its inner product with f. */
template <typename real, int START, bool KNOWN>
__device__ double store_run(const Walker<real, START, KNOWN> &walker, int i, int j, const real *here, const real *f,
                            const real value[WALKED])
{
    const Smooth<real> &a = walker.a;
    const real damping = a.damping_of(i, j);
    real *v = a.v + a.matrix.row() * j + walker.start + i;
    double sum = 0;

    if (i >= a.matrix.nx)
        return 0;
#pragma unroll
    for (int s = 0; s < WALKED; s++) {
        const real w = START == ZERO ? real(0) : here[s * WIDTH<real> + 1];
        const real result = w + damping * (value[s] - w);
        if (s <= walker.steps) {
            *v = result;
            if (F_ROWS < START, KNOWN >> 1 && a.partial)
                sum += double(f[s * COLUMNS<real>]) * double(result);
        }
        v += a.matrix.nx;
    }
    return a.matrix.counts(i) ? sum : 0;
}

/* The lines of a block: eliminated anew, with the numbers of layers in shared memory, */
template <typename real, int COLUMNS_, bool KNOWN> struct Lines {
    const Matrix<real> &m;
    Exchange<real, COLUMNS_> exchange;
    Numbers<real> *numbers;
    const Numbers<real> *own;

    __device__ Lines(const Matrix<real> &matrix, real *shared, int k0) : m(matrix), exchange{shared, 0}
    {
        numbers = reinterpret_cast<Numbers<real> *>(shared + exchange_bytes<real, COLUMNS_> / sizeof(real));
        own = numbers + k0;
    }
    __device__ void bring()
    {
        const int layers = int(blockDim.y) * WALKED;
        for (int k = int(threadIdx.x + threadIdx.y * COLUMNS_); k < layers; k += int(blockDim.y) * COLUMNS_) {
            const int there = min(k, m.nz - 1);
            numbers[k] = {m.a[there], m.b[there], m.c[there], m.d[there]};
        }
    }
    __device__ real across(int s) const { return own[s].d; }
    template <typename At> __device__ void solve(const At &at, real value[WALKED])
    {
        real answer[WALKED - 1];
        const auto layer = [&](int s) {
            const Numbers<real> n = own[s];
            return Layer<real>{at.mass * n.a + at.faces * n.d, at.lift * n.b, at.lift * n.c};
        };
        solve_lines<real, WALKED>(exchange, layer, value, answer);
    }
};

/* or by the factors of their types. */
template <typename real, int COLUMNS_> struct Lines<real, COLUMNS_, true> {
    const Matrix<real> &m;
    int k0, runs, size;
    real *words, *d, *factors; /* d: of layers; factors: of all types */

    __device__ Lines(const Matrix<real> &matrix, real *shared, int first)
        : m(matrix), k0(first), runs(int(blockDim.y)), size(factors_of(runs)), words(shared)
    {
        factors = words + known_words(runs, COLUMNS_);
        d = factors + m.types * size;
    }
    __device__ void bring()
    {
        const int thread = int(threadIdx.x + threadIdx.y * COLUMNS_), threads = runs * COLUMNS_;
        const int given = runs * (RUN_FACTORS + runs);
        for (int type = 0; type < m.types; type++)
            for (int e = thread; e < given; e += threads)
                factors[type * size + factor_place(runs, e)] = m.factors[type * (given + 3 * m.nz) + e];
        for (int k = thread; k < runs * WALKED; k += threads)
            d[k] = m.d[min(k, m.nz - 1)];
    }
    __device__ real across(int s) const { return d[k0 + s]; }
    template <typename At> __device__ void solve(const At &at, real value[WALKED])
    {
        const real *const type = factors + at.type * size;
        const int run = int(threadIdx.y);
        const real *const layers = type + run * (RUN_FACTORS + RUN_PAD);
        const real *const inverse = type + runs * (RUN_FACTORS + RUN_PAD) + run * (runs + ROW_PAD);
        solve_known<real, WALKED, COLUMNS_>(words, reinterpret_cast<const Factors<real> *>(layers), inverse, value);
    }
};

/* How many blocks share a multiprocessor. */
template <typename real, int START, bool KNOWN>
constexpr int RESIDENT = KNOWN &&START == ZERO && sizeof(real) == 8 ? 3 : 2;

template <typename real, int START, bool SKEW, bool KNOWN>
__global__ void __launch_bounds__(COLUMNS<real> *MOST_RUNS, RESIDENT<real, START, KNOWN>)
    walk_kernel(const __grid_constant__ Smooth<real> a, int length)
{
    extern __shared__ __align__(16) char shared[];
    const Matrix<real> &m = a.matrix;
    const int i0 = int(blockIdx.x) * COLUMNS<real>, first = a.y0 + int(blockIdx.y) * length;
    const int end = min(first + length, a.y1);
    real *const rows = reinterpret_cast<real *>(shared);
    const Walker<real, START, KNOWN> walker(a, rows, i0);
    real *const after = walker.ring_rows + (START == ZERO ? 0 : RING * walker.row);
    Lines<real, COLUMNS<real>, KNOWN> lines(m, after, walker.k0);
    Corrector<real, START, KNOWN> corrector(walker);
    int slot[RING] = {0, 1, 2}, f = 0;
    double sum = 0;

    lines.bring();
    walker.fetch_f(f, first);
    for (int row = 0; row < RING && START != ZERO; row++)
        walker.fetch_row(row, first - 1 + row);
    __pipeline_commit();
    __syncthreads();
    if (START == CORRECTED) {
        __pipeline_wait_prior(0);
        __syncwarp();
        corrector.correct(0, first - 1);
        corrector.correct(1, first);
    }
    Inner<real, SKEW> at(m, walker.column, first);
#pragma unroll 1
    for (int j = first; j < end; j++) {
        real value[WALKED];
        const real *const f_here = walker.f + f * walker.f_row;
        __pipeline_wait_prior(0);
        __syncwarp();
        if (START == CORRECTED) {
            corrector.correct(slot[2], j + 1);
            __syncwarp();
        }
#pragma unroll
        for (int s = 0; s < WALKED; s++)
            value[s] = f_here[s * COLUMNS<real>];
        if constexpr (START != ZERO)
            couple<real, SKEW>(
                walker, at, [&](int s) { return lines.across(s); }, slot, value);
        __syncwarp();
        f = F_ROWS<START, KNOWN> - 1 - f;
        if (j + 1 < end) {
            walker.fetch_f(f, j + 1);
            if (START != ZERO)
                walker.fetch_row(slot[0], j + 2);
            __pipeline_commit();
            if (START == CORRECTED)
                corrector.prefetch(j + 2);
        }
        const Inner<real, SKEW> next(m, walker.column, min(j + 1, end - 1));
        lines.solve(at, value);
        sum += store_run(walker, i0 + int(threadIdx.x), j, walker.ring + slot[1] * walker.row, f_here, value);
        const int south = slot[0];
        slot[0] = slot[1];
        slot[1] = slot[2];
        slot[2] = south;
        at = next;
    }
    if (a.partial)
        store_partial(sum, a.partial);
}

/* Walks as long as leave every multiprocessor its blocks. */
template <typename real>
int walk_length(const Smooth<real> &a, int runs, size_t bytes, int multiprocessors, int resident)
{
    constexpr int SHARED = 227 * 1024;
    const int threads = resident * COLUMNS<real> * MOST_RUNS;
    const int across = blocks_of(size_t(a.matrix.nx), COLUMNS<real>), rows = a.y1 - a.y0;
    const int by_shared = SHARED / int(bytes + 1024), by_threads = threads / (COLUMNS<real> * runs);
    const int blocks = multiprocessors * std::max(1, std::min(by_shared, by_threads));
    return blocks_of(size_t(rows), size_t(std::max(1, std::min(rows, blocks / across))));
}

template <typename real, int START, bool SKEW, bool KNOWN>
int launch_walk(const Smooth<real> &a, dim3 *blocks, cudaStream_t stream)
{
    const int runs = int(starfish_flat_runs(size_t(a.matrix.nz)));
    const size_t bytes = walk_bytes<real, START, KNOWN>(runs, a.matrix.types);
    const auto kernel = walk_kernel<real, START, SKEW, KNOWN>;
    int multiprocessors = 1;
    cudaError_t error = starfish_multiprocessors(&multiprocessors);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     int(walk_bytes<real, START, KNOWN>(MOST_RUNS, STARFISH_FLAT_MOST_TYPES)));
    if (error != cudaSuccess)
        return error;
    const int length = walk_length(a, runs, bytes, multiprocessors, RESIDENT<real, START, KNOWN>);
    *blocks =
        dim3(unsigned(blocks_of(size_t(a.matrix.nx), COLUMNS<real>)), unsigned(blocks_of(size_t(a.y1 - a.y0), length)));
    kernel<<<*blocks, dim3(COLUMNS<real>, unsigned(runs)), bytes, stream>>>(a, length);
    return cudaGetLastError();
}

/* Sums of sweeps that do not start from zero need f to the end of a row, for which known lines have no room. */
template <typename real, int START, bool SKEW> int launch_walk(const Smooth<real> &a, dim3 *blocks, cudaStream_t stream)
{
    if constexpr (!SKEW)
        if (a.matrix.types > 0 && (START == ZERO || !a.partial))
            return launch_walk<real, START, SKEW, true>(a, blocks, stream);
    return launch_walk<real, START, SKEW, false>(a, blocks, stream);
}

} // namespace flat

#endif
