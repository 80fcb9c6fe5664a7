import { describe, expect, it } from '@jest/globals';
import { admitEndpoint, type EndpointSecret, rolledSecrets } from './endpoint.ts';

const now = new Date('2026-06-01T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const hour = 3_600_000;

it('the key of a creation is free again after a day', () => {
  const creation = { key: 'k', fingerprint: 'f' };
  const made = { url: 'https://shop.example/', createdAt: now, creation };
  const other = { url: 'https://a.example/', creation: { key: 'k', fingerprint: 'other' } };
  expect(admitEndpoint([made], made, later(24 * hour - 1))).toEqual({ ok: true, replayed: made });
  expect(admitEndpoint([made], other, later(24 * hour - 1))).toEqual({ ok: false, reason: 'key-reused' });
  expect(admitEndpoint([made], made, later(24 * hour))).toEqual({ ok: false, reason: 'url-taken' });
  expect(admitEndpoint([made], other, later(24 * hour))).toEqual({ ok: true });
});

describe('a secret that is rolled', () => {
  const keys = (name: string) => ({ sealed: name, publicKey: `public ${name}` });
  const first: EndpointSecret = keys('first');

  it('keeps its own end when another roll follows, and is dropped after it', () => {
    const twice = rolledSecrets(rolledSecrets([first], keys('second'), now)!, keys('third'), later(hour))!;
    expect(twice).toEqual([
      keys('third'),
      { ...keys('second'), until: later(25 * hour) },
      { ...keys('first'), until: later(24 * hour) },
    ]);
    expect(rolledSecrets(twice, keys('fourth'), later(24 * hour))!.map(({ sealed }) => sealed)).toEqual([
      'fourth',
      'third',
      'second',
    ]);
  });

  it('is not dropped before its end, however often it is rolled: then the roll is refused', () => {
    let secrets: readonly EndpointSecret[] = [first];
    for (let count = 2; count <= 5; count += 1) secrets = rolledSecrets(secrets, keys(`${count}`), now)!;
    expect(secrets.at(-1)).toMatchObject(first);
    expect(rolledSecrets(secrets, keys('6'), now)).toBeNull();
    expect(rolledSecrets(secrets, keys('6'), later(24 * hour))).toHaveLength(2);
  });
});
