/** A JSON document that is the same for every caller: serialised and compressed once, at its first request. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { neverSniffed } from '@offer-ads/platform/pages/built-pages';
import type { RequestHandler } from 'express';

/** Takes a tenth of the time of the highest quality, and the result is hardly larger. */
const brotliQuality = 9;

type Encoding = 'br' | 'gzip' | 'identity';
type Form = { readonly bytes: Buffer; readonly etag: string };

export function jsonDocument(document: object, type = 'json'): RequestHandler {
  let written: Promise<Readonly<Record<Encoding, Form>>> | undefined;
  return async (req, res) => {
    written ??= writeOut(document);
    const forms = await written;
    const accepted = req.acceptsEncodings('br', 'gzip', 'identity');
    const encoding: Encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
    const { bytes, etag } = forms[encoding];
    res.set({ ETag: etag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' });
    neverSniffed(res);
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    // Express answers 304 if the caller already has this version.
    res.type(type).send(bytes);
  };
}

async function writeOut(document: object): Promise<Readonly<Record<Encoding, Form>>> {
  const identity = Buffer.from(JSON.stringify(document));
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
    promisify(gzip)(identity),
  ]);
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  const form = (bytes: Buffer, name: Encoding): Form => ({ bytes, etag: `"${hash}-${name}"` });
  return { br: form(br, 'br'), gzip: form(gzipped, 'gzip'), identity: form(identity, 'identity') };
}
