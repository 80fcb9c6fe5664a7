/** Reads the multipart forms of POST and PATCH /offers as a stream: every size has a limit, and every fault of its structure is reported. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Dicer } from '@fastify/busboy';
import { meantName } from '@offer-ads/contracts/values/misspelt-name';
import { MAX_IMAGE_BYTES, offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { placeLimits } from '@offer-ads/contracts/values/places';
import { readUtf8 } from '@offer-ads/platform/http/utf8';
import { Fault } from '@offer-ads/platform/process/faults';
import { singleFields } from '../domain/creation/offer-form.ts';
import { type FormFields, fault, type Reading, shownName, valid } from '../domain/readings.ts';

export type UploadedForm = {
  readonly fields: FormFields;
  /** By their file names; '' if the only one has none. Without empty ones, which browsers send if no file was chosen. */
  readonly pictures: ReadonlyMap<string, Buffer>;
};

export type Upload =
  | { readonly ok: true; readonly form: UploadedForm }
  | { readonly ok: false; readonly status: 400 | 415; readonly faults: readonly string[] };

/** The longest text is a url of 2,048 characters with at most 4 bytes each. */
const GREATEST_FIELD_BYTES = 16 * 1_024;
/** All fields together. `places` may have as much, because it holds the values of up to 20 offers. */
const GREATEST_TEXT_BYTES = 256 * 1_024;
const greatestBytesOf = (name: string) => (name === 'places' ? GREATEST_TEXT_BYTES : GREATEST_FIELD_BYTES);
/** The most memory that one form takes. */
export const GREATEST_HELD_BYTES = MAX_IMAGE_BYTES + GREATEST_TEXT_BYTES;
/** Enough for all 512 interests and every other field. */
const MAX_PARTS = 600;
/** A refused form is read up to this size, so that its sender gets the reason; it is several times the size of any valid form. */
const GREATEST_FORM_BYTES = 32 * 1_024 * 1_024;

type Part = {
  /** What is wrong with the part, or what it is. Undefined until its headers have been read. */
  head: Reading<PartHead> | undefined;
  /** Its content, as far as it is kept. */
  readonly chunks: Buffer[];
  bytes: number;
};

