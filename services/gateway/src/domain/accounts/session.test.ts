import { expect, it } from '@jest/globals';
import { judgeSession } from './session.ts';

it('the use of a session is stored once a minute', () => {
  const noon = new Date('2026-06-01T12:00:00.000Z');
  const after = (ms: number) => new Date(noon.getTime() + ms);
  const used = { rotatedAt: noon, confirmedAt: noon, lastUsedAt: noon, memberInForce: true };
  const judged = (ms: number) => judgeSession({ ...used, expiresAt: after(3_600_000) }, 'present', after(ms));
  expect(judged(59_999)).toEqual({ live: true, todo: 'nothing' });
  expect(judged(60_000)).toEqual({ live: true, todo: 'note-use' });
});
