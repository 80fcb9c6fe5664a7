import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { callerContext } from '@offer-ads/testing/caller';
import { systemClock } from '../process/clock.ts';
import { callerVerifier, signCallerContext } from './caller-context.ts';

const secret = 'the-secret-of-offers-0123456789-abcdef';
const oldSecret = 'the-secret-before-it-0123456789-abcdef';
const context = callerContext({ audience: 'offers', tradingName: 'Café Ünïcode' });
const signed = signCallerContext(secret, context);

const verify = callerVerifier({ secret: `${secret},${oldSecret}`, audience: 'offers', clock: systemClock });
const verified = (token?: string) =>
  verify({ headers: { [callerContextHeader]: token } } as unknown as IncomingMessage);

describe('the caller context', () => {
  it('is read as the gateway signed it', () => {
    expect(verified(signed)).toEqual(context);
  });

  it('is accepted under both secrets while one is being replaced', () => {
    for (const signing of [oldSecret, `${oldSecret},${secret}`, `${secret},${oldSecret}`])
      expect(verified(signCallerContext(signing, context))).toEqual(context);
  });

  const [, signature] = signed.split('.');
  const forged = Buffer.from(JSON.stringify({ ...context, organisationId: 8 })).toString('base64url');
  it.each([
    ['is missing', undefined],
    ['is not a token', 'nonsense'],
    ['is signed with another secret', signCallerContext(`${secret}!`, context)],
    ['was changed after it was signed', `${forged}.${signature}`],
    ['is for another audience', signCallerContext(secret, { ...context, audience: 'pricing' })],
    ['does not fit the schema', signCallerContext(secret, { ...context, organisationId: -1 })],
    ['has one more segment', `${signed}.more`],
    ['ends with a dot', `${signed}.`],
    ['has another spelling of its signature', `${signed}=`],
  ])('is refused with 401 when it %s', (_case, token) => {
    expect(() => verified(token)).toThrow(
      expect.objectContaining({ status: 401, publicBody: { message: 'Unauthorised' } }),
    );
  });

  it('is refused with 503 when it has expired, as it has at once where clocks differ', () => {
    const expired = signCallerContext(secret, { ...context, validUntil: Date.now() - 1 });
    expect(() => verified(expired)).toThrow(
      expect.objectContaining({ status: 503, message: expect.stringMatching(/does this clock differ/) }),
    );
  });
});
