package io.hexr.sandbox.identity.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;

/**
 * The wire format of Protocol Buffers as far as the Workload API needs it: fields of bytes are read, all others are skipped. A library would
 * bring a megabyte and generated code for five fields.
 */
final class ProtobufReader {
    // Wire types, protobuf.dev/programming-guides/encoding
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;

    private static final int MAX_VARINT_BYTES = 10;

    private final byte[] message;
    private int position;

    ProtobufReader(byte[] message) {
        this.message = message;
    }

    /** Takes a field of bytes; strings and messages are such too. */
    interface Field {
        void accept(int number, byte[] value) throws IOException;
    }

    void forEach(Field field) throws IOException {
        while (position < message.length) {
            long tag = varint();
            long number = tag >>> 3;
            if (number < 1 || number > 0x1FFF_FFFF) {
                throw new IOException("field number %d in a message of the Workload API".formatted(number));
            }
            switch ((int) (tag & 7)) {
                case VARINT -> varint();
                case FIXED64 -> take(Long.BYTES);
                case BYTES -> field.accept((int) number, take(varint()));
                case FIXED32 -> take(Integer.BYTES);
                default -> throw new IOException("wire type %d in a message of the Workload API".formatted(tag & 7));
            }
        }
    }

    private long varint() throws IOException {
        long value = 0;
        for (int i = 0; i < MAX_VARINT_BYTES; i++) {
            byte b = take(1)[0];
            value |= (long) (b & 0x7F) << (7 * i);
            if (b >= 0) {
                return value;
            }
        }
        throw new IOException("a number without end in a message of the Workload API");
    }

    private byte[] take(long length) throws IOException {
        if (length < 0 || length > message.length - position) {
            throw new IOException("a message of the Workload API ends in the middle of a field");
        }
        int start = position;
        position += (int) length;
        return Arrays.copyOfRange(message, start, position);
    }

    static String text(byte[] value) {
        return new String(value, UTF_8);
    }
}
