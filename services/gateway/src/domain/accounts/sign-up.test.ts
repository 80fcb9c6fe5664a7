import { describe, expect, it } from '@jest/globals';
import { answerSignUp, nextSignUp, signUpLinkExpiry, signUpsKeptSince, useOfSignUpLink } from './sign-up.ts';

const minute = 60_000;
const hour = 60 * minute;
const asked = new Date('2026-06-01T12:00:00Z');
const after = (ms: number) => new Date(asked.getTime() + ms);
const usual = { requestedAt: asked, now: asked, addressState: 'new', mails: 0 } as const;

describe('a request to sign up', () => {
  it('is answered according to what is known of the address', () => {
    expect(answerSignUp(usual)).toBe('send-link');
    expect(answerSignUp({ ...usual, addressState: 'has-place' })).toBe('send-sign-in');
    expect(answerSignUp({ ...usual, addressState: 'disabled' })).toBe('disabled-address');
  });

  it('gets no mail after the fifth to its address', () => {
    expect(answerSignUp({ ...usual, mails: 4 })).toBe('send-link');
    expect(answerSignUp({ ...usual, mails: 5 })).toBe('too-many-mails');
    expect(answerSignUp({ ...usual, mails: 5, addressState: 'has-place' })).toBe('too-many-mails');
  });

  it('is dropped after it has waited for 15 minutes', () => {
    expect(answerSignUp({ ...usual, now: after(15 * minute - 1) })).toBe('send-link');
    expect(answerSignUp({ ...usual, now: after(15 * minute) })).toBe('too-old');
  });
});

describe('requests to sign up', () => {
  it('are answered at once up to a thousand an hour, and above that fairly, ten a minute', () => {
    expect(nextSignUp({ inHour: 999, inMinute: 999 })).toBe('oldest-first');
    expect(nextSignUp({ inHour: 1_000, inMinute: 9 })).toBe('fairly');
    expect(nextSignUp({ inHour: 1_000, inMinute: 10 })).toBe('later');
  });
});

describe('a link to sign up', () => {
  const expiresAt = signUpLinkExpiry(asked);
  const link = { expiresAt, completedAt: null };
  const used = { expiresAt, completedAt: after(hour) };

  it('is valid for 24 hours', () => {
    expect(expiresAt).toEqual(after(24 * hour));
    expect(useOfSignUpLink(link, after(24 * hour - 1))).toBe('register');
    expect(useOfSignUpLink(link, after(24 * hour))).toBe('refused');
  });

  it('gives its answer again for a minute, and then no more', () => {
    expect(useOfSignUpLink(used, after(hour))).toBe('again');
    expect(useOfSignUpLink(used, after(hour + minute))).toBe('again');
    expect(useOfSignUpLink(used, after(hour + minute + 1))).toBe('refused');
  });

  it('is stored as long as it can be used', () => {
    const answeredLast = after(15 * minute - 1);
    expect(signUpsKeptSince(signUpLinkExpiry(answeredLast)).getTime()).toBeLessThan(asked.getTime());
  });
});
