"""The C interface, for ctypes. Written by ../make-bindings from the headers, not by hand."""

VERSION = (0, 1, 0)

ENUMS = {
    "starfish_status": """
        STARFISH_SUCCESS=0 STARFISH_ERROR_ARGUMENT=1 STARFISH_ERROR_FILE=2 STARFISH_ERROR_MEMORY=3
        STARFISH_ERROR_UNSUPPORTED=4 STARFISH_ERROR_NOT_SYMMETRIZABLE=5 STARFISH_ERROR_SINGULAR=6
        STARFISH_ERROR_NUMERICAL=7 STARFISH_ERROR_RUNTIME=8""",
    "starfish_precision": """
        STARFISH_F32=0 STARFISH_F64=1""",
    "starfish_sharing": """
        STARFISH_SHARING_AUTO=0 STARFISH_SHARING_ALONE=1 STARFISH_SHARING_GPUS=2 STARFISH_SHARING_ALL=3
        STARFISH_SHARINGS=4""",
    "starfish_option_type": """
        STARFISH_OPTION_INT=0 STARFISH_OPTION_SIZE=1 STARFISH_OPTION_REAL=2 STARFISH_OPTION_CHOICE=3
        STARFISH_OPTION_SWITCH=4 STARFISH_OPTION_TEXT=5 STARFISH_OPTION_POINTER=6""",
    "starfish_log_level": """
        STARFISH_LOG_INFO=0 STARFISH_LOG_WARNING=1 STARFISH_LOG_ERROR=2""",
    "starfish_worker_kind": """
        STARFISH_CPU=0 STARFISH_GPU=1 STARFISH_WORKER_KINDS=2""",
    "starfish_outcome": """
        STARFISH_SOLVED=0 STARFISH_NOT_CONVERGED=1 STARFISH_STAGNATED=2 STARFISH_DIVERGED=3 STARFISH_CANCELLED=4""",
    "starfish_algorithm": """
        STARFISH_ALGORITHM_AUTO=0 STARFISH_ALGORITHM_THOMAS=1 STARFISH_ALGORITHM_TILED=2 STARFISH_ALGORITHM_CR=3
        STARFISH_ALGORITHM_PCR=4 STARFISH_ALGORITHM_CR_PCR=5 STARFISH_ALGORITHM_PCR_THOMAS=6
        STARFISH_ALGORITHM_PIVOTED=7 STARFISH_ALGORITHMS=8""",
    "starfish_end": """
        STARFISH_PERIODIC=0 STARFISH_DIRICHLET=1 STARFISH_NEUMANN=2""",
    "starfish_grid": """
        STARFISH_NODE=0 STARFISH_CELL=1""",
    "starfish_axis_kind": """
        STARFISH_UNIFORM=0 STARFISH_STRETCHED=1 STARFISH_TRIDIAGONAL=2""",
    "starfish_method": """
        STARFISH_METHOD_AUTO=0 STARFISH_METHOD_SLAB=1 STARFISH_METHOD_BLKTRI=2 STARFISH_METHOD_BLKTRI_PRODUCT=3
        STARFISH_METHOD_MULTIGRID=4""",
    "starfish_cycle_shape": """
        STARFISH_CYCLE_V=0 STARFISH_CYCLE_F=1 STARFISH_CYCLE_W=2 STARFISH_CYCLE_FMG=3""",
    "starfish_smoother": """
        STARFISH_SMOOTHER_AUTO=0 STARFISH_SMOOTHER_ADI=1 STARFISH_SMOOTHER_LINE_X=2 STARFISH_SMOOTHER_LINE_Y=3
        STARFISH_SMOOTHER_JACOBI=4 STARFISH_SMOOTHER_GAUSS_SEIDEL=5 STARFISH_SMOOTHER_CHEBYSHEV=6
        STARFISH_SMOOTHER_LINE_Z=7 STARFISH_SMOOTHER_PLANE=8 STARFISH_SMOOTHER_ZEBRA=9 STARFISH_SMOOTHERS=10""",
    "starfish_storage": """
        STARFISH_STORAGE_INNER=0 STARFISH_STORAGE_F16=1 STARFISH_STORAGE_BF16=2""",
    "starfish_matrix_form": """
        STARFISH_MATRIX_AUTO=0 STARFISH_MATRIX_STORED=1 STARFISH_MATRIX_TENSOR=2 STARFISH_MATRIX_FORMS=3""",
    "starfish_coarse_solver": """
        STARFISH_COARSE_DIRECT=0 STARFISH_COARSE_CG_JACOBI=1 STARFISH_COARSE_CG_ADI=2 STARFISH_COARSE_SOLVERS=3""",
    "starfish_mean": """
        STARFISH_MEAN_HARMONIC=0 STARFISH_MEAN_ARITHMETIC=1""",
    "starfish_diffusion_method": """
        STARFISH_DIFFUSION_AUTO=0 STARFISH_DIFFUSION_MULTIGRID=1 STARFISH_DIFFUSION_CG=2
        STARFISH_DIFFUSION_METHODS=3""",
    "starfish_diffusion_preconditioner": """
        STARFISH_PRECONDITIONER_AUTO=0 STARFISH_PRECONDITIONER_NONE=1 STARFISH_PRECONDITIONER_JACOBI=2
        STARFISH_PRECONDITIONER_IP=3 STARFISH_PRECONDITIONER_BLOCK_IC=4 STARFISH_PRECONDITIONER_LINE_Z=5
        STARFISH_PRECONDITIONER_MULTIGRID=6 STARFISH_PRECONDITIONERS=7""",
    "starfish_deflation": """
        STARFISH_DEFLATION_AUTO=0 STARFISH_DEFLATION_NONE=1 STARFISH_DEFLATION_STRIPES=2
        STARFISH_DEFLATION_BLOCKS=3 STARFISH_DEFLATION_REGIONS=4 STARFISH_DEFLATIONS=5""",
    "starfish_flat_geometry": """
        STARFISH_FLAT_BOX=0 STARFISH_PANEL=1 STARFISH_SPHERE=2 STARFISH_FLAT_GEOMETRIES=3""",
    "starfish_atmosphere_method": """
        STARFISH_ATMOSPHERE_AUTO=0 STARFISH_ATMOSPHERE_MULTIGRID=1 STARFISH_ATMOSPHERE_CG=2
        STARFISH_ATMOSPHERE_METHODS=3""",
    "starfish_atmosphere_preconditioner": """
        STARFISH_ATMOSPHERE_PRECONDITIONER_AUTO=0 STARFISH_ATMOSPHERE_PRECONDITIONER_NONE=1
        STARFISH_ATMOSPHERE_PRECONDITIONER_LINES=2 STARFISH_ATMOSPHERE_PRECONDITIONER_MULTIGRID=3
        STARFISH_ATMOSPHERE_PRECONDITIONERS=4""",
    "starfish_fem_element": """
        STARFISH_FEM_Q1=0 STARFISH_FEM_Q2=1 STARFISH_FEM_ELEMENTS=2""",
    "starfish_fem_smoother": """
        STARFISH_FEM_JACOBI=0 STARFISH_FEM_SPAI=1 STARFISH_FEM_SAINV=2 STARFISH_FEM_FSAI=3 STARFISH_FEM_SMOOTHERS=4""",
    "starfish_fem_numbering": """
        STARFISH_FEM_TWO_LEVEL=0 STARFISH_FEM_CUTHILL_MCKEE=1 STARFISH_FEM_XYZ=2 STARFISH_FEM_RANDOM=3
        STARFISH_FEM_HIERARCHICAL=4 STARFISH_FEM_NUMBERINGS=5""",
    "starfish_sparse_format": """
        STARFISH_SPARSE_AUTO=0 STARFISH_SPARSE_CSR=1 STARFISH_SPARSE_ELLPACK_T=2 STARFISH_SPARSE_SELL=3
        STARFISH_SPARSE_FORMATS=4""",
    "starfish_fem_krylov": """
        STARFISH_FEM_KRYLOV_AUTO=0 STARFISH_FEM_KRYLOV_NONE=1 STARFISH_FEM_KRYLOV_CG=2
        STARFISH_FEM_KRYLOV_BICGSTAB=3 STARFISH_FEM_KRYLOVS=4""",
    "starfish_blktri_error": """
        STARFISH_BLKTRI_SOLVED=0 STARFISH_BLKTRI_M=1 STARFISH_BLKTRI_N=2 STARFISH_BLKTRI_IDIMY=3
        STARFISH_BLKTRI_COEFFICIENTS=4 STARFISH_BLKTRI_SIGN=5 STARFISH_BLKTRI_MEMORY=20 STARFISH_BLKTRI_SINGULAR=21
        STARFISH_BLKTRI_ARGUMENT=22 STARFISH_BLKTRI_RUNTIME=23""",
}

