package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The file operations that cgroups are made of. The tests have one that obeys the kernel's rules for cgroup v2 without being a kernel. */
interface CgroupFiles {
    String read(Path file) throws IOException;

    /** Writes to a file that the kernel made; one that is missing is an error, never created. */
    void write(Path file, String value) throws IOException;

    boolean exists(Path path);

    void makeDirectory(Path directory) throws IOException;

    /** Removes a cgroup. The kernel refuses (EBUSY) as long as a task is in it. */
    void removeDirectory(Path directory) throws IOException;

    /** Names of the cgroups in this one. */
    List<String> directories(Path directory) throws IOException;
}
