/**
 * The text of keys (decision 24, form of keys): a prefix for kind and mode, 32 random characters, a checksum against typing errors. API keys
 * are for advertisers, placement keys for the community platform (decision 203, placement keys).
 */
import { crc32 } from 'node:zlib';
import type { Mode } from '@offer-ads/contracts/values/primitives';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^32 is 190 bits, so a key cannot be guessed. */
export const randomDigitsOfKey = 32;
/** 62^6 is larger than any CRC32. */
const checksumLength = 6;

const apiKey = /^(pk_(?:test_|live_)?[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
const placementKey = /^(pk_place_(?:test|live)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** `randomDigits`: 32 uniformly distributed numbers from 0 to 61. With a null mode, the key has the old form. */
export function composeKey(mode: Mode | null, randomDigits: readonly number[]): string {
  return composed(prefixOf(mode), randomDigits);
}

export function composePlacementKey(mode: Mode, randomDigits: readonly number[]): string {
  return composed(`pk_place_${mode.toLowerCase()}_`, randomDigits);
}

function composed(prefix: string, randomDigits: readonly number[]): string {
  if (randomDigits.length !== randomDigitsOfKey) throw new Error('a key needs 32 random digits');
  const body = prefix + randomDigits.map((digit) => base62.charAt(digit)).join('');
  return body + checksum(body);
}

/** False if the text cannot be an API key, so that it needs no look-up. */
export function isWellFormedKey(text: string): boolean {
  return hasChecksum(apiKey.exec(text));
}

export function isWellFormedPlacementKey(text: string): boolean {
  return hasChecksum(placementKey.exec(text));
}

function hasChecksum(parts: RegExpExecArray | null): boolean {
  return parts !== null && checksum(parts[1] ?? '') === parts[2];
}

/** The only part of a key that is shown again. */
export function lastFourOf(key: string): string {
  return key.slice(-4);
}

function prefixOf(mode: Mode | null): string {
  switch (mode) {
    case 'TEST':
      return 'pk_test_';
    case 'LIVE':
      return 'pk_live_';
    case null:
      return 'pk_';
  }
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < checksumLength; place += 1) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
