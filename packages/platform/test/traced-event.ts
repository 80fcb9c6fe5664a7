/** Started by trace.int.test.ts as a service is, with telemetry: prints the trace of a cause and of its event's handlers. */
import { on } from '../src/messaging/broker/broker.ts';
import { idsToLog, inSpan } from '../src/telemetry/traces.ts';
import { Counted, connectTestBroker, counted } from './test-events.ts';

const [url = '', namespace = ''] = process.argv.slice(2);
const traceId = () => idsToLog().traceId;

await using offers = await connectTestBroker({ url, namespace }, 'offers');
await using billing = await connectTestBroker({ url, namespace }, 'billing');
const handled: unknown[] = [];
const done = Promise.withResolvers<void>();
await billing.consume([
  on(Counted, async () => {
    handled.push(traceId());
    if (handled.length === 1) throw new Error('once more');
    done.resolve();
  }),
]);
const { cause, event } = await inSpan({ name: 'cause', kind: 'SERVER' }, async () => ({
  cause: traceId(),
  event: counted(1),
}));
// Outside of the cause's span, as a relay publishes.
await offers.publish([event]);
await done.promise;
process.stdout.write(JSON.stringify({ cause, handled }));
