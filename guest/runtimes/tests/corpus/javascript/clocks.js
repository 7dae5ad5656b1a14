const { PerformanceObserver, performance } = require('perf_hooks');
const near = (a, b, by) => Math.abs(a - b) < by;
const start = process.hrtime();
const early = performance.now();
console.log(near(performance.timeOrigin + performance.now(), Date.now(), 1500), process.uptime() < 10, early < 10000);
console.log(near(process.uptime() * 1000, performance.now(), 1500), performance.timeOrigin <= Date.now());
performance.mark('a');
new PerformanceObserver((list) => console.log(list.getEntries().map((e) => [e.name, e.startTime >= early]))).observe({
  entryTypes: ['measure'],
});
setTimeout(() => {
  performance.measure('m', 'a');
  const { bootstrapComplete, environment, loopStart, nodeStart, v8Start, duration } = performance.nodeTiming;
  const times = [0, nodeStart, v8Start, environment, bootstrapComplete, loopStart, performance.now()];
  console.log(times.every((time, i) => i === 0 || time >= times[i - 1]), near(duration, performance.now(), 1500));
  const { idle, active, utilization } = performance.eventLoopUtilization();
  console.log(idle >= 0, active >= 0, utilization <= 1, process.hrtime(start)[0] < 10);
}, 50);
