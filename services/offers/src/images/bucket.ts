/** Pictures in an S3 bucket. Loaded only where a bucket is configured, because the client takes 0.4 s and 36 MB. */
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { type ImageStore, pictureTypeOf } from './images.ts';

export type BucketSettings = {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** True: the bucket's name is in the path, as most stores but Amazon's need it. False: it is in the host's name. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** Slow browsers keep these connections while they read; each takes about 64 KiB. */
const MAX_READING = 256;
/** Separate from the readers, so that many browsers cannot block the creation of offers. */
const MAX_WRITING = 32;

export function openImageBucket(o: BucketSettings): ImageStore {
  const reader = clientFor(o, MAX_READING);
  const writer = clientFor(o, MAX_WRITING);
  const at = (name: string) => ({ Bucket: o.bucket, Key: o.prefix + name });
  return {
    put: async (name, picture, signal) => {
      const command = new PutObjectCommand({ ...at(name), Body: picture, ContentType: pictureTypeOf(name) });
      await writer.send(command, { abortSignal: signal });
    },
    read: async (name, signal) => {
      try {
        const command = new GetObjectCommand(at(name));
        const found = await reader.send(command, { abortSignal: signal });
        if (found.Body === undefined || found.ContentLength === undefined) {
          throw new Error('the store answered without a body or its length');
        }
        return { sizeBytes: found.ContentLength, bytes: found.Body as Readable };
      } catch (error) {
        // A missing bucket is a fault; a missing picture is not.
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    remove: async (name, signal) => {
      const command = new DeleteObjectCommand(at(name));
      await writer.send(command, signal && { abortSignal: signal });
    },
    [Symbol.asyncDispose]: async () => {
      reader.destroy();
      writer.destroy();
    },
  };
}

/** Everything that the client would otherwise read from the environment or from files is set here. */
function clientFor(o: BucketSettings, maxSockets: number): S3Client {
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
    endpoint: o.endpoint,
    region: o.region,
    forcePathStyle: o.pathStyle,
    credentials: { accessKeyId: o.accessKeyId, secretAccessKey: o.secretAccessKey },
    defaultsMode: 'standard',
    // One retry, within the caller's deadline.
    maxAttempts: 2,
    retryMode: 'standard',
    // Stores other than Amazon's do not support the newer checksums; the signature or TLS protects the body as well.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableS3ExpressSessionAuth: true,
    userAgentAppId: 'offer-ads',
    requestHandler: { connectionTimeout: 1_000, httpAgent: agent, httpsAgent: agent },
  });
}
