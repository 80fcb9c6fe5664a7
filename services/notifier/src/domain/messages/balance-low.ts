/** "The balance is running out". */
import type { BalanceLow } from '@offer-ads/contracts/billing-events';
import type { EventData } from '@offer-ads/contracts/event-declaration';
import type { Contact } from '../contact.ts';
import type { Letter } from '../letter.ts';
import { money } from '../wording.ts';
import { asAdmin, inMode, portalAction } from './offer-wording.ts';

export function balanceLow(
  balance: EventData<typeof BalanceLow>,
  contact: Contact,
  portalUrl: string,
): Letter {
  const left = money(balance.balanceMinor, balance.currency);
  return {
    subject: inMode(balance.mode, `Balance low: ${left}`),
    heading: 'Your balance is low',
    paragraphs: [
      `Your ${balance.mode} balance has fallen below ${money(balance.thresholdMinor, balance.currency)}. Top it up, so that offers can go on being paid from it.`,
    ],
    facts: [['Balance', left]],
    action: portalAction(portalUrl),
    reason: asAdmin(contact),
  };
}
