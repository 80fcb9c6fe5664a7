import { describe, expect, test } from '@jest/globals';
import { leavesUnknown, readAttempt } from './attempt.ts';

const now = new Date('2026-06-02T12:00:00Z');
const attempt = { key: 'key-1', what: 'Two for one', sentAt: '2026-06-02T11:00:00.000Z' };
const refused = (status: number, returnCode: string | null = null) => ({
  ok: false as const,
  status,
  returnCode,
  message: 'No.',
});

describe('a stored attempt', () => {
  test('is read back unchanged', () => {
    expect(readAttempt(JSON.stringify(attempt), now)).toEqual(attempt);
  });
  test('is ignored after a day, or when its time is in the future', () => {
    for (const sentAt of ['2026-06-01T11:59:00Z', '2026-06-03T12:01:00Z', 'yesterday'])
      expect(readAttempt(JSON.stringify({ ...attempt, sentAt }), now)).toBeNull();
  });
  test.each([
    'nonsense',
    'null',
    '[]',
    '{"key":"k"}',
    '{"key":"","what":"w","sentAt":"2026-06-02T11:00:00Z"}',
  ])('is ignored when it is invalid: %s', (text) => {
    expect(readAttempt(text, now)).toBeNull();
  });
});

describe('the outcome of an attempt', () => {
  test.each([0, 500, 503])('is unknown after %i', (status) => {
    expect(leavesUnknown(refused(status), false)).toBe(true);
  });
  test.each([401, 403, 429])('is known after %i only when it was sent once', (status) => {
    expect(leavesUnknown(refused(status), false)).toBe(false);
    expect(leavesUnknown(refused(status), true)).toBe(true);
  });
  test.each([
    [200, 'E2'],
    [400, null],
    [403, 'E9'],
    [422, null],
  ])('is known after %i %s, also after repetitions', (status, code) => {
    for (const isRepeat of [true, false]) expect(leavesUnknown(refused(status, code), isRepeat)).toBe(false);
  });
});
