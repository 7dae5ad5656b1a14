package io.hexr.sandbox.http;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Which known name a wrong one was probably meant to be. */
final class ClosestName {
    private static final int LONGEST = 32;
    private static final int FARTHEST = 2;

    private ClosestName() {}

    static Optional<String> to(String given, Collection<String> known) {
        if (given.length() > LONGEST) {
            return Optional.empty();
        }
        String lower = given.toLowerCase(Locale.ROOT);
        return known.stream()
                .filter(name -> distance(lower, name) <= Math.min(FARTHEST, name.length() / 2))
                .min(Comparator.comparingInt(name -> distance(lower, name)));
    }

    /** Optimal string alignment: how many letters to insert, delete, replace or swap with their neighbour. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replace = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(d[i - 1][j - 1] + replace, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
