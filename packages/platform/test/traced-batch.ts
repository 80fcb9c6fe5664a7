/** Started by trace.int.test.ts: prints the traces of two causes, of the batch of their events, and of each handled alone. */
import { onBatch } from '../src/messaging/broker/broker.ts';
import { idsToLog, inSpan } from '../src/telemetry/traces.ts';
import { Counted, connectTestBroker, counted } from './test-events.ts';

const [url = '', namespace = ''] = process.argv.slice(2);
const traceId = () => idsToLog().traceId;

await using offers = await connectTestBroker({ url, namespace }, 'offers');
await using billing = await connectTestBroker({ url, namespace }, 'billing');
const causes = await Promise.all(
  [1, 2].map((count) =>
    inSpan({ name: 'cause', kind: 'SERVER' }, async () => ({ cause: traceId(), event: counted(count) })),
  ),
);
await offers.publish(causes.map(({ event }) => event));
let together: string | undefined;
const alone = new Map<number, string | undefined>();
const done = Promise.withResolvers<void>();
await billing.consume([
  onBatch(Counted, async (events) => {
    if (events.length > 1) {
      together = traceId();
      throw new Error('one by one');
    }
    for (const { data } of events) alone.set(data.count, traceId());
    if (alone.size === 2) done.resolve();
  }),
]);
await done.promise;
process.stdout.write(
  JSON.stringify({ causes: causes.map(({ cause }) => cause), together, alone: [alone.get(1), alone.get(2)] }),
);
