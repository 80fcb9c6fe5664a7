/**
 * Folders of the spool. Each folder is locked by one process. When a process dies, its lock is released at once, and another process takes
 * over the folder and its calls.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
// Node has no flock. SQLite locks a file in the kernel: the lock ends with the process, however it ends. It also works between containers
// that share a volume, where process ids are not comparable.
import { DatabaseSync } from 'node:sqlite';

export type HeldFolder = {
  readonly path: string;
  /** Segments in the order of writing. */
  readonly segments: () => string[];
  /** Releases the folder, and deletes it if it is no longer needed. */
  readonly release: (o: { remove: boolean }) => void;
};

const lockFile = 'lock';
const folderName = /^[0-9a-f]{16}$/;
const segmentName = /^\d+\.ndjson$/;

/**
 * Folders locked by this process. They must not be tried again: opening and closing a file releases this process's own lock on it (POSIX).
 */
const heldHere = new Set<string>();

/** Creates and locks a folder below the spool's folder. Throws if the disk fails. */
export function holdNewFolder(spool: string): HeldFolder {
  const path = join(spool, randomBytes(8).toString('hex'));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return hold(path);
}

/** Locks the folders below the spool's folder that no process holds. */
export function holdAbandonedFolders(spool: string): HeldFolder[] {
  return readdirSync(spool)
    .filter((name) => folderName.test(name))
    .map((name) => holdIfFree(join(spool, name)))
    .filter((held) => held !== null);
}

/** Null if another process holds it or has just deleted it, or if it cannot be read. */
function holdIfFree(path: string): HeldFolder | null {
  try {
    return hold(path);
  } catch {
    return null;
  }
}

function hold(path: string): HeldFolder {
  if (heldHere.has(path)) throw new Error('this process holds it already');
  const lockPath = join(path, lockFile);
  // Created here first, because SQLite would make it readable for other users.
  closeSync(openSync(lockPath, 'a', 0o600));
  const lock = new DatabaseSync(lockPath);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw error;
  }
  heldHere.add(path);
  return {
    path,
    segments: () =>
      readdirSync(path)
        .filter((name) => segmentName.test(name))
        .toSorted(),
    release: ({ remove }) => {
      if (remove) rmSync(path, { recursive: true, force: true });
      lock.close();
      heldHere.delete(path);
    },
  };
}
