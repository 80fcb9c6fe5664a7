/**
 * The index as bytes: a head with format, sizes, genders and interests, then the memory unchanged, then a checksum of everything. Loading
 * only copies; nothing is rebuilt. Bytes are little-endian, as on every machine that runs Node.
 */
import { crc32 } from 'node:zlib';
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import { type Heap, usedWords } from './heap.ts';
import { SCRATCH_WORDS } from './layout.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The bytes are no index, an incomplete index, or an index of another format. */
export class AudienceBytesError extends Error {
  override readonly name = 'AudienceBytesError';
}

/** Change it whenever layout.ts, hilbert.ts or the id map changes: an index with another format is rebuilt. */
const FORMAT = 2;
const MAGIC = 'audience';
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Before the head come its format and length, after it its checksum. */
const BEFORE_HEAD = MAGIC.length + 8;
const MAX_HEAD_BYTES = 64 * 1024;

const headSchema = z.object({
  words: z
    .int()
    .min(SCRATCH_WORDS)
    .max(2 ** 30),
  genders: z.array(z.enum(memberGenders)),
  interests: z.array(z.int()).max(512),
});
export type SavedHead = z.infer<typeof headSchema>;

export function* savedChunks(heap: Heap, { genders, interests }: Vocabulary): Generator<Uint8Array> {
  const words = usedWords(heap);
  const head = headBytes({ words, genders, interests });
  let checksum = crc32(head);
  yield head;
  const memory = new Uint8Array(heap.u32.buffer, 0, words * 4);
  for (let from = SCRATCH_WORDS * 4; from < memory.length; from += CHUNK_BYTES) {
    // A copy, because the receiver may still be writing it when the index changes again.
    const chunk = memory.slice(from, from + CHUNK_BYTES);
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  yield numberBytes(checksum);
}

/**
 * @param memoryFor provides memory for an index with this head; words before `SCRATCH_WORDS` are not saved
 * @throws {AudienceBytesError}
 */
export async function readSaved(
  chunks: AsyncIterable<Uint8Array>,
  memoryFor: (head: SavedHead) => Uint8Array,
): Promise<void> {
  const source = takeBytes(chunks);
  const start = await source.take(BEFORE_HEAD);
  if (start.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) throw refused('they are something else');
  const format = start.readUInt32LE(MAGIC.length);
  if (format !== FORMAT) throw refused(`they have format ${format}, and this is format ${FORMAT}`);
  const length = start.readUInt32LE(MAGIC.length + 4);
  if (length > MAX_HEAD_BYTES) throw refused('the head is damaged');
  const head = await source.take(length);
  const whole = Buffer.concat([start, head]);
  if ((await source.take(4)).readUInt32LE() !== crc32(whole)) throw refused('the head is damaged');
  const parsed = headSchema.safeParse(JSON.parse(head.toString()));
  if (!parsed.success) throw refused('the head is of another kind', parsed.error);
  const memory = memoryFor(parsed.data);
  let checksum = crc32(Buffer.concat([whole, numberBytes(crc32(whole))]));
  for (let at = SCRATCH_WORDS * 4; at < memory.length; ) {
    const part = await source.readUpTo(memory.length - at);
    memory.set(part, at);
    checksum = crc32(part, checksum);
    at += part.length;
  }
  if ((await source.take(4)).readUInt32LE() !== checksum) throw refused('the checksum is wrong');
  if (await source.hasMore()) throw refused('there is more behind the end');
}

export function refused(reason: string, cause?: unknown): AudienceBytesError {
  return new AudienceBytesError(`These bytes are no audience index: ${reason}.`, { cause });
}

function headBytes(head: SavedHead): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.concat([Buffer.from(MAGIC), numberBytes(FORMAT), numberBytes(json.length), json]);
  return Buffer.concat([bytes, numberBytes(crc32(bytes))]);
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Reads as many bytes as wanted, whatever the chunk sizes of the source. */
function takeBytes(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let waiting: Uint8Array = new Uint8Array();

  async function fill(): Promise<boolean> {
    while (waiting.length === 0) {
      const next = await iterator.next();
      if (next.done === true) return false;
      waiting = next.value;
    }
    return true;
  }

  /** At least one byte. */
  async function readUpTo(most: number): Promise<Uint8Array> {
    if (!(await fill())) throw refused('they end too early');
    const part = waiting.subarray(0, most);
    waiting = waiting.subarray(part.length);
    return part;
  }

  return {
    readUpTo,
    hasMore: fill,
    take: async (length: number): Promise<Buffer> => {
      const parts: Uint8Array[] = [];
      for (let missing = length; missing > 0; ) {
        const part = await readUpTo(missing);
        parts.push(part);
        missing -= part.length;
      }
      return Buffer.concat(parts);
    },
  };
}
