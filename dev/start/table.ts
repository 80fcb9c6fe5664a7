/** The table at the end of `npm start`. */
import type { DevState } from './state.ts';

export function startTable(state: DevState, { seconds }: { readonly seconds: string }): string {
  const places: [string, string][] = [
    ['Public API', state.gateway],
    ['Guides and API reference', state.docs],
    ['Portal', state.portal],
    ['Staff console', `${state.console}  (choose a person of any role)`],
    ['Sample community page', state.community],
    ['Mail', state.mailbox],
    ['Payments (billing)', state.billing],
    ['Stripe simulator', state.stripeSimulator],
    ['Rates simulator', state.ratesSimulator],
  ];
  const organisations = state.organisations.map(({ id, name, country, currency, keys }) => ({
    who: `${id}  ${name}`,
    where: `${country}/${currency}`,
    keys,
  }));
  const width =
    Math.max(...places.map(([name]) => name.length), ...organisations.map(({ who }) => who.length)) + 2;
  const key = state.organisations[0]?.keys.TEST ?? '';
  return [
    `Ready in ${seconds} s.`,
    '',
    ...places.map(([name, address]) => name.padEnd(width) + address),
    '',
    `${'Organisation'.padEnd(width)}${'Bills'.padEnd(8)}TEST key, LIVE key`,
    ...organisations.flatMap(({ who, where, keys }) => [
      `${who.padEnd(width)}${where.padEnd(8)}${keys.TEST}`,
      `${''.padEnd(width + 8)}${keys.LIVE}`,
    ]),
    '',
    'Try it:',
    `  curl -s ${state.gateway}/categories -H 'x-api-key: ${key}'`,
    '  npm run demo',
    '',
    'Ctrl-C stops everything; `npm run reset` then deletes its data.',
  ].join('\n');
}
