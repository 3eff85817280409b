/* header_is_clean.c - the public header alone, in strict C: it compiles, or the build fails. */
#include <plimsoll/plimsoll.h>

plimsoll_status use_header(void);

plimsoll_status use_header(void) {
  plimsoll_options options = {0};
  plimsoll_upload* upload = NULL;
  options.size = sizeof options;
  return plimsoll_open(&options, &upload);
}
