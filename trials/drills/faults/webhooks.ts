/** Webhooks of many advertisers, with test messages to be sent, and the servers that receive them. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { DrillSystem } from '../system.ts';

const ENDPOINTS_OF_EACH = 10;

/** @param base the address of a server; each endpoint has a path of its own there */
export async function sendTests(
  system: DrillSystem,
  o: { readonly base: string; readonly organisations: number; readonly messages: number },
): Promise<void> {
  for (let organisation = 0; organisation < o.organisations; organisation += 1) {
    const key = await newKey(system);
    for (let endpoint = 0; endpoint < ENDPOINTS_OF_EACH; endpoint += 1)
      await sendTo(system, { key, url: `${o.base}/${randomUUID()}`, messages: o.messages });
  }
}

async function newKey({ callAdmin }: DrillSystem): Promise<string> {
  const { id: organisationId } = await callAdmin<{ id: number }>('GATEWAY', 'POST', '/admin/organisations', {
    name: 'Receivers Ltd',
    tradingName: 'Receivers',
    country: 'GB',
    currency: 'GBP',
    adminEmail: `receivers-${randomUUID()}@advertiser.example`,
  });
  const key = { organisationId, mode: 'TEST' };
  return (await callAdmin<{ key: string }>('GATEWAY', 'POST', '/admin/keys', key)).key;
}

async function sendTo(
  system: DrillSystem,
  { key, url, messages }: { readonly key: string; readonly url: string; readonly messages: number },
): Promise<void> {
  const post = (path: string, body?: object) =>
    eventually(async () => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': url };
      const reply = await system.call(path, {
        method: 'POST',
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!reply.ok) throw new Error(`${path} was answered with ${reply.status}`);
      return (await reply.json()) as { webhook_id: string };
    });
  const { webhook_id: id } = await post('/webhooks', { url });
  for (let message = 0; message < messages; message += 1) await post(`/webhooks/${id}/test`);
}

let answersAfterMs = 0;

export function answerAfter(ms: number): void {
  answersAfterMs = ms;
}

/** Returns the address. */
export async function startReceivers(port = 0): Promise<string> {
  const server = createServer((req, res) => {
    req.resume();
    void pause(answersAfterMs).then(() => res.writeHead(204).end());
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  // The drill's process ends although it listens.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
