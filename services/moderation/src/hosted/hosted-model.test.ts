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
import type { HostedService } from './hosted-service.ts';
import { rekognition } from './rekognition.ts';
import { safeSearch } from './safe-search.ts';
import { sightengine } from './sightengine.ts';

const secret = 'a-secret-that-nobody-may-read';
const usual = { explicit: 0.6, suggestive: 0.9 };
const side = 640;
/** Nearly white, so that it is told from the black of nothing. */
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

const services: Record<string, () => HostedService> = {
  rekognition: () =>
    rekognition({ url, region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret }),
  safesearch: () => safeSearch({ url, apiKey: secret }),
  sightengine: () => sightengine({ url, apiUser: '1234567', apiSecret: secret }),
};

/** Of one try; long, because a busy machine must not make an answer a time-out. */
const patientMs = 60_000;

function open(name: string, timeoutMs = patientMs): Model {
  const destination = { write: (line: string) => void log.push(line) };
  model = createHostedModel({
    service: (services[name] as () => HostedService)(),
    logger: createLogger({ service: 'moderation', level: 'trace', destination }),
    metrics: createMetrics('moderation'),
    timeoutMs,
  });
  return model;
}

/** Sooner or later: on a busy machine so few calls come in a while that they prove nothing yet, or the while is over again. */
async function expectLeftInPeace(failing: Model): Promise<void> {
  await eventually(async () => {
    const before = asked.length;
    await expect(failing.score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(before);
  });
}

async function verdictOf(name: string, body: unknown) {
  answer = replying(200, body);
  return decide(await open(name).score([look], patient), usual);
}

describe.each([
  ['rekognition', recorded.rekognitionSafe, recorded.rekognitionUnsafe, recorded.rekognitionSuggestive],
  ['safesearch', recorded.safeSearchSafe, recorded.safeSearchUnsafe, recorded.safeSearchSuggestive],
  ['sightengine', recorded.sightengineSafe, recorded.sightengineUnsafe, recorded.sightengineSuggestive],
])('%s', (name, safe, unsafe, suggestive) => {
  it('allows swimwear and a drink', async () => {
    expect(await verdictOf(name, safe)).toEqual({ verdict: 'allowed' });
  });

  it('refuses what it finds explicit', async () => {
    expect(await verdictOf(name, unsafe)).toEqual({ verdict: 'refused', reason: 'explicit' });
  });

  it('refuses what it finds hardly less than explicit', async () => {
    expect(await verdictOf(name, suggestive)).toEqual({ verdict: 'refused', reason: 'suggestive' });
  });

  it('is asked about every look, and has an answer for each', async () => {
    answer = (res, call) => replying(200, call === 2 ? unsafe : safe)(res);
    const scores = await open(name).score([look, look, look], patient);
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
      await expect(open(name).score([look], patient)).rejects.toMatchObject({
        status: 503,
        message: expect.not.stringContaining(secret),
      });
    }
    expect(asked.map((request) => request.url).join()).not.toContain(secret);
    expect(log.join()).not.toContain(secret);
  });

  it.each([
    ['another shape', { responses: 'yes', ModerationLabels: 'none', status: 'success', nudity: 1 }],
    ['nothing', {}],
    ['no JSON', '<html>'],
    ['a megabyte and more', 'x'.repeat(2 ** 20 + 1)],
  ])('gives no verdict when it answers 200 with %s', async (_kind, body) => {
    answer = replying(200, body);
    await expect(open(name).score([look], patient)).rejects.toMatchObject({ status: 503 });
  });

  it('is not asked again after a 4xx, and once more after a 5xx', async () => {
    answer = replying(400, {});
    await expect(open(name).score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(1);
    answer = (res, call) => replying(call === 2 ? 503 : 200, safe)(res);
    await open(name).score([look], patient);
    expect(asked).toHaveLength(3);
  });

  it('is asked again when the connection breaks, and not for ever', async () => {
    answer = (res) => void res.destroy();
    await expect(open(name).score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(2);
  });

  it('has a bounded time', async () => {
    answer = () => {};
    await expect(open(name, 50).score([look], patient)).rejects.toMatchObject({ status: 503 });
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it('is left in peace for a while when it is away again and again', async () => {
    answer = replying(503, {});
    await expectLeftInPeace(open(name));
  });

  it.each([
    ['500', 500, {}],
    ['200 without a verdict', 200, {}],
  ])('that answers %s to one picture is asked about the next', async (_case, status, body) => {
    answer = replying(status, body);
    const failing = open(name);
    for (let count = 0; count < 8; count += 1)
      await expect(failing.score([look], patient)).rejects.toMatchObject({ status: 503 });
    answer = replying(200, safe);
    expect(await failing.score([look], patient)).toHaveLength(1);
  });
});

describe('Rekognition', () => {
  it('that has too much to do, which it tells with 400, is asked once more, and then left in peace', async () => {
    answer = (res, call) =>
      replying(
        call === 1 ? 400 : 200,
        call === 1 ? recorded.rekognitionOverload : recorded.rekognitionSafe,
      )(res);
    const busy = open('rekognition');
    await busy.score([look], patient);
    expect(asked).toHaveLength(2);
    answer = replying(400, recorded.rekognitionOverload);
    await expectLeftInPeace(busy);
  });
});

it('is not held to be broken because callers have little time left', async () => {
  const hanging = open('sightengine');
  answer = () => {};
  for (let call = 0; call < 8; call += 1)
    await expect(hanging.score([look], AbortSignal.timeout(20))).rejects.toMatchObject({ status: 503 });
  answer = replying(200, recorded.sightengineSafe);
  expect(await hanging.score([look], patient)).toHaveLength(1);
});

it('is not waited for by a caller who has gone', async () => {
  const caller = new AbortController();
  answer = () => caller.abort(callerGone());
  await expect(open('sightengine').score([look], caller.signal)).rejects.toMatchObject({ status: 499 });
});

describe('what is sent', () => {
  const pictureIn = async (jpeg: Buffer) => {
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, (data[0] ?? 0) > 240]).toEqual([side, side, true]);
  };

  it('to Rekognition is signed for the region, and asks for every label', async () => {
    await verdictOf('rekognition', recorded.rekognitionSafe);
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

  it('to SafeSearch has its key in a header', async () => {
    await verdictOf('safesearch', recorded.safeSearchSafe);
    const { url: path, headers, body } = asked[0] as Asked;
    expect([path, headers['x-goog-api-key']]).toEqual(['/v1/images:annotate', secret]);
    const sent = JSON.parse(body.toString()) as { requests: { image: { content: string } }[] };
    expect(sent.requests).toMatchObject([{ features: [{ type: 'SAFE_SEARCH_DETECTION' }] }]);
    await pictureIn(Buffer.from(sent.requests[0]?.image.content ?? '', 'base64'));
  });

  it('to Sightengine is a form', async () => {
    await verdictOf('sightengine', recorded.sightengineSafe);
    const { url: path, headers, body } = asked[0] as Asked;
    expect(path).toBe('/1.0/check.json');
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
    expect([form.get('models'), form.get('api_user'), form.get('api_secret')]).toEqual([
      'nudity-2.1',
      '1234567',
      secret,
    ]);
    await pictureIn(Buffer.from(await (form.get('media') as File).arrayBuffer()));
  });
});

describe('an answer that is documented and no verdict', () => {
  it.each([
    ['safesearch', 'unknown likelihoods', recorded.safeSearchUnknown],
    ['safesearch', 'a picture that it could not read', recorded.safeSearchNotAnnotated],
    ['sightengine', 'a failure', recorded.sightengineFailure],
    [
      'rekognition',
      'labels of another version, whose names may mean something else',
      { ...recorded.rekognitionSafe, ModerationModelVersion: '8.0' },
    ],
  ])('is a 503: %s with %s', async (name, _what, body) => {
    await expect(verdictOf(name, body)).rejects.toMatchObject({ status: 503 });
  });

  it.each([
    ['rekognition', 'AccessDeniedException', recorded.rekognitionRefusal],
    ['safesearch', 'INVALID_ARGUMENT', recorded.safeSearchRefusal],
    ['sightengine', 'usage_limit', recorded.sightengineFailure],
  ])('tells the operator why: %s with %s', async (name, word, body) => {
    answer = replying(403, body);
    await expect(open(name).score([look], patient)).rejects.toThrow(`answered 403 (${word})`);
  });
});
