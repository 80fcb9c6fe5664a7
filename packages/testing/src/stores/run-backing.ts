/** The stores of one jest run: started before the first integration test and stopped after the last one. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Backing, provideBacking } from '@offer-ads/backing/backing';
import { removeFolder, sweepAbandoned } from '@offer-ads/backing/data-folder';
import { handToWorkers, storeAddresses } from '../config.ts';

const runs = fileURLToPath(new URL('../../../../.dev/tests', import.meta.url));
/** A folder for each run, so that several runs can go on at the same time. */
const folder = join(runs, String(process.pid));

let backing: Promise<Backing> | undefined;

export async function startRunBacking(): Promise<void> {
  const given = storeAddresses();
  await sweepAbandoned(runs);
  // On Ctrl-C jest ends at once, without its global teardown.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopAndEnd(signal));
  backing = provideBacking({
    folder,
    addresses: {
      postgres: { variable: 'TEST_POSTGRES_URL', url: given.postgres },
      mongo: { variable: 'TEST_MONGO_URL', url: given.mongo },
      rabbitmq: { variable: 'TEST_RABBITMQ_URL', url: given.rabbitmq },
      valkey: { variable: 'TEST_VALKEY_URL', url: given.valkey },
    },
    containers: 'testcontainers',
    durable: false,
    report: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    const { postgresUrl, mongoUrl, rabbitmqUrl, valkeyUrl } = await backing;
    handToWorkers({ postgres: postgresUrl, mongo: mongoUrl, rabbitmq: rabbitmqUrl, valkey: valkeyUrl });
  } catch (error) {
    // After a setup that throws, jest calls no teardown.
    await stopRunBacking();
    throw error;
  }
}

export async function stopRunBacking(): Promise<void> {
  // Servers can be stopped only after they have started. If one fails to start, all are stopped already.
  const started = await backing?.catch(() => undefined);
  await started?.[Symbol.asyncDispose]();
  removeFolder(folder);
}

async function stopAndEnd(signal: NodeJS.Signals): Promise<void> {
  await stopRunBacking();
  // Whole systems that workers have started.
  await sweepAbandoned(runs);
  process.kill(process.pid, signal);
}
