/** Every mail as its reader gets it, in one text: `npx node services/notifier/test/mails.ts` writes it after a change. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { switchedOffNotice } from '../src/domain/webhooks/switched-off-notice.ts';
import { cornerCafe } from './events.ts';
import { announced, around, notifications, plain, portalUrl } from './letters.ts';

/** Besides the mail of each sample: facts of the event, or a country, that change what the mail says. */
const variants: readonly [eventName: string, facts: object, country?: string][] = [
  ['OfferPaymentApplied', { paymentMethod: 'B', vatMinor: '0', outcome: 'active' }],
  ['OfferPaymentApplied', { outcome: 'active', unusedMs: 7_000 }],
  ['OfferPaymentApplied', { outcome: 'ended' }],
  ['OfferPaymentApplied', { outcome: 'deleted' }],
  ['OfferPaymentApplied', { currency: 'EUR', netMinor: '123456789', vatMinor: '0' }, 'DE'],
  ['OfferPaymentApplied', { currency: 'EUR', netMinor: '123456789', vatMinor: '0' }, 'US'],
  ['OfferPaymentApplied', { currency: 'EUR', netMinor: '123456789', vatMinor: '0' }, 'IN'],
  ['OfferPaymentApplied', { currency: 'EUR', netMinor: '123456789', vatMinor: '0' }, 'ZZ'],
  ['OfferEnded', { unusedMs: 1 }],
  ['OfferEnded', { paid: false }],
  ['BalanceToppedUp', { method: 'platform', vatMinor: '0' }],
  ['SignUpRequested', { hasPlace: true }],
  ['PersonInvited', { invitedBy: null }],
];

export function allMails(): string {
  const samples = announced.map(([name]): (typeof variants)[number] => [name, {}]);
  const ofEvents = [...samples, ...variants].map(([name, facts, country]) => {
    const contact = country === undefined ? cornerCafe : { ...cornerCafe, country };
    const [mail] = notifications(name, facts, { context: around(contact) });
    const details = [...(country === undefined ? [] : [`country ${country}`]), ...named(facts)];
    return [`${name}${details.map((detail) => `, ${detail}`).join('')}`, mail?.message] as const;
  });
  const ofEndpoints = (['failing', 'gone'] as const).map((because) => {
    const endpoint = { endpointId: 'we_1', mode: 'LIVE', host: 'hooks.shop.example', because } as const;
    const at = new Date('2026-06-01T12:00:00.000Z');
    const [mail] = switchedOffNotice(endpoint, { contact: cornerCafe, portalUrl, at });
    return [`a webhook that was switched off, ${because}`, mail?.message] as const;
  });
  return [...ofEvents, ...ofEndpoints]
    .map(([what, message]) => `=== ${what}\nSubject: ${plain(message?.subject)}\n\n${plain(message?.text)}`)
    .join('\n');
}

function named(facts: object): string[] {
  return Object.entries(facts).map(([name, value]) => `${name} ${value}`);
}

const file = fileURLToPath(new URL('mails.txt', import.meta.url));
export const expectedMails = () => readFileSync(file, 'utf8');

if (import.meta.main) writeFileSync(file, allMails());
