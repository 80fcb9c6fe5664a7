/** A further thread: the gateway without what the first thread does for all (threads.ts). */
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from '@offer-ads/platform/process/garbage';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { type Gateway, startGateway } from '../service.ts';
import { converse } from './conversation.ts';
import { inGroups } from './in-groups.ts';
import type { FirstAnswers, FurtherAnswers, PassedCall, ThreadData } from './threads.ts';

if (parentPort === null) throw new Error('this is no thread');
const port = parentPort;
const { config, memory, threads } = workerData as ThreadData;
/** About 10 MB. */
const maxCalls = 50_000;
const maxLines = 50_000;
/** Time for the last spans. */
const lingerMs = 3_000;

let gateway: Gateway | undefined;
const answers: FurtherAnswers = {
  start: async () => {
    gateway = await startGateway(config, {
      logger,
      further: {
        memory,
        threads,
        record: (call, keyWasFound) =>
          calls.add([
            call.keySha256.toString('latin1'),
            call.route,
            call.status,
            call.returnCode,
            call.durationMs,
            call.at.getTime(),
            call.requestId,
            keyWasFound,
          ]),
        flushCalls: async () => calls[Symbol.asyncDispose](),
        readStatus: () => askFirst('status'),
        readMetrics: () => askFirst('metrics'),
        wakeOutbox: () => void askFirst('wakeOutbox'),
      },
    });
    collectGarbage({ type: 'major' });
  },
  metrics: async () => gateway?.metrics.registry.getMetricsAsJSON() ?? [],
  drain: async () => gateway?.drain(),
  stop: async () => {
    await gateway?.[Symbol.asyncDispose]();
    await lines[Symbol.asyncDispose]();
    setImmediate(() => port.close());
    setTimeout(() => process.exit(), lingerMs).unref();
  },
};
const askFirst = converse<FirstAnswers>(port, answers);
const calls = inGroups<PassedCall>({
  everyMs: 10,
  maxWaiting: maxCalls,
  send: (group) => askFirst('calls', group),
});
/** The first thread writes the lines of all: two that write to one pipe would mix them. */
const lines = inGroups<string>({
  everyMs: 100,
  maxWaiting: maxLines,
  send: (group) => askFirst('log', group.join('')),
});
const logger = createLogger({
  service: 'gateway',
  level: config.LOG_LEVEL,
  destination: { write: (line) => void lines.add(line) },
});
