/** Letters about the prepaid balance: money came onto it, or it is running out. */
import type { BalanceCredited, BalanceLow, BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Line } from './letter.ts';
import { offerName, titled } from './offer-letters.ts';
import { foreign } from './plain-text.ts';
import { inMode, type LetterToAdmins, pageAction, type Setting } from './wording.ts';

type TopUp = EventData<typeof BalanceToppedUp>;

/** "Unused time came back to the balance" (price rule 7). */
export function balanceCredited(event: EventData<typeof BalanceCredited>, setting: Setting): LetterToAdmins {
  const credit = { ...event, ...event.group };
  const what = event.group === undefined ? 'the offer' : 'the offers';
  const amount = setting.money(credit.amountMinor, credit.currency);
  return {
    ...inMode(credit.mode, `${amount} credited for ${titled(credit)}`),
    heading: 'Unused time credited',
    paragraphs: [
      `${amount}, without VAT, has been credited to your ${credit.mode} balance for time in which ${what} did not run: a pause, the time before a late payment, or what was left after a deletion or while disabled.`,
    ],
    facts: [...offerName(credit), ['Credited on', setting.dateTime(setting.happenedAt)]],
    amounts: [
      ['Credited', amount],
      ['New balance', setting.money(credit.balanceMinor, credit.currency)],
    ],
    action: balanceAction(credit.mode, setting),
    reason: asReaderOfBalance(setting),
  };
}

/** By a card payment of the organisation, or by the platform team. */
export function balanceToppedUp(topUp: TopUp, setting: Setting): LetterToAdmins {
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
    reason: asReaderOfBalance(setting),
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

export function balanceLow(balance: EventData<typeof BalanceLow>, setting: Setting): LetterToAdmins {
  const left = setting.money(balance.balanceMinor, balance.currency);
  const threshold = setting.money(balance.thresholdMinor, balance.currency);
  return {
    ...inMode(balance.mode, `Balance low: ${left}`),
    heading: 'Your balance is low',
    paragraphs: [
      `Your ${balance.mode} balance has fallen below ${threshold}. Top it up, so that offers can go on being paid from it.`,
    ],
    facts: [['Since', setting.dateTime(setting.happenedAt)]],
    amounts: [['Balance', left]],
    action: balanceAction(balance.mode, setting),
    reason: `${asReaderOfBalance(setting)} You can switch such messages off in the portal.`,
  };
}

/** Admins and people of finance get the same letter. */
function asReaderOfBalance({ contact }: Setting): string {
  return `You receive this message because you may see the balance of ${foreign(contact.tradingName)}.`;
}

function balanceAction(mode: Mode, setting: Setting) {
  return pageAction({ label: 'Open the balance', mode, page: 'money' }, setting);
}
