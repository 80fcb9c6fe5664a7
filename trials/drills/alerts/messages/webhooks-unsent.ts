import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Drill, elsewhere } from '../../drill.ts';
import { sendTests } from '../../faults/webhooks.ts';

/** Shorter than the ten seconds after which an attempt would fail. */
const SLOW_MS = 8_000;

let answersAfterMs = 0;

/** The servers of many advertisers take eight seconds for each webhook: four times as many endpoints as one replica serves at once. */
export const webhooksUnsent: Drill = {
  alert: 'WebhooksUnsent',
  cause: async (system) => {
    answersAfterMs = SLOW_MS;
    await sendTests(system, { base: await startReceivers(), organisations: 20, messages: 3 });
  },
  mend: [
    elsewhere('the servers answer at once', async () => {
      answersAfterMs = 0;
    }),
  ],
};

async function startReceivers(): Promise<string> {
  const server = createServer((req, res) => {
    req.resume();
    void pause(answersAfterMs).then(() => res.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The drill's process ends although it listens.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
