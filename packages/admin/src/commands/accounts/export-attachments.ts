/** The files that the lines of an export name: pictures of offers, and the PDFs of invoices and credit notes. One is written at a time. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { imageNamed } from '@offer-ads/contracts/admin/offers-api';
import { invoiceFile } from '@offer-ads/contracts/internal/billing-api';
import { z } from 'zod';
import { ServiceUnreachable } from '../../service-calls.ts';
import { isAway, type Owner, Refused, type Route, type Tools } from '../../tools.ts';

type Attachment = {
  readonly service: Owner;
  readonly route: Route;
  readonly folder: 'pictures' | 'invoices';
  /** The name of the file, without its extension. */
  readonly name: string;
  /** Of its bytes, where it is known before. */
  readonly sha256?: string;
};
export type WrittenAttachment = {
  readonly file: string;
  readonly service: Owner;
  readonly bytes: number;
  readonly sha256: string;
};
export type MissingAttachment = {
  readonly file: string;
  readonly service: Owner;
  readonly problem: string;
  /** Whether a repetition of the command may get it. */
  readonly again: boolean;
};

/** A service that has failed this often in a row is not asked again in this run: each time-out takes half a minute. */
const FAILURES_IN_A_ROW = 3;

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
};

/** What is in the folder from an earlier run is not downloaded again. */
export async function writeAttachments(folder: string, tools: Tools) {
  const written: WrittenAttachment[] = [];
  const missing: MissingAttachment[] = [];
  const failures = new Map<Owner, number>();
  const present = new Map([...filesIn(folder, 'pictures'), ...filesIn(folder, 'invoices')]);
  for await (const attachment of attachmentsOf(folder)) {
    const { service } = attachment;
    const key = `${attachment.folder}/${attachment.name}`;
    const file = present.get(key);
    if (file !== undefined) {
      written.push({ file, service, ...(await measure(join(folder, file))) });
      continue;
    }
    const failed = failures.get(service) ?? 0;
    if (failed >= FAILURES_IN_A_ROW) {
      missing.push({
        file: key,
        service,
        problem: `${service} failed ${failed} times in a row`,
        again: true,
      });
      continue;
    }
    try {
      written.push(await download(folder, attachment, tools));
      failures.delete(service);
    } catch (error) {
      if (!(error instanceof ServiceUnreachable || error instanceof Refused)) throw error;
      missing.push({ file: key, service, problem: error.message, again: isAway(error) });
      if (isAway(error)) failures.set(service, failed + 1);
      else failures.delete(service);
    }
  }
  return { written, missing };
}

/** By their paths without extension. Unfinished files have another one. */
function filesIn(folder: string, kind: Attachment['folder']): [string, string][] {
  mkdirSync(join(folder, kind), { recursive: true, mode: 0o700 });
  return readdirSync(join(folder, kind)).flatMap((name) => {
    const [stem = '', extension = ''] = name.split('.');
    return Object.values(extensions).includes(extension) ? [[`${kind}/${stem}`, `${kind}/${name}`]] : [];
  });
}

async function download(
  folder: string,
  { service, route, folder: kind, name, sha256: expected }: Attachment,
  tools: Tools,
): Promise<WrittenAttachment> {
  const part = join(folder, kind, `${name}.part`);
  try {
    const { contentType, bytes, sha256 } = await tools.download(service, route, part);
    const extension = extensions[contentType.split(';')[0] ?? ''];
    if (extension === undefined) throw new Refused(`${service}: unexpected type ${contentType}`, 200);
    if (expected !== undefined && expected !== sha256)
      throw new Refused(`${service}: other bytes than this hash stands for`, 200);
    const file = `${kind}/${name}.${extension}`;
    renameSync(part, join(folder, file));
    return { file, service, bytes, sha256 };
  } finally {
    rmSync(part, { force: true });
  }
}

async function measure(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}

const offerLine = z.object({ imageHash: imageNamed.shape.hash });
const invoiceLine = z.object({ number: z.string() });

/** Each once, in the order of the lines. */
async function* attachmentsOf(folder: string): AsyncGenerator<Attachment> {
  const hashes = new Set<string>();
  for await (const line of linesOf(folder, ['offers.jsonl', 'deleted-offers.jsonl'])) {
    const { imageHash: name } = offerLine.parse(line);
    if (hashes.has(name)) continue;
    hashes.add(name);
    yield { service: 'offers', route: `GET /admin/images/${name}`, folder: 'pictures', name, sha256: name };
  }
  for await (const line of linesOf(folder, ['invoices-test.jsonl', 'invoices-live.jsonl'])) {
    const { number: name } = invoiceLine.parse(line);
    const pdf = invoiceFile.parse(`${name}.pdf`);
    yield { service: 'billing', route: `GET /admin/invoices/${pdf}`, folder: 'invoices', name };
  }
}

/** A file is not there if its service was away. */
async function* linesOf(folder: string, files: readonly string[]): AsyncGenerator {
  for (const file of files) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    let rest = '';
    // Not `readline`: it also ends lines at characters that may be in a title.
    for await (const piece of createReadStream(path, 'utf8')) {
      const lines = `${rest}${String(piece)}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line);
    }
  }
}
