/* test_mover.c - a mover that does as it is told, for end-to-end tests. C99 over libplimsoll.so.
 *
 *   test_mover [KEY=VALUE]... [-- COMMAND [ARGUMENTS] ...]
 *
 * Options, all optional: backup= backup_uid= item= snapshot= volume= part= parts=N attempt=N units=
 * total=N directory= tool= tool_version= label=key=value (up to 8) ring=BYTES. Commands are lines
 * on stdin, or, after "--", arguments of the form "update 10 100" (one command each). Each is
 * answered by one line on stdout, flushed: "STATUS COMMAND", STATUS being the number of
 * plimsoll_status. The first line is "STATUS open TEXT" with what plimsoll_status_of says.
 *
 *   update COMPLETED [TOTAL]   total -1 (default) keeps, 0 = unknown
 *   add DELTA
 *   set FIELD VALUE            FIELD 1...7, see plimsoll_field
 *   describe [TEXT]            rest of the line
 *   event SEVERITY TEXT        1 info, 2 warning, 3 error
 *   cancel?                    answers "1 cancel?" or "0 cancel?"
 *   wait-cancel [SECONDS]      polls the byte every 10 ms; "1 wait-cancel", or "0 wait-cancel"
 * after SECONDS (60) status                     "STATUS status TEXT" complete [STORED_AS] fail
 * [ERR]   retry [ERR] (fail, will retry)   incomplete [ERR]   canceled close closes without exiting
 *   fork                       a child updates the handle; "STATUS fork" is what the child was
 * answered abort                      raises SIGKILL against itself: no answer exit [CODE] closes
 * nothing, leaves at once At the end of the input the handle is closed and the exit status is 0; 2
 * for a command that is not known.
 */
#define _POSIX_C_SOURCE 200809L
#include <plimsoll/plimsoll.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMaxLabels = 16, kLineBytes = 8192, kExitUsage = 2, kPollMs = 10, kDefaultWaitSeconds = 60 };

static const char* labels[kMaxLabels];

static const char* value_of(const char* argument, const char* key) {
  const size_t length = strlen(key);
  return strncmp(argument, key, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                        : NULL;
}

static int read_text_option(plimsoll_options* options, const char* argument) {
  const struct {
    const char* key;
    const char** to;
  } texts[] = {
      {"backup", &options->backup},    {"backup_uid", &options->backup_uid},
      {"item", &options->item},        {"snapshot", &options->snapshot_id},
      {"volume", &options->volume_id}, {"part", &options->part},
      {"units", &options->units},      {"directory", &options->directory},
      {"tool", &options->tool},        {"tool_version", &options->tool_version},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    const char* value = value_of(argument, texts[i].key);
    if (value != NULL) {
      *texts[i].to = value;
      return 1;
    }
  }
  return 0;
}

static int read_option(plimsoll_options* options, const char* argument) {
  const char* value = NULL;
  if (read_text_option(options, argument)) return 1;
  if ((value = value_of(argument, "parts")) != NULL)
    options->parts_total = (uint32_t)strtoul(value, NULL, 10);
  else if ((value = value_of(argument, "attempt")) != NULL)
    options->attempt = (uint32_t)strtoul(value, NULL, 10);
  else if ((value = value_of(argument, "total")) != NULL)
    options->total = (int64_t)strtoll(value, NULL, 10);
  else if ((value = value_of(argument, "ring")) != NULL)
    options->ring_bytes = (uint32_t)strtoul(value, NULL, 10);
  else if ((value = value_of(argument, "label")) != NULL && options->label_count < kMaxLabels)
    labels[options->label_count++] = value;
  else
    return 0;
  return 1;
}

static void say(int status, const char* command) {
  printf("%d %s\n", status, command);
  fflush(stdout);
}

static void say_status(const plimsoll_upload* upload, const char* command) {
  char text[1024] = "";
  const plimsoll_status status = plimsoll_status_of(upload, text, sizeof text);
  printf("%d %s %s\n", (int)status, command, text);
  fflush(stdout);
}

static int wait_for_cancel(const plimsoll_upload* upload, long seconds) {
  const struct timespec pause = {0, kPollMs * 1000000L};
  for (long i = 0; i < seconds * (1000 / kPollMs); ++i) {
    if (plimsoll_cancel_requested(upload)) return 1;
    nanosleep(&pause, NULL);
  }
  return 0;
}

static int status_seen_by_child(plimsoll_upload* upload) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) _exit((int)plimsoll_update(upload, 1, -1));
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

