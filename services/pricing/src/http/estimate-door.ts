/**
 * POST /offers/price-estimate before express, which costs several times what counting and pricing do. Only for the usual form of the
 * request, JSON in UTF-8 of a known length: anything else is left to the route, and both answer alike.
 */
import type { IncomingMessage } from 'node:http';
import { callerVerifier } from '@offer-ads/platform/caller-context';
import type { Clock } from '@offer-ads/platform/clock';
import { callerGone } from '@offer-ads/platform/faults';
import { sendJson } from '@offer-ads/platform/http-replies';
import { nameRoute } from '@offer-ads/platform/http-request';
import type { Door } from '@offer-ads/platform/http-server';
import {
  answerEstimate,
  type EstimateAnswer,
  type EstimateParts,
  MAX_BODY_BYTES,
  unreadableBody,
} from './answer-estimate.ts';

export const estimatePath = '/offers/price-estimate';

const usualType = /^application\/json(?:; ?charset=utf-8)?$/i;

export function estimateDoor(
  o: EstimateParts & { readonly contextSecret: string; readonly clock: Clock },
): Door {
  const verify = callerVerifier({ secret: o.contextSecret, audience: 'pricing', clock: o.clock });

  async function answer(req: IncomingMessage): Promise<EstimateAnswer> {
    const caller = verify(req);
    const body = readJson(await bodyOf(req));
    return body === undefined ? unreadableBody() : answerEstimate(o, req, caller, body);
  }

  return (req) => {
    if (req.url !== estimatePath || req.method !== 'POST' || !isUsual(req)) return null;
    nameRoute(req, estimatePath);
    return async (res) => {
      const { status, body } = await answer(req);
      sendJson(res, status, body);
    };
  };
}

function isUsual({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return (
    length > 0 &&
    length <= MAX_BODY_BYTES &&
    headers['content-encoding'] === undefined &&
    usualType.test(headers['content-type'] ?? '')
  );
}

/** As long as was announced, which node sees to. */
function bodyOf(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    req.setEncoding('utf8');
    req.on('data', (part: string) => (text += part));
    req.on('end', () => resolve(text));
    // It stalled or broke off: the platform has answered, or nobody is there any more.
    req.on('error', () => reject(callerGone()));
  });
}

/** @returns undefined for what is no JSON */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
