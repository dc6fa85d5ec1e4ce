/* Lets the n-th call of a kind fail, below a folder. Loaded before libc (LD_PRELOAD); armed from Python by ctypes.
 *
 * A call counts if its file is below the folder that `shim_arm` names. Kinds and modes are the enums below.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE, RENAME, SYNC, CHMOD, OPEN, MAP, LINK, UNLINK, TRUNCATE, CLOSE, READ, ANY };
enum mode { FAIL, SHORT, DELAY, KILL };

static char folder[PATH_MAX];
static atomic_int armed, wanted_kind, wanted_mode, wanted_error;
static atomic_long wanted, seen, done;

void shim_arm(const char *below, int kind, long n, int mode, int error) {
    atomic_store(&armed, 0);
    strncpy(folder, below, sizeof folder - 1);
    atomic_store(&wanted_kind, kind);
    atomic_store(&wanted_mode, mode);
    atomic_store(&wanted_error, error);
    atomic_store(&wanted, n);
    atomic_store(&seen, 0);
    atomic_store(&done, 0);
    atomic_store(&armed, 1);
}

void shim_disarm(void) { atomic_store(&armed, 0); }
long shim_seen(void) { return atomic_load(&seen); }
long shim_done(void) { return atomic_load(&done); }

static int is_below(const char *path) { return path != NULL && strncmp(path, folder, strlen(folder)) == 0; }

static int is_handle_below(int handle) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return is_below(path);
}

/* Count a call. Returns whether it is the one: then errno is set, or it was slowed down. */
static int is_struck(int kind) {
    int asked = atomic_load(&wanted_kind);
    if (asked != ANY && asked != kind) return 0;
    if (atomic_fetch_add(&seen, 1) != atomic_load(&wanted)) return 0;
    atomic_fetch_add(&done, 1);
    switch (atomic_load(&wanted_mode)) {
    case KILL:
        kill(getpid(), SIGKILL);
        for (;;) pause();
    case DELAY:
        usleep(20000);
        return 0;
    case SHORT:
        return kind == WRITE || kind == READ ? 2 : 0;
    }
    errno = atomic_load(&wanted_error);
    return 1;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define STRUCK_PATH(kind, path) (atomic_load(&armed) && is_below(path) && is_struck(kind))
#define STRUCK_HANDLE(kind, handle) (atomic_load(&armed) && is_handle_below(handle) ? is_struck(kind) : 0)

ssize_t write(int handle, const void *from, size_t n) {
    REAL(write);
    int struck = STRUCK_HANDLE(WRITE, handle);
    if (struck == 1) return -1;
    return real(handle, from, struck == 2 && n > 1 ? n / 2 : n);
}
ssize_t pwrite(int handle, const void *from, size_t n, off_t at) {
    REAL(pwrite);
    int struck = STRUCK_HANDLE(WRITE, handle);
    if (struck == 1) return -1;
    return real(handle, from, struck == 2 && n > 1 ? n / 2 : n, at);
}
ssize_t pwrite64(int handle, const void *from, size_t n, off64_t at) {
    REAL(pwrite64);
    int struck = STRUCK_HANDLE(WRITE, handle);
    if (struck == 1) return -1;
    return real(handle, from, struck == 2 && n > 1 ? n / 2 : n, at);
}
ssize_t writev(int handle, const struct iovec *from, int n) {
    REAL(writev);
    if (STRUCK_HANDLE(WRITE, handle) == 1) return -1;
    return real(handle, from, n);
}
ssize_t read(int handle, void *to, size_t n) {
    REAL(read);
    int struck = STRUCK_HANDLE(READ, handle);
    if (struck == 1) return -1;
    return real(handle, to, struck == 2 && n > 1 ? n / 2 : n);
}
ssize_t pread(int handle, void *to, size_t n, off_t at) {
    REAL(pread);
    int struck = STRUCK_HANDLE(READ, handle);
    if (struck == 1) return -1;
    return real(handle, to, struck == 2 && n > 1 ? n / 2 : n, at);
}
ssize_t pread64(int handle, void *to, size_t n, off64_t at) {
    REAL(pread64);
    int struck = STRUCK_HANDLE(READ, handle);
    if (struck == 1) return -1;
    return real(handle, to, struck == 2 && n > 1 ? n / 2 : n, at);
}
int rename(const char *from, const char *to) {
    REAL(rename);
    return STRUCK_PATH(RENAME, to) ? -1 : real(from, to);
}
int renameat(int a, const char *from, int b, const char *to) {
    REAL(renameat);
    return STRUCK_PATH(RENAME, to) ? -1 : real(a, from, b, to);
}
int fsync(int handle) {
    REAL(fsync);
    return STRUCK_HANDLE(SYNC, handle) == 1 ? -1 : real(handle);
}
int fdatasync(int handle) {
    REAL(fdatasync);
    return STRUCK_HANDLE(SYNC, handle) == 1 ? -1 : real(handle);
}
int chmod(const char *path, mode_t mode) {
    REAL(chmod);
    return STRUCK_PATH(CHMOD, path) ? -1 : real(path, mode);
}
int fchmod(int handle, mode_t mode) {
    REAL(fchmod);
    return STRUCK_HANDLE(CHMOD, handle) == 1 ? -1 : real(handle, mode);
}
int fchmodat(int at, const char *path, mode_t mode, int flags) {
    REAL(fchmodat);
    return STRUCK_PATH(CHMOD, path) ? -1 : real(at, path, mode, flags);
}
int link(const char *from, const char *to) {
    REAL(link);
    return STRUCK_PATH(LINK, to) ? -1 : real(from, to);
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(linkat);
    return STRUCK_PATH(LINK, to) ? -1 : real(a, from, b, to, flags);
}
int unlink(const char *path) {
    REAL(unlink);
    return STRUCK_PATH(UNLINK, path) ? -1 : real(path);
}
int unlinkat(int at, const char *path, int flags) {
    REAL(unlinkat);
    return STRUCK_PATH(UNLINK, path) ? -1 : real(at, path, flags);
}
int ftruncate(int handle, off_t n) {
    REAL(ftruncate);
    return STRUCK_HANDLE(TRUNCATE, handle) == 1 ? -1 : real(handle, n);
}
int ftruncate64(int handle, off64_t n) {
    REAL(ftruncate64);
    return STRUCK_HANDLE(TRUNCATE, handle) == 1 ? -1 : real(handle, n);
}
/* A file that is closed is closed, whatever is said: as on a network drive that notices a full disk only then. */
int close(int handle) {
    REAL(close);
    int struck = STRUCK_HANDLE(CLOSE, handle);
    int error = errno, result = real(handle);
    if (struck != 1) return result;
    errno = error;
    return -1;
}
void *mmap(void *at, size_t n, int protection, int flags, int handle, off_t from) {
    REAL(mmap);
    if (handle >= 0 && STRUCK_HANDLE(MAP, handle) == 1) return MAP_FAILED;
    return real(at, n, protection, flags, handle, from);
}
void *mmap64(void *at, size_t n, int protection, int flags, int handle, off64_t from) {
    REAL(mmap64);
    if (handle >= 0 && STRUCK_HANDLE(MAP, handle) == 1) return MAP_FAILED;
    return real(at, n, protection, flags, handle, from);
}

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list more; \
        va_start(more, flags); \
        mode = va_arg(more, mode_t); \
        va_end(more); \
    }
int open(const char *path, int flags, ...) {
    REAL(open);
    MODE_OF(flags)
    return STRUCK_PATH(OPEN, path) ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    REAL(open64);
    MODE_OF(flags)
    return STRUCK_PATH(OPEN, path) ? -1 : real(path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    REAL(openat);
    MODE_OF(flags)
    return STRUCK_PATH(OPEN, path) ? -1 : real(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    REAL(openat64);
    MODE_OF(flags)
    return STRUCK_PATH(OPEN, path) ? -1 : real(at, path, flags, mode);
}
