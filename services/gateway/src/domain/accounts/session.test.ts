import { describe, expect, it } from '@jest/globals';
import { endOf, judgeSession, type SessionState } from './session.ts';

const noon = new Date('2026-06-01T12:00:00.000Z');
const after = (milliseconds: number) => new Date(noon.getTime() + milliseconds);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Signed in at noon. */
function session(facts: Partial<SessionState> = {}): SessionState {
  return {
    rotatedAt: noon,
    confirmedAt: noon,
    lastUsedAt: noon,
    expiresAt: after(7 * 24 * hour),
    memberInForce: true,
    ...facts,
  };
}

describe('a session', () => {
  it('ends twelve hours after its last use', () => {
    expect(judgeSession(session(), 'present', after(12 * hour - 1))).toMatchObject({ live: true });
    expect(judgeSession(session(), 'present', after(12 * hour))).toEqual({ live: false, reason: 'expired' });
  });

  it('ends seven days after the sign-in, however often it is used', () => {
    const used = session({ lastUsedAt: after(7 * 24 * hour - 1) });
    expect(judgeSession(used, 'present', after(7 * 24 * hour - 1))).toMatchObject({ live: true });
    expect(judgeSession(used, 'present', after(7 * 24 * hour))).toEqual({ live: false, reason: 'expired' });
    expect(endOf(used)).toEqual(after(7 * 24 * hour));
  });

  it('ends with a disabled member, whichever token is shown', () => {
    const disabled = session({ memberInForce: false });
    for (const shown of ['present', 'previous'] as const) {
      expect(judgeSession(disabled, shown, noon)).toEqual({ live: false, reason: 'member-disabled' });
    }
  });

  it('stores its use once a minute', () => {
    expect(judgeSession(session(), 'present', after(minute - 1))).toEqual({ live: true, todo: 'nothing' });
    expect(judgeSession(session(), 'present', after(minute))).toEqual({ live: true, todo: 'note-use' });
  });

  it('gets a new token every 15 minutes', () => {
    const used = session({ lastUsedAt: after(14 * minute + 30 * second) });
    expect(judgeSession(used, 'present', after(15 * minute - 1))).toEqual({ live: true, todo: 'nothing' });
    expect(judgeSession(used, 'present', after(15 * minute))).toEqual({ live: true, todo: 'rotate' });
  });

  it('is confirmed when its new token is shown first', () => {
    const rotated = session({ confirmedAt: null });
    expect(judgeSession(rotated, 'present', after(second))).toEqual({ live: true, todo: 'confirm' });
  });
});

describe('a token that was replaced', () => {
  const confirmed = session({ confirmedAt: after(10 * second) });
  const unconfirmed = session({ confirmedAt: null });

  it('serves running requests for 30 seconds after the new one was first shown', () => {
    expect(judgeSession(confirmed, 'previous', after(40 * second - 1))).toEqual({
      live: true,
      todo: 'nothing',
    });
  });

  it('ends the session if it is shown later, because two parties have the session', () => {
    expect(judgeSession(confirmed, 'previous', after(40 * second))).toEqual({
      live: false,
      reason: 'token-stolen',
    });
  });

  it('gets the new one again if that was never shown, because the reply may be lost', () => {
    expect(judgeSession(unconfirmed, 'previous', after(30 * second - 1))).toEqual({
      live: true,
      todo: 'nothing',
    });
    expect(judgeSession(unconfirmed, 'previous', after(30 * second))).toEqual({
      live: true,
      todo: 'send-again',
    });
  });
});
