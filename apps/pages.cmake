# SPDX-License-Identifier: LGPL-2.1-or-later
# Pages of the manual and completion of the shells, written by the program itself: cmake -DPROGRAM=... -DOUT=FOLDER -P
# pages.cmake fills FOLDER/man/man1, FOLDER/bash-completion/completions, FOLDER/zsh/site-functions and
# FOLDER/fish/vendor_completions.d.
function(write_output path)
    execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE said RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "${PROGRAM} ${ARGN}: ${said}")
    endif()
    file(WRITE "${OUT}/${path}" "${text}")
endfunction()

write_output(man/man1/starfish.1 man)
foreach(command info solve fem bench reproduce sched machine trace)
    write_output(man/man1/starfish-${command}.1 man ${command})
endforeach()
write_output(bash-completion/completions/starfish completion bash)
write_output(zsh/site-functions/_starfish completion zsh)
write_output(fish/vendor_completions.d/starfish.fish completion fish)
