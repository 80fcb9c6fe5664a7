/** "Unused time came back to the balance" (price rule 7). */
import type { BalanceCredited } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { Letter } from '../letter.ts';
import { asAdmin, balanceAction, inMode, offerName, titled } from './offer-wording.ts';
import type { Setting } from './setting.ts';

export function balanceCredited(credit: EventData<typeof BalanceCredited>, setting: Setting): Letter {
  const amount = setting.money(credit.amountMinor, credit.currency);
  return {
    ...inMode(credit.mode, `${amount} credited for ${titled(credit)}`),
    heading: 'Unused time credited',
    paragraphs: [
      `${amount}, net of VAT, has been credited to your ${credit.mode} balance for time in which the offer did not run: a pause, the time before a late payment, or what was left when it was deleted or disabled.`,
    ],
    facts: [...offerName(credit), ['Credited on', setting.dateTime(setting.happenedAt)]],
    amounts: [
      ['Credited', amount],
      ['New balance', setting.money(credit.balanceMinor, credit.currency)],
    ],
    action: balanceAction(credit.mode, setting),
    reason: asAdmin(setting),
  };
}
