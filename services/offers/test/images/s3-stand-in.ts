/**
 * The part of S3 that pictures need, as strict as real stores: it computes every signature (SigV4), and bodies must have the hash that was signed.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { OffersConfig } from '../../src/config.ts';
import type { BucketSettings } from '../../src/images/bucket.ts';

export type S3StandIn = AsyncDisposable & {
  readonly settings: BucketSettings;
  /** The same as settings of the service. */
  readonly config: Partial<OffersConfig>;
  /** By key. */
  readonly objects: Map<string, { readonly bytes: Buffer; readonly contentType: string | undefined }>;
  /** The operations so far, such as `PUT`. */
  readonly asked: string[];
  /** The connection breaks after this many bytes of a picture. */
  breakAfterBytes: number;
  /** Runs before every operation. An error that it returns is the answer. */
  before: (operation: string) => Promise<S3Error | undefined>;
};

type S3Error = { readonly status: number; readonly code: string };
type Answer = S3Error | { readonly body: Buffer | string; readonly contentType: string | undefined };

export async function startS3StandIn(): Promise<S3StandIn> {
  const server = createServer((req, res) => {
    void answer(standIn, req)
      .catch((): S3Error => ({ status: 500, code: 'InternalError' }))
      .then((reply) => send(standIn, res, req, reply));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const settings = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-test-1',
    bucket: 'pictures',
    prefix: 'offers/live/',
    pathStyle: true,
    accessKeyId: 'AKIAOFTESTSONLY',
    secretAccessKey: 'a secret/of+tests only',
  };
  const standIn: S3StandIn = {
    settings,
    config: {
      IMAGE_STORE_URL: `s3://${settings.bucket}/${settings.prefix}`,
      S3_ENDPOINT: settings.endpoint,
      S3_REGION: settings.region,
      S3_ACCESS_KEY_ID: settings.accessKeyId,
      S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    },
    objects: new Map(),
    asked: [],
    breakAfterBytes: Number.POSITIVE_INFINITY,
    before: async () => undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}

async function answer(o: S3StandIn, req: IncomingMessage): Promise<Answer> {
  const url = new URL(req.url ?? '', o.settings.endpoint);
  const body = await buffer(req);
  const refusal = judgeSignature(o.settings, req, url, body);
  if (refusal !== null) return refusal;
  const [bucket, ...rest] = decodeURIComponent(url.pathname).slice(1).split('/');
  if (bucket !== o.settings.bucket) return { status: 404, code: 'NoSuchBucket' };
  const key = rest.join('/');
  const operation = req.method ?? '';
  o.asked.push(operation);
  const instead = await o.before(operation);
  if (instead !== undefined) return instead;
  switch (operation) {
    case 'PUT':
      o.objects.set(key, { bytes: body, contentType: req.headers['content-type'] });
      return { body: '', contentType: undefined };
    case 'GET': {
      const { bytes, contentType } = o.objects.get(key) ?? {};
      return bytes === undefined ? { status: 404, code: 'NoSuchKey' } : { body: bytes, contentType };
    }
    case 'DELETE':
      o.objects.delete(key);
      return { body: '', contentType: undefined };
    default:
      return { status: 405, code: 'MethodNotAllowed' };
  }
}

function send(o: S3StandIn, res: ServerResponse, req: IncomingMessage, reply: Answer): void {
  if ('code' in reply) {
    res.writeHead(reply.status, { 'content-type': 'application/xml' });
    return void res.end(`<?xml version="1.0"?><Error><Code>${reply.code}</Code></Error>`);
  }
  const status = req.method === 'DELETE' ? 204 : 200;
  res.writeHead(status, {
    ...(reply.contentType !== undefined && { 'content-type': reply.contentType }),
    ...(status === 200 && { 'content-length': Buffer.byteLength(reply.body) }),
  });
  if (reply.body.length <= o.breakAfterBytes) return void res.end(reply.body);
  res.write(reply.body.slice(0, o.breakAfterBytes), () => res.destroy());
}

const MAX_SKEW_MS = 15 * 60_000;

/** "Authenticating requests: using the Authorization header (AWS Signature Version 4)". */
function judgeSignature(o: BucketSettings, req: IncomingMessage, url: URL, body: Buffer): S3Error | null {
  const denied = (code: string): S3Error => ({ status: 403, code });
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, accessKeyId, day = '', region = '', names = '', signature] =
    given.exec(req.headers.authorization ?? '') ?? [];
  if (signature === undefined) return denied('AccessDenied');
  if (accessKeyId !== o.accessKeyId) return denied('InvalidAccessKeyId');
  if (region !== o.region) return denied('AuthorizationHeaderMalformed');
  const at = String(req.headers['x-amz-date']);
  const instant = Date.parse(at.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!at.startsWith(day) || !(Math.abs(Date.now() - instant) < MAX_SKEW_MS))
    return denied('RequestTimeTooSkewed');
  const hash = String(req.headers['x-amz-content-sha256']);
  if (hash !== sha256(body)) return { status: 400, code: 'XAmzContentSHA256Mismatch' };
  const signed = names.split(';');
  const mustBeSigned = Object.keys(req.headers).filter(
    (name) => name === 'host' || name.startsWith('x-amz-'),
  );
  if (!mustBeSigned.every((name) => signed.includes(name))) return denied('AccessDenied');

  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).toSorted();
  const canonical = [
    req.method,
    url.pathname,
    query.join('&'),
    ...signed.map((name) => `${name}:${String(req.headers[name]).trim()}`),
    '',
    names,
    hash,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${o.secretAccessKey}`);
  return hmac(key, toSign).toString('hex') === signature ? null : denied('SignatureDoesNotMatch');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
