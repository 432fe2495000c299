/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/files/output.h, apps/files/temporary.h: files that are replaced, links that are followed, signals that leave
 * nothing behind. */
#include "tests/apps/files/scratch.h"

#include "apps/files/output.h"
#include "apps/files/temporary.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_text(const char *path, const char *text)
{
    struct starfish_output output;
    assert_int_equal(starfish_output_open(&output, path), STARFISH_SUCCESS);
    fputs(text, output.stream);
    assert_int_equal(starfish_output_finish(&output, STARFISH_SUCCESS), STARFISH_SUCCESS);
}

static void assert_text(const char *path, const char *text)
{
    char there[64] = "";
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(there, 1, sizeof there - 1, stream), strlen(text));
    fclose(stream);
    assert_string_equal(there, text);
}

static mode_t mode_of(const char *path)
{
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    return file.st_mode & 07777;
}

static void modes_are_kept(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0664, 0666, 0755};
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
        const char *path = scratch_file("mode", "old", 3);
        assert_int_equal(chmod(path, modes[i]), 0);
        write_text(path, "new");
        assert_text(path, "new");
        assert_int_equal(mode_of(path), modes[i]);
    }
}

static void new_files_have_the_mode_of_new_files(void **state)
{
    static const mode_t masks[] = {0, 022, 027, 077};
    const mode_t before = umask(0);
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; ++i) {
        umask(masks[i]);
        write_text(scratch("new"), "new");
        assert_int_equal(mode_of(scratch("new")), 0666 & ~masks[i]);
        assert_int_equal(unlink(scratch("new")), 0);
    }
    umask(before);
}

static void owners_are_kept(void **state)
{
    struct stat file;
    (void)state;
    if (geteuid() != 0)
        skip(); /* nobody else may give files away */
    const char *path = scratch_file("owned", "old", 3);
    assert_int_equal(chown(path, 12345, 54321), 0);
    write_text(path, "new");
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_uid, 12345);
    assert_int_equal(file.st_gid, 54321);
}

/* `link` -> `to`, in the folder; what is written to the link must arrive at `file`. */
static void links_are_followed_as_open_does(void **state)
{
    static const struct {
        const char *link, *to, *file;
        int exists;
    } cases[] = {
        {"a", "a.file", "a.file", 1}, {"b", "b.file", "b.file", 0},        {"c", "a", "a.file", 1},
        {"d", "b2", "b2", 0},         {"sub/e", "../e.file", "e.file", 0}, {"f", "sub/f.file", "sub/f.file", 0},
        {"g", "sub/e", "e.file", 1},
    };
    struct stat link;
    (void)state;
    assert_int_equal(mkdir(scratch("sub"), 0777), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (cases[i].exists)
            scratch_file(cases[i].file, "old", 3);
        assert_int_equal(symlink(cases[i].to, scratch(cases[i].link)), 0);
        assert_int_equal(starfish_output_check(scratch(cases[i].link)), STARFISH_SUCCESS);
        write_text(scratch(cases[i].link), cases[i].link);
        assert_text(scratch(cases[i].file), cases[i].link);
        assert_int_equal(lstat(scratch(cases[i].link), &link), 0);
        assert_true(S_ISLNK(link.st_mode));
    }
}

static void links_that_lead_nowhere_are_refused(void **state)
{
    static const struct {
        const char *link, *to, *message;
    } cases[] = {{"round", "round", "Too many levels"}, {"away", "no/such/file", "No such file"}};
    struct starfish_output output;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(symlink(cases[i].to, scratch(cases[i].link)), 0);
        const int before = scratch_count();
        assert_int_equal(starfish_output_check(scratch(cases[i].link)), STARFISH_ERROR_FILE);
        assert_message(cases[i].message);
        assert_int_equal(starfish_output_open(&output, scratch(cases[i].link)), STARFISH_ERROR_FILE);
        assert_message(cases[i].message);
        assert_int_equal(scratch_count(), before);
    }
}

static void names_cannot_be_guessed(void **state)
{
    struct starfish_output output;
    char first[256];
    (void)state;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(starfish_output_open(&output, scratch("named")), STARFISH_SUCCESS);
        if (i == 1)
            assert_string_not_equal(output.temporary, first);
        snprintf(first, sizeof first, "%s", output.temporary);
        starfish_output_finish(&output, STARFISH_ERROR_FILE);
    }
}

