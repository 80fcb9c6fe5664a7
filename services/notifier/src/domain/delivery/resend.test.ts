import { expect, it } from '@jest/globals';
import { resendRefusal } from './resend.ts';

const now = new Date('2026-06-01T12:00:00.000Z');
const later = new Date(now.getTime() + 1);

it.each(['pending', 'sent', 'failed', 'suppressed'])(
  'a notification that is %s can be sent again',
  (state) => {
    const kept = { state, hasMessage: true };
    expect(resendRefusal({ ...kept, expiresAt: undefined, hasLeft: false }, now)).toBeUndefined();
    expect(resendRefusal({ ...kept, expiresAt: later, hasLeft: true }, now)).toBeUndefined();
  },
);

it.each([
  ['nobody-known', 'waiting', false, undefined],
  ['under-way', 'sending', true, undefined],
  ['link-gone', 'sent', false, later],
  ['link-gone', 'failed', false, now],
  ['link-gone', 'pending', true, now],
  ['left', 'failed', true, undefined],
])('%s: what is %s cannot', (refusal, state, hasMessage, expiresAt) => {
  expect(resendRefusal({ state, hasMessage, expiresAt, hasLeft: refusal === 'left' }, now)).toBe(refusal);
});
