package io.hexr.sandbox.guest;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A language the guest image can run, with the name it has in the API and the name of its script in {@code /workspace}. */
public enum Language {
    PYTHON("python", "main.py"),
    JAVASCRIPT("javascript", "main.js"),
    BASH("bash", "main.sh");

    private final String id;
    private final String scriptName;

    Language(String id, String scriptName) {
        this.id = id;
        this.scriptName = scriptName;
    }

    public String id() {
        return id;
    }

    public String scriptName() {
        return scriptName;
    }

    public static Optional<Language> byId(String id) {
        return Arrays.stream(values())
                .filter(language -> language.id.equals(id))
                .findFirst();
    }

    public static List<String> ids() {
        return Arrays.stream(values()).map(Language::id).toList();
    }
}
