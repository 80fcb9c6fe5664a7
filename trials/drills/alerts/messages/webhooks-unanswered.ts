import { createServer, type Server } from 'node:http';
import { type Drill, elsewhere } from '../../drill.ts';
import { sendTests } from '../../faults/webhooks.ts';

/** Nobody listens there until the fault is mended. */
const PORT = 18_991;

let receivers: Server | undefined;

/** No receiver can be reached, as when notifier has no way to the internet. */
export const webhooksUnanswered: Drill = {
  alert: 'WebhooksUnanswered',
  cause: (system) => sendTests(system, { base: `http://127.0.0.1:${PORT}`, organisations: 3, messages: 1 }),
  mend: [
    elsewhere('the receivers are reached again, and messages come', async (system) => {
      receivers ??= createServer((req, res) => {
        req.resume();
        res.writeHead(204).end();
      });
      receivers.listen(PORT, '127.0.0.1').unref();
      await sendTests(system, { base: `http://127.0.0.1:${PORT}`, organisations: 1, messages: 1 });
    }),
  ],
};
