/** A person in the portal, with the requests that its pages make. */
import { randomUUID } from 'node:crypto';
import { allMails } from '@offer-ads/testing/all-mails';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import { type AnyBody, unusedAddress } from './advertiser.ts';
import { mailsTo } from './simulators.ts';
import type { System } from './system.ts';

export type Visitor = (
  method: string,
  path: string,
  json?: unknown,
) => Promise<{ status: number; body: unknown }>;

/** Keeps its cookie and CSRF token like the portal's page, and repeats a request after a 503. */
function visitor(system: Pick<System, 'state'>): Visitor {
  const address = unusedAddress();
  let cookie = '';
  let csrfToken = '';
  const ask = async (method: string, path: string, idempotencyKey: string, json: unknown) => {
    const response = await fetch(`${system.state().gateway}/portal/api${path}`, {
      method,
      headers: {
        'x-forwarded-for': address,
        cookie,
        'x-csrf-token': csrfToken,
        'idempotency-key': idempotencyKey,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    for (const line of response.headers.getSetCookie()) cookie = line.split(';')[0] ?? '';
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body: unknown = isJson ? await response.json() : await response.text();
    csrfToken = (body as { csrfToken?: string } | undefined)?.csrfToken ?? csrfToken;
    return { status: response.status, body: body as Partial<AnyBody> };
  };
  return (method, path, json) => {
    const idempotencyKey = randomUUID();
    return patiently(() => ask(method, path, idempotencyKey, json));
  };
}

/** A visitor who has opened the link of the mail. */
export async function signedIn(system: Pick<System, 'state'>, email: string): Promise<Visitor> {
  const person = visitor(system);
  await person('POST', '/sign-in', { email });
  const { status } = await person('POST', '/sign-in/complete', { token: await tokenMailedTo(system, email) });
  if (status !== 200) throw new Error(`signing in was answered ${status}`);
  return person;
}

/** Mails of TEST mode come only to people who have switched them on. */
export async function switchTestMailsOn(system: Pick<System, 'state'>, email: string): Promise<void> {
  const person = await signedIn(system, email);
  const { status } = await person('PUT', '/mail-preferences', allMails);
  if (status !== 200) throw new Error(`choosing mails was answered ${status}`);
}

const used = new Set<string>();

/** From the newest mail; older ones may belong to an earlier test. */
async function tokenMailedTo(system: Pick<System, 'state'>, address: string): Promise<string> {
  return eventually(async () => {
    const mails = (await mailsTo(system, address)).filter((mail) => mail.subject.includes('sign-in link'));
    const token = /\/portal\/sign-in#(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1];
    if (token === undefined || used.has(token)) throw new Error(`no fresh link for ${address}`);
    used.add(token);
    return token;
  });
}
