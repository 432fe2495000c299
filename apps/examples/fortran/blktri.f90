! SPDX-License-Identifier: LGPL-2.1-or-later
! FISHPACK's own example for BLKTRI, with the lines of a FISHPACK program but for 'use'. In the unit square,
!
!     1/s d/ds(1/s du/ds) + 1/t d/dt(1/t du/dt) = 15/2 s t (s**4 + t**4),    u = 0 for s = 0 or t = 0,
!     u = t**5 for s = 1,    u = s**5 for t = 1;    the solution is (s t)**5.
!
! The halves of coefficients and right-hand side are FISHPACK's.
program blktri_example
    use starfish_fishpack
    implicit none
    integer, parameter :: m = 50, n = 63, idimy = 75, real64 = kind(1d0)
    real(real64), dimension(m) :: am, bm, cm, s
    real(real64), dimension(n) :: an, bn, cn, t
    real(real64) :: y(idimy, n)
    type(fishworkspace) :: w
    integer :: i, j, iflg, ierror

    call coefficients(m, s, am, bm, cm)
    call coefficients(n, t, an, bn, cn)
    do j = 1, n
        do i = 1, m
            y(i, j) = 3.75_real64 * s(i) * t(j) * (s(i)**4 + t(j)**4)
        end do
    end do
    ! What is known at the far ends goes to the right-hand side, and its coefficients are zero.
    y(m, :) = y(m, :) - cm(m) * t**5
    y(1:m, n) = y(1:m, n) - cn(n) * s**5
    am(1) = 0
    cm(m) = 0
    an(1) = 0
    cn(n) = 0

    do iflg = 0, 1
        call blktri(iflg, 1, n, an, bn, cn, 1, m, am, bm, cm, idimy, y, ierror, w)
        if (ierror /= 0) then
            print '(a, i0, 2a)', 'ierror = ', ierror, ': ', blktri_message()
            error stop 1
        end if
    end do
    call fishfin(w)
    print '(a, es13.6)', 'largest error against the solution of the differential equation: ', &
        maxval(abs(y(1:m, :) - spread(s, 2, n)**5 * spread(t, 1, m)**5))

contains

    ! Of 1/x d/dx(1/x d/dx) / 2 at x = i / (count + 1).
    subroutine coefficients(count, x, lower, diag, upper)
        integer, intent(in) :: count
        real(real64), dimension(count), intent(out) :: x, lower, diag, upper
        real(real64) :: h
        integer :: k

        h = 1 / real(count + 1, real64)
        x = [(k * h, k = 1, count)]
        lower = 1 / (2 * x * h) / (2 * (x - h / 2) * h)
        upper = 1 / (2 * x * h) / (2 * (x + h / 2) * h)
        diag = -(lower + upper)
    end subroutine
end program
