import { describe, expect, it } from '@jest/globals';
import { allSecrets, createSeal, firstSecret } from './secrets.ts';

const old = 'the-old-secret-0123456789-abcdefghij';
const fresh = 'the-new-secret-0123456789-abcdefghij';

describe('a secret that is being replaced', () => {
  it('is one text, or a list: the first one is sent, all are accepted', () => {
    expect([firstSecret(old), allSecrets(old)]).toEqual([old, [old]]);
    expect([firstSecret(`${fresh},${old}`), allSecrets(`${fresh},${old}`)]).toEqual([fresh, [fresh, old]]);
  });

  it.each([
    ['the old one alone', 'the new one added behind it', old, `${old},${fresh}`],
    ['the new one added behind it', 'the new one in front', `${old},${fresh}`, `${fresh},${old}`],
    ['the new one in front', 'the new one alone', `${fresh},${old}`, fresh],
  ])('works while some replicas have %s and others %s', (_before, _after, before, after) => {
    for (const [signer, verifier] of [
      [before, after],
      [after, before],
    ] as const) {
      expect(createSeal(verifier).isGenuine('text', createSeal(signer).sign('text'))).toBe(true);
    }
  });

  it('is refused once it is removed', () => {
    expect(createSeal(fresh).isGenuine('text', createSeal(old).sign('text'))).toBe(false);
  });

  it('signs with the first one only', () => {
    expect(createSeal(`${fresh},${old}`).sign('text')).toBe(createSeal(fresh).sign('text'));
  });
});

describe('a seal', () => {
  it('does not fit another text, another length or an empty signature', () => {
    const seal = createSeal(old, { bytes: 16 });
    const signature = seal.sign('text');
    expect(Buffer.from(signature, 'base64url')).toHaveLength(16);
    expect(seal.isGenuine('text', signature)).toBe(true);
    expect(seal.isGenuine('texts', signature)).toBe(false);
    expect(seal.isGenuine('text', createSeal(old).sign('text'))).toBe(false);
    expect(seal.isGenuine('text', '')).toBe(false);
  });

  it('has exactly one valid spelling', () => {
    const seal = createSeal(old, { bytes: 16 });
    const signature = seal.sign('text');
    const bytes = Buffer.from(signature, 'base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last of the 22 characters has two bits of the signature and four unused bits.
    const lastChanged = Array.from(alphabet, (last) => signature.slice(0, -1) + last);
    const sameBytes = lastChanged.filter((text) => Buffer.from(text, 'base64url').equals(bytes));
    expect(sameBytes).toHaveLength(16);
    for (const other of [...sameBytes, `${signature}==`, `${signature}\n`, ` ${signature}`, `${signature}é`])
      expect([other, seal.isGenuine('text', other)]).toEqual([other, other === signature]);
  });
});