/* Two files, of which one is there before. Until the end of their group both have temporary names. */
static void groups_appear_together(void **state)
{
    static const starfish_status ends[] = {STARFISH_ERROR_NUMERICAL, STARFISH_SUCCESS};
    char older[256];
    struct stat file;
    (void)state;
    snprintf(older, sizeof older, "%s", scratch_file("older", "old", 3));
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        const int before = scratch_count(), succeeds = ends[i] == STARFISH_SUCCESS;
        starfish_outputs_begin();
        write_text(older, "new");
        write_text(scratch("newer"), "new");
        assert_text(older, "old");
        assert_int_equal(stat(scratch("newer"), &file), -1);
        assert_int_equal(scratch_count(), before + 2);
        assert_non_null(starfish_outputs_find(scratch("./newer")));
        assert_null(starfish_outputs_find(scratch("another")));
        assert_int_equal(starfish_outputs_finish(ends[i]), ends[i]);
        assert_null(starfish_outputs_find(scratch("newer")));
        assert_text(older, succeeds ? "new" : "old");
        assert_int_equal(scratch_count(), before + succeeds);
    }
    write_text(older, "last"); /* a file by itself again */
    assert_text(older, "last");
}

/* The second name cannot be given: its folder is gone. */
static void groups_report_names_that_cannot_be_given(void **state)
{
    (void)state;
    const int before = scratch_count();
    assert_int_equal(mkdir(scratch("gone"), 0777), 0);
    starfish_outputs_begin();
    write_text(scratch("gone/file"), "new");
    assert_int_equal(rename(scratch("gone"), scratch("moved")), 0);
    assert_int_equal(starfish_outputs_finish(STARFISH_SUCCESS), STARFISH_ERROR_FILE);
    assert_message("gone/file: cannot be replaced");
    assert_int_equal(scratch_count(), before + 1);
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* A program that is writing, and has a temporary folder with a file that another program made. */
static void write_for_ever(int ready)
{
    struct starfish_output output;
    char folder[256], inside[300];
    starfish_temporary_guard();
    snprintf(folder, sizeof folder, "%s", scratch("folder-XXXXXX"));
    if (starfish_temporary_folder(folder) != 0 || starfish_output_open(&output, scratch("kept")) != STARFISH_SUCCESS)
        _exit(1);
    snprintf(inside, sizeof inside, "%s/file", folder);
    FILE *other = fopen(inside, "w");
    if (!other || fclose(other) != 0 || starfish_temporary_expect(inside) != 0)
        _exit(1);
    fputs("half", output.stream);
    fflush(output.stream);
    if (write(ready, "", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

/* The program has written its half, gets a signal, and ends by it. */
static void end_by(int number)
{
    int ready[2], ended = 0;
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0)
        write_for_ever(ready[1]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    kill(child, number);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended));
    assert_int_equal(WTERMSIG(ended), number);
}

static void signals_leave_nothing_behind(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    (void)state;
    scratch_file("kept", "precious", 8);
    const int before = scratch_count();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i) {
        end_by(signals[i]);
        assert_int_equal(scratch_count(), before);
        assert_text(scratch("kept"), "precious");
    }
}

/* More temporaries than the table has room for are an error, and those that were made are removed. */
static void the_table_of_temporaries_may_be_full(void **state)
{
    enum { MANY = 40 };
    struct starfish_output output[MANY];
    int opened = 0;
    (void)state;
    const int before = scratch_count();
    while (opened < MANY && starfish_output_open(&output[opened], scratch("many")) == STARFISH_SUCCESS)
        ++opened;
    assert_in_range(opened, 1, MANY - 1);
    assert_message("cannot be created: Too many open files");
    while (opened-- > 0)
        starfish_output_finish(&output[opened], STARFISH_ERROR_FILE);
    assert_int_equal(scratch_count(), before);
    write_text(scratch("many"), "again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_kept),
        cmocka_unit_test(new_files_have_the_mode_of_new_files),
        cmocka_unit_test(owners_are_kept),
        cmocka_unit_test(links_are_followed_as_open_does),
        cmocka_unit_test(links_that_lead_nowhere_are_refused),
        cmocka_unit_test(names_cannot_be_guessed),
        cmocka_unit_test(groups_appear_together),
        cmocka_unit_test(groups_report_names_that_cannot_be_given),
        cmocka_unit_test(signals_leave_nothing_behind),
        cmocka_unit_test(the_table_of_temporaries_may_be_full),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
