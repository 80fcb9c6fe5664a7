/** Bulk import of members as NDJSON, one JSON object per line; read as a stream, so that any number needs little memory. */
import { MemberChanged } from '@offer-ads/contracts/events/community';
import { z } from 'zod';
import type { MemberChange } from './members-store.ts';
import { type Line, readLines } from './read-lines.ts';

export type ImportOutcome = {
  /** The number of stored lines: all of them, or those before the refused line. */
  readonly imported: number;
  readonly refused?: { readonly line: number; readonly problem: string };
};

const { memberId, version, ...facts } = MemberChanged.schema.shape;
const memberLine = z.object({ member_id: memberId, ...facts, version: version.optional() });

/** A member with the maximum number of interests takes 4 kB. */
const MAX_LINE_BYTES = 16_384;
/** Enough that the round trip does not matter, few enough to store a batch within a second. */
const BATCH = 1_000;

/**
 * Stores line by line and stops at the first invalid line. A line without a version is newer than the stored member, because a person
 * imports it now.
 */
export async function importMembers(o: {
  bytes: AsyncIterable<Uint8Array>;
  now: Date;
  write: (changes: readonly MemberChange[]) => Promise<unknown>;
}): Promise<ImportOutcome> {
  let imported = 0;
  let batch: MemberChange[] = [];
  const writeBatch = async () => {
    await o.write(batch);
    imported += batch.length;
    batch = [];
  };
  for await (const line of readLines(o.bytes, MAX_LINE_BYTES)) {
    const read = readMember(line, o.now);
    if ('problem' in read) {
      await writeBatch();
      return { imported, refused: { line: line.number, problem: read.problem } };
    }
    batch.push(read);
    if (batch.length === BATCH) await writeBatch();
  }
  await writeBatch();
  return { imported };
}

function readMember({ text }: Line, now: Date): MemberChange | { readonly problem: string } {
  if (text === null) return { problem: `is longer than ${MAX_LINE_BYTES} bytes` };
  const parsed = memberLine.safeParse(parseJson(text));
  if (!parsed.success) return { problem: problemOf(parsed.error) };
  const { member_id, version = { atLeast: now.getTime() }, ...facts } = parsed.data;
  return { facts: { memberId: member_id, ...facts }, version };
}

/** @returns undefined for invalid JSON, which no schema accepts */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names fields and never values, because values are personal data. */
function problemOf(error: z.ZodError): string {
  const fields = new Set(error.issues.map((issue) => issue.path[0]).filter((field) => field !== undefined));
  return fields.size === 0 ? 'is not a JSON object' : `has a missing or invalid ${[...fields].join(', ')}`;
}
