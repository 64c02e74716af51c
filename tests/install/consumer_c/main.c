#include <onefold/onefold.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    onefold_engine engine = NULL;
    if (onefold_engine_create(&engine, onefold_cpu, 0, NULL) != onefold_success) {
        puts(onefold_last_error());
        return 1;
    }
    puts(onefold_version());
    return onefold_engine_destroy(engine) == onefold_success && strncmp(onefold_version(), "0.1.", 4) == 0 ? 0 : 1;
}
