/** Started by trace.int.test.ts: prints the traces of three causes, of the batch of the first two events, and of each handled alone. */
import { onBatch } from '../src/messaging/broker/broker.ts';
import { idsToLog, inSpan } from '../src/telemetry/traces.ts';
import { Counted, connectTestBroker, counted } from './test-events.ts';

const [url = '', namespace = ''] = process.argv.slice(2);
const traceId = () => idsToLog().traceId;

await using offers = await connectTestBroker({ url, namespace }, 'offers');
await using billing = await connectTestBroker({ url, namespace }, 'billing');
const causes = await Promise.all(
  [1, 2, 3].map((count) =>
    inSpan({ name: 'cause', kind: 'SERVER' }, async () => ({ cause: traceId(), event: counted(count) })),
  ),
);
let together: string | undefined;
const alone = new Map<number, string | undefined>();
const [one, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
await billing.consume([
  onBatch(Counted, async (events) => {
    if (events.length > 1) {
      together = traceId();
      throw new Error('one by one');
    }
    for (const { data } of events) alone.set(data.count, traceId());
    if (alone.size === 1) one.resolve();
    if (alone.size === 3) done.resolve();
  }),
]);
// A batch of one, and afterwards one of two.
await offers.publish(causes.slice(2).map(({ event }) => event));
await one.promise;
await offers.publish(causes.slice(0, 2).map(({ event }) => event));
await done.promise;
process.stdout.write(
  JSON.stringify({
    causes: causes.map(({ cause }) => cause),
    together,
    alone: [1, 2, 3].map((count) => alone.get(count)),
  }),
);
