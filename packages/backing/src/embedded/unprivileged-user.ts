/**
 * Postgres refuses to run as root, so root runs it as another user, whose programs and data must then lie where that
 * user can reach them: not below a private home such as /root.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type User = { readonly uid: number; readonly gid: number };

/** Writable by root alone, readable by all. */
const SHARED_ROOT = '/var/lib/offer-ads';

/** The user to run a server as; undefined when this process is not root and may run it itself. */
export function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = lookUp('postgres') ?? createUser('postgres');
  if (user === undefined)
    throw new Error('Postgres cannot run as root, and no user "postgres" could be made');
  return user;
}

/** The folder itself, made and given to the user; or one elsewhere when the user cannot get there. */
export function reachableDataFolder(folder: string, name: string, user: User | undefined): string {
  const wanted = resolve(folder, name);
  if (user === undefined) {
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    return wanted;
  }
  const data = canReach(user, folder) ? wanted : join(placeOnBehalfOf(folder), name);
  mkdirSync(data, { recursive: true });
  chownSync(data, user.uid, user.gid);
  return data;
}

/** Where the programs can be run from: in place, or in a copy made once per version. */
export function reachablePrograms(directory: string, version: string, user: User | undefined): string {
  if (user === undefined || canReach(user, directory)) return directory;
  const copy = join(SHARED_ROOT, version);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  cpSync(directory, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process was faster with the same copy.
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

export function removeReachableFolders(folder: string): void {
  rmSync(placeOnBehalfOf(folder), { recursive: true, force: true });
}

function placeOnBehalfOf(folder: string): string {
  return join(SHARED_ROOT, createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16));
}

/** Asked of the system as that user, because permissions of every parent count. */
function canReach(user: User, directory: string): boolean {
  return spawnSync('test', ['-x', directory], { ...user, cwd: '/' }).status === 0;
}

function createUser(name: string): User | undefined {
  spawnSync('groupadd', ['--system', name]);
  spawnSync('useradd', ['--system', '--gid', name, '--no-create-home', '--shell', '/usr/sbin/nologin', name]);
  return lookUp(name);
}

function lookUp(name: string): User | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
