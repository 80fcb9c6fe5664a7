/** Runs a line of a runbook, as it is written, on the system of the drill. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from '@offer-ads/dev/start/folder';
import { query } from '../../harness/sql.ts';
import type { DatabaseName, DrillSystem } from '../system.ts';

/** Returns what it printed. A failed line fails the drill. */
export async function runLine(system: DrillSystem, line: string): Promise<string> {
  const [program, ...words] = shellWords(line);
  const [first = '', , statement = ''] = words;
  if (program === 'admin') return runAdmin(system, words);
  if (program === 'restart') return restart(system, first);
  if (program === 'sql')
    return asText(await query(system.stores.databases[first as DatabaseName], statement));
  throw new Error(`a drill cannot run "${line}"`);
}

async function runAdmin(system: DrillSystem, words: readonly string[]): Promise<string> {
  const options = { cwd: repository, env: { ...process.env, ...system.adminSettings() } };
  const command = ['packages/admin/src/main.ts', ...words];
  const { stdout } = await promisify(execFile)(process.execPath, command, options).catch(newsOf);
  return stdout.trimEnd();
}

/** A check that finds something ends with status 1 and prints it; a real fault prints to stderr. */
function newsOf(error: { stdout: string; stderr: string; message: string }): { stdout: string } {
  if (error.stderr !== '' || error.stdout === '') throw new Error(error.stderr.trim() || error.message);
  return error;
}

async function restart(system: DrillSystem, service: string): Promise<string> {
  await system.stop(service);
  await system.start(service);
  return `${service} is ready`;
}

function asText(rows: readonly object[]): string {
  return rows
    .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
    .join('\n');
}

/** Splits a line of a runbook into words as the shell does, with both kinds of quotes. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
