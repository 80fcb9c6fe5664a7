import { describe, expect, it } from '@jest/globals';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { keepSessions } from './sessions.ts';
import { nobody, parseStaff, type Staff } from './staff.ts';

const token = 't'.repeat(32);
const parsed = parseStaff(hashEntry('ann', token, 'console'));
const ann: Staff = parsed.ok ? parsed.staff : nobody;
const person = { name: 'ann', subject: null, roles: ['administrator'], via: 'emergency' } as const;
const who = { person, idToken: null, proof: ann.prove('ann', token) };
const start = new Date('2026-11-20T09:00:00Z');
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000);

describe('a session of the console', () => {
  it('is found by its token only', () => {
    const sessions = keepSessions(() => ann);
    const opened = sessions.open(who, start);
    expect(sessions.find(opened, after(1))).toMatchObject({ person: { name: 'ann' } });
    expect(sessions.find(`${opened}x`, after(1))).toBeNull();
    expect(sessions.find('', after(1))).toBeNull();
  });

  it('ends after 30 minutes without use', () => {
    const sessions = keepSessions(() => ann);
    const opened = sessions.open(who, start);
    expect(sessions.find(opened, after(29))).not.toBeNull();
    expect(sessions.find(opened, after(58))).not.toBeNull();
    expect(sessions.find(opened, after(88))).toBeNull();
    expect(sessions.find(opened, after(88))).toBeNull();
  });

  it('ends after 8 hours, even when it is used', () => {
    const sessions = keepSessions(() => ann);
    const opened = sessions.open(who, start);
    for (let minutes = 20; minutes < 480; minutes += 20)
      expect(sessions.find(opened, after(minutes))).not.toBeNull();
    expect(sessions.find(opened, after(480))).toBeNull();
  });

  it('ends at once when its emergency token is removed, and not where another way was used to sign in', () => {
    let staff: Staff = ann;
    const sessions = keepSessions(() => staff);
    const opened = sessions.open(who, start);
    const byService = sessions.open({ ...who, proof: null }, start);
    staff = nobody;
    expect(sessions.find(opened, after(1))).toBeNull();
    expect(sessions.find(byService, after(1))).not.toBeNull();
    staff = ann;
    expect(sessions.find(opened, after(1))).toBeNull();
  });

  it('that was used longest ago ends when its person opens a sixth one', () => {
    const sessions = keepSessions(() => ann);
    const opened = [1, 2, 3, 4, 5].map((minute) => sessions.open(who, after(minute)));
    sessions.find(opened[0] ?? '', after(6));
    const sixth = sessions.open(who, after(7));
    expect(sessions.find(opened[0] ?? '', after(8))).not.toBeNull();
    expect(sessions.find(opened[1] ?? '', after(8))).toBeNull();
    expect(sessions.find(sixth, after(8))).not.toBeNull();
  });
});
