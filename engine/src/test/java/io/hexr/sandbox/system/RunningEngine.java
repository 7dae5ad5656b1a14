package io.hexr.sandbox.system;

import io.hexr.sandbox.Engines;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One real engine with the real backend for all tests of a JVM: started by the first that asks, closed by JUnit when the last is done. Gives
 * test classes an {@link Api} or the {@link Address} as constructor parameters. Fails, never skips, when a part is missing.
 */
public final class RunningEngine implements BeforeAllCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(RunningEngine.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        engine(context);
    }

    private static Engines.Handle engine(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent("engine", key -> Engines.start(), Engines.Handle.class);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Api.class || type == Address.class;
    }

    /** Where the engine is and where it keeps its state. */
    public record Address(URI uri, Path stateDir) {}

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var engine = engine(context);
        return parameter.getParameter().getType() == Api.class
                ? new Api(engine.uri())
                : new Address(engine.uri(), engine.stateDir());
    }
}
