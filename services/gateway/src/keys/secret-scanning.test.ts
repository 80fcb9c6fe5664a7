/** The rules in docs/secret-scanning find every possible key, and nothing else in this repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { randomNumbers } from '@offer-ads/testing/random';
import {
  composeKey,
  composePlacementKey,
  isWellFormedKey,
  randomDigitsOfKey,
} from '../domain/keys/api-key.ts';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string) => readFileSync(`${repository}${path}`, 'utf8');

const inGitleaks = /^regex = '''(.+)'''$/m.exec(read('docs/secret-scanning/gitleaks.toml'))?.[1] ?? '';
const trufflehog = read('docs/secret-scanning/trufflehog.yaml');
const inTrufflehog = /^ {6}key: '(.+)'$/m.exec(trufflehog)?.[1] ?? '';
const readme = read('docs/secret-scanning/README.md');
const inGithub = (field: string) =>
  new RegExp(`^\\| ${field} \\| \`(.+?)\``, 'm').exec(readme)?.[1]?.replaceAll('\\|', '|') ?? '';

/** GitHub's anchors, as `^` and `$`. */
const github = `(?:${inGithub('Before secret').replace('\\A', '^')})(${inGithub('Secret format')})(?=${inGithub('After secret').replace('\\z', '$')})`;
const rules = [
  ['gitleaks', inGitleaks],
  ['TruffleHog', inTrufflehog],
  ['GitHub', github],
  ['the README', /^```\n(.+)\n```$/m.exec(readme)?.[1] ?? ''],
] as const;

function found(rule: string, text: string): string[] {
  return [...text.matchAll(new RegExp(rule, 'g'))].map((match) => match[1] ?? '');
}

const random = randomNumbers(62);
const anyDigits = () => Array.from({ length: randomDigitsOfKey }, () => Math.floor(random() * 62));
const keys = Array.from({ length: 500 }, (_, index) =>
  (index % 4 < 2 ? composeKey : composePlacementKey)(index % 2 === 0 ? 'TEST' : 'LIVE', anyDigits()),
);

describe.each(rules)('the rule for %s', (_scanner, rule) => {
  it('finds every key, whatever is around it', () => {
    for (const key of keys) {
      for (const text of [key, `KEY=${key}`, `{"key":"${key}"}`, `x-api-key: ${key}\n`, `a ${key}, b`]) {
        expect(found(rule, text)).toEqual([key]);
      }
    }
  });

  it('finds nothing in texts that are nearly a key', () => {
    const [key = ''] = keys;
    for (const miss of [
      key.slice(0, -1),
      `${key}0`,
      `x${key}`,
      key.replace('pk_test_', 'pk_prod_'),
      key.replace('pk_test_', 'sk_test_'),
      key.replace('pk_test_', 'PK_TEST_'),
      `${key.slice(0, 20)}-${key.slice(21)}`,
      'pk_test_...',
    ]) {
      expect([miss, found(rule, miss)]).toEqual([miss, []]);
    }
  });

  it("finds no key in this repository's own files", () => {
    const hits = texts().filter(({ text }) => found(rule, text).some(isWellFormedKey));
    expect(hits.map(({ path }) => path)).toEqual([]);
  });
});

let ownTexts: { path: string; text: string }[] | undefined;

/** The repository's own texts, read once for all rules. */
function texts(): { path: string; text: string }[] {
  const patterns = ['*.ts', '*.md', '*.json', '*.yml', '*.html', '*.js'];
  const options = { cwd: repository, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 } as const;
  ownTexts ??= execFileSync('git', ['ls-files', '-z', ...patterns], options)
    .split('\0')
    // A listed file may have been deleted meanwhile.
    .filter((path) => path !== '' && existsSync(`${repository}${path}`))
    .map((path) => ({ path, text: read(path) }));
  return ownTexts;
}

describe('the checksum as the README explains it', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const isKey = (text: string) => {
    const value = Array.from(text.slice(-6)).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    return value === crc32(text.slice(0, -6));
  };

  it('holds for every key and for none with a typo', () => {
    for (const key of keys) {
      expect(isKey(key)).toBe(true);
      const typo = `${key.slice(0, 12)}${key[12] === 'a' ? 'b' : 'a'}${key.slice(13)}`;
      expect([isKey(typo), isWellFormedKey(typo)]).toEqual([false, false]);
    }
  });
});

describe('the rules', () => {
  it('look for the prefixes of keys', () => {
    expect(trufflehog).toMatch(/^ {6}- pk_test_\n {6}- pk_live_\n {6}- pk_place_$/m);
    expect(read('docs/secret-scanning/gitleaks.toml')).toContain(
      'keywords = ["pk_test_", "pk_live_", "pk_place_"]',
    );
  });
});
