/** pgbench, the load generator of Postgres: bare SQL without our code. */
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onPath } from '@offer-ads/backing/on-path';
import { output } from '../process.ts';
import { ProgramMissing } from '../run-measurement.ts';

/** Where Debian keeps the programs of each version. */
const versionsFolder = '/usr/lib/postgresql';

export async function findPgbench(): Promise<string> {
  // First the program itself, because Debian's pgbench on PATH is a wrapper in Perl.
  const folders = listed(versionsFolder).map((version) => join(versionsFolder, version, 'bin', 'pgbench'));
  for (const program of [...folders.toReversed(), onPath('pgbench')]) {
    if (program !== undefined && (await answers(program))) return program;
  }
  throw new ProgramMissing(
    `pgbench is neither in ${versionsFolder}/*/bin nor on PATH, and without it there is nothing to compare with. ` +
      'On Debian and Ubuntu: apt-get install postgresql (or postgresql-contrib), and stop the server that it starts by itself.',
  );
}

export async function versionOf(pgbench: string): Promise<string> {
  return /[\d.]+/.exec(await output(pgbench, ['--version']))?.[0] ?? 'of an unknown version';
}

/** @returns transactions per second, without the time to connect */
export async function runPgbench(o: {
  program: string;
  scriptFile: string;
  databaseUrl: string;
  variables: Readonly<Record<string, string | number>>;
  clients: number;
  seconds: number;
}): Promise<number> {
  const text = await output(o.program, [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${o.clients}`,
    `--time=${o.seconds}`,
    ...Object.entries(o.variables).map(([name, value]) => `--define=${name}=${value}`),
    `--file=${o.scriptFile}`,
    o.databaseUrl,
  ]);
  const failed = /number of failed transactions: (\d+)/.exec(text)?.[1];
  const perSecond = Number(/tps = ([\d.]+)/.exec(text)?.[1]);
  if (failed !== '0' || !(perSecond > 0)) throw new Error(`pgbench had trouble:\n${text}`);
  return perSecond;
}

export type Statement = { readonly sql: string; readonly values: readonly unknown[] };

/** Which variable of the script stands for a value that was recorded. */
export type Placeholder = (value: unknown) => string;

/** Statements as they were sent, as lines of a script: parameters become the script's variables. */
export async function writeScript(
  file: string,
  head: readonly string[],
  statements: readonly Statement[],
  placeholder: Placeholder,
): Promise<string> {
  const lines = statements.map(({ sql, values }) =>
    sql
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/\$(\d+)/g, (_, index) => placeholder(values[Number(index) - 1])),
  );
  const ended = lines.map((line) => (line.endsWith('\\gset') ? line : `${line};`));
  await writeFile(file, `${[...head, ...ended].join('\n')}\n`);
  return file;
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted((a, b) => Number(a) - Number(b));
  } catch {
    return [];
  }
}

async function answers(program: string): Promise<boolean> {
  return output(program, ['--version']).then(
    (text) => text.startsWith('pgbench'),
    () => false,
  );
}
