/** POST /offers/price-estimate. Served without Express, which would take several times as long as counting and pricing. */
import type { IncomingMessage } from 'node:http';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { EstimateReply, Refusal } from '@offer-ads/contracts/public/api';
import { callerVerifier } from '@offer-ads/platform/calls/caller-context';
import { sendJson } from '@offer-ads/platform/http/replies';
import { nameRoute, requestFacts } from '@offer-ads/platform/http/request';
import type { FastPath } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import { callerGone } from '@offer-ads/platform/process/faults';
import { type EstimateRefusal, readEstimateForm, refusalOfInterests } from '../domain/estimate-form.ts';
import type { HeldInterests } from '../members/held-interests.ts';
import { type PriceParts, priceOffer } from '../price-offer.ts';
import { estimateReply, refusalReply } from './replies.ts';

export type EstimateParts = PriceParts & { readonly interests: Pick<HeldInterests, 'active'> };
type Answer = { readonly status: number; readonly body: EstimateReply | Refusal };

const path = '/offers/price-estimate';
/** A form with every possible interest takes 4 kB. */
const MAX_BODY_BYTES = 65_536;
const unreadable: EstimateRefusal = {
  reason: 'invalid-input',
  faults: [
    `The body must be a JSON object of at most ${MAX_BODY_BYTES} bytes, in UTF-8 and not compressed, sent as application/json`,
  ],
};

export function estimateFastPath(
  o: EstimateParts & { readonly contextSecret: string; readonly clock: Clock },
): FastPath {
  const verify = callerVerifier({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });

  async function answer(req: IncomingMessage): Promise<Answer> {
    const caller = verify(req);
    const text = await bodyOf(req);
    const body = text === undefined ? undefined : parseJson(text);
    return body === undefined ? refused(unreadable) : answerForm(req, caller, body);
  }

  async function answerForm(req: IncomingMessage, caller: CallerContext, body: unknown): Promise<Answer> {
    const { mode, currency } = caller;
    const facts = requestFacts(req);
    const now = facts.receivedAt;
    const read = readEstimateForm(body, mode, now);
    if (!read.ok) return refused(read.refusal);
    const { interests } = read.form.target;
    const unknown = interests.length > 0 && refusalOfInterests(interests, o.interests.active());
    if (unknown) return refused(unknown);
    // The request only reads, so it is stopped when the caller disconnects.
    const deadline = facts.deadline().whileAwaited();
    const price = await priceOffer(o, { ...read.form, caller, now, deadline });
    return { status: 200, body: estimateReply(price, currency) };
  }

  return (req) => {
    if (req.method !== 'POST' || req.url?.split('?', 1)[0] !== path) return null;
    nameRoute(req, path);
    return async (res) => {
      const { status, body } = await answer(req);
      sendJson(res, status, body);
    };
  };
}

const jsonType = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** @returns undefined for a body that is too long, compressed, or not declared as JSON; the rest of it is discarded */
function bodyOf(req: IncomingMessage): Promise<string | undefined> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = req.headers;
  if (!jsonType.test(type) || encoding !== 'identity') {
    req.resume();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    req.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MAX_BODY_BYTES) parts.push(part);
      else resolve(undefined);
    });
    req.on('end', () => resolve(Buffer.concat(parts).toString('utf8')));
    // The upload stalled or broke off: the platform has answered, or the caller has disconnected.
    req.on('error', () => reject(callerGone()));
  });
}

/** @returns undefined for invalid JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

function refused(why: EstimateRefusal): Answer {
  const body = refusalReply(why);
  return { status: body.code, body };
}
