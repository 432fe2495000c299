/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The first program in C++: the potential of a point charge in an earthed box, with every worker the machine has.
#include <cstdio>
#include <memory>
#include <starfish/starfish.h>
#include <stdexcept>
#include <vector>

static void check(starfish_status status)
{
    if (status != STARFISH_SUCCESS)
        throw std::runtime_error(starfish_error_message());
}

static void solve()
{
    constexpr size_t n = 63;
    auto at = [](size_t i, size_t j, size_t k) { return i + n * (j + n * k); };
    std::vector<double> rhs(n * n * n), solution(n * n * n);
    starfish_poisson_problem problem = {};
    for (auto &axis : problem.axis) {
        axis.kind = STARFISH_UNIFORM;
        axis.n = n;
        axis.length = 1;
        axis.ends[0] = axis.ends[1] = STARFISH_DIRICHLET;
    }
    starfish_context *context = nullptr;
    starfish_plan *plan = nullptr;
    check(starfish_context_create(&context, nullptr));
    const std::unique_ptr<starfish_context, decltype(&starfish_context_destroy)> ends_later(context,
                                                                                            starfish_context_destroy);
    check(starfish_poisson_plan_create(context, &problem, nullptr, &plan));
    const std::unique_ptr<starfish_plan, decltype(&starfish_plan_destroy)> ends_first(
        plan, starfish_plan_destroy);
    rhs[at(n / 2, n / 2, n / 2)] = -64.0 * 64.0 * 64.0;
    check(starfish_plan_solve(plan, nullptr, rhs.data(), solution.data(), nullptr));
    std::printf("potential a quarter of the box away: %.4f\n", solution[at(n / 4, n / 2, n / 2)]);
}

int main()
{
    try {
        solve();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
