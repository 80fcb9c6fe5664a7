import { describe, expect, it } from '@jest/globals';
import { allSecrets, createSeal, firstSecret } from './secrets.ts';

const old = 'the-old-secret-0123456789-abcdefghij';
const fresh = 'the-new-secret-0123456789-abcdefghij';

describe('a secret that is being replaced', () => {
  it('is one text, or several of which the first is spoken with and all are listened to', () => {
    expect([firstSecret(old), allSecrets(old)]).toEqual([old, [old]]);
    expect([firstSecret(`${fresh},${old}`), allSecrets(`${fresh},${old}`)]).toEqual([fresh, [fresh, old]]);
  });

  it.each([
    ['the old one alone', 'the new one added behind it', old, `${old},${fresh}`],
    ['the new one added behind it', 'the new one in front', `${old},${fresh}`, `${fresh},${old}`],
    ['the new one in front', 'the new one alone', `${fresh},${old}`, fresh],
  ])('loses nothing while some replicas have %s and others %s', (_before, _after, before, after) => {
    for (const [signer, verifier] of [
      [before, after],
      [after, before],
    ] as const) {
      expect(createSeal(verifier).isGenuine('text', createSeal(signer).sign('text'))).toBe(true);
    }
  });

  it('is worth nothing once it has been left out', () => {
    expect(createSeal(fresh).isGenuine('text', createSeal(old).sign('text'))).toBe(false);
  });

  it('signs with the first alone, not with the setting as a whole', () => {
    expect(createSeal(`${fresh},${old}`).sign('text')).toBe(createSeal(fresh).sign('text'));
  });
});

describe('a seal', () => {
  it('is none of another text, of another length, or of nothing', () => {
    const seal = createSeal(old, { bytes: 16 });
    const signature = seal.sign('text');
    expect(Buffer.from(signature, 'base64url')).toHaveLength(16);
    expect(seal.isGenuine('text', signature)).toBe(true);
    expect(seal.isGenuine('texts', signature)).toBe(false);
    expect(seal.isGenuine('text', createSeal(old).sign('text'))).toBe(false);
    expect(seal.isGenuine('text', '')).toBe(false);
  });

  it('has one spelling', () => {
    const seal = createSeal(old, { bytes: 16 });
    const signature = seal.sign('text');
    const bytes = Buffer.from(signature, 'base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last of 22 characters carries two bits of the signature and four of nothing.
    const lastChanged = Array.from(alphabet, (last) => signature.slice(0, -1) + last);
    const sameBytes = lastChanged.filter((text) => Buffer.from(text, 'base64url').equals(bytes));
    expect(sameBytes).toHaveLength(16);
    for (const other of [...sameBytes, `${signature}==`, `${signature}\n`, ` ${signature}`, `${signature}é`])
      expect([other, seal.isGenuine('text', other)]).toEqual([other, other === signature]);
  });
});
