/** Every drill by the name of its alert. */
import { messages } from './alerts/messages.ts';
import { money } from './alerts/money.ts';
import { pictures } from './alerts/pictures.ts';
import { prices } from './alerts/prices.ts';
import { requests } from './alerts/requests.ts';
import type { Drills } from './drill.ts';
import type { Faster } from './prometheus/scale-rules.ts';

export const drills: Drills = { ...money, ...requests, ...messages, ...prices, ...pictures };

/** Five minutes take ten seconds. */
const USUALLY: Faster = { ranges: 30, ages: 30 };

export function fasterOf(alert = ''): Faster {
  return { ...USUALLY, ...drills[alert]?.faster };
}

/** The name of its page in docs/runbooks. */
export function kebab(alert: string): string {
  return alert.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
}
