package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.ErrorCode;
import io.hexr.sandbox.json.StrictJsonReader;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The errors that Jetty finds by itself: messages that are no HTTP, heads too large, a server that stops. Of its own words only those about
 * the message are passed on; an exception of any other kind may name things of the host.
 */
final class ProblemErrorHandler implements Request.Handler {

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = statusOf(response);
        var answer = Problem.answer(
                codeOf(status), status, detail(status, request.getAttribute(ErrorHandler.ERROR_EXCEPTION)));
        AnswerWriter.fill(response, status == 503 ? answer.with("Retry-After", "5") : answer);
        response.write(true, ByteBuffer.wrap(answer.body()), callback);
        return true;
    }

    private static int statusOf(Response response) {
        int status = response.getStatus();
        if (status == HttpStatus.UPGRADE_REQUIRED_426) {
            // A client that begins with HTTP/2; 426 would have to name what to upgrade to (RFC 9110, section 15.5.22).
            return HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505;
        }
        return status >= 400 ? status : 500;
    }

    private static ErrorCode codeOf(int status) {
        return switch (status) {
            case 404 -> ErrorCode.NOT_FOUND;
            case 405 -> ErrorCode.METHOD_NOT_ALLOWED;
            case 408 -> ErrorCode.REQUEST_TIMEOUT;
            case 413 -> ErrorCode.BODY_TOO_LARGE;
            case 414 -> ErrorCode.URI_TOO_LONG;
            case 415 -> ErrorCode.UNSUPPORTED_MEDIA_TYPE;
            case 431 -> ErrorCode.HEADER_TOO_LARGE;
            case 503 -> ErrorCode.DRAINING;
            case 505 -> ErrorCode.HTTP_VERSION_NOT_SUPPORTED;
            default -> status < 500 ? ErrorCode.BAD_HTTP : ErrorCode.INTERNAL;
        };
    }

    private static String detail(int status, @Nullable Object cause) {
        String title = codeOf(status).title();
        return status < 500 && cause instanceof HttpException http && http.getReason() != null
                ? "%s: %s.".formatted(title, StrictJsonReader.show(http.getReason()))
                : title + ".";
    }
}
