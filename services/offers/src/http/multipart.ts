/** Reads the multipart forms of POST and PATCH /offers as a stream: every size has a limit, and every fault of its structure is reported. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { MAX_IMAGE_BYTES, offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { Fault } from '@offer-ads/platform/process/faults';
import { singleFields } from '../domain/creation/offer-form.ts';
import type { FormFields } from '../domain/readings.ts';

export type UploadedForm = {
  readonly fields: FormFields;
  /** Null if no picture was sent, or an empty one, which browsers send if no file was chosen. */
  readonly picture: Buffer | null;
};

export type Upload =
  | { readonly ok: true; readonly form: UploadedForm }
  | { readonly ok: false; readonly status: 400 | 415; readonly faults: readonly string[] };

/** The longest text is a url of 2,048 characters with at most 4 bytes each. */
const GREATEST_FIELD_BYTES = 16 * 1_024;
/** All fields together: ten times what a valid form needs. */
const GREATEST_TEXT_BYTES = 256 * 1_024;
/** The most memory that one form takes. */
export const GREATEST_HELD_BYTES = MAX_IMAGE_BYTES + GREATEST_TEXT_BYTES;
/** Enough for all 512 interests and every other field. */
const MAX_PARTS = 600;
/** A refused form is read up to this size, so that its sender gets the reason; it is several times the size of any valid form. */
const GREATEST_FORM_BYTES = 32 * 1_024 * 1_024;

/** Limits a part's name in messages, so that the reply is never larger than the form. */
const SHOWN_NAME_LENGTH = 40;

export async function readUpload(req: IncomingMessage): Promise<Upload> {
  const faults = new Set<string>();
  const fields = new Map<string, string[]>();
  const pictures: BusboyFileStream[] = [];
  const chunks: Buffer[] = [];
  let textBytes = 0;

  /** The part's name; undefined if the part has a fault already. */
  const nameOf = (name: string | undefined, encoding: string): string | undefined => {
    if (name === undefined) faults.add('Every part must have a name');
    else if (!plainEncodings.has(encoding))
      faults.add(`${shown(name)} must be sent as it is, not in another Content-Transfer-Encoding`);
    else return name;
    return undefined;
  };
  const onField = (given: string | undefined, value: string, _: boolean, cut: boolean, encoding: string) => {
    const name = nameOf(given, encoding);
    if (name === undefined) return;
    textBytes += Buffer.byteLength(value);
    if (name === 'image') faults.add('image must be sent as a file');
    else if (textBytes > GREATEST_TEXT_BYTES)
      faults.add(`The fields must have at most ${GREATEST_TEXT_BYTES} bytes together`);
    else if (cut) faults.add(`${shown(name)} must have at most ${GREATEST_FIELD_BYTES} bytes`);
    else fields.set(name, [...(fields.get(name) ?? []), value]);
  };
  const onFile = (given: string | undefined, stream: BusboyFileStream, _: string, encoding: string) => {
    // The parser reports an interrupted file as a fault of the whole form.
    stream.on('error', () => {});
    const name = nameOf(given, encoding);
    if (name === 'image') pictures.push(stream);
    else if (name !== undefined) faults.add(`${shown(name)} must not be a file`);
    if (stream !== pictures[0]) return void stream.resume();
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('limit', () => faults.add(`image must have at most ${offerLimits.imageMegabytes} MB`));
  };

  const isCompressed = (req.headers['content-encoding'] ?? 'identity') !== 'identity';
  const parser = isCompressed ? null : openParser(req.headers['content-type']);
  parser?.on('field', onField).on('file', onFile);
  parser?.on('partsLimit', () => faults.add(`The form must have at most ${MAX_PARTS} parts`));
  const shape = await parse(req, parser);
  if (isCompressed) return { ok: false, status: 415, faults: [shapeFaults.compressed] };
  if (shape !== 'whole') return { ok: false, status: 400, faults: [shapeFaults[shape]] };

  for (const name of singleFields) {
    if ((fields.get(name)?.length ?? 0) > 1) faults.add(`${name} must be sent once`);
  }
  if (pictures.length > 1) faults.add('image must be sent once');
  if (faults.size > 0) return { ok: false, status: 400, faults: [...faults] };
  return { ok: true, form: { fields, picture: chunks.length === 0 ? null : Buffer.concat(chunks) } };
}

/**
 * Two requests of an endpoint are the same if their fields, in any order of the names, and the bytes of their pictures are the same (decision 10,
 * idempotency keys).
 * @param path of an endpoint other than POST /offers
 */
export function fingerprint(form: UploadedForm, path = ''): Buffer {
  const fields = JSON.stringify([...form.fields].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  // The length prefix separates the fields from the picture's bytes.
  const hash = createHash('sha256')
    .update(path)
    .update(`${Buffer.byteLength(fields)}:${fields}`);
  return hash.update(form.picture ?? '').digest();
}

function shown(name: string): string {
  return name.slice(0, SHOWN_NAME_LENGTH);
}

/** Encodings that do not change the bytes. Others are refused, because forms do not use them (RFC 7578, 4.7). */
const plainEncodings = new Set(['7bit', '8bit', 'binary']);

export const shapeFaults = {
  compressed: 'The form must be uncompressed, without Content-Encoding',
  'not-multipart': 'The body must be multipart/form-data with a boundary',
  broken: 'The body is not complete multipart/form-data',
  'too-large': `The body is too large, its image must have at most ${offerLimits.imageMegabytes} MB`,
};

/** Some clients send a content type for the picture but no file name. */
function isPartAFile(
  name: string | undefined,
  type: string | undefined,
  fileName: string | undefined,
): boolean {
  const isPicture = name === 'image' && type?.startsWith('image/') === true;
  return isPicture || fileName !== undefined || type === 'application/octet-stream';
}

/** Null for any other content type, and for one without a boundary, for which the parser throws. */
function openParser(contentType: string | undefined): BusboyInstance | null {
  if (contentType === undefined || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) return null;
  const limits = {
    fieldSize: GREATEST_FIELD_BYTES,
    fileSize: MAX_IMAGE_BYTES,
    parts: MAX_PARTS,
    headerPairs: 20,
  };
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits, isPartAFile });
  } catch {
    return null;
  }
}

/**
 * Reads the body to its end even after the parser failed, because many clients read the response only after sending the body. Not
 * `pipeline`, which would close the connection together with the parser.
 */
async function parse(
  req: IncomingMessage,
  parser: BusboyInstance | null,
): Promise<'whole' | keyof typeof shapeFaults> {
  let broken = false;
  const parsed = new Promise<void>((resolve) => {
    parser?.once('finish', resolve);
    parser?.on('error', () => {
      broken = true;
      resolve();
    });
  });
  let bytes = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > GREATEST_FORM_BYTES) return 'too-large';
      if (!broken) parser?.write(chunk);
    }
  } catch (error) {
    throw new Fault('an upload broke off', { status: 400, publicMessage: 'Bad request', cause: error });
  }
  if (parser === null) return 'not-multipart';
  if (!broken) parser.end();
  await parsed;
  return broken ? 'broken' : 'whole';
}
