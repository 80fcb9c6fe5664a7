/** The command line of `npm run rolling`. */
import { parseArgs } from 'node:util';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { namesOf, wholeNumber } from '@offer-ads/dev/command-line';

export const roundNames = ['rolling', 'back', 'in-place', 'killed', 'rotation'] as const;
export type RoundName = (typeof roundNames)[number];

export type Options = {
  readonly rounds: readonly RoundName[];
  readonly services: readonly ServiceName[];
  readonly replicas: number;
  readonly advertisers: number;
  /** Between a replica's last new connection and its SIGTERM; 10 s in the manifests. */
  readonly preStopMs: number;
  /** Between one replacement and the next. */
  readonly betweenMs: number;
  /** Until journeys of every kind are under way; then the first replica goes. */
  readonly warmUpMs: number;
  /** A working copy of another version: the replicas to begin with, and old and new side by side. */
  readonly from: string | undefined;
};

export const usage = `npm run rolling -- [options]: replaces every replica of every service under load, and fails when a request did

  --rounds rolling,in-place,killed   which, in this order (these three); rotation replaces every secret, in three rolls of all;
                                     back needs --from
  --services offers,billing          which are replaced (all)
  --replicas 2                       of each service
  --advertisers 4                    that buy at the same time
  --pre-stop 2                       seconds between a replica's last new connection and SIGTERM
  --between 2                        seconds between replacements
  --warm-up 10                       seconds of load before the first replacement
  --from FOLDER                      begin with the databases and the replicas of another version, a working copy with its own
                                     node_modules and pages (npm ci && npm run build:web); \`rolling\` then migrates under load
                                     and rolls to this version, \`back\` rolls to the other again on the migrated databases`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: 'rolling,in-place,killed' },
      services: { type: 'string', default: serviceNames.join() },
      replicas: { type: 'string', default: '2' },
      advertisers: { type: 'string', default: '4' },
      'pre-stop': { type: 'string', default: '2' },
      between: { type: 'string', default: '2' },
      'warm-up': { type: 'string', default: '10' },
      from: { type: 'string' },
    },
  });
  const rounds = namesOf('rounds', values.rounds, roundNames);
  if (rounds.includes('back') && values.from === undefined)
    throw new Error('--rounds back needs --from: the version to go back to');
  return {
    rounds,
    services: namesOf('services', values.services, serviceNames),
    replicas: wholeNumber('replicas', values.replicas, 1, 5),
    advertisers: wholeNumber('advertisers', values.advertisers, 1, 50),
    preStopMs: 1_000 * wholeNumber('pre-stop', values['pre-stop'], 0, 60),
    betweenMs: 1_000 * wholeNumber('between', values.between, 0, 600),
    warmUpMs: 1_000 * wholeNumber('warm-up', values['warm-up'], 0, 60),
    from: values.from,
  };
}
