! SPDX-License-Identifier: LGPL-2.1-or-later
! Starfish on several ranks of MPI for Fortran (starfish/mpi.h): link with libstarfish_mpi too. A communicator is what
! `use mpi` has, an integer, or of `use mpi_f08` comm%MPI_VAL.
module starfish_mpi
    use starfish
    implicit none

    include 'fortran/mpi.inc'

end module
