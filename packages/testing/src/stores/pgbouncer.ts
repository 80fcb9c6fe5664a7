/** PgBouncer in front of the Postgres of the run. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@offer-ads/backing/data-folder';
import {
  findPgbouncer,
  type Pgbouncer,
  startPgbouncer,
} from '@offer-ads/backing/embedded/embedded-pgbouncer';
import { requireAddress } from '../config.ts';

/** Undefined, and the output says why, where it cannot be installed. */
export const pgbouncerProgram = await findPgbouncer((line) => void process.stderr.write(`${line}\n`));

/** What is different from deploy/k8s/components/pgbouncer/pgbouncer.ini. */
export async function startTestPgbouncer(
  o: Pick<Parameters<typeof startPgbouncer>[0], 'statementTimeoutMs' | 'settings'>,
): Promise<Pgbouncer> {
  if (pgbouncerProgram === undefined) throw new Error('there is no PgBouncer');
  await using starting = new AsyncDisposableStack();
  const folder = starting.adopt(mkdtempSync(join(tmpdir(), 'pgbouncer-')), removeFolder);
  const postgresUrl = requireAddress('postgres');
  const { address } = starting.use(
    await startPgbouncer({ program: pgbouncerProgram, ...o, postgresUrl, folder }),
  );
  const running = starting.move();
  return { address, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
