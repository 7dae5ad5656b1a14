package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why something failed, for people. Exceptions of {@code java.nio.file} have the path as their whole message, and the reason in their name. */
public final class IoReason {
    private IoReason() {}

    public static String of(IOException failure) {
        return switch (failure) {
            case NoSuchFileException e -> e.getFile() + " does not exist";
            case AccessDeniedException e -> e.getFile() + ": permission denied";
            case FileAlreadyExistsException e -> e.getFile() + " is in the way";
            case FileSystemException e when e.getReason() == null -> e.toString();
            default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        };
    }
}
