/** What tests do with a test clock. */
import { requestBudgetHeader } from '@offer-ads/contracts/internal/caller-context';
import { type TestClockReply, testClockReply } from '@offer-ads/contracts/public/api';
import type { Offers } from '../../src/service.ts';
import type { Answer, CallOptions, OffersUnderTest } from '../offers-under-test.ts';

export const HOUR_S = 3_600;
export const DAY_S = 24 * HOUR_S;

/** The answer to POST /test/clock. */
export function askToAdvance(under: OffersUnderTest, body: object, o: CallOptions = {}): Promise<Answer> {
  // A busy machine needs longer than the gateway would wait.
  return under.call('POST', '/test/clock', { headers: { [requestBudgetHeader]: '60000' }, json: body, ...o });
}

/** @throws if the advance was refused */
export async function advance(
  under: OffersUnderTest,
  seconds: number,
  o: { readonly organisationId?: number; readonly to?: Offers } = {},
): Promise<TestClockReply> {
  const { to, ...caller } = o;
  const answer = await askToAdvance(under, { advance_seconds: seconds }, { caller, ...(to && { to }) });
  return testClockReply.parse(answer.body);
}

/** Events of the offer, oldest first, with versions in order and without a gap. */
export async function eventsOf(under: OffersUnderTest, offerId: number) {
  const events = (await under.events('all')).filter(({ data }) => data.offerId === offerId);
  const versions = events.map(({ subjectVersion }) => subjectVersion);
  if (versions.some((version, index) => version !== index + 1))
    throw new Error(`versions ${versions.join()}`);
  return events;
}

export async function namesOfEvents(under: OffersUnderTest, offerId: number): Promise<string[]> {
  return (await eventsOf(under, offerId)).map(({ name }) => name);
}
