package io.hexr.sandbox.telemetry.jfr;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.exec.ExecutionObserver;
import io.hexr.sandbox.exec.ExecutionRequest;
import io.hexr.sandbox.exec.ExecutionResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Writes the phases of executions as events of JDK Flight Recorder, beside the JVM's own: what the collector, the locks and the sockets did meanwhile is in the
 * same recording. The events of the pool are written by the pool.
 */
public final class FlightRecorder implements ExecutionObserver {
    @Override
    public Execution begun(String id, ExecutionRequest request) {
        return new Recorded(id, request.language().id());
    }

    /** One phase at a time is open, but threads differ: the lock decides which. */
    private static final class Recorded implements Execution {
        private static final double MIB = 1 << 20;

        private final String id;
        private final String language;
        private final ExecutionEvent execution = new ExecutionEvent();
        private @Nullable PhaseEvent phase;
        private boolean hasSandbox;

        Recorded(String id, String language) {
            this.id = id;
            this.language = language;
            execution.begin();
            enter(new QueueEvent());
        }

        private synchronized void enter(PhaseEvent next) {
            leave();
            next.begin();
            phase = next;
        }

        private synchronized void leave() {
            if (phase != null) {
                phase.write(id, language);
                phase = null;
            }
        }

        @Override
        public void admitted() {
            enter(new PoolEvent());
        }

        @Override
        public synchronized void taken(boolean waited, Duration age, Duration resume, Duration handshake) {
            hasSandbox = true;
            enter(new LayoutEvent());
        }

        @Override
        public void started() {
            enter(new RunEvent());
        }

        @Override
        public void stopped() {
            enter(new DestroyEvent());
        }

        @Override
        public void ended(ExecutionResult result) {
            var limit = result.limit();
            execution.outcome = "ok";
            execution.exitCode = result.exitCode();
            execution.limit = limit == null ? null : limit.id();
            execution.peakMemory = Math.round(result.memoryUsedMb() * MIB);
            execution.write(id, language);
        }

        @Override
        public synchronized void failed(EngineException why) {
            execution.outcome = why.code().id();
            execution.write(id, language);
            if (!hasSandbox) {
                leave();
            } else if (!(phase instanceof DestroyEvent)) {
                enter(new DestroyEvent());
            }
        }

        @Override
        public void destroyed() {
            leave();
        }
    }
}
