package io.hexr.sandbox.config;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the engine listens.
 *
 * @param host an address literal without brackets, or a name; null for all interfaces
 */
public record ListenAddress(@Nullable String host, int port) {
    private static final Pattern FORM = Pattern.compile("(\\[[^\\]]*\\]|[^:\\[\\]]*):(\\d{1,5})");

    /** All four numbers: the JDK also reads the short forms of BSD, where 1.2.3 is 1.2.0.3. */
    private static final Pattern IPV4 = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

    /** RFC 1123, section 2.1; the last label has a letter, which tells a name from a botched IPv4 address. */
    private static final Pattern NAME = Pattern.compile(
            "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.)*(?=[0-9-]*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?");

    static Optional<ListenAddress> parse(String text) {
        var matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String host = matcher.group(1);
        int port = Integer.parseInt(matcher.group(2));
        if (port > 65_535) {
            return Optional.empty();
        }
        if (host.isEmpty()) {
            return Optional.of(new ListenAddress(null, port));
        }
        boolean bracketed = host.startsWith("[");
        String name = bracketed ? host.substring(1, host.length() - 1) : host;
        boolean legal = bracketed ? isLiteral(name, Inet6Address.class) : isIpv4(name) || isName(name);
        return legal ? Optional.of(new ListenAddress(name, port)) : Optional.empty();
    }

    private static boolean isIpv4(String text) {
        return IPV4.matcher(text).matches() && isLiteral(text, Inet4Address.class);
    }

    private static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private static boolean isLiteral(String text, Class<? extends InetAddress> type) {
        try {
            return type.isInstance(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        String shown = host == null ? "" : host.contains(":") ? "[" + host + "]" : host;
        return shown + ":" + port;
    }
}
