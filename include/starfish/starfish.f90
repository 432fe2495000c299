! SPDX-License-Identifier: LGPL-2.1-or-later
! Starfish for Fortran: the whole C interface (starfish/starfish.h) under its own names. What the declarations mean is
! said there, and how they look from Fortran in docs/fortran.md.
module starfish
    use, intrinsic :: iso_c_binding
    implicit none
    public

    include 'fortran/constants.inc'
    include 'fortran/status.inc'
    include 'fortran/options.inc'
    include 'fortran/context.inc'
    include 'fortran/solve.inc'
    include 'fortran/field.inc'
    include 'fortran/tridiag.inc'
    include 'fortran/poisson.inc'
    include 'fortran/multigrid.inc'
    include 'fortran/diffusion.inc'
    include 'fortran/atmosphere.inc'
    include 'fortran/fem.inc'

    interface
        pure function starfish_text_length(text) bind(c, name="strlen") result(length)
            import
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
    end interface
    private :: starfish_text_length

contains

    ! A text of the library's, as `method` of starfish_about is.
    function starfish_text(text) result(string)
        type(c_ptr), intent(in) :: text
        character(kind=c_char, len=:), allocatable :: string
        character(kind=c_char), pointer :: letters(:)
        integer :: i

        string = ''
        if (.not. c_associated(text)) return
        call c_f_pointer(text, letters, [starfish_text_length(text)])
        do i = 1, size(letters)
            string = string // letters(i)
        end do
    end function

    ! Message of the last call that failed in this thread, which names the argument at fault.
    function starfish_message() result(string)
        character(kind=c_char, len=:), allocatable :: string

        string = starfish_text(starfish_error_message())
    end function

    ! The end of a program that has nothing better to do about a call that failed.
    subroutine starfish_check(status)
        integer(c_int), intent(in) :: status

        if (status /= STARFISH_SUCCESS) error stop starfish_message()
    end subroutine

    ! A uniform direction of a separable problem; both ends alike where one is given.
    function starfish_uniform_axis(n, length, ends, grid, origin) result(axis)
        integer, intent(in) :: n
        real(c_double), intent(in) :: length
        integer(c_int), intent(in) :: ends(:)
        integer(c_int), intent(in), optional :: grid
        real(c_double), intent(in), optional :: origin
        type(starfish_axis) :: axis

        axis%kind = STARFISH_UNIFORM
        axis%n = n
        axis%length = length
        axis%ends = [ends(1), ends(size(ends))]
        axis%grid = STARFISH_NODE
        if (present(grid)) axis%grid = grid
        if (present(origin)) axis%origin = origin
    end function

end module
