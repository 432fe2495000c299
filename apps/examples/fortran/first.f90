! SPDX-License-Identifier: LGPL-2.1-or-later
! A first program in Fortran: the potential of a point charge in an earthed box, with every worker the machine has.
program first
    use starfish
    implicit none
    integer, parameter :: n = 63, middle = 32, quarter = 16
    real(c_double), allocatable :: rhs(:, :, :), potential(:, :, :)
    type(starfish_context) :: context
    type(starfish_plan) :: plan
    type(starfish_poisson_problem) :: problem

    allocate (rhs(n, n, n), source=0d0)
    allocate (potential(n, n, n))
    rhs(middle, middle, middle) = -64d0**3
    problem%axis = starfish_uniform_axis(n, 1d0, [STARFISH_DIRICHLET])
    call starfish_check(starfish_context_create(context))
    call starfish_check(starfish_poisson_plan_create(context, problem, plan=plan))
    call starfish_check(starfish_plan_solve(plan, rhs=rhs, solution=potential))
    print '(a, f6.4)', 'potential a quarter of the box away: ', potential(quarter, middle, middle)
    call starfish_plan_destroy(plan)
    call starfish_context_destroy(context)
    deallocate (rhs, potential) ! a main program keeps its arrays otherwise
end program
