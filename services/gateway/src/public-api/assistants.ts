/**
 * `POST /mcp`: assistants use the API by the Model Context Protocol, with an API key in `x-api-key` and without sessions. In this order the
 * key is looked up and admitted, pages of other sites and other methods are refused, the key's limit here is counted, and the message is
 * answered by `@offer-ads/mcp`, whose tools call the public API of this process (`tool-calls.ts`). Assistants of many organisations share
 * addresses, so the limit of an address is only for what is refused (decision 263, assistants).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { requestIdHeader } from '@offer-ads/contracts/internal/caller-context';
import { assistantServer, isTool } from '@offer-ads/mcp/server';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { sendJson } from '@offer-ads/platform/http/replies';
import { nameRoute, requestFacts } from '@offer-ads/platform/http/request';
import { jsonObjectOf } from '@offer-ads/platform/http/request-bodies';
import type { FastPath } from '@offer-ads/platform/http/server';
import { isCallerGone, serviceUnavailable } from '@offer-ads/platform/process/faults';
import { createKeyedSemaphore } from '@offer-ads/platform/process/keyed-semaphore';
import { z } from 'zod';
import { admit } from '../domain/keys/admission.ts';
import { refuseInClear } from '../http/clear-text.ts';
import { refuseKey } from '../http/replies.ts';
import { noteUnknownKey } from './call-log.ts';
import { isAmong, networkOf } from './client-ip.ts';
import { hashOfLoggedKey, keepInNoCache, type PublicApi, pathOf } from './public-api.ts';
import { countRequest, limitClient } from './rate-limit.ts';
import type { ToolCalls } from './tool-calls.ts';

const path = '/mcp';
/** As many as an address may make: a conversation makes a few. A tool makes at most four requests. */
const perKey = { name: 'mcp', requests: 60, windowSeconds: 60 };
/** The largest picture in base64 with the texts of its offer. */
const maxBytes = 8 * 1024 * 1024;
/** Above this a message has a picture, which takes several times its size in memory until it is sent on. */
const smallBytes = 64 * 1024;
const largeAtOnce = 8;
/** How long one waits for its turn. */
const turnMs = 10_000;
/** As long as a creation (decision 23, deadlines and outages). */
const deadlineMs = 25_000;

const toolCall = z.object({ params: z.object({ name: z.string() }) });

type Assistants = Pick<PublicApi, 'clientIp' | 'isInClear' | 'limiter' | 'callLog' | 'findKey' | 'clock'> & {
  readonly toolCalls: ToolCalls;
  readonly publicUrl: string;
};

export function assistantPath(o: Assistants): FastPath {
  const origin = new URL(o.publicUrl).origin;
  const semaphore = (atOnce: number) =>
    createKeyedSemaphore({
      of: 'messages of assistants with pictures',
      atOnce,
      waiting: 20,
      refusal: serviceUnavailable,
    });
  // One of a key, so that a slow upload keeps only its own key waiting.
  const [ofKey, ofAll] = [semaphore(1), semaphore(largeAtOnce)];
  return (req) => {
    if (pathOf(req) !== path) return null;
    nameRoute(req, path);
    return async (res) => {
      const apiKey = await admitted(o, req, res, origin);
      if (apiKey === null) return;
      const { 'content-length': length = maxBytes, 'content-encoding': coding } = req.headers;
      if (Number(length) <= smallBytes && coding === undefined) return answer(o, req, res, apiKey);
      const turn = createDeadline(turnMs);
      const work = () => ofAll.run('all', () => answer(o, req, res, apiKey), turn);
      await ofKey.run(apiKey, work, turn);
    };
  };
}

/** @returns the key; null if the request was refused */
async function admitted(
  o: Assistants,
  req: IncomingMessage,
  res: ServerResponse,
  origin: string,
): Promise<string | null> {
  keepInNoCache(res);
  const sha256 = hashOfLoggedKey(o, req, res);
  const facts = sha256 === null ? null : await o.findKey(sha256);
  // The caller got a 400 for a broken body meanwhile.
  if (res.headersSent) return null;
  if (facts === null) noteUnknownKey(res);
  // Whether the key may change something, and an approval was withdrawn, counts for each call of a tool.
  const admission = admit(facts, o.clock.now(), {
    isFrom: (addresses) => isAmong(addresses, o.clientIp(req)),
    changes: false,
    staysOpen: true,
  });
  const { headers, method } = req;
  const isForeign = headers.origin !== undefined && headers.origin !== origin;
  if (o.isInClear(req) || !admission.ok || isForeign || method !== 'POST') {
    if ((await limitClient(res, o.limiter, networkOf(o.clientIp(req)))) === null) return null;
    if (o.isInClear(req)) refuseInClear(res);
    else if (!admission.ok) refuseKey(res, admission.reason);
    else if (isForeign) sendJson(res, 403, { message: 'Pages of other sites may not call this address' });
    else {
      res.setHeader('Allow', 'POST');
      sendJson(res, 405, { message: 'Method not allowed' });
    }
    return null;
  }
  const counted = await countRequest(res, o.limiter, { limit: perKey, client: String(admission.key.keyId) });
  return counted === null ? null : String(headers['x-api-key']);
}

async function answer(
  o: Assistants,
  req: IncomingMessage,
  res: ServerResponse,
  apiKey: string,
): Promise<void> {
  const message = await jsonObjectOf(req, maxBytes);
  const tool = toolCall.safeParse(message).data?.params.name;
  if (tool !== undefined && isTool(tool)) nameRoute(req, `${path} ${tool}`);

  const { localAddress = '', localPort } = req.socket;
  const baseUrl = `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
  const own = {
    ...o.toolCalls.headersFor(o.clientIp(req)),
    [requestIdHeader]: requestFacts(req).requestId,
  };
  // A client cancels a call by leaving.
  const signal = requestFacts(req).deadline().whileAwaited().signal(deadlineMs);
  const handler = createMcpHandler(
    () =>
      assistantServer({
        apiKey,
        baseUrl,
        allowHttp: true,
        fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...own } }),
        timeoutMs: deadlineMs,
        deadlineMs,
        // The assistant decides whether a call is worth another try.
        maxRetries: 0,
      }),
    // No tool sends anything before its result.
    { maxSubscriptions: 0 },
  );
  const headers = Object.entries(req.headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && isRead(entry[0]),
  );
  const request = new Request(`${o.publicUrl}${path}`, { method: 'POST', headers, signal });
  const ended = new Promise<never>((_, reject) => {
    const end = () =>
      reject(isCallerGone(signal.reason) ? signal.reason : serviceUnavailable('a tool took too long'));
    signal.addEventListener('abort', end);
  });
  const reply = await Promise.race([handler.fetch(request, { parsedBody: message ?? null }), ended]);
  const body = Buffer.from(await Promise.race([reply.arrayBuffer(), ended]));
  res.statusCode = reply.status;
  const type = reply.headers.get('content-type');
  if (type !== null) res.setHeader('Content-Type', type);
  res.end(body);
}

/** Of a message; what else came is for the gateway. */
function isRead(header: string): boolean {
  return header === 'accept' || header === 'content-type' || header.startsWith('mcp-');
}
