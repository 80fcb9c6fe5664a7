/** Request bodies, made once per call, so that a retry sends exactly the same bytes. */
import { invalidArgument } from './error.ts';
import { namedPictures, readPicture } from './picture.ts';
import type {
  CreateGroupRequest,
  CreateOfferRequest,
  EstimateRequest,
  GroupEstimateRequest,
  Instant,
  UpdateOfferRequest,
} from './types.ts';

export type Body = {
  readonly contentType: string;
  /** Called for each attempt. */
  readonly open: () => string | Promise<Blob>;
};

export function estimateBody(request: EstimateRequest | GroupEstimateRequest): Body {
  return jsonBody({
    ...request,
    start_datetime: instantText('start_datetime', request.start_datetime),
    end_datetime: instantText('end_datetime', request.end_datetime),
  });
}

export function jsonBody(request: object): Body {
  const text = JSON.stringify(request);
  return { contentType: 'application/json', open: () => text };
}

/** Formats a `Date` for the API; a string is sent unchanged, and the service checks it. */
export function instantText(field: string, instant: Instant | undefined): string | undefined {
  if (!(instant instanceof Date)) return instant;
  if (Number.isNaN(instant.getTime())) throw invalidArgument(`${field} is an invalid Date`);
  return instant.toISOString();
}

/** Of an offer, or of a group. */
export function offerBody(request: CreateOfferRequest | CreateGroupRequest): Body {
  const { image, gender, interests, start_datetime, expiry_datetime, ...others } = request;
  const { location, places, ...texts } = { location: undefined, places: undefined, ...others };
  return formBody(image, [
    ...Object.entries(texts),
    ...each('location[]', location),
    ['places', places && JSON.stringify(places)],
    ...each('gender[]', gender),
    ...each('interests[]', interests),
    ['start_datetime', instantText('start_datetime', start_datetime)],
    ['expiry_datetime', instantText('expiry_datetime', expiry_datetime)],
  ]);
}

/** Null clears a text, which the service then refuses where it must have one. */
export function updateBody({ image, environment, ...texts }: UpdateOfferRequest): Body {
  const changes = Object.entries(texts).map(([name, value]) => [name, value === null ? '' : value] as const);
  return formBody(image, [...changes, ['environment', environment]]);
}

/**
 * Not made with FormData, which turns each line break into two characters: a description of allowed length could then be too long for
 * the service.
 */
function formBody(
  image: CreateGroupRequest['image'],
  fields: readonly (readonly [name: string, value: unknown])[],
): Body {
  const boundary = `offer-${crypto.randomUUID()}`;
  const given = fields.filter(([, value]) => value !== undefined && value !== null);
  const texts = given
    .map(([name, value]) => `${partHead(boundary, name)}\r\n\r\n${String(value)}\r\n`)
    .join('');
  const pieces = [
    texts,
    ...namedPictures(image).flatMap(([fileName, content]) => {
      const type = content instanceof Blob && content.type !== '' ? content.type : 'application/octet-stream';
      const head = `${partHead(boundary, 'image')}; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n`;
      return [head, content, '\r\n'];
    }),
    `--${boundary}--\r\n`,
  ];
  const contentType = `multipart/form-data; boundary=${boundary}`;
  let whole: Promise<Blob> | undefined;
  const read = async () => new Blob(await Promise.all(pieces.map(readPicture)), { type: contentType });
  return { contentType, open: () => (whole ??= read()) };
}

function each(name: string, values: readonly unknown[] | null | undefined): (readonly [string, unknown])[] {
  return (values ?? []).map((value) => [name, value] as const);
}

/** Field names are fixed; other values are escaped, because untyped callers may pass anything. */
function partHead(boundary: string, name: string): string {
  const quoted = name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"`;
}
