import { expect, it } from '@jest/globals';
import { answerSignUp } from './sign-up.ts';

it('a request to sign up is dropped after it has waited for 15 minutes', () => {
  const requestedAt = new Date('2026-06-01T12:00:00Z');
  const after = (ms: number) =>
    answerSignUp({
      requestedAt,
      now: new Date(requestedAt.getTime() + ms),
      addressState: 'new',
      mails: 0,
    });
  expect([after(15 * 60_000 - 1), after(15 * 60_000)]).toEqual(['send-link', 'too-old']);
});
