/** "Your webhook was switched off". */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Letter } from '../letter.ts';
import { foreign } from '../plain-text.ts';
import { asAdmin, inMode, pageAction } from './offer-wording.ts';
import type { Setting } from './setting.ts';

export type SwitchedOff = {
  readonly endpointId: string;
  readonly mode: Mode;
  /** Without the path, which may hold a credential. */
  readonly host: string;
  readonly because: 'failing' | 'gone';
};

const causes = {
  failing: 'All attempts of the last five days to deliver messages to it have failed.',
  gone: 'It answered a message with 410 (Gone), which means that it wants no more of them.',
} as const satisfies Record<SwitchedOff['because'], string>;

export function webhookSwitchedOff(endpoint: SwitchedOff, setting: Setting): Letter {
  return {
    ...inMode(endpoint.mode, 'A webhook was switched off'),
    heading: 'A webhook was switched off',
    paragraphs: [
      `${causes[endpoint.because]} It gets no more messages until somebody switches it on again.`,
      'Messages that it misses meanwhile are kept for 35 days and can be sent again.',
    ],
    facts: [
      ['Server', foreign(endpoint.host)],
      ['Endpoint', endpoint.endpointId],
      ['Switched off', setting.dateTime(setting.happenedAt)],
    ],
    action: pageAction(
      { label: 'Open the webhook', mode: endpoint.mode, page: `webhooks/${endpoint.endpointId}` },
      setting,
    ),
    reason: asAdmin(setting),
  };
}
