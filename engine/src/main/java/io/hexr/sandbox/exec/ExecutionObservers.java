package io.hexr.sandbox.exec;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several observers, and keeps what they throw from the execution that they look at. */
final class ExecutionObservers implements ExecutionObserver {
    private static final Logger log = LoggerFactory.getLogger(ExecutionObservers.class);

    private final List<ExecutionObserver> observers;

    ExecutionObservers(List<ExecutionObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public Execution begun(String id, ExecutionRequest request) {
        var told = new ArrayList<Execution>();
        each(observers, observer -> told.add(observer.begun(id, request)));
        return new Execution() {
            @Override
            public void admitted() {
                each(told, Execution::admitted);
            }

            @Override
            public void taken(boolean waited, Duration age, Duration resume, Duration handshake) {
                each(told, execution -> execution.taken(waited, age, resume, handshake));
            }

            @Override
            public void started() {
                each(told, Execution::started);
            }

            @Override
            public void stopped() {
                each(told, Execution::stopped);
            }

            @Override
            public void ended(ExecutionResult result) {
                each(told, execution -> execution.ended(result));
            }

            @Override
            public void failed(EngineException why) {
                each(told, execution -> execution.failed(why));
            }

            @Override
            public void destroyed() {
                each(told, Execution::destroyed);
            }
        };
    }

    private static <T> void each(List<T> told, Consumer<T> event) {
        for (T one : told) {
            try {
                event.accept(one);
            } catch (RuntimeException e) {
                log.error("an observer of executions has a defect", e);
            }
        }
    }
}
