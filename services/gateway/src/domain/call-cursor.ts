/** The cursor of the call log: the time and id of a page's last call. */

/** Calls are ordered by time and, within one millisecond, by id. */
export type CallPlace = { readonly at: Date; readonly id: string };

const form = /^(\d{1,15})~([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function writeCallCursor({ at, id }: CallPlace): string {
  return Buffer.from(`${at.getTime()}~${id}`).toString('base64url');
}

/** Null if the text is not a cursor. */
export function readCallCursor(text: string): CallPlace | null {
  const [, atMs, id] = form.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return atMs === undefined || id === undefined ? null : { at: new Date(Number(atMs)), id };
}
