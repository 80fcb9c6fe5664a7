/** The part of S3 that pictures need, as strict as real stores about signatures. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { S3Client } from '@aws-sdk/client-s3';
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
  // As that of a bucket: the caller closes an idle connection first.
  const server = createServer({ keepAliveTimeoutBuffer: 60_000 }, (req, res) => {
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
  const body = await buffer(req);
  const refusal = await judgeSignature(o.settings, req, body);
  if (refusal !== null) return refusal;
  const { pathname } = new URL(req.url ?? '', o.settings.endpoint);
  const [bucket, ...rest] = decodeURIComponent(pathname).slice(1).split('/');
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

/** Null if the client of AWS signs the request in the same way with the key, secret and region of these settings. */
async function judgeSignature(
  o: BucketSettings,
  req: IncomingMessage,
  body: Buffer,
): Promise<S3Error | null> {
  const { authorization = '', 'x-amz-date': at = '', 'x-amz-content-sha256': hash } = req.headers;
  if (hash !== createHash('sha256').update(body).digest('hex'))
    return { status: 400, code: 'XAmzContentSHA256Mismatch' };
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const { protocol, hostname, pathname: path, searchParams } = new URL(req.url ?? '', o.endpoint);
  const headers = Object.fromEntries(names.map((name) => [name, String(req.headers[name])]));
  const request = { method: req.method ?? '', protocol, hostname, path, headers };
  const signer = await new S3Client({ region: o.region, credentials: o }).config.signer();
  const signed = await signer.sign(
    { ...request, query: Object.fromEntries(searchParams) },
    { signingDate: new Date(String(at).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')) },
  );
  const isSame = signed.headers['authorization'] === authorization;
  return isSame ? null : { status: 403, code: 'SignatureDoesNotMatch' };
}
