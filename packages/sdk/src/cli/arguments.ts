/** Converts command line arguments to values for the client. */
import { openAsBlob } from 'node:fs';
import type { GroupPlace, Picture, Pictures, Place } from '../types.ts';

/** The command is wrong; the message says how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Flags = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

export function optionalText(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function requiredText(flags: Flags, name: string): string {
  const value = optionalText(flags, name);
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}

export function texts(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${what} must be a whole number`);
  return Number(text);
}

const position = String.raw`^\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)`;
const onePlace = new RegExp(String.raw`${position}\s*$`);
const labelledPlace = new RegExp(String.raw`${position}(?:\s+(.+))?$`);

/** `51.5074,-0.1278` */
export function place(flags: Flags): [latitude: number, longitude: number] {
  const match = onePlace.exec(requiredText(flags, 'at'));
  if (match === null) {
    throw new UsageError('--at must be a latitude and a longitude, such as --at=51.5074,-0.1278');
  }
  return [Number(match[1]), Number(match[2])];
}

/** Each `51.5074,-0.1278` or `51.5074,-0.1278 Soho` */
export function places(flags: Flags): readonly Place[] {
  const given = texts(flags, 'place');
  if (given.length === 0) throw new UsageError('--place is missing');
  return given.map((text) => {
    const [, latitude, longitude, label] = labelledPlace.exec(text) ?? [];
    if (latitude === undefined)
      throw new UsageError(
        '--place must be a latitude, a longitude and a label, such as --place "51.5136,-0.1365 Soho"',
      );
    return { latitude: Number(latitude), longitude: Number(longitude), label };
  });
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * ISO 8601 with a zone, `now`, or a time relative to `origin`: `+90m`, `+48h`, `+7d`. An ISO text is sent to the service unchanged.
 */
export function instant(text: string, name: string, origin: Date): string {
  if (text === 'now') return origin.toISOString();
  const relative = /^\+(\d{1,6})([mhd])$/.exec(text);
  if (relative !== null) {
    const unit = relative[2] as keyof typeof unitMs;
    return new Date(origin.getTime() + Number(relative[1]) * unitMs[unit]).toISOString();
  }
  if (!isInstant(text)) {
    throw new UsageError(
      `--${name} must be a time with its zone (2035-06-01T12:00:00Z), "now", or a time from ${
        name === 'end' ? 'the start' : 'now'
      } on (+90m, +48h, +7d)`,
    );
  }
  return text;
}

/** ISO 8601 with a zone, or so long ago: `90m`, `24h`, `7d`. */
export function moment(text: string, name: string, now: Date): string {
  const ago = /^(\d{1,6})([mhd])$/.exec(text);
  if (ago !== null) {
    const unit = ago[2] as keyof typeof unitMs;
    return new Date(now.getTime() - Number(ago[1]) * unitMs[unit]).toISOString();
  }
  if (isInstant(text)) return text;
  throw new UsageError(
    `${name} must be a time with its zone (2035-06-01T12:00:00Z), or how long ago (90m, 24h, 7d)`,
  );
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text));
}

/** The start (default: now) and the end, which may be relative to the start. */
export function period(flags: Flags, now: Date): { start: string; end: string } {
  const start = instant(optionalText(flags, 'start') ?? 'now', 'start', now);
  const end = instant(requiredText(flags, 'end'), 'end', new Date(start));
  return { start, end };
}

export async function picture(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch {
    throw new UsageError(`The picture ${path} cannot be read`);
  }
}

/** Several pictures belong to the places in their order. A file that is named twice is sent once. */
export async function placesWithPictures(
  flags: Flags,
): Promise<{ readonly places: readonly GroupPlace[]; readonly image: Picture | Pictures }> {
  const given = places(flags);
  const [first, ...others] = texts(flags, 'image');
  if (first === undefined) throw new UsageError('--image is missing');
  if (others.length === 0) return { places: given, image: await picture(first) };
  const paths = [first, ...others];
  if (paths.length !== given.length)
    throw new UsageError(
      `--image must be given once, or once for each --place: ${given.length} times, not ${paths.length}`,
    );
  const nameOf = (path: string) => `image-${paths.indexOf(path) + 1}`;
  const image = Object.fromEntries(
    await Promise.all(paths.map(async (path) => [nameOf(path), await picture(path)] as const)),
  );
  const placeOf = (place: Place, index: number) =>
    Object.assign({}, place, { image: nameOf(paths[index] ?? '') });
  return { places: given.map(placeOf), image };
}
