/** "Unused time came back to the balance" (price rule 7). */
import type { BalanceCredited } from '@offer-ads/contracts/billing-events';
import type { EventData } from '@offer-ads/contracts/event-declaration';
import type { Contact } from '../contact.ts';
import type { Letter } from '../letter.ts';
import { money } from '../wording.ts';
import { asAdmin, inMode, offerName, portalAction } from './offer-wording.ts';

export function balanceCredited(
  credit: EventData<typeof BalanceCredited>,
  contact: Contact,
  portalUrl: string,
): Letter {
  const amount = money(credit.amountMinor, credit.currency);
  return {
    subject: inMode(credit.mode, `${amount} credited for “${credit.title}”`),
    heading: 'Unused time credited',
    paragraphs: [
      `${amount}, net of VAT, has been credited to your ${credit.mode} balance for time in which the offer did not run.`,
    ],
    facts: [
      ...offerName(credit),
      ['Credited', amount],
      ['New balance', money(credit.balanceMinor, credit.currency)],
    ],
    action: portalAction(portalUrl),
    reason: asAdmin(contact),
  };
}
