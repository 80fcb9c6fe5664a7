/**
 * The index as a file, so that a restart need not read every member from MongoDB. It contains members' positions: only the service's own
 * user may read it.
 *
 * Layout: a magic word with the version of this layout, the length of the header (32 bits, little endian), the header as JSON, the saved
 * index, the SHA-256 of all of that.
 */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type AudienceIndex, loadAudienceIndex } from '../audience-index/audience-index.ts';

const header = z.object({
  /** The identity of the collection that it was made from. */
  identity: z.string(),
  /** Changes after this position are not in the index. */
  position: z.string(),
  /** A database without this mark was restored from an older backup. */
  mark: z.object({ of: z.string(), number: z.int() }),
  /** The number of decimals of members' positions in it. */
  positionDecimals: z.int(),
  members: z.int(),
  writtenAt: z.string(),
});
export type SnapshotHeader = z.infer<typeof header>;

export type Snapshot = { readonly header: SnapshotHeader; readonly index: AudienceIndex };

/** Why there is no usable snapshot. */
export type SnapshotRefusal = { readonly problem: string };

const MAGIC = Buffer.from('OFADAUD1');
const FILE = 'audience.snapshot';
const HASH_BYTES = 32;
const LONGEST_HEADER = 64 * 1024;
/** Hashed and written in one piece of about a millisecond, because nothing else runs during hashing. */
const PIECE = 1024 * 1024;
/** No write takes this long; the process that began it has died. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Atomic, by renaming. Replicas of one database may share a folder: the last written snapshot stays. */
export async function writeSnapshot(
  folder: string,
  facts: SnapshotHeader,
  index: Pick<AudienceIndex, 'save'>,
  signal: AbortSignal,
): Promise<{ readonly bytes: number }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder);
  const unfinished = join(folder, `${FILE}.${randomUUID()}`);
  try {
    const bytes = await writeWhole(unfinished, facts, index, signal);
    await rename(unfinished, join(folder, FILE));
    return { bytes };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeWhole(
  path: string,
  facts: SnapshotHeader,
  index: Pick<AudienceIndex, 'save'>,
  signal: AbortSignal,
): Promise<number> {
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  const write = async (chunk: Uint8Array) => {
    for (let start = 0; start < chunk.length; start += PIECE) {
      signal.throwIfAborted();
      const piece = chunk.subarray(start, start + PIECE);
      hash.update(piece);
      await file.appendFile(piece);
      bytes += piece.length;
    }
  };
  const json = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  await write(Buffer.concat([MAGIC, length, json]));
  for (const chunk of index.save()) await write(chunk);
  await file.appendFile(hash.digest());
  await file.sync();
  return bytes + HASH_BYTES;
}

/** @param isOurs returns the problem with the header, before the index is read; undefined if there is none */
export async function readSnapshot(
  folder: string,
  isOurs: (facts: SnapshotHeader) => Promise<string | undefined>,
): Promise<Snapshot | SnapshotRefusal> {
  let file: FileHandle;
  try {
    file = await open(join(folder, FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { problem: 'there is none' };
    throw error;
  }
  await using _ = file;
  const { size } = await file.stat();
  const hash = createHash('sha256');
  const facts = await readHeader(file, hash);
  if (facts === null) return { problem: 'the file is no snapshot of this version' };
  const objection = await isOurs(facts.header);
  if (objection !== undefined) return { problem: objection };
  const indexEnd = size - HASH_BYTES;
  if (indexEnd < facts.end) return { problem: 'the file breaks off' };
  const index = await loadAudienceIndex(piecesOf(file, { from: facts.end, to: indexEnd, hash }));
  const expected = await bytesAt(file, indexEnd, HASH_BYTES);
  if (!hash.digest().equals(expected)) return { problem: 'the checksum is wrong' };
  return { header: facts.header, index };
}

async function readHeader(
  file: FileHandle,
  hash: Hash,
): Promise<{ readonly header: SnapshotHeader; readonly end: number } | null> {
  const start = await bytesAt(file, 0, MAGIC.length + 4);
  if (start.length < MAGIC.length + 4 || !start.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const length = start.readUInt32LE(MAGIC.length);
  if (length > LONGEST_HEADER) return null;
  const json = await bytesAt(file, start.length, length);
  const parsed = header.safeParse(parseJson(json));
  if (!parsed.success) return null;
  hash.update(start).update(json);
  return { header: parsed.data, end: start.length + length };
}

async function* piecesOf(
  file: FileHandle,
  { from, to, hash }: { readonly from: number; readonly to: number; readonly hash: Hash },
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += PIECE) {
    const piece = await bytesAt(file, at, Math.min(PIECE, to - at));
    hash.update(piece);
    yield piece;
  }
}

/** Fewer bytes at the end of the file. */
async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(length), position });
  return buffer.subarray(0, bytesRead);
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${FILE}.`)) continue;
    const path = join(folder, name);
    // Another replica may just have finished it.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
