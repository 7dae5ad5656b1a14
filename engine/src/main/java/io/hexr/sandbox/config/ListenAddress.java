package io.hexr.sandbox.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the engine listens. */
public sealed interface ListenAddress {

    static Optional<ListenAddress> parse(String text) {
        return text.startsWith(UnixSocket.SCHEME) ? UnixSocket.parse(text) : Tcp.parse(text);
    }

    /** Only who may open the file reaches it: the directory's permissions decide. */
    record UnixSocket(Path path) implements ListenAddress {
        private static final String SCHEME = "unix:";

        /** {@code sun_path} of unix(7), less its NUL. */
        private static final int MAX_BYTES = 107;

        private static Optional<ListenAddress> parse(String text) {
            return ValueKind.absolutePath()
                    .read()
                    .apply(text.substring(SCHEME.length()))
                    .filter(path -> path.toString().getBytes(UTF_8).length <= MAX_BYTES)
                    .map(UnixSocket::new);
        }

        /** With what no URI may hold as it is, such as a space, percent-encoded. */
        public URI uri() {
            return URI.create(SCHEME + path.toUri().getRawPath());
        }

        @Override
        public String toString() {
            return SCHEME + path;
        }
    }

    /**
     * A port.
     *
     * @param host an address literal without brackets, or a name; null for all interfaces
     */
    record Tcp(@Nullable String host, int port) implements ListenAddress {
        private static final Pattern FORM = Pattern.compile("(\\[[^\\]]*\\]|[^:\\[\\]]*):(\\d{1,5})");

        /** All four numbers: the JDK also reads the short forms of BSD, where 1.2.3 is 1.2.0.3. */
        private static final Pattern IPV4 = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

        /** RFC 1123, section 2.1; the last label has a letter, which tells a name from a botched IPv4 address. */
        private static final Pattern NAME = Pattern.compile(
                "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.)*(?=[0-9-]*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?");

        private static Optional<ListenAddress> parse(String text) {
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
                return Optional.of(new Tcp(null, port));
            }
            boolean bracketed = host.startsWith("[");
            String name = bracketed ? host.substring(1, host.length() - 1) : host;
            boolean legal = bracketed ? isLiteral(name, Inet6Address.class) : isIpv4(name) || isName(name);
            return legal ? Optional.of(new Tcp(name, port)) : Optional.empty();
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
}
