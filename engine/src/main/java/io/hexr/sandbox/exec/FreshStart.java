package io.hexr.sandbox.exec;

import io.hexr.sandbox.guest.Language;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides whether a request needs a fresh interpreter instead of the parked one. A parked interpreter has already read the environment
 * variables that are read only at start, and already holds some modules; where the request would change either, only a fresh start gives
 * what a plain run gives. Slower, but right.
 */
public final class FreshStart {
    /** Read by the dynamic loader and libc of any program, before main. */
    private static final List<String> LOADER = List.of("LD_", "MALLOC_", "GLIBC_", "LOCPATH", "NLSPATH");

    /** Prefixes of the variables, see {@code guest/runtimes/README.md}. */
    private static final Map<Language, List<String>> READ_AT_START = Map.of(
            Language.PYTHON,
            List.of("PYTHON", "LANG", "LC_", "OPENBLAS", "GOTO", "OMP_", "BLIS_", "MKL_", "NUMEXPR", "NPY_", "OPENSSL"),
            Language.JAVASCRIPT,
            List.of("NODE_", "UV_", "LANG", "LC_", "OPENSSL", "SSL_CERT", "ICU_"),
            Language.BASH,
            List.of());

    private final Set<String> preloadedModules;

    /**
     * @param preloadedModules top-level names of the modules that a parked Python holds
     */
    public FreshStart(Set<String> preloadedModules) {
        this.preloadedModules = Set.copyOf(preloadedModules);
    }

    boolean isNeeded(ExecutionRequest request) {
        return switch (request.language()) {
            case PYTHON -> setsStartVariable(request) || shadowsModule(request);
            case JAVASCRIPT -> setsStartVariable(request);
            case BASH -> false; // not parked: always fresh
        };
    }

    private static boolean setsStartVariable(ExecutionRequest request) {
        var ofLanguage = READ_AT_START.getOrDefault(request.language(), List.of());
        return request.env().keySet().stream()
                .anyMatch(name -> LOADER.stream().anyMatch(name::startsWith)
                        || ofLanguage.stream().anyMatch(name::startsWith));
    }

    /** {@code numpy.py}, {@code numpy/__init__.py} and {@code numpy.cpython-311-….so} in the workspace all win over the library. */
    private boolean shadowsModule(ExecutionRequest request) {
        return request.files().stream()
                .map(file -> file.path().split("[/.]", 2)[0])
                .anyMatch(preloadedModules::contains);
    }
}
