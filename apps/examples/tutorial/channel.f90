! SPDX-License-Identifier: LGPL-2.1-or-later
! A channel flow in 150 lines: incompressible flow between two walls, driven by a constant force, by the projection
! method on a staggered grid. docs/tutorial.md tells it step by step; channel.c and channel.py are the same flow.
module flow
    use starfish
    implicit none
    ! Cells along the flow (x), across it (y) and from wall to wall (z), in a box of 4 x 2 x 2. Velocity d of a cell is
    ! at its low face in direction d. Every array has a layer of ghosts: cells count from 1.
    integer, parameter :: nx = 32, ny = 16, nz = 24
    integer, parameter :: step(3, 3) = reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3]) ! to the next cell in direction d
    real(c_double), parameter :: h(3) = [4d0 / nx, 2d0 / ny, 2d0 / nz]
    real(c_double), parameter :: dt = 4d-3, viscosity = 0.02d0, force = 0.04d0
    real(c_double) :: velocity(0:nx + 1, 0:ny + 1, 0:nz + 1, 3), pressure(0:nx + 1, 0:ny + 1, 0:nz + 1)
    real(c_double) :: divergence(nx, ny, nz)

contains

    ! Periodic in x and y; at the walls u and v change their sign, and w is zero on them.
    subroutine fill_ghosts()
        integer :: d

        velocity(0, :, :, :) = velocity(nx, :, :, :)
        velocity(nx + 1, :, :, :) = velocity(1, :, :, :)
        velocity(:, 0, :, :) = velocity(:, ny, :, :)
        velocity(:, ny + 1, :, :) = velocity(:, 1, :, :)
        do d = 1, 2
            velocity(:, :, 0, d) = -velocity(:, :, 1, d)
            velocity(:, :, nz + 1, d) = -velocity(:, :, nz, d)
        end do
        velocity(:, :, 0:1, 3) = 0
        velocity(:, :, nz + 1, 3) = 0
    end subroutine

    pure function at(c, p) result(v)
        integer, intent(in) :: c, p(3)
        real(c_double) :: v

        v = velocity(p(1), p(2), p(3), c)
    end function

    ! What velocity d carries of velocity c from cell p to the next one in direction d.
    pure function flux(c, d, p) result(carried)
        integer, intent(in) :: c, d, p(3)
        real(c_double) :: carried

        carried = 0.25d0 * (at(d, p + step(:, d)) + at(d, p + step(:, d) - step(:, c))) * (at(c, p) &
                  + at(c, p + step(:, d)))
    end function

    pure function acceleration(c, p) result(a)
        integer, intent(in) :: c, p(3)
        real(c_double) :: a
        integer :: d

        a = merge(force, 0d0, c == 1)
        do d = 1, 3
            a = a - (flux(c, d, p) - flux(c, d, p - step(:, d))) / h(d)
            a = a + viscosity * (at(c, p + step(:, d)) - 2 * at(c, p) + at(c, p - step(:, d))) / (h(d) * h(d))
        end do
    end function

    subroutine advance()
        real(c_double), save :: next(nx, ny, nz, 3)
        integer :: c, i, j, k

        do c = 1, 3
            do concurrent (k = 1:nz, j = 1:ny, i = 1:nx)
                next(i, j, k, c) = velocity(i, j, k, c) + dt * acceleration(c, [i, j, k])
            end do
        end do
        velocity(1:nx, 1:ny, 1:nz, :) = next
        call fill_ghosts()
    end subroutine

    ! divergence = div velocity / dt, the right-hand side of the pressure; returns the largest |div velocity|.
    function diverge() result(largest)
        real(c_double) :: largest

        divergence = (velocity(2:nx + 1, 1:ny, 1:nz, 1) - velocity(1:nx, 1:ny, 1:nz, 1)) / h(1) &
                     + (velocity(1:nx, 2:ny + 1, 1:nz, 2) - velocity(1:nx, 1:ny, 1:nz, 2)) / h(2) &
                     + (velocity(1:nx, 1:ny, 2:nz + 1, 3) - velocity(1:nx, 1:ny, 1:nz, 3)) / h(3)
        largest = maxval(abs(divergence))
        divergence = divergence / dt
    end function

    subroutine project()
        integer :: d, i, j, k

        do d = 1, 3
            do concurrent (k = 1:nz, j = 1:ny, i = 1:nx)
                velocity(i, j, k, d) = velocity(i, j, k, d) - dt / h(d) &
                    * (pressure(i, j, k) - pressure(i - step(1, d), j - step(2, d), k - step(3, d)))
            end do
        end do
        call fill_ghosts()
    end subroutine

    function plan_pressure(context) result(plan)
        type(starfish_context), intent(in) :: context
        type(starfish_plan) :: plan
        type(starfish_poisson_problem) :: problem
        type(starfish_poisson_options) :: options

        problem%axis(1) = starfish_uniform_axis(nx, 4d0, [STARFISH_PERIODIC], STARFISH_CELL)
        problem%axis(2) = starfish_uniform_axis(ny, 2d0, [STARFISH_PERIODIC], STARFISH_CELL)
        problem%axis(3) = starfish_uniform_axis(nz, 2d0, [STARFISH_NEUMANN], STARFISH_CELL)
        options%solution_layout%row = nx + 2
        options%solution_layout%plane = (nx + 2) * (ny + 2)
        options%solution_layout%offset = options%solution_layout%plane + options%solution_layout%row + 1
        options%ghosts = 1 ! the solver fills those of the pressure
        call starfish_check(starfish_poisson_plan_create(context, problem, options, plan))
    end function

end module

program channel
    use flow
    implicit none
    real(c_double), parameter :: pi = acos(-1d0)
    type(starfish_context) :: context
    type(starfish_plan) :: plan
    integer :: i, j, k, s, steps = 200
    character(len=16) :: argument
    real(c_double) :: z, largest

    call get_command_argument(1, argument)
    if (len_trim(argument) > 0) read (argument, *) steps
    velocity = 0
    do k = 1, nz ! the parabola of the steady flow, stirred
        z = (k - 0.5d0) * h(3)
        do concurrent (j = 1:ny, i = 1:nx)
            velocity(i, j, k, 1) = force / (2 * viscosity) * z * (2 - z) &
                + 0.1d0 * sin(pi * (j - 0.5d0) * h(2)) * sin(pi * z)
            velocity(i, j, k, 2) = 0.1d0 * sin(pi * (i - 0.5d0) * h(1) / 2) * sin(pi * z)
        end do
    end do
    call fill_ghosts()
    call starfish_check(starfish_context_create(context))
    plan = plan_pressure(context)
    do s = 1, steps
        call advance()
        largest = diverge()
        call starfish_check(starfish_plan_solve(plan, rhs=divergence, solution=pressure))
        call project()
        if (mod(s, 50) == 0) print '(a, i0, a, f14.12, 2a)', 'step ', s, ': energy ', &
            0.5d0 * sum(velocity(1:nx, 1:ny, 1:nz, :)**2) / (nx * ny * nz), ', divergence below 1e-12: ', &
            trim(merge('yes', 'no ', diverge() < 1d-12))
    end do
    call starfish_plan_destroy(plan)
    call starfish_context_destroy(context)
end program
