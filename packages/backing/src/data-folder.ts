/**
 * The folder with the data of one run's servers. One process at a time claims it. It has a record of every server that was started,
 * so that the servers of a killed run can be stopped, and no other process.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeReachableFolders } from './embedded/unprivileged-user.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const OWNER = 'owner.json';
const SERVER_SUFFIX = '.server.json';

/** Throws when a living process has claimed the folder. Stops the servers that a dead process left running. */
export async function claimFolder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  becomeOwner(folder);
  await stopServersOf(folder);
}

/** A link to a name that exists fails, so of several that claim at once one succeeds. */
function becomeOwner(folder: string): void {
  const file = join(folder, OWNER);
  const own = join(folder, `${randomUUID()}.claim`);
  recordProcess(own, process.pid);
  try {
    while (!madeLink(own, file)) {
      const owner = readIdentity(file);
      if (owner !== undefined && isAlive(owner))
        throw new Error(`${folder} is in use by process ${owner.pid}; stop that one first.`);
      removeDeadOwner(file);
    }
  } finally {
    rmSync(own);
  }
}

function removeDeadOwner(file: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // Another process has just removed it.
  }
  const moved = readIdentity(aside);
  // It was dead when it was read. If a living one has taken its place since, put that one back.
  if (moved !== undefined && isAlive(moved)) madeLink(aside, file);
  rmSync(aside);
}

/** @returns false when there is a file of this name */
function madeLink(existing: string, name: string): boolean {
  try {
    linkSync(existing, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

export function releaseFolder(folder: string): void {
  rmSync(join(folder, OWNER), { force: true });
}

export function recordServer(folder: string, name: string, pid: number): void {
  recordProcess(join(folder, `${name}${SERVER_SUFFIX}`), pid);
}

export function forgetServer(folder: string, name: string): void {
  rmSync(join(folder, `${name}${SERVER_SUFFIX}`), { force: true });
}

/** Removes the folders under `parent` whose owners are dead, after stopping their servers. */
export async function sweepAbandoned(parent: string): Promise<void> {
  if (!existsSync(parent)) return;
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    const folder = join(parent, entry.name);
    const owner = readIdentity(join(folder, OWNER));
    if (!entry.isDirectory() || owner === undefined || isAlive(owner)) continue;
    await stopServersOf(folder);
    removeFolder(folder);
  }
}

/** Deletes the folder, and its data that had to be stored elsewhere. */
export function removeFolder(folder: string): void {
  removeReachableFolders(folder);
  rmSync(folder, { recursive: true, force: true });
}

async function stopServersOf(folder: string): Promise<void> {
  const records = readdirSync(folder).filter((name) => name.endsWith(SERVER_SUFFIX));
  await Promise.all(
    records.map(async (record) => {
      const server = readIdentity(join(folder, record));
      if (server !== undefined && isAlive(server)) await stopIdentified(server);
      forgetServer(folder, basename(record, SERVER_SUFFIX));
    }),
  );
}

/** Long enough for a checkpoint. The data also survives a kill. */
const STOP_BOUND_MS = 8_000;

async function stopIdentified(server: ProcessIdentity): Promise<void> {
  process.kill(server.pid, 'SIGTERM');
  const killAt = performance.now() + STOP_BOUND_MS;
  while (isAlive(server)) {
    // Each server has its own process group, so this also ends its children.
    if (performance.now() > killAt) process.kill(-server.pid, 'SIGKILL');
    await pause(50);
  }
}

function recordProcess(file: string, pid: number): void {
  const identity = identify(pid);
  if (identity === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify(identity));
  renameSync(`${file}.new`, file);
}

function readIdentity(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
