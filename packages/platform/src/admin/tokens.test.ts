import { describe, expect, it } from '@jest/globals';
import { adminCredential, hashEntry, type NamedHashes, parseTokenHashes, sha256 } from './tokens.ts';

const ann = 'a'.repeat(32);
const annNew = 'n'.repeat(32);
const bo = 'b'.repeat(32);
const entry = (name: string, token: string) => hashEntry(name, token, 'billing');
const credential = (token: string) => adminCredential(token, 'billing');

function hashesIn(setting: string): NamedHashes {
  const parsed = parseTokenHashes(setting);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.hashes;
}

describe('a list of hashes', () => {
  const both = hashesIn(`${entry('ann', ann)},${entry('bo', bo)}`);

  it('names the owner of each credential, and nobody for another text', () => {
    expect([ann, bo].map((token) => both.nameOf(credential(token)))).toEqual(['ann', 'bo']);
    for (const other of ['', ann, `${credential(ann)}x`, credential(annNew)])
      expect([other, both.nameOf(other)]).toEqual([other, null]);
  });

  it('accepts both tokens of a person while one is replaced', () => {
    const replacing = hashesIn(`${entry('ann', ann)},${entry('ann', annNew)}`);
    expect([ann, annNew].map((token) => replacing.nameOf(credential(token)))).toEqual(['ann', 'ann']);
  });

  it('has no hash that was removed, or that belongs to another person', () => {
    const hash = sha256(credential(ann));
    expect(both.has('ann', hash)).toBe(true);
    expect(both.has('bo', hash)).toBe(false);
    expect(hashesIn(entry('bo', bo)).has('ann', hash)).toBe(false);
  });

  it('holds neither token nor credential', () => {
    const text = `${entry('ann', ann)},${entry('bo', bo)}`;
    for (const secret of [ann, bo, credential(ann), credential(bo)]) expect(text).not.toContain(secret);
  });

  it.each([
    ['', 'entry 1 must begin with a name'],
    [ann, 'entry 1 must have a hash'],
    [entry('Ann', ann), 'entry 1 must begin with a name'],
    [entry('ann\nbo', ann), 'entry 1 must begin with a name'],
    [`${entry('ann', ann)}, ${entry('bo', bo)}`, 'entry 2 must begin with a name'],
    [`ann:${ann}`, 'entry 1 must have a hash'],
    [`${entry('ann', ann)} `, 'entry 1 must have a hash'],
    [`${entry('ann', ann)},${entry('bo', ann)}`, 'entry 2 has the same hash as another entry'],
  ])('is refused as %j, and the message does not quote it', (setting, problem) => {
    const parsed = parseTokenHashes(setting);
    expect(parsed).toEqual({ ok: false, problem: expect.stringContaining(problem) });
    expect(JSON.stringify(parsed)).not.toContain(ann);
  });
});

describe('a credential', () => {
  it('is another one for each service, and does not contain the token', () => {
    const made = (['gateway', 'billing', 'console'] as const).map((audience) =>
      adminCredential(ann, audience),
    );
    expect(new Set(made).size).toBe(3);
    expect(made.join()).not.toContain(ann);
  });
});
