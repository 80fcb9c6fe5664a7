/** "The balance is running out". */
import type { BalanceLow } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { Letter } from '../letter.ts';
import { asAdmin, balanceAction, inMode } from './offer-wording.ts';
import type { Setting } from './setting.ts';

export function balanceLow(balance: EventData<typeof BalanceLow>, setting: Setting): Letter {
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
    reason: `${asAdmin(setting)} You can switch such messages off in the portal.`,
  };
}
