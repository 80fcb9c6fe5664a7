/**
 * Reads a member directly from the bytes that MongoDB sends (BSON, bsonspec.org). A rebuild reads all members, and the driver's general
 * parser takes more than twice as long.
 */
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import type { MemberDocument } from '../members/member-document.ts';

/** The BSON types in our own documents. */
const DOUBLE = 0x01;
const STRING = 0x02;
const DOCUMENT = 0x03;
const ARRAY = 0x04;
const INT32 = 0x10;

const names = {
  _id: textOf('_id'),
  version: textOf('version'),
  position: textOf('position'),
  type: textOf('type'),
  coordinates: textOf('coordinates'),
  gender: textOf('gender'),
  interests: textOf('interests'),
};

const point = [{ text: 'Point', bytes: textOf('Point') }] as const;
const genders = memberGenders.map((text) => ({ text, bytes: textOf(text) }));

/** Thrown when a document differs from what this service writes. */
const OTHER = Symbol('other');

/**
 * Reads a document whose fields have the order in which `documentOf` writes them; fields after the interests are ignored.
 * @returns undefined for any other document; that may be valid, but only the driver can read it
 */
export function readRawMember(bytes: Buffer): Partial<MemberDocument> | undefined {
  const reader = readerOf(bytes);
  try {
    const _id = reader.number(names._id);
    const version = reader.number(names.version);
    reader.open(DOCUMENT, names.position);
    reader.oneOf(point, names.type);
    const [longitude, latitude, ...more] = reader.numbers(names.coordinates);
    reader.close();
    if (longitude === undefined || latitude === undefined || more.length > 0) return undefined;
    const position = { type: 'Point' as const, coordinates: [longitude, latitude] as [number, number] };
    const gender = reader.oneOf(genders, names.gender);
    return { _id, version, position, gender, interests: reader.numbers(names.interests) };
  } catch (error) {
    if (error === OTHER || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** An element has a type, a name with a zero after it, and a value. Documents and arrays begin with their length and end with a zero. */
function readerOf(bytes: Buffer) {
  const view = viewOf(bytes.buffer);
  const start = bytes.byteOffset;
  let at = 4;

  function isAt(text: Buffer): boolean {
    for (let place = 0; place < text.length; place += 1) if (bytes[at + place] !== text[place]) return false;
    return true;
  }

  function element(name: Buffer): number | undefined {
    const type = bytes[at];
    at += 1;
    if (!isAt(name)) throw OTHER;
    at += name.length;
    return type;
  }

  function valueOf(type: number | undefined): number {
    const value = start + at;
    if (type === INT32) {
      at += 4;
      return view.getInt32(value, true);
    }
    if (type !== DOUBLE) throw OTHER;
    at += 8;
    return view.getFloat64(value, true);
  }

  function open(type: number, name: Buffer): void {
    if (element(name) !== type) throw OTHER;
    at += 4;
  }

  function close(): void {
    if (bytes[at++] !== 0) throw OTHER;
  }

  return {
    open,
    close,
    number: (name: Buffer) => valueOf(element(name)),
    oneOf: <T extends string>(texts: readonly Text<T>[], name: Buffer): T => {
      if (element(name) !== STRING) throw OTHER;
      const length = view.getInt32(start + at, true);
      at += 4;
      for (const { text, bytes: known } of texts)
        if (known.length === length && isAt(known)) {
          at += length;
          return text;
        }
      throw OTHER;
    },
    numbers: (name: Buffer): number[] => {
      open(ARRAY, name);
      const read: number[] = [];
      while (bytes[at] !== 0) {
        const type = bytes[at];
        // The name is the index in decimal digits, which is not needed.
        while (bytes[++at] !== 0) if (at > bytes.length) throw OTHER;
        at += 1;
        read.push(valueOf(type));
      }
      close();
      return read;
    },
  };
}

type Text<T extends string> = { readonly text: T; readonly bytes: Buffer };

/** The last view is kept, because many documents are in one buffer. */
let lastView: DataView = new DataView(new ArrayBuffer(0));
function viewOf(buffer: ArrayBufferLike): DataView {
  if (lastView.buffer !== buffer) lastView = new DataView(buffer);
  return lastView;
}

function textOf(field: string): Buffer {
  return Buffer.from(`${field}\0`);
}
