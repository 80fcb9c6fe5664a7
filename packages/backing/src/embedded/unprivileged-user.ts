/**
 * Postgres refuses to run as root, so root runs it as another user. That user must be able to reach the programs and the data, so these
 * cannot be below a private home such as /root.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type User = { readonly uid: number; readonly gid: number };

/** Only root can write here, and everybody can read. */
const SHARED_ROOT = '/var/lib/offer-ads';

/** The user that runs a server; undefined when this process is not root and can run it itself. */
export function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = lookUp('postgres') ?? createUser('postgres');
  if (user === undefined)
    throw new Error('Postgres cannot run as root, and no user "postgres" could be created');
  return user;
}

/** The folder itself, created and given to the user; or another folder when the user cannot reach it. */
export function reachableDataFolder(folder: string, name: string, user: User | undefined): string {
  const wanted = resolve(folder, name);
  if (user === undefined) {
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    return wanted;
  }
  const data = canReach(user, folder) ? wanted : join(folderElsewhere(folder), name);
  mkdirSync(data, { recursive: true });
  chownSync(data, user.uid, user.gid);
  return data;
}

/** The folder of programs that the user can run: the given one, or a copy, which is made once per version. */
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
    // Another process may have been faster; its copy is the same.
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

export function removeReachableFolders(folder: string): void {
  rmSync(folderElsewhere(folder), { recursive: true, force: true });
}

function folderElsewhere(folder: string): string {
  return join(SHARED_ROOT, createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16));
}

/** Asks the system as that user, because the permissions of all parent folders count. */
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
