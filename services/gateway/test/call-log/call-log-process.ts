/** Logs calls in a process that tests kill. It reads how many to log, and writes how many are on disk. */
import { createInterface } from 'node:readline';
import { systemClock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startCallLog } from '../../src/call-log/call-log.ts';
import { openCallSpool } from '../../src/call-log/call-log-spool.ts';
import { insertCalls } from '../../src/call-log/calls-store.ts';
import { connect } from './calls-database.ts';

const [url = '', folder = '', sha256 = ''] = process.argv.slice(2);
const postgres = await connect(url);
const spool = openCallSpool({ folder, logger: silentLogger });
const metrics = createMetrics('gateway');
const log = startCallLog({
  write: (calls) => insertCalls(postgres, calls),
  spool,
  clock: systemClock,
  logger: silentLogger,
  metrics,
});
const keySha256 = Buffer.from(sha256, 'hex');
let recorded = 0;
process.stdout.write('ready\n');
for await (const count of createInterface(process.stdin)) {
  const before = spool.bytes();
  for (let each = 0; each < Number(count); each += 1) {
    const route = `GET /${recorded}`;
    const at = systemClock.now();
    log.record({ keySha256, route, status: 200, returnCode: null, durationMs: 1, at, requestId: 'order-17' });
    recorded += 1;
  }
  // A line has at least 100 bytes.
  await eventually(() => {
    if (spool.bytes() - before < Number(count) * 100) throw new Error('not all on disk yet');
  });
  process.stdout.write(`${recorded}\n`);
}