/** @param isOfGroup whether the form may have a picture for each place; together they may be as large as one alone */
export async function readUpload(req: IncomingMessage, isOfGroup = false): Promise<Upload> {
  const faults = new Set<string>();
  const parts: Part[] = [];
  let pictures = 0;
  let [textBytes, pictureBytes] = [0, 0];
  const mostPictures = isOfGroup ? placeLimits.most : 1;

  const readPart = (stream: Dicer.PartStream) => {
    const part: Part = { head: undefined, chunks: [], bytes: 0 };
    if (parts.push(part) > MAX_PARTS) {
      parts.pop();
      faults.add(`The form must have at most ${MAX_PARTS} parts`);
    }
    stream.on('header', (headers: PartHeaders) => {
      part.head = readHead(headers);
      if (isPicture(part)) pictures += 1;
    });
    stream.on('data', (chunk: Buffer) => {
      part.bytes += chunk.length;
      if (isPicture(part)) {
        pictureBytes += chunk.length;
        if (pictures <= mostPictures && pictureBytes <= MAX_IMAGE_BYTES) part.chunks.push(chunk);
      } else if (isText(part)) {
        textBytes += chunk.length;
        // Copied, so that a short text does not hold the memory of all that arrived with it.
        if (
          part.bytes <= greatestBytesOf(part.head?.ok === true ? part.head.value.name : '') &&
          textBytes <= GREATEST_TEXT_BYTES
        )
          part.chunks.push(Buffer.from(chunk));
      }
    });
    // An upload that breaks off is reported as a fault of the whole form.
    stream.on('error', () => {});
  };

  const isCompressed = (req.headers['content-encoding'] ?? 'identity') !== 'identity';
  const parser = isCompressed ? null : openParser(req.headers['content-type']);
  parser?.on('part', readPart);
  const shape = await parse(req, parser);
  if (isCompressed) return { ok: false, status: 415, faults: [shapeFaults.compressed] };
  if (shape !== 'whole') return { ok: false, status: 400, faults: [shapeFaults[shape]] };

  const fields = new Map<string, string[]>();
  for (const part of parts) {
    const read = readText(part);
    if (!read.ok) for (const each of read.faults) faults.add(each);
    else if (read.value !== null) {
      const { name, text } = read.value;
      fields.set(name, [...(fields.get(name) ?? []), text]);
    }
  }
  if (textBytes > GREATEST_TEXT_BYTES)
    faults.add(`The fields must have at most ${GREATEST_TEXT_BYTES} bytes together`);
  for (const name of [...singleFields, 'places']) {
    if ((fields.get(name)?.length ?? 0) > 1) faults.add(`${name} must be sent once`);
  }
  const sent = parts.filter((part) => isPicture(part) && part.bytes > 0);
  const found = new Map(sent.map((part) => [fileNameOf(part), Buffer.concat(part.chunks)]));
  if (!isOfGroup && pictures > 1) faults.add('image must be sent once');
  else if (pictures > mostPictures) faults.add(`image must be sent at most ${mostPictures} times`);
  else if (found.size < sent.length || (sent.length > 1 && found.has('')))
    faults.add('image is sent several times, so each must have another file name');
  if (sent.length > 1 && pictureBytes > MAX_IMAGE_BYTES)
    faults.add(`image must have at most ${offerLimits.imageMegabytes} MB over all pictures`);
  if (faults.size > 0) return { ok: false, status: 400, faults: [...faults] };
  return { ok: true, form: { fields, pictures: found } };
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
  const { pictures } = form;
  for (const [name, bytes] of [...pictures].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(pictures.size === 1 ? '' : `${name}:${bytes.length}:`).update(bytes);
  return hash.digest();
}

/** Encodings that do not change the bytes. Others are refused, because forms do not use them (RFC 7578, 4.7). */
const plainEncodings = new Set(['7bit', '8bit', 'binary']);

export const shapeFaults = {
  compressed: 'The form must be uncompressed, without Content-Encoding',
  'not-multipart': 'The body must be multipart/form-data with a boundary',
  broken: 'The body is not complete multipart/form-data',
  'too-large': `The body is too large, its image must have at most ${offerLimits.imageMegabytes} MB`,
};

type PartHead = {
  readonly name: string;
  readonly isFile: boolean;
  readonly fileName: string;
  /** In lower case. */
  readonly charset: string;
};
/** By names in lower case, each with its values in the order of arrival, one character for each byte. */
type PartHeaders = Readonly<Record<string, readonly string[]>>;

function isPicture({ head }: Part): boolean {
  return head?.ok === true && head.value.isFile && head.value.name === 'image';
}

function fileNameOf({ head }: Part): string {
  return head?.ok === true ? head.value.fileName : '';
}

function isText({ head }: Part): boolean {
  return head?.ok === true && !head.value.isFile;
}

const withoutName = fault(
  'Every part must have a name, in a header such as Content-Disposition: form-data; name="title"',
);

/** Nothing of a part that cannot be read is left out: without its `gender[]` an offer would be sold for everybody. */
function readHead(headers: PartHeaders): Reading<PartHead> {
  const [disposition = '', another] = headers['content-disposition'] ?? [];
  const read = another === undefined ? readHeaderValue(disposition) : null;
  const rawName = read?.parameters.get('name') ?? '';
  if (read?.value !== 'form-data' || rawName === '') return withoutName;
  const named = readUtf8(Buffer.from(rawName, 'latin1'));
  if (!named.ok) return fault('The names of parts must be in UTF-8');
  const name = named.text;
  if (!plainEncodings.has((headers['content-transfer-encoding']?.[0] ?? '7bit').toLowerCase()))
    return fault(`${shownName(name)} must be sent as it is, not in another Content-Transfer-Encoding`);

  const type = readHeaderValue(headers['content-type']?.[0] ?? '');
  // Some clients send a content type for the picture but no file name.
  const isFile =
    read.parameters.has('filename') ||
    read.parameters.has('filename*') ||
    type?.value === 'application/octet-stream' ||
    (name === 'image' && type?.value.startsWith('image/') === true);
  // Of a name in another encoding nothing can be found: it names no picture.
  const fileName = readUtf8(Buffer.from(read.parameters.get('filename') ?? '', 'latin1'));
  return valid({
    name,
    isFile,
    fileName: fileName.ok ? fileName.text : '',
    charset: type?.parameters.get('charset')?.toLowerCase() ?? 'utf-8',
  });
}

/** Reads `form-data; name="title"`, the name in quotes or not. Null for anything else, and for a parameter that comes twice. */
function readHeaderValue(
  text: string,
): { readonly value: string; readonly parameters: ReadonlyMap<string, string> } | null {
  const [value = ''] = text.split(';', 1);
  const parameters = new Map<string, string>();
  const parameter = /;\s*([^\s;="]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?\s*/gy;
  let end = value.length;
  parameter.lastIndex = end;
  for (const [all, name = '', quoted, plain = ''] of text.matchAll(parameter)) {
    end += all.length;
    const key = name.toLowerCase();
    if (parameters.has(key)) return null;
    parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
    // Some clients send the name of a file with quotes in it.
    if (key === 'filename') return { value: value.trim().toLowerCase(), parameters };
  }
  const isRead = /^;?\s*$/.test(text.slice(end));
  return isRead ? { value: value.trim().toLowerCase(), parameters } : null;
}

/** Null for the picture. */
function readText({ head, bytes, chunks }: Part): Reading<{ name: string; text: string } | null> {
  if (head === undefined) return withoutName;
  if (!head.ok) return head;
  const { name, isFile, charset } = head.value;
  const shown = shownName(name);
  if (isFile) {
    if (name !== 'image')
      return meantName(name, ['image']) === undefined
        ? fault(`${shown} must not be a file`)
        : fault(`${shown} must be sent as image`);
    return bytes > MAX_IMAGE_BYTES
      ? fault(`image must have at most ${offerLimits.imageMegabytes} MB`)
      : valid(null);
  }
  if (name === 'image') return fault('image must be sent as a file');
  const most = greatestBytesOf(name);
  if (bytes > most) return fault(`${shown} must have at most ${most} bytes`);
  const text = decoded(shown, Buffer.concat(chunks), charset);
  return text.ok ? valid({ name, text: text.value }) : text;
}

const utf8Names = new Set(['', 'utf-8', 'utf8']);
/** The encoding standard of browsers takes these for windows-1252. */
const asciiNames = new Set(['us-ascii', 'ascii', 'ansi_x3.4-1968']);

/** A text is read as its sender wrote it, or refused: a replacement character would be sold. */
function decoded(shown: string, bytes: Buffer, charset: string): Reading<string> {
  if (utf8Names.has(charset)) {
    const read = readUtf8(bytes);
    return read.ok ? valid(read.text) : fault(`${shown} must be in UTF-8: ${read.problem}`);
  }
  if (asciiNames.has(charset)) {
    const at = bytes.findIndex((byte) => byte > 0x7f);
    return at < 0
      ? valid(bytes.toString())
      : fault(`${shown} is not in its charset ${charset}: position ${at}`);
  }
  try {
    return valid(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch (error) {
    return error instanceof RangeError
      ? fault(`${shown} is in the charset ${shownName(charset)}, which is not known: send UTF-8`)
      : fault(`${shown} is not in its charset ${charset}`);
  }
}

/** Null for any other content type, and for one without a boundary. */
function openParser(contentType = ''): Dicer | null {
  const read = readHeaderValue(contentType);
  const boundary = read?.parameters.get('boundary');
  return read?.value !== 'multipart/form-data' || !boundary
    ? null
    : new Dicer({ boundary, maxHeaderPairs: 20 });
}

/**
 * Reads the body to its end even after the parser failed, because many clients read the response only after sending the body. Not
 * `pipeline`, which would close the connection together with the parser.
 */
async function parse(
  req: IncomingMessage,
  parser: Dicer | null,
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
