/** Forwards admin calls to the services, with the name of the signed-in person. */
import { pipeline } from 'node:stream/promises';
import { type StaffCall, staffCalls } from '@offer-ads/contracts/admin/staff-calls';
import { pictureName } from '@offer-ads/contracts/internal/moderation-api';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Request, Response, Router } from 'express';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { type Owner, type ServiceCalls, ServiceUnreachable } from '../../service-calls.ts';
import type { Decisions } from '../decisions.ts';
import { requireRole } from './require-role.ts';
import { sessionOf } from './require-session.ts';

export function forwardCalls(
  routes: Router,
  {
    ask,
    decisions,
    logger,
  }: {
    readonly ask: ServiceCalls;
    readonly decisions: Decisions;
    readonly logger: Logger;
  },
): void {
  const askAs = async (req: Request, owner: Owner, call: { path: string; json?: object }) => {
    const method = req.method as 'GET' | 'POST' | 'PUT';
    const { requestId } = requestFacts(req);
    try {
      return await ask(owner, { method, ...call }, { person: sessionOf(req).person, requestId });
    } catch (error) {
      if (!(error instanceof ServiceUnreachable)) throw error;
      throw new Fault('a service cannot be reached', {
        status: 502,
        publicMessage: `The service ${owner} does not answer: look at its health`,
        cause: error,
      });
    }
  };

  // Moderation sends the copy as base64; pages need an address of a picture.
  const copy = 'GET /moderation/pictures/:name/copy';
  routes.get(pathOf(copy), requireRole(copy, logger), async (req, res) => {
    const { name } = validInput(z.object({ name: pictureName }), req.params);
    const reply = await askAs(req, 'moderation', { path: `/admin/pictures/${name}/copy` });
    const body = (await reply.body.json()) as { jpegBase64?: string };
    if (reply.statusCode !== 200) return void res.status(reply.statusCode).json(body);
    res.type('image/jpeg').send(Buffer.from(body.jpegBase64 ?? '', 'base64'));
  });

  for (const call of Object.keys(staffCalls) as StaffCall[]) {
    const owner = serviceNames.find((name) => pathOf(call).startsWith(`/${name}/`));
    if (owner === undefined || call === copy) continue;
    const template = pathOf(call).slice(owner.length + 1);
    const isReading = call.startsWith('GET ');
    routes[methodOf(call)](pathOf(call), requireRole(call, logger), async (req, res) => {
      const path = `/admin${filled(template, req)}${queryOf(req)}`;
      if (isReading) return answerWith(res, await askAs(req, owner, { path }));
      const decision = { ...decisionIn(owner, template, req), by: sessionOf(req).person.name };
      const begun = decisions.begin(decision, seenMsAgo(req));
      if (!begun.ok) return void res.status(409).json({ message: begun.message });
      let wasDone = false;
      try {
        const reply = await askAs(req, owner, { path, json: bodyOf(req) });
        wasDone = reply.statusCode < 400;
        await answerWith(res, reply);
      } finally {
        begun.end(wasDone);
      }
    });
  }
}

function pathOf(call: StaffCall): string {
  return call.slice(call.indexOf(' ') + 1);
}

function methodOf(call: StaffCall) {
  return (call.split(' ')[0] ?? '').toLowerCase() as 'get' | 'post' | 'put';
}

/** Inserts each parameter as one encoded path segment. Refuses `.` and `..`, which would lead to another route. */
function filled(template: string, req: Request): string {
  return template.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const segment = encodeURIComponent(String(req.params[name]));
    if (!/^\.{1,2}$/.test(segment)) return segment;
    throw new Fault('a path that leaves its route', { status: 404, publicMessage: 'Not found' });
  });
}

function queryOf(req: Request): string {
  const at = req.originalUrl.indexOf('?');
  return at === -1 ? '' : req.originalUrl.slice(at);
}

/** The things that a change is about: from its path or its body. */
function decisionIn(owner: Owner, template: string, req: Request) {
  const [, place = '', verb = ''] = /^(.*)\/([\w-]+)$/.exec(filled(template, req)) ?? [];
  const body = z
    .object({
      action: z.string().optional(),
      reason: z.string().default(''),
      id: z.string().optional(),
      ids: z.array(z.string()).or(z.literal('all')).optional(),
      name: z.string().optional(),
      organisationId: z.number().optional(),
      acceptJump: z.string().optional(),
    })
    .safeParse(req.body).data;
  const named = [
    body?.id,
    body?.name,
    body?.organisationId,
    body?.acceptJump,
    ...(Array.isArray(body?.ids) ? body.ids : []),
  ];
  const about = template.includes(':') ? [''] : named.filter((name) => name !== undefined);
  return {
    about: about.map((name) => `/${owner}${place}/${name}`),
    action: body?.action ?? verb,
    reason: body?.reason ?? '',
  };
}

/** The age of the data on the person's page, as the page reports it. */
function seenMsAgo(req: Request): number | null {
  const told = Number.parseInt(req.get('x-seen-ms-ago') ?? '', 10);
  return told >= 0 ? told : null;
}

function bodyOf(req: Request): object {
  const body = req.body as unknown;
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
}

/** Services answer only JSON, pictures and invoices. */
const forwardedTypes = /^(application\/(json|pdf)|image\/(jpeg|png|gif))(;|$)/;

async function answerWith(res: Response, reply: Dispatcher.ResponseData): Promise<void> {
  const type = String(reply.headers['content-type'] ?? '');
  // A 401 concerns the console's own credential, not the signed-in person.
  if (reply.statusCode === 401 || !forwardedTypes.test(type)) {
    await reply.body.dump();
    throw new Fault(`a service answered ${reply.statusCode} ${type}`, {
      status: 502,
      publicMessage: 'The service sent an answer that cannot be shown',
    });
  }
  res.status(reply.statusCode).set('Content-Type', type);
  const { 'content-disposition': disposition } = reply.headers;
  if (disposition !== undefined) res.set('Content-Disposition', disposition);
  // A picture that is opened directly must not run scripts.
  res.set('Content-Security-Policy', "default-src 'none'");
  try {
    await pipeline(reply.body, res);
  } catch (error) {
    // The browser has left the page.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