static int run_count_command(plimsoll_upload* upload, const char* command, const char* rest) {
  char* end = NULL;
  const int64_t first = (int64_t)strtoll(rest, &end, 10);
  const int64_t second = *end != '\0' ? (int64_t)strtoll(end, NULL, 10) : -1;
  if (strcmp(command, "update") == 0)
    say((int)plimsoll_update(upload, first, second), command);
  else if (strcmp(command, "add") == 0)
    say((int)plimsoll_add(upload, first), command);
  else if (strcmp(command, "set") == 0)
    say((int)plimsoll_set(upload, (plimsoll_field)first, second), command);
  else if (strcmp(command, "event") == 0)
    say((int)plimsoll_event(upload, (int)first, *end == ' ' ? end + 1 : end), command);
  else if (strcmp(command, "wait-cancel") == 0)
    say(wait_for_cancel(upload, *rest != '\0' ? (long)first : kDefaultWaitSeconds), command);
  else if (strcmp(command, "exit") == 0)
    _exit((int)first);
  else
    return 0;
  return 1;
}

static int run_text_command(plimsoll_upload* upload, const char* command, const char* rest) {
  if (strcmp(command, "describe") == 0)
    say((int)plimsoll_describe(upload, rest), command);
  else if (strcmp(command, "complete") == 0)
    say((int)plimsoll_complete(upload, rest), command);
  else if (strcmp(command, "fail") == 0)
    say((int)plimsoll_fail(upload, rest, 0), command);
  else if (strcmp(command, "retry") == 0)
    say((int)plimsoll_fail(upload, rest, PLIMSOLL_WILL_RETRY), command);
  else if (strcmp(command, "incomplete") == 0)
    say((int)plimsoll_incomplete(upload, rest, NULL), command);
  else if (strcmp(command, "canceled") == 0)
    say((int)plimsoll_canceled(upload), command);
  else if (strcmp(command, "cancel?") == 0)
    say(plimsoll_cancel_requested(upload), command);
  else if (strcmp(command, "status") == 0)
    say_status(upload, command);
  else
    return 0;
  return 1;
}

static int run_process_command(plimsoll_upload** upload, const char* command) {
  if (strcmp(command, "close") == 0) {
    plimsoll_close(*upload);
    *upload = NULL;
    say(0, command);
  } else if (strcmp(command, "fork") == 0) {
    say(status_seen_by_child(*upload), command);
  } else if (strcmp(command, "abort") == 0) {
    (void)raise(SIGKILL);
  } else {
    return 0;
  }
  return 1;
}

static void run_line(plimsoll_upload** upload, char* line) {
  char* rest = NULL;
  line[strcspn(line, "\n")] = '\0';
  if (*line == '\0') return;
  rest = strchr(line, ' ');
  if (rest != NULL)
    *rest++ = '\0';
  else
    rest = line + strlen(line);
  if (run_count_command(*upload, line, rest) || run_text_command(*upload, line, rest) ||
      run_process_command(upload, line))
    return;
  fprintf(stderr, "test_mover: unknown command '%s'\n", line);
  exit(kExitUsage);
}

int main(int argc, char** argv) {
  char line[kLineBytes];
  plimsoll_upload* upload = NULL;
  plimsoll_options options;
  int at = 1;
  int from_stdin = 0;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.labels = labels;
  for (; at < argc && strcmp(argv[at], "--") != 0; ++at) {
    if (!read_option(&options, argv[at])) {
      fprintf(stderr, "test_mover: unknown option '%s'\n", argv[at]);
      return kExitUsage;
    }
  }
  (void)plimsoll_open(&options, &upload);
  say_status(upload, "open");
  from_stdin = at >= argc;
  for (++at; at < argc; ++at) {
    snprintf(line, sizeof line, "%s", argv[at]);
    run_line(&upload, line);
  }
  while (from_stdin && fgets(line, sizeof line, stdin) != NULL)
    run_line(&upload, line);
  plimsoll_close(upload);
  return 0;
}
