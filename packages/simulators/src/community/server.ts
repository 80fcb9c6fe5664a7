/**
 * The sample community page: offers beside a member's other content, as a community platform shows them. The browser asks this server, and
 * only this server has the placement keys. The page itself is `page/index.html` and `page/sample.js`.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mode } from '@offer-ads/contracts/values/primitives';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import express, { type Request, type Response } from 'express';
import type { z } from 'zod';
import { listen, type WebServer } from '../web-server.ts';

export type SampleCommunity = {
  readonly apiUrl: string;
  readonly keys: Readonly<Record<z.infer<typeof mode>, string>>;
  readonly host?: string;
  readonly port?: number;
  readonly clock?: Clock;
};

const API_MS = 3_000;
const folder = join(import.meta.dirname, 'page');
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src http: https: data:; form-action 'none'";

export async function startSampleCommunity(o: SampleCommunity): Promise<WebServer> {
  const app = express();
  app.disable('x-powered-by');
  app.get('/livez', (_, res) => void res.json({ status: 'ok' }));
  for (const [path, type] of [
    ['index.html', 'html'],
    ['sample.js', 'js'],
    ['sample.css', 'css'],
  ] as const) {
    const text = readFileSync(join(folder, path), 'utf8');
    app.get(path === 'index.html' ? '/' : `/${path}`, (_, res) => {
      res.type(type).set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' }).send(text);
    });
  }
  app.post('/:mode/offers', express.json(), async (req, res) => {
    const viewer = pseudonymOf(memberOf(req, res), (o.clock ?? systemClock).now());
    await pass(o, req, res, { path: '/placements', body: { ...req.body, viewer } });
  });
  app.post('/:mode/seen', express.json(), async (req, res) => {
    await pass(o, req, res, { path: '/placements/views', body: req.body });
  });
  return listen(app, { host: o.host ?? '127.0.0.1', port: o.port ?? 0 });
}

/** A real platform takes the member from its session. Here each browser is a member. */
function memberOf(req: Request, res: Response): string {
  const known = /(?:^|; )member=([0-9a-f-]{36})(?:;|$)/.exec(req.headers.cookie ?? '')?.[1];
  const member = known ?? randomUUID();
  if (known === undefined) res.cookie('member', member, { httpOnly: true, sameSite: 'strict' });
  return member;
}

const secret = randomUUID();

/** A new one for each member and day (UTC), from which nobody without the secret can tell the member. */
function pseudonymOf(member: string, now: Date): string {
  const day = now.toISOString().slice(0, 10);
  return createHash('sha256').update(`${secret} ${day} ${member}`).digest('base64url');
}

async function pass(
  o: SampleCommunity,
  req: Request,
  res: Response,
  call: { readonly path: string; readonly body: unknown },
): Promise<void> {
  const asked = mode.safeParse(String(req.params['mode']).toUpperCase());
  if (!asked.success) return void res.status(404).json({ message: 'the mode must be test or live' });
  try {
    const reply = await fetch(o.apiUrl + call.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': o.keys[asked.data] },
      body: JSON.stringify(call.body),
      signal: AbortSignal.timeout(API_MS),
    });
    res
      .status(reply.status)
      .type('json')
      .send(await reply.text());
  } catch {
    res.status(503).json({ message: 'the advertising service does not answer' });
  }
}
