package io.hexr.sandbox.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CleanupStackTest {
    private final List<String> done = new ArrayList<>();

    @Test
    void stepsRunOnceInReverseOrder() {
        var stack = new CleanupStack();
        stack.push("first", () -> done.add("first"));
        stack.push("second", () -> done.add("second"));
        stack.close();
        stack.close();
        assertThat(done).containsExactly("second", "first");
    }

    @Test
    void aStepThatFailsDoesNotKeepTheOthersFromRunning() {
        var stack = new CleanupStack();
        stack.push("first", () -> done.add("first"));
        stack.push("bad", () -> {
            throw new IOException("no");
        });
        stack.push("worse", () -> {
            throw new IllegalStateException("no");
        });
        stack.push("worst", () -> {
            throw new StackOverflowError("as the test asked");
        });
        stack.close();
        assertThat(done).containsExactly("first");
    }

    @Test
    void aStepAddedAfterTheEndRunsAtOnce() {
        var stack = new CleanupStack();
        stack.close();
        stack.push("late", () -> done.add("late"));
        assertThat(done).containsExactly("late");
    }
}
