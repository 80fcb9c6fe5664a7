/** What trials ask of the simulators: mails, payment pages, sessions, faults. */
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { System } from './system.ts';

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
};

export async function mailsTo(system: Pick<System, 'state'>, address: string): Promise<readonly Mail[]> {
  const url = `${system.state().mailbox}/api/messages?to=${encodeURIComponent(address)}`;
  return (await (await fetch(url)).json()) as Mail[];
}

/**
 * How many mails of a kind tell of an offer. Asked by kind, because an offer whose payment was slow to arrive is rightly
 * told of once more: its waiting time is credited (decision 6, Unused Time).
 */
export async function countMails(
  system: System,
  o: { to: string; kind: 'Payment link' | 'Offer paid' | 'Offers paid'; title: string },
): Promise<number> {
  const mails = await mailsTo(system, o.to);
  return mails.filter(({ subject }) => subject.includes(o.kind) && subject.includes(o.title)).length;
}

export type SimulatedSession = {
  readonly status: string;
  readonly currency: string;
  readonly lines: readonly { readonly name: string; readonly amountMinor: number }[];
  readonly vatMinor: number;
  readonly totalMinor: number;
};

export async function simulatedSession(system: System, sessionId: string): Promise<SimulatedSession> {
  const response = await fetch(`${system.state().stripeSimulator}/sim/sessions/${sessionId}`);
  return (await response.json()) as SimulatedSession;
}

/** Follows the link of the mail to the payment page and pays there. Returns the id of the session that was paid. */
export async function payAsAPersonWould(paymentUrl: string): Promise<string> {
  return paySession(await eventually(() => paymentPage(paymentUrl)));
}

/** A busy machine may answer 503; a person then clicks on the link again. */
async function paymentPage(paymentUrl: string): Promise<string> {
  const redirect = await fetch(paymentUrl, { redirect: 'manual' });
  await redirect.body?.cancel();
  const page = redirect.headers.get('location') ?? '';
  if (sessionIdIn(page) === undefined)
    throw new Error(`${paymentUrl} leads to no payment page: ${redirect.status}`);
  return page;
}

export async function paySession(page: string): Promise<string> {
  const sessionId = sessionIdIn(page) ?? '';
  const paid = await fetch(`${new URL(page).origin}/sim/sessions/${sessionId}/pay`, { method: 'POST' });
  if (!paid.ok) throw new Error(`paying answered ${paid.status}: ${await paid.text()}`);
  return sessionId;
}

export function sessionIdIn(address: string): string | undefined {
  return /cs_(test|live)_[A-Za-z0-9]+/.exec(address)?.[0];
}

/** What a simulator does wrong from now on; `{}` ends it. */
export async function setFaults(
  { addresses }: Pick<System, 'addresses'>,
  simulator: 'stripe' | 'rates' | 'mail',
  faults: object,
): Promise<void> {
  const path = { stripe: '/sim/faults', rates: '/sim/rates', mail: '/sim/mail' }[simulator];
  const reply = await fetch(`${addresses[simulator]}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  });
  if (!reply.ok) throw new Error(`the ${simulator} simulator answered ${reply.status}`);
}
