/** The server of an advertiser, which receives webhooks and verifies them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type WebhookEvent } from '@offer-ads/sdk';

export type Shop = AsyncDisposable & {
  readonly url: string;
  /** Of the webhook; any of them may have signed. */
  readonly secrets: string[];
  /** What came from the service and was answered with 2xx. */
  readonly events: WebhookEvent[];
  answer: (res: ServerResponse) => void;
};

export async function startShop(): Promise<Shop> {
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const event = await verifyWebhook({
      secret: shop.secrets,
      headers: req.headers,
      body: Buffer.concat(chunks),
    }).catch(() => null);
    if (event === null) return void res.writeHead(400).end('not signed by the service');
    shop.answer(res);
    if (res.statusCode < 300) shop.events.push(event);
  }
  const server = createServer((req, res) => void receive(req, res));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const shop: Shop = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    secrets: [],
    events: [],
    answer: (res) => res.writeHead(204).end(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return shop;
}
