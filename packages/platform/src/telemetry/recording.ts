/**
 * Recording of spans, for a process with a collector. OpenTelemetry's SDK runs in a thread of its own (recording-thread.ts): in the main
 * thread, requests that are not recorded would pay for its memory, too.
 */
import { Worker } from 'node:worker_threads';
import type { Sampler } from './sampling.ts';
import type { Recorder, SpanRecord } from './traces.ts';

/** Spans that wait for the thread. More are lost: a request never waits for its trace. */
const mostWaiting = 2_048;
/** They are handed over together. */
const gatherMs = 200;
/** How long the end of the process waits until the last spans are sent. */
const lastSpansMs = 3_000;

/** @param o.serviceName undefined: as `OTEL_SERVICE_NAME` says */
export function startRecording(o: { serviceName: string | undefined; samples: Sampler }): Recorder {
  const thread = new Worker(new URL('./recording-thread.ts', import.meta.url), {
    // Without this, the thread would begin with `--import telemetry.ts` too, and start a thread of its own.
    execArgv: [],
    workerData: o.serviceName,
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  let waiting: SpanRecord[] = [];
  /** Whether the thread still handles what was handed over last. */
  let isBusy = false;
  let isLost = false;
  let timer: NodeJS.Timeout | undefined;

  function handOver(): void {
    timer = undefined;
    if (isBusy || isLost || waiting.length === 0) return;
    isBusy = true;
    thread.postMessage(waiting);
    waiting = [];
  }
  const gather = () => {
    timer ??= setTimeout(handOver, gatherMs).unref();
  };

  thread.on('message', () => {
    isBusy = false;
    if (waiting.length > 0) gather();
  });
  thread.on('error', (error) => {
    isLost = true;
    process.emitWarning(`traces are no longer recorded: ${error.message}`);
  });
  thread.unref();
  // The event loop is empty and everything is disposed: send the last spans.
  process.once('beforeExit', () => {
    thread.ref();
    thread.postMessage(waiting);
    thread.postMessage(null);
    setTimeout(() => void thread.terminate(), lastSpansMs).unref();
  });
  return {
    samples: o.samples,
    record: (ended) => {
      if (isLost || waiting.length >= mostWaiting) return;
      waiting.push(ended);
      gather();
    },
  };
}
