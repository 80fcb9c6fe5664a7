/**
 * A member straight from the bytes in which MongoDB sends one (BSON, bsonspec.org). A rebuild reads all of them, and the driver's
 * own way, which makes an object of anything, takes more than twice as long.
 */
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import type { MemberDocument } from '../members/member-document.ts';

/** The types that our own documents consist of. */
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

/** A read that met something else than what this service writes. */
const OTHER = Symbol('other');

/**
 * Reads a whole document whose fields stand in the order in which `documentOf` writes them; what comes after the interests is not
 * looked at.
 * @returns undefined for any other document: not wrong for that, but one that only the driver can read
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

/** An element is its type, its name with a zero behind it, and its value. Documents and arrays begin with their length and end with a zero. */
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
        // Its name is its place in decimal digits, which says nothing.
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

/** Many documents come in one buffer. */
let lastView: DataView = new DataView(new ArrayBuffer(0));
function viewOf(buffer: ArrayBufferLike): DataView {
  if (lastView.buffer !== buffer) lastView = new DataView(buffer);
  return lastView;
}

function textOf(field: string): Buffer {
  return Buffer.from(`${field}\0`);
}
