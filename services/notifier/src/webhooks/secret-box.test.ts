import { describe, expect, it } from '@jest/globals';
import { createSecretBox } from './secret-box.ts';

const old = 'an-old-secret-that-only-tests-ever-use-01234567';
const fresh = 'a-fresh-secret-that-only-tests-ever-use-0123456';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('a sealed secret', () => {
  it('does not show the secret, differs each time, and opens to it', () => {
    const box = createSecretBox(old);
    const sealed = [box.seal(secret, 'we_1'), box.seal(secret, 'we_1')];
    expect(new Set(sealed).size).toBe(2);
    for (const one of sealed) {
      expect(one).not.toContain(secret.slice(6));
      expect(box.open(one, 'we_1')).toBe(secret);
    }
  });

  it('opens while the setting is being replaced, and no longer when its own secret is gone', () => {
    const sealed = createSecretBox(old).seal(secret, 'we_1');
    expect(createSecretBox(`${old},${fresh}`).open(sealed, 'we_1')).toBe(secret);
    expect(createSecretBox(`${fresh},${old}`).open(sealed, 'we_1')).toBe(secret);
    expect(createSecretBox(fresh).open(sealed, 'we_1')).toBeUndefined();
    const sealedLater = createSecretBox(`${fresh},${old}`).seal(secret, 'we_1');
    expect(createSecretBox(fresh).open(sealedLater, 'we_1')).toBe(secret);
  });

  it('opens for no other endpoint, and not when it was changed', () => {
    const box = createSecretBox(old);
    const sealed = box.seal(secret, 'we_1');
    expect(box.open(sealed, 'we_2')).toBeUndefined();
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    expect(box.open(bytes.toString('base64url'), 'we_1')).toBeUndefined();
    expect(box.open('', 'we_1')).toBeUndefined();
  });
});
