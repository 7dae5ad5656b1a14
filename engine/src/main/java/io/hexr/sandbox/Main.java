package io.hexr.sandbox;

/** Entry point. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.err.println("not wired yet");
        System.exit(1);
    }
}
