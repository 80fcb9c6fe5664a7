/** Tokens of placements: each stands for one offer that was shown once. Whoever has one can count its view or its click once, for a day. */

import { randomBytes } from 'node:crypto';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { createSeal } from '@offer-ads/platform/config/secrets';
import type { TrafficEvent } from './intake.ts';

/** An offer that a member is shown. `viewer` is the pseudonym as the community platform sent it. */
export type Shown = {
  readonly mode: Mode;
  readonly offerId: number;
  readonly viewer: string | undefined;
  readonly shownAt: Date;
};

/** The event that a token counts, the same at each reading. Its viewer is a hash under the secret. */
export type ReadToken =
  | { readonly ok: true; readonly mode: Mode; readonly event: Omit<TrafficEvent, 'automated'> }
  | { readonly ok: false; readonly reason: 'forged' | 'expired' };

export type PlacementTokens = {
  readonly make: (shown: Shown) => { readonly viewToken: string; readonly clickUrl: string };
  readonly readView: (token: string, now: Date) => ReadToken;
  readonly readClick: (token: string, now: Date) => ReadToken;
};

type Kind = TrafficEvent['kind'];

/** Nobody guesses one of 2^128, and a shorter signature keeps 500 tokens small. */
const SIGNATURE_BYTES = 16;
const ID_BYTES = 16;
const VIEWER_BYTES = 16;

/** `base64url(payload).base64url(mac)`. The purpose is signed too, so a view token counts no click. */
export function placementTokens(o: { readonly secret: string; readonly publicUrl: string }): PlacementTokens {
  const seal = createSeal(o.secret, { bytes: SIGNATURE_BYTES });
  const signed = (kind: Kind, payload: string) => `${payload}.${seal.sign(`${kind}\n${payload}`)}`;

  function read(kind: Kind, token: string, now: Date): ReadToken {
    const dot = token.indexOf('.');
    const payload = token.slice(0, Math.max(0, dot));
    if (!seal.isGenuine(`${kind}\n${payload}`, token.slice(dot + 1))) return { ok: false, reason: 'forged' };
    const { mode, ...event } = readPayload(kind, Buffer.from(payload, 'base64url'));
    // The clock of the replica that made the token may run ahead. The inbox remembers ids for longer than these two days.
    const isGood = Math.abs(now.getTime() - event.seenAt.getTime()) < DAY_MS;
    return isGood ? { ok: true, mode, event } : { ok: false, reason: 'expired' };
  }

  return {
    make: ({ viewer, ...shown }) => {
      // A keyed hash: nobody can find the pseudonym of an address by trying all of them.
      const hash =
        viewer === undefined ? Buffer.alloc(0) : Buffer.from(seal.sign(`viewer\n${viewer}`), 'base64url');
      const payload = payloadOf(shown, hash).toString('base64url');
      return { viewToken: signed('view', payload), clickUrl: `${o.publicUrl}/c/${signed('click', payload)}` };
    },
    readView: (token, now) => read('view', token, now),
    readClick: (token, now) => read('click', token, now),
  };
}

/** Where each part begins, in bytes. The hash of the viewer comes last, if there is a viewer. */
const at = { mode: 0, offerId: 1, shownAt: 5, id: 11, viewer: 11 + ID_BYTES } as const;

function payloadOf(shown: Omit<Shown, 'viewer'>, viewerHash: Buffer): Buffer {
  const payload = Buffer.alloc(at.viewer + viewerHash.length);
  payload.writeUInt8(shown.mode === 'LIVE' ? 1 : 0, at.mode);
  payload.writeUInt32BE(shown.offerId, at.offerId);
  payload.writeUIntBE(shown.shownAt.getTime(), at.shownAt, 6);
  payload.set(randomBytes(ID_BYTES), at.id);
  payload.set(viewerHash, at.viewer);
  return payload;
}

/** The signature is genuine, so this is a payload of our own. */
function readPayload(kind: Kind, payload: Buffer): Omit<TrafficEvent, 'automated'> & { readonly mode: Mode } {
  const viewerHash = payload.subarray(at.viewer, at.viewer + VIEWER_BYTES);
  return {
    mode: payload.readUInt8(at.mode) === 1 ? 'LIVE' : 'TEST',
    eventId: eventIdOf(kind, payload.subarray(at.id, at.viewer)),
    kind,
    offerId: payload.readUInt32BE(at.offerId),
    seenAt: new Date(payload.readUIntBE(at.shownAt, 6)),
    viewer: viewerHash.length === 0 ? undefined : viewerHash.toString('base64url'),
  };
}

/** As a UUID, whose last bit says view or click. */
function eventIdOf(kind: Kind, id: Buffer): string {
  const last = id.readUInt8(ID_BYTES - 1);
  const hex =
    id.toString('hex', 0, ID_BYTES - 1) +
    (kind === 'click' ? last | 1 : last & ~1).toString(16).padStart(2, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
