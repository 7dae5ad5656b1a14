package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionRequest.InputFile;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.json.StrictJsonReader;
import io.hexr.sandbox.json.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@code files} of a request. A path is taken literally or not at all: nothing is normalised, so what the caller wrote is the file's
 * name. Whether everything fits is known only with the whole request: {@link #requireFit}.
 */
final class InputFiles {
    /** What a FILE frame of the agent protocol takes. */
    private static final int MAX_PATH_BYTES = 1_024;

    /** NAME_MAX of every file system there is. */
    private static final int MAX_NAME_BYTES = 255;

    /** A file system in memory gives out whole pages. */
    private static final int PAGE = 4_096;

    private static final String FILE = "an object with \"path\" and either \"content\" or \"content_base64\"";
    private static final String PATH =
            "a relative path of at most %d bytes below /workspace, in parts of at most %d bytes, none of them empty, \".\" or \"..\", without NUL"
                    .formatted(MAX_PATH_BYTES, MAX_NAME_BYTES);
    private static final String BASE64 = "base64 as in RFC 4648, section 4, without line breaks";

    private final int maxFiles;
    private final int maxInodes;
    private final List<InputFile> files = new ArrayList<>();
    private final Set<String> paths = new HashSet<>();
    private final Set<String> directories = new HashSet<>();
    private long bytes;

    /**
     * @param maxInodes that any workspace can have; stops a request whose deep paths would fill the memory before its end is reached
     */
    InputFiles(int maxFiles, int maxInodes) {
        this.maxFiles = maxFiles;
        this.maxInodes = maxInodes;
    }

    void read(StrictJsonReader json) throws EngineException {
        String legal = "an array of at most %d objects".formatted(maxFiles);
        json.array("files", legal, i -> {
            if (i == maxFiles) {
                throw EngineException.invalid("files", "files has too many elements.", legal);
            }
            add(readFile(json, "files[%d]".formatted(i)), "files[%d].path".formatted(i));
        });
    }

    private static InputFile readFile(StrictJsonReader json, String field) throws EngineException {
        var file = new Draft();
        json.object(field, FILE, name -> {
            String member = field + "." + StrictJsonReader.show(name);
            switch (name) {
                case "path" -> file.path = path(json.string(member, PATH), member);
                case "content" -> file.take(json.string(member, "a string").getBytes(StandardCharsets.UTF_8), field);
                case "content_base64" -> file.take(decode(json.string(member, BASE64), member), field);
                default -> throw EngineException.invalid(member, "%s is not known.".formatted(member), FILE);
            }
        });
        if (file.path == null || file.content == null) {
            throw EngineException.invalid(
                    field, "%s has no %s.".formatted(field, file.path == null ? "path" : "content"), FILE);
        }
        return new InputFile(file.path, file.content);
    }

    private static final class Draft {
        private @Nullable String path;
        private byte @Nullable [] content;

        private void take(byte[] bytes, String field) throws EngineException {
            if (content != null) {
                throw EngineException.invalid(field, "%s has two contents.".formatted(field), FILE);
            }
            content = bytes;
        }
    }

    private static byte[] decode(String base64, String field) throws EngineException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw EngineException.invalid(field, "%s is not base64.".formatted(field), BASE64);
        }
    }

    /** Split with a negative limit keeps empty parts: a leading, a trailing and a doubled slash all show as one. */
    private static String path(String path, String field) throws EngineException {
        boolean legal = Utf8.length(path) <= MAX_PATH_BYTES && path.indexOf('\0') < 0;
        for (String part : legal ? path.split("/", -1) : new String[0]) {
            legal &= !part.isEmpty() && !part.equals(".") && !part.equals("..") && Utf8.length(part) <= MAX_NAME_BYTES;
        }
        if (!legal) {
            throw EngineException.invalid(field, "%s is \"%s\".".formatted(field, StrictJsonReader.show(path)), PATH);
        }
        return path;
    }

    private void add(InputFile file, String field) throws EngineException {
        String path = file.path();
        if (!paths.add(path)) {
            throw EngineException.invalid(
                    field, "Two files have the path \"%s\".".formatted(StrictJsonReader.show(path)), "every path once");
        }
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            directories.add(path.substring(0, slash));
        }
        requireInodes(maxInodes, "any workspace");
        bytes += pages(file.content().length);
        files.add(file);
    }

    private static long pages(long bytes) {
        return Math.ceilDiv(bytes, PAGE) * PAGE;
    }

    /** Checks what depends on the rest of the request. */
    List<InputFile> requireFit(Language language, long codeBytes, long workspaceBytes, int inodes)
            throws EngineException {
        String script = language.scriptName();
        if (paths.contains(script) || directories.contains(script)) {
            throw EngineException.invalid(
                    "files", "%s is the path of the program itself.".formatted(script), "any other path");
        }
        for (String path : paths) {
            if (directories.contains(path)) {
                throw EngineException.invalid(
                        "files",
                        "\"%s\" is both a file and a directory.".formatted(StrictJsonReader.show(path)),
                        "paths of which none continues another");
            }
        }
        if (bytes + pages(codeBytes) > workspaceBytes) {
            throw EngineException.invalid(
                    files.isEmpty() ? "code" : "files",
                    "The files and the code need %d bytes in whole pages.".formatted(bytes + pages(codeBytes)),
                    "at most %d bytes, which is the workspace of a call with this memory_mb".formatted(workspaceBytes));
        }
        requireInodes(inodes, "the workspace of a call with this memory_mb");
        return files;
    }

    /** Every file and every directory takes an inode, the script and the workspace itself too. */
    private void requireInodes(int inodes, String where) throws EngineException {
        int needed = paths.size() + directories.size();
        if (needed + 2 > inodes) {
            throw EngineException.invalid(
                    "files",
                    "There are %d files and directories.".formatted(needed),
                    "at most %d for %s".formatted(inodes - 2, where));
        }
    }
}
