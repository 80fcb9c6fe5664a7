/**
 * Folders of the spool, each held by one process. Whoever holds a folder has its lock; the lock of a process that died
 * is free at once, and whoever takes it adopts what the dead one left.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
// Node has no flock. SQLite's lock on a file is the kernel's: it goes with the process, however that ends, and holds
// between containers that share a volume, where process ids mean nothing.
import { DatabaseSync } from 'node:sqlite';

export type HeldFolder = {
  readonly path: string;
  /** Segments in the order in which they were written. */
  readonly segments: () => string[];
  /** Lets go of the folder, and removes it when nothing in it is needed any more. */
  readonly release: (o: { remove: boolean }) => void;
};

const lockFile = 'lock';
const folderName = /^[0-9a-f]{16}$/;
const segmentName = /^\d+\.ndjson$/;

/**
 * Folders that this process holds. To open and close a file whose lock a process has is to give the lock away (POSIX), so what is
 * held here must not even be tried.
 */
const heldHere = new Set<string>();

/** A folder of its own below the spool's. Throws when the disk does. */
export function holdNewFolder(spool: string): HeldFolder {
  const path = join(spool, randomBytes(8).toString('hex'));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return hold(path);
}

/** The folders below the spool's that nobody holds any more. */
export function holdAbandonedFolders(spool: string): HeldFolder[] {
  return readdirSync(spool)
    .filter((name) => folderName.test(name))
    .map((name) => holdIfFree(join(spool, name)))
    .filter((held) => held !== null);
}

/** Null when another process holds it, or has just removed it, or it cannot be read: all the same to us. */
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
  // First made here, because SQLite would let others read it.
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
