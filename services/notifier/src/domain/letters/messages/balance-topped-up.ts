/** "Money is on the balance", by a card payment of the organisation or by the platform team. */
import type { BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { Letter, Line } from '../letter.ts';
import { asAdmin, balanceAction, inMode } from './offer-wording.ts';
import type { Setting } from './setting.ts';

type TopUp = EventData<typeof BalanceToppedUp>;

export function balanceToppedUp(topUp: TopUp, setting: Setting): Letter {
  const { mode, method, currency, netMinor, balanceMinor } = topUp;
  const amount = setting.money(netMinor, currency);
  return {
    ...inMode(mode, `${amount} added to your balance`),
    heading: 'Your balance has been topped up',
    paragraphs: [
      `${amount} has been added to your ${mode} balance${method === 'platform' ? ' by the platform team' : ''}.`,
    ],
    facts: [
      ...(method === 'card' ? ([['Paid by', 'Card']] as const) : []),
      [method === 'card' ? 'Paid on' : 'Added on', setting.dateTime(setting.happenedAt)],
      ['New balance', setting.money(balanceMinor, currency)],
    ],
    amounts: paid(topUp, setting),
    action: balanceAction(mode, setting),
    reason: asAdmin(setting),
  };
}

/** VAT is added to the amount that the balance receives (decision 13, VAT). */
function paid({ method, currency, netMinor, vatMinor }: TopUp, { money }: Setting): readonly Line[] {
  const added: Line = ['Added', money(netMinor, currency)];
  if (method !== 'card') return [added];
  return [
    added,
    ['VAT', money(vatMinor, currency)],
    ['Total paid', money(BigInt(netMinor) + BigInt(vatMinor), currency)],
  ];
}
