import { createHash, createHmac } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { rekognition } from './rekognition.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

it('signs what it sends as AWS computes it: Signature Version 4, by its documented steps', async () => {
  const [region, accessKeyId, secretAccessKey] = ['eu-west-1', 'AKIDEXAMPLE', 'a secret'];
  const service = rekognition({ region, accessKeyId, secretAccessKey });
  const { url, headers, body } = await service.request(Buffer.from('a picture'));

  const { host, pathname } = new URL(url);
  const sent: Record<string, string> = { ...headers, host };
  const { authorization = '' } = headers;
  const [, names = '', signature] = /SignedHeaders=([^,]+), Signature=(\w+)$/.exec(authorization) ?? [];
  expect(names.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-target']));
  const signed = names.split(';').map((name) => `${name}:${sent[name]}`);
  const request = ['POST', pathname, '', ...signed, '', names, sha256(body as string)].join('\n');

  const time = headers['x-amz-date'] ?? '';
  const scope = [time.slice(0, 8), region, 'rekognition', 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  expect(signature).toBe(hmac(key, toSign).toString('hex'));
  expect(authorization).toContain(`Credential=${accessKeyId}/${scope.join('/')},`);
});
