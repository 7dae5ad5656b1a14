package io.hexr.sandbox.sandbox.template;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.Template;
import java.io.IOException;
import java.nio.file.Path;

/** How one backend makes its templates. */
public interface TemplateRecipe<T extends Template> {
    /** Hash of everything that goes into the template, see {@link TemplateKey}. */
    String key(Language language, int variant);

    /** Makes the template in an empty directory. One at a time. */
    void make(Language language, int variant, Path directory, Deadline deadline) throws SandboxException, IOException;

    /**
     * The template in a directory whose bytes are those that {@link #make} left.
     *
     * @throws IOException if it cannot be used; it is then made anew
     */
    T open(Language language, int variant, String key, Path directory, Deadline deadline)
            throws SandboxException, IOException;
}
