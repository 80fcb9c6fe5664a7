import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { callerGone } from '@offer-ads/platform/process/faults';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import sharp from 'sharp';
import * as recorded from '../../test/recorded-answers.ts';
import { decide } from '../domain/decision.ts';
import type { Model } from '../model/model.ts';
import { createHostedModel } from './hosted-model.ts';
import { rekognition } from './rekognition.ts';

const secret = 'a-secret-that-nobody-may-read';
const usual = { explicit: 0.6, suggestive: 0.9 };
const side = 640;
/** Nearly white, so that it differs from empty black. */
const look = await sharp({ create: { width: side, height: side, channels: 3, background: '#fafafa' } })
  .jpeg()
  .toBuffer();
const patient = new AbortController().signal;

type Asked = { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: Buffer };
let asked: Asked[];
let answer: (res: ServerResponse, call: number) => void;
let url: string;
let log: string[];
let model: Model | undefined;
const server = createServer((req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => {
    asked.push({ url: req.url ?? '', headers: req.headers, body: Buffer.concat(parts) });
    answer(res, asked.length);
  });
});
beforeEach(async () => {
  asked = [];
  log = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await model?.[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const replying = (status: number, body: unknown) => (res: ServerResponse) =>
  void res.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

/** For one try; long, because on a busy machine an answer must not become a timeout. */
const patientMs = 60_000;

function open(timeoutMs = patientMs): Model {
  const destination = { write: (line: string) => void log.push(line) };
  model = createHostedModel({
    service: rekognition({ url, region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret }),
    logger: createLogger({ service: 'moderation', level: 'trace', destination }),
    metrics: createMetrics('moderation'),
    timeoutMs,
  });
  return model;
}

/** Repeats calls until the breaker opens: on a busy machine, a few calls within its period may not be enough. */
async function expectLeftInPeace(failing: Model): Promise<void> {
  await eventually(async () => {
    const before = asked.length;
    await expect(failing.score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(before);
  });
}

async function verdictOf(body: unknown) {
  answer = replying(200, body);
  return decide(await open().score([look], patient), usual);
}

describe('a hosted model', () => {
  it('allows swimwear and a drink', async () => {
    expect(await verdictOf(recorded.safe)).toEqual({ verdict: 'allowed' });
  });

  it('refuses what it finds explicit', async () => {
    expect(await verdictOf(recorded.unsafe)).toEqual({ verdict: 'refused', reason: 'explicit' });
  });

  it('refuses what it finds hardly less than explicit', async () => {
    expect(await verdictOf(recorded.suggestive)).toEqual({ verdict: 'refused', reason: 'suggestive' });
  });

  it('is asked about every look, and has an answer for each', async () => {
    answer = (res, call) => replying(200, call === 2 ? recorded.unsafe : recorded.safe)(res);
    const scores = await open().score([look, look, look], patient);
    expect(asked).toHaveLength(3);
    expect(scores.filter(({ explicit }) => explicit > 0.6)).toHaveLength(1);
  });

  it('keeps the secret out of addresses and log, whatever it answers', async () => {
    for (const [status, body] of [
      [400, `wrong key ${secret}`],
      [500, { error: { type: secret } }],
      [200, secret],
    ] as const) {
      answer = replying(status, body);
      await expect(open().score([look], patient)).rejects.toMatchObject({
        status: 503,
        message: expect.not.stringContaining(secret),
      });
    }
    expect(asked.map((request) => request.url).join()).not.toContain(secret);
    expect(log.join()).not.toContain(secret);
  });

  it.each([
    ['another shape', { ModerationLabels: 'none', ModerationModelVersion: '7.0' }],
    ['nothing', {}],
    ['no JSON', '<html>'],
    ['a megabyte and more', 'x'.repeat(2 ** 20 + 1)],
  ])('gives no verdict when it answers 200 with %s', async (_kind, body) => {
    answer = replying(200, body);
    await expect(open().score([look], patient)).rejects.toMatchObject({ status: 503 });
  });

  it('is not asked again after a 4xx, and once more after a 5xx', async () => {
    answer = replying(400, {});
    await expect(open().score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(1);
    answer = (res, call) => replying(call === 2 ? 503 : 200, recorded.safe)(res);
    await open().score([look], patient);
    expect(asked).toHaveLength(3);
  });

  it('is asked again when the connection breaks, and not for ever', async () => {
    answer = (res) => void res.destroy();
    await expect(open().score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(2);
  });

  it('has a bounded time', async () => {
    answer = () => {};
    await expect(open(50).score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it('is left in peace for a while when it is away again and again', async () => {
    answer = replying(503, {});
    await expectLeftInPeace(open());
  });

  it.each([
    ['500', 500, {}],
    ['200 without a verdict', 200, {}],
  ])('that answers %s to one picture is asked about the next', async (_case, status, body) => {
    answer = replying(status, body);
    const failing = open();
    for (let count = 0; count < 8; count += 1)
      await expect(failing.score([look], patient)).rejects.toMatchObject({ status: 503 });
    answer = replying(200, recorded.safe);
    expect(await failing.score([look], patient)).toHaveLength(1);
  });
});

describe('Rekognition', () => {
  it('that has too much to do, which it tells with 400, is asked once more, and then left in peace', async () => {
    answer = (res, call) =>
      replying(call === 1 ? 400 : 200, call === 1 ? recorded.overload : recorded.safe)(res);
    const busy = open();
    await busy.score([look], patient);
    expect(asked).toHaveLength(2);
    answer = replying(400, recorded.overload);
    await expectLeftInPeace(busy);
  });
});

it('is not held to be broken because callers have little time left', async () => {
  const hanging = open();
  answer = () => {};
  for (let call = 0; call < 8; call += 1)
    await expect(hanging.score([look], AbortSignal.timeout(20))).rejects.toMatchObject({ status: 503 });
  answer = replying(200, recorded.safe);
  expect(await hanging.score([look], patient)).toHaveLength(1);
});

it('is not waited for by a caller who has gone', async () => {
  const caller = new AbortController();
  answer = () => caller.abort(callerGone());
  await expect(open().score([look], caller.signal)).rejects.toMatchObject({ status: 499 });
});

describe('what is sent', () => {
  const pictureIn = async (jpeg: Buffer) => {
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, (data[0] ?? 0) > 240]).toEqual([side, side, true]);
  };

  it('to Rekognition is signed for the region, and asks for every label', async () => {
    await verdictOf(recorded.safe);
    const { headers, body } = asked[0] as Asked;
    expect(headers['x-amz-target']).toBe('RekognitionService.DetectModerationLabels');
    expect(headers['content-type']).toBe('application/x-amz-json-1.1');
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/rekognition\/aws4_request, /,
    );
    const sent = JSON.parse(body.toString()) as { Image: { Bytes: string }; MinConfidence: number };
    expect(sent.MinConfidence).toBe(1);
    await pictureIn(Buffer.from(sent.Image.Bytes, 'base64'));
  });
});

describe('an answer that is documented and no verdict', () => {
  it('is a 503: labels of another version, whose names may mean something else', async () => {
    const body = { ...recorded.safe, ModerationModelVersion: '8.0' };
    await expect(verdictOf(body)).rejects.toMatchObject({ status: 503 });
  });

  it('tells the operator why', async () => {
    answer = replying(403, recorded.refusal);
    await expect(open().score([look], patient)).rejects.toThrow('answered 403 (AccessDeniedException)');
  });
});