# member:type, P for pointers, S for texts, struct names, [n] for arrays
STRUCTS = {
    "starfish_option_description": """
        name:S text:S type:i offset:N default_value:d least:d most:d below_most:i value_count:i values:P
        struct_size:N synonym:S""",
    "starfish_tasks_done": """
        tasks:N busy_seconds:d""",
    "starfish_context_options": """
        size:N cpu_workers:i gpu_workers:i policy:S log:P log_data:P cores_per_worker:i idle_seconds:d
        patience_seconds:d""",
    "starfish_worker": """
        kind:i device:i cores:i memory_node:i numa_node:i name:c[96]""",
    "starfish_runtime": """
        starfish_version:c[32] starpu_version:c[32] policy:c[64] cores:i numa_nodes:i has_cuda:i has_fxt:i
        has_mpi:i simulated:i joined:i""",
    "starfish_boundary": """
        array:P[3][2] constant:d[3][2]""",
    "starfish_memory": """
        main_bytes:N gpu_work:N gpu_data:N gpu_least:N gpu_there:N streamed:i""",
    "starfish_result": """
        size:N outcome:i iterations:i accelerated:i fallback:i replacements:i refinements:i corrections:i
        residual:d tolerance:d rounding:d rhs_norm:d factor:d recurrence:d residual_max:d residual_bound:d
        correction:d pertrb:d pertrb_imaginary:d seconds:d worker:starfish_tasks_done[2] host_to_device:N
        device_to_host:N device_to_device:N count:i history:d[128]""",
    "starfish_about": """
        size:N kind:S method:S reason:S seconds:d unknowns:N singular:i owners:i levels:i""",
    "starfish_field_share": """
        device:i first_plane:N planes:N memory:P""",
    "starfish_layout": """
        row:N line:N""",
    "starfish_tridiag_problem": """
        n:N lines:N rhs:N complex_rhs:i periodic:i lower:P diag:P upper:P coefficients:starfish_layout shift:P
        vectors:starfish_layout rhs_stride:N""",
    "starfish_tridiag_options": """
        size:N precision:i algorithm:i slabs:N keep_factors:i check:i""",
    "starfish_axis": """
        kind:i n:N origin:d length:d ends:i[2] grid:i coordinates:P coordinate_count:N lower:P diag:P upper:P
        periodic:i complex_line:i""",
    "starfish_poisson_problem": """
        axis:starfish_axis[3] lambda:d""",
    "starfish_array_layout": """
        offset:N row:N plane:N problem:N""",
    "starfish_poisson_options": """
        size:N method:i precision:i slabs:N mode_blocks:N check_residual:i refinements:i right_hand_sides:N
        algorithm:i split:i radix:i complex_rhs:i tolerance:d mixed:i count:N rhs_layout:starfish_array_layout
        solution_layout:starfish_array_layout ghosts:i check_data:i sharing:i parts:N planes:P max_iterations:i
        fixed:i""",
    "starfish_step_info": """
        seconds:d busy_seconds:d tasks:N[2]""",
    "starfish_info_phase": """
        name:S seconds:d""",
    "starfish_info_level": """
        separators:N reduction:starfish_step_info substitution:starfish_step_info""",
    "starfish_info": """
        residual:d pertrb:d pertrb_imaginary:d seconds:d refinements:i cycles:i tolerated:d outcome:i phases:i
        phase:starfish_info_phase[8] levels:N level:starfish_info_level[34] worker:starfish_tasks_done[2]
        host_to_device:N device_to_host:N device_to_device:N""",
    "starfish_accuracy": """
        residual:d residual_bound:d correction:d refinements:i tolerance:d""",
    "starfish_q1_problem": """
        elements:N[2] width:P[2] ends:i[2][2] diffusion:P[2] reaction:d""",
    "starfish_q1_refinement": """
        length:d[2] nu:d level:i""",
    "starfish_q1_point": """
        low:d[2] high:d[2]""",
    "starfish_stencil_line": """
        coupling:P extra:P weight:P""",
    "starfish_stencil_problem": """
        n:N[3] ends:i[3][2] grid:i width:P[3] line:starfish_stencil_line[3] diffusion:P[3] reaction:d rhs_factor:d""",
    "starfish_multigrid_options": """
        size:N precision:i inner:i smoother:i damping:d shape:i before:i after:i tolerance:d absolute:d
        most_cycles:i inner_cycles:i inner_digits:d initial_guess:i levels:i slabs:N tail:N conjugate_gradients:i
        stored_diagonal:i storage:i matrix:i coarse:i coarse_tolerance:d coarse_iterations:i parts:N sharing:i
        bicgstab:i""",
    "starfish_multigrid_info": """
        outcome:i cycles:i defects:i rhs_norm:d residual:d factor:d count:i history:d[128] levels:i removed:d
        smoother:i matrix:i seconds:d worker:starfish_tasks_done[2]""",
    "starfish_diffusion_problem": """
        dimensions:N n:N[3] length:d[3] ends:i[3][2] lambda:d mean:i coefficient:P constant_coefficient:d regions:P""",
    "starfish_diffusion_options": """
        size:N method:i preconditioner:i deflation:i precision:i mixed:i vectors:N tolerance:d max_iterations:i
        fixed:i block:N slabs:N reserved:i[6]""",
    "starfish_diffusion_info": """
        outcome:i iterations:i replacements:i residual:d recurrence:d residual_max:d residual_bound:d tolerance:d
        bound:d pertrb:d rescued:i seconds:d worker:starfish_tasks_done[2] host_to_device:N device_to_host:N
        device_to_device:N""",
    "starfish_atmosphere_problem": """
        geometry:i n:N[3] length:d[2] periodic:i[2] height:d faces:P omega:d lambda:d alpha_across:P alpha_up:P
        beta_across:P beta_up:P xi_up:P""",
    "starfish_atmosphere_options": """
        size:N method:i preconditioner:i precision:i mixed:i levels:i coarse_sweeps:i smoothing_steps:i red_black:i
        damping:d tolerance:d max_iterations:i fixed:i slabs:N boxes:N""",
    "starfish_atmosphere_info": """
        outcome:i iterations:i levels:i residual:d tolerance:d seconds:d worker:starfish_tasks_done[2]
        host_to_device:N device_to_host:N device_to_device:N count:i history:d[128]""",
    "starfish_atmosphere_check": """
        residual:d euclidean:d bound:d residual_scale:d""",
    "starfish_fem_mesh": """
        dimensions:i points:N point:P cells:N cell:P marks:N mark:P number:P""",
    "starfish_fem_mark": """
        cell:N group:i place:B[3]""",
    "starfish_fem_dirichlet": """
        group:i value:d function:P data:P""",
    "starfish_fem_curve": """
        group:i centre:d[3] radius:d""",
    "starfish_fem_problem": """
        mesh:P refinements:i element:i rhs:d source:P source_data:P dirichlets:N dirichlet:P curves:N curve:P""",
    "starfish_fem_options": """
        size:N precision:i inner:i smoother:i numbering:i format:i shape:i smoothing_steps:i damping:d
        drop_tolerance:d pattern_power:i tolerance:d most_cycles:i fixed:i krylov:i seed:N slabs:i""",
    "starfish_fem_info": """
        outcome:i unknowns:N nonzeros:N levels:i iterations:i preconditioned:i residual:d tolerated:d removed:d
        seconds:d setup_seconds:d smoother_seconds:d smoother_nonzeros:N""",
    "starfish_blktri_work": """
        context:P state:P""",
}

