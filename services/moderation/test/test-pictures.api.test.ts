import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { moderationUnderTest, ruling } from './moderation-under-test.ts';

const file = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../docs/test-pictures/${name}`, import.meta.url)));
const alwaysAllowed = file('always-allowed.png');
const alwaysRefused = file('always-refused.jpg');

const under = forAllTests(() => moderationUnderTest());
beforeEach(() => {
  Object.assign(under.model, { says: 0.1, asked: 0 });
});
const TEST = { mode: 'TEST' } as const;
const LIVE = { mode: 'LIVE' } as const;

describe('the published test pictures in TEST mode', () => {
  it('get the verdicts that are published, whatever the model would say', async () => {
    for (const says of [0, 1, null]) {
      under.model.says = says;
      expect(await under.upload(alwaysAllowed, TEST)).toMatchObject({
        verdict: 'allowed',
        contentType: 'image/png',
      });
      expect(await under.upload(alwaysRefused, TEST)).toMatchObject({
        verdict: 'refused',
        reason: 'the test picture that is always refused',
      });
    }
    expect(under.model.asked).toBe(0);
  });

  it('get them whatever anybody decides', async () => {
    await under.admin('POST /rulings', ruling('block', alwaysAllowed));
    await under.admin('POST /rulings', ruling('allow', alwaysRefused));
    expect((await under.upload(alwaysAllowed, TEST)).verdict).toBe('allowed');
    expect((await under.upload(alwaysRefused, TEST)).verdict).toBe('refused');
    for (const picture of [alwaysAllowed, alwaysRefused])
      await under.admin('POST /rulings', ruling('withdraw', picture));
  });

  it('are known by every byte', async () => {
    under.model.says = 1;
    expect((await under.upload(Buffer.concat([alwaysAllowed, Buffer.of(0)]), TEST)).verdict).toBe('refused');
  });
});

describe('the published test pictures in LIVE mode', () => {
  it('are judged like any other', async () => {
    expect((await under.upload(alwaysAllowed, LIVE)).verdict).toBe('allowed');
    expect((await under.upload(alwaysRefused, LIVE)).verdict).toBe('allowed');
    expect(under.model.asked).toBe(2);
    await under.admin('POST /rulings', ruling('block', alwaysAllowed));
    expect((await under.upload(alwaysAllowed, LIVE)).verdict).toBe('refused');
  });
});
