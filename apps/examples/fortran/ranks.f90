! SPDX-License-Identifier: LGPL-2.1-or-later
! A Helmholtz problem on several ranks: each has its own planes of the right-hand side, and of the solution in an array
! with a plane of ghosts on each side. The ghosts are then exchanged, and the residual is taken from the equations.
!
!     mpiexec -n 3 fortran_ranks
program ranks
    use mpi_f08
    use starfish
    use starfish_mpi
    implicit none
    integer, parameter :: nx = 32, ny = 24, nz = 20
    real(c_double), parameter :: lambda = -4
    real(c_double), allocatable :: rhs(:, :, :), u(:, :, :)
    real(c_double) :: residual(2)
    integer :: rank, number, level, i, j, k, n
    integer(c_size_t) :: first, planes
    type(starfish_context) :: context
    type(starfish_plan) :: plan
    type(starfish_poisson_problem) :: problem
    type(starfish_poisson_options) :: options

    call MPI_Init_thread(MPI_THREAD_MULTIPLE, level)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, number)
    call starfish_check(starfish_mpi_context_create_f(context, MPI_COMM_WORLD%MPI_VAL))
    call starfish_check(starfish_mpi_planes(context, int(nz, c_size_t), rank, first, planes))
    n = int(planes)
    allocate (rhs(nx, ny, n), u(nx, ny, 0:n + 1))
    do k = 1, n
        do j = 1, ny
            do i = 1, nx
                rhs(i, j, k) = sin(real(3 * i + 5 * j + 7 * (int(first) + k), c_double))
            end do
        end do
    end do

    problem%axis(1) = starfish_uniform_axis(nx, 1d0, [STARFISH_PERIODIC], STARFISH_CELL)
    problem%axis(2) = starfish_uniform_axis(ny, 1d0, [STARFISH_PERIODIC], STARFISH_CELL)
    problem%axis(3) = starfish_uniform_axis(nz, 1d0, [STARFISH_PERIODIC], STARFISH_CELL)
    problem%lambda = lambda
    options%solution_layout%offset = nx * ny ! the solver leaves the first ghosts alone
    call starfish_check(starfish_poisson_plan_create(context, problem, options, plan))
    call starfish_check(starfish_plan_solve(plan, rhs=rhs, solution=u))
    call exchange()

    residual = 0
    do k = 1, n
        do j = 1, ny
            do i = 1, nx
                residual = max(residual, abs([applied(i, j, k) - rhs(i, j, k), rhs(i, j, k)]))
            end do
        end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, residual, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (rank == 0) print '(a, i0, a, es8.1)', 'ranks ', number, ', residual ', residual(1) / residual(2)
    call starfish_plan_destroy(plan)
    call starfish_context_destroy(context)
    deallocate (rhs, u) ! a main program keeps its arrays otherwise
    call MPI_Finalize()
contains
    subroutine exchange()
        integer :: below, above
        below = modulo(rank - 1, number)
        above = modulo(rank + 1, number)
        call MPI_Sendrecv(u(:, :, n), nx * ny, MPI_DOUBLE_PRECISION, above, 0, u(:, :, 0), nx * ny, &
            MPI_DOUBLE_PRECISION, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(u(:, :, 1), nx * ny, MPI_DOUBLE_PRECISION, below, 1, u(:, :, n + 1), nx * ny, &
            MPI_DOUBLE_PRECISION, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    ! u_xx + u_yy + u_zz + lambda u in a cell.
    real(c_double) function applied(i, j, k)
        integer, intent(in) :: i, j, k
        integer :: west, east, south, north
        west = modulo(i - 2, nx) + 1
        east = modulo(i, nx) + 1
        south = modulo(j - 2, ny) + 1
        north = modulo(j, ny) + 1
        applied = (u(west, j, k) - 2 * u(i, j, k) + u(east, j, k)) * real(nx, c_double)**2 &
            + (u(i, south, k) - 2 * u(i, j, k) + u(i, north, k)) * real(ny, c_double)**2 &
            + (u(i, j, k - 1) - 2 * u(i, j, k) + u(i, j, k + 1)) * real(nz, c_double)**2 + lambda * u(i, j, k)
    end function
end program
