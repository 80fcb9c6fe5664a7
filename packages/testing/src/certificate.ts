/** Makes a certificate for a test's server: the smallest X.509 in DER that TLS accepts. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

export type Certificate = { readonly key: string; readonly cert: string };

/** Self-signed: only clients that have it as an authority trust it. `until`: when it expires, as `20210101000000Z`. */
export function certificateFor(name: string, { until = '21200101000000Z' } = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = sequence(set(sequence(oid(85, 4, 3), der(0x0c, Buffer.from(name)))));
  const signed = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    issuer,
    sequence(time('20200101000000Z'), time(until)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid(85, 29, 17), der(0x04, sequence(subjectName(name)))))),
  );
  const signature = sign('sha256', signed, privateKey);
  const whole = sequence(signed, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

function subjectName(name: string): Buffer {
  if (isIP(name) === 4) return der(0x87, Buffer.from(name.split('.').map(Number)));
  return der(0x82, Buffer.from(name));
}

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...contents: Buffer[]): Buffer {
  return der(0x30, ...contents);
}

function set(...contents: Buffer[]): Buffer {
  return der(0x31, ...contents);
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function oid(...bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function time(text: string): Buffer {
  return der(0x18, Buffer.from(text));
}

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
