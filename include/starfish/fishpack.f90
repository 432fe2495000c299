! SPDX-License-Identifier: LGPL-2.1-or-later
! FISHPACK's BLKTRI and CBLKTRI for Fortran: a program that calls them says
!
!     use starfish_fishpack
!
! instead of 'use fish', or, where W was an array of FORTRAN 77, declares it as type(fishworkspace). Compile this file
! with the program, and link the library starfish. What is the same and what differs is said in fishpack.h beside this
! file. Reals are double precision. All of it may be called from several threads at once, as fishpack.h says.
module starfish_fishpack
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_int, c_null_char, c_null_ptr, c_ptr, &
        c_f_pointer
    implicit none
    private
    public :: blktri, cblktri, fishfin, fishworkspace, blktri_message

    ! starfish_blktri_work: context may be set to a starfish_context before the first call.
    type, bind(c) :: fishworkspace
        type(c_ptr) :: context = c_null_ptr
        type(c_ptr) :: state = c_null_ptr
    end type

    interface
        function starfish_blktri(iflg, np, n, an, bn, cn, mp, m, am, bm, cm, idimy, y, ierror, w) result(status) bind(c)
            import :: c_double, c_int, fishworkspace
            integer(c_int), value :: iflg, np, n, mp, m, idimy
            real(c_double), intent(in) :: an(*), bn(*), cn(*), am(*), bm(*), cm(*)
            real(c_double), intent(inout) :: y(idimy, *)
            integer(c_int), intent(out) :: ierror
            type(fishworkspace), intent(inout) :: w
            integer(c_int) :: status
        end function

        function starfish_cblktri(iflg, np, n, an, bn, cn, mp, m, am, bm, cm, idimy, y, ierror, w) &
            result(status) bind(c)
            import :: c_double, c_double_complex, c_int, fishworkspace
            integer(c_int), value :: iflg, np, n, mp, m, idimy
            real(c_double), intent(in) :: an(*), bn(*), cn(*)
            complex(c_double_complex), intent(in) :: am(*), bm(*), cm(*)
            complex(c_double_complex), intent(inout) :: y(idimy, *)
            integer(c_int), intent(out) :: ierror
            type(fishworkspace), intent(inout) :: w
            integer(c_int) :: status
        end function

        ! Gives back what w holds.
        subroutine fishfin(w) bind(c, name='starfish_blktri_free')
            import :: fishworkspace
            type(fishworkspace), intent(inout) :: w
        end subroutine

        function starfish_error_message() result(message) bind(c)
            import :: c_ptr
            type(c_ptr) :: message
        end function
    end interface

contains

    ! iflg = 0 prepares, iflg = 1 solves; on return y(1:m, 1:n) is the solution and ierror 0, or ierror says why not.
    subroutine blktri(iflg, np, n, an, bn, cn, mp, m, am, bm, cm, idimy, y, ierror, w)
        integer, intent(in) :: iflg, np, n, mp, m, idimy
        real(c_double), intent(in) :: an(*), bn(*), cn(*), am(*), bm(*), cm(*)
        real(c_double), intent(inout) :: y(idimy, *)
        integer, intent(out) :: ierror
        type(fishworkspace), intent(inout) :: w
        integer(c_int) :: status, number

        ! The status says no more than ierror does.
        status = starfish_blktri(int(iflg, c_int), int(np, c_int), int(n, c_int), an, bn, cn, int(mp, c_int), &
            int(m, c_int), am, bm, cm, int(idimy, c_int), y, number, w)
        ierror = number
    end subroutine

    ! The same with am, bm, cm and y complex.
    subroutine cblktri(iflg, np, n, an, bn, cn, mp, m, am, bm, cm, idimy, y, ierror, w)
        integer, intent(in) :: iflg, np, n, mp, m, idimy
        real(c_double), intent(in) :: an(*), bn(*), cn(*)
        complex(c_double_complex), intent(in) :: am(*), bm(*), cm(*)
        complex(c_double_complex), intent(inout) :: y(idimy, *)
        integer, intent(out) :: ierror
        type(fishworkspace), intent(inout) :: w
        integer(c_int) :: status, number

        status = starfish_cblktri(int(iflg, c_int), int(np, c_int), int(n, c_int), an, bn, cn, int(mp, c_int), &
            int(m, c_int), am, bm, cm, int(idimy, c_int), y, number, w)
        ierror = number
    end subroutine

    ! What went wrong in this thread's last call that failed, in one line.
    function blktri_message() result(text)
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: characters(:)
        integer, parameter :: most = 1024
        integer :: i

        call c_f_pointer(starfish_error_message(), characters, [most])
        text = ''
        do i = 1, most
            if (characters(i) == c_null_char) exit
            text = text // characters(i)
        end do
    end function
end module
