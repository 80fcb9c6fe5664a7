/** One advertiser after the other creates an offer by method `B`, through the gateway. */
import { randomUUID } from 'node:crypto';
import { createReply } from '@offer-ads/contracts/public/api';
import { Pool } from 'undici';
import { clientAddress } from '../gateway/load.ts';
import type { Pictures } from './pictures.ts';

export type Creator = {
  /** Throws unless an offer was created. */
  readonly create: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const hourMs = 3_600_000;
const boundary = 'bench-offers-boundary';

/** @param o.keys by turns; so are the addresses of clients, that the limit of 60 a minute is counted and never reached */
export function creator(o: { gatewayUrl: string; keys: readonly string[]; pictures: Pictures }): Creator {
  const pool = new Pool(o.gatewayUrl, { connections: 64 });
  let count = 0;
  return {
    create: async () => {
      count += 1;
      const reply = await pool.request({
        method: 'POST',
        path: '/offers',
        headers: {
          'x-api-key': o.keys[count % o.keys.length] ?? '',
          'x-forwarded-for': clientAddress(count),
          'idempotency-key': randomUUID(),
          'content-type': `multipart/form-data; boundary=${boundary}`,
        },
        body: form(o.pictures.next()),
      });
      const text = await reply.body.text();
      const body = reply.statusCode === 200 ? createReply.safeParse(JSON.parse(text)) : undefined;
      if (body?.success !== true) throw new Error(`not created: ${reply.statusCode} ${text}`);
    },
    close: () => pool.close(),
  };
}

function form(picture: Buffer): Buffer {
  const start = new Date(Date.now() + hourMs);
  const fields: [string, string][] = [
    ['category_id', '1'],
    ['title', 'Two coffees for the price of one'],
    [
      'description',
      'Every weekday until eleven: bring somebody whom you would like to meet again. '.repeat(4),
    ],
    ['terms_and_conditions', 'One voucher for each table, while stocks last.'],
    ['url', 'https://cafe.example/two-for-one'],
    ['location[]', '51.5074'],
    ['location[]', '-0.1278'],
    ['radius', '10'],
    ['interests[]', '1'],
    ['interests[]', '4'],
    ['start_datetime', start.toISOString()],
    ['expiry_datetime', new Date(start.getTime() + 10 * hourMs).toISOString()],
    ['payment_method', 'B'],
    ['environment', 'TEST'],
  ];
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head =
    `${parts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="picture.jpg"\r\n` +
    'Content-Type: image/jpeg\r\n\r\n';
  return Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}
