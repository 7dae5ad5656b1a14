package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.json.StrictJsonReader;
import io.hexr.sandbox.json.Utf8;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The {@code args} and {@code env} of a request, held to what execve(2) takes. There a single string has less than 128 KiB
 * (MAX_ARG_STRLEN), and all of them with their pointers share a quarter of the stack limit, 2 MiB; half of that is given to callers, the
 * interpreter's own arguments and environment need some.
 */
final class ProgramArguments {
    private static final int MAX_STRING_BYTES = (128 << 10) - 1;
    private static final int MAX_TOTAL_BYTES = 1 << 20;
    private static final int MAX_COUNT = 10_000;
    private static final int POINTER_AND_NUL = 9;

    private static final String ARG = "a string of at most %d bytes without NUL".formatted(MAX_STRING_BYTES);
    private static final String ARGS = "an array of at most %d strings".formatted(MAX_COUNT);
    private static final String ENV = "an object of at most %d strings".formatted(MAX_COUNT);
    private static final String ENV_NAME =
            "names that are not empty and hold neither \"=\" nor NUL; HEXR_PARK_FD and HEXR_PROGRAM are the sandbox's own";
    /** What tells an interpreter in the guest that it is to park, or that it runs the program; set by a caller they would misguide it. */
    private static final Set<String> RESERVED = Set.of("HEXR_PARK_FD", "HEXR_PROGRAM");

    private static final String TOTAL = "args and env of at most %d bytes together".formatted(MAX_TOTAL_BYTES);

    private final List<String> args = new ArrayList<>();
    private final Map<String, String> env = new LinkedHashMap<>();
    private long total;

    void readArgs(StrictJsonReader json) throws EngineException {
        json.array("args", ARGS, i -> {
            String path = "args[%d]".formatted(i);
            requireRoom("args", args.size(), ARGS);
            String arg = json.string(path, ARG);
            account(path, arg, Utf8.length(arg));
            args.add(arg);
        });
    }

    void readEnv(StrictJsonReader json) throws EngineException {
        json.object("env", ENV, name -> {
            requireRoom("env", env.size(), ENV);
            requireName(name);
            String path = "env." + StrictJsonReader.show(name);
            String value = json.string(path, ARG);
            account(path, value, Utf8.length(name) + 1 + Utf8.length(value));
            env.put(name, value);
        });
    }

    private static void requireRoom(String field, int count, String legal) throws EngineException {
        if (count == MAX_COUNT) {
            throw EngineException.invalid(field, "%s has too many elements.".formatted(field), legal);
        }
    }

    private static void requireName(String name) throws EngineException {
        if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0 || RESERVED.contains(name)) {
            throw EngineException.invalid(
                    "env", "env has the name \"%s\".".formatted(StrictJsonReader.show(name)), ENV_NAME);
        }
    }

    private void account(String path, String value, long bytes) throws EngineException {
        if (value.indexOf('\0') >= 0) {
            throw EngineException.invalid(path, "%s holds a NUL.".formatted(path), ARG);
        }
        if (bytes > MAX_STRING_BYTES) {
            throw EngineException.invalid(path, "%s has %d bytes.".formatted(path, bytes), ARG);
        }
        total += bytes + POINTER_AND_NUL;
        if (total > MAX_TOTAL_BYTES) {
            throw EngineException.invalid(path, "With %s, args and env grow too large.".formatted(path), TOTAL);
        }
    }

    List<String> args() {
        return args;
    }

    Map<String, String> env() {
        return env;
    }
}