# result and parameters
FUNCTIONS = {
    "starfish_status_name": "S i",
    "starfish_error_message": "S",
    "starfish_context_option": "s N P",
    "starfish_poisson_option": "s N P",
    "starfish_tridiag_option": "s N P",
    "starfish_multigrid_option": "s N P",
    "starfish_diffusion_option": "s N P",
    "starfish_atmosphere_option": "s N P",
    "starfish_fem_option": "s N P",
    "starfish_context_create": "s P P",
    "starfish_context_destroy": "v P",
    "starfish_context_workers": "N P",
    "starfish_context_workers_of": "N P i",
    "starfish_context_worker": "s P N P",
    "starfish_context_worker_memory": "s P N P",
    "starfish_context_runtime": "s P P",
    "starfish_alloc": "s P N P",
    "starfish_free": "v P P N",
    "starfish_pin": "s P P N",
    "starfish_unpin": "s P P N",
    "starfish_outcome_name": "S i",
    "starfish_plan_destroy": "v P",
    "starfish_plan_about": "s P P",
    "starfish_plan_memory": "s P P",
    "starfish_plan_solve": "s P P P P P",
    "starfish_plan_submit": "s P P P P P",
    "starfish_job_finish": "s P P",
    "starfish_job_cancel": "v P",
    "starfish_job_state": "s P P P",
    "starfish_field_create": "s P i P N P P",
    "starfish_field_destroy": "v P",
    "starfish_field_acquire": "s P P",
    "starfish_field_release": "s P",
    "starfish_field_shares": "N P",
    "starfish_field_share": "s P N P",
    "starfish_tridiag_plan_create": "s P P P P",
    "starfish_tridiag_plan_update": "s P",
    "starfish_tridiag_plan_growth": "d P P",
    "starfish_poisson_plan_create": "s P P P P",
    "starfish_separable2d_plan_create": "s P P P d P P",
    "starfish_poisson_plan_destroy": "v P",
    "starfish_poisson_memory": "s P P P P",
    "starfish_separable2d_memory": "s P P P d P P",
    "starfish_poisson_plan_memory": "s P P",
    "starfish_poisson_plan_method": "S P",
    "starfish_poisson_plan_reason": "S P",
    "starfish_poisson_plan_seconds": "d P",
    "starfish_poisson_plan_singular": "i P",
    "starfish_poisson_solve": "s P P P P P",
    "starfish_poisson_submit": "s P P P P P",
    "starfish_poisson_submit_on": "s P P P P P P",
    "starfish_job_wait": "s P P",
    "starfish_job_wait_accuracy": "s P P P",
    "starfish_job_tell_pertrb": "s P P",
    "starfish_job_progress": "v P P P",
    "starfish_poisson_field": "s P P P",
    "starfish_poisson_field_spread": "s P N P P",
    "starfish_poisson_submit_field": "s P P P P P",
    "starfish_q1_unknowns": "v P P",
    "starfish_q1_refine": "s P P P",
    "starfish_q1_named": "s S P",
    "starfish_q1_load": "s P P P P",
    "starfish_q1_error": "s P P P P P",
    "starfish_q1_plan_create": "s P P P P",
    "starfish_stencil_plan_create": "s P P P P",
    "starfish_multigrid_plan_destroy": "v P",
    "starfish_multigrid_solve": "s P P P P",
    "starfish_multigrid_submit": "s P P P P",
    "starfish_multigrid_wait": "s P P",
    "starfish_multigrid_cancel": "v P",
    "starfish_multigrid_tell": "v P P P",
    "starfish_diffusion_option_set": "s P S S",
    "starfish_diffusion_plan_create": "s P P P P",
    "starfish_diffusion_plan_destroy": "v P",
    "starfish_diffusion_plan_method": "S P",
    "starfish_diffusion_plan_reason": "S P",
    "starfish_diffusion_plan_seconds": "d P",
    "starfish_diffusion_plan_singular": "i P",
    "starfish_diffusion_plan_vectors": "N P",
    "starfish_diffusion_solve": "s P P P P P",
    "starfish_diffusion_submit": "s P P P P P",
    "starfish_diffusion_wait": "s P P",
    "starfish_diffusion_progress": "v P P P",
    "starfish_atmosphere_plan_create": "s P P P P",
    "starfish_atmosphere_plan_destroy": "v P",
    "starfish_atmosphere_plan_method": "S P",
    "starfish_atmosphere_plan_reason": "S P",
    "starfish_atmosphere_plan_seconds": "d P",
    "starfish_atmosphere_solve": "s P P P P",
    "starfish_atmosphere_submit": "s P P P P",
    "starfish_atmosphere_wait": "s P P",
    "starfish_atmosphere_cancel": "v P",
    "starfish_atmosphere_check": "s P P P P",
    "starfish_q1_memory": "s P P P P",
    "starfish_stencil_memory": "s P P P P",
    "starfish_multigrid_plan_memory": "s P P",
    "starfish_diffusion_memory": "s P P P P",
    "starfish_diffusion_plan_memory": "s P P",
    "starfish_atmosphere_memory": "s P P P P",
    "starfish_atmosphere_plan_memory": "s P P",
    "starfish_tridiag_memory": "s P P P P",
    "starfish_fem_plan_create": "s P P P P",
    "starfish_fem_plan_destroy": "v P",
    "starfish_fem_nodes": "N P",
    "starfish_fem_points": "P P",
    "starfish_fem_cells": "N P P",
    "starfish_fem_solve": "s P P P",
    "starfish_fem_submit": "s P P P",
    "starfish_fem_wait": "s P P",
    "starfish_fem_error": "s P P P P P",
    "starfish_blktri": "s i i i P P P i i P P P i P P P",
    "starfish_cblktri": "s i i i P P P i i P P P i P P P",
    "starfish_blktri_free": "v P",
    "starfish_mpi_context_create_f": "s P i P",
    "starfish_mpi_rank": "s P P P",
    "starfish_mpi_planes": "s P N i P P",
}
