/** PgBouncer in front of Postgres, with the settings of deploy/k8s/components/pgbouncer/pgbouncer.ini, for tests and trials. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../free-port.ts';
import { findProgram } from '../programs.ts';
import { answers } from '../stores.ts';
import { startProcess } from './server-process.ts';
import { reachableDataFolder, serverUser } from './unprivileged-user.ts';

const settingsFile = fileURLToPath(
  new URL('../../../../deploy/k8s/components/pgbouncer/pgbouncer.ini', import.meta.url),
);

/** The path of the program. Undefined, and a reported line says why, when it cannot be had. */
export function findPgbouncer(report: (line: string) => void): Promise<string | undefined> {
  return findProgram({ names: ['pgbouncer'], packageName: 'pgbouncer', report });
}

export type Pgbouncer = AsyncDisposable & {
  /** Host and port. */
  readonly address: string;
};

export async function startPgbouncer(o: {
  /** As `findPgbouncer` returned it. */
  readonly program: string;
  /** With the name of a user who needs no password. */
  readonly postgresUrl: string;
  readonly folder: string;
  /** Of each connection to Postgres, if it is not that of services. */
  readonly statementTimeoutMs?: number | undefined;
  /** Settings that are different, as lines of the file. */
  readonly settings?: readonly string[];
}): Promise<Pgbouncer> {
  const user = serverUser();
  const folder = reachableDataFolder(o.folder, 'pgbouncer', user);
  const [port] = await freePorts(1);
  const server = new URL(o.postgresUrl);
  const ofServer = `host=${server.hostname} port=${server.port} user=${server.username}`;
  const settings = readFileSync(settingsFile, 'utf8')
    .replace('host=postgres-rw port=5432', ofServer)
    .replace(
      /statement_timeout = (\d+)/,
      (_, ms: string) => `statement_timeout = ${o.statementTimeoutMs ?? ms}`,
    );
  const file = join(folder, 'pgbouncer.ini');
  // The last of several lines about one setting counts.
  writeFileSync(
    file,
    `${settings}
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
auth_file =
${o.settings?.join('\n') ?? ''}
`,
  );
  const { stop } = await startProcess({
    name: 'pgbouncer',
    folder: o.folder,
    command: o.program,
    args: [file],
    user,
    // Ends at once; SIGTERM would wait for its clients.
    stopSignal: 'SIGQUIT',
    ready: () => answers.postgres(Object.assign(new URL(server), { host: `127.0.0.1:${port}` }).href),
  });
  return { address: `127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}
