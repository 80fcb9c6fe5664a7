/** The command line of `npm run scale`. */
import { parseArgs } from 'node:util';

const trials = ['store', 'replicas'] as const;

export type Options = {
  readonly trial: (typeof trials)[number];
  readonly offers: number;
  readonly organisations: number;
  readonly rounds: number;
  readonly turns: number;
  readonly replicas: number;
  readonly minutes: number;
};

export const usage = `npm run scale -- store|replicas [options]

store: p99 of every endpoint with a large store beside a small one
  --offers 10000000        of the large store; as many ledger transactions, and those of top-ups
  --organisations 1000000  of the large store
  --rounds 5               of both stores in turn, after one that does not count; up to twice as many while a request is above the aim
  --turns 300              of all endpoints in a round

replicas: many replicas of each service under light load, and a deploy that replaces all of them
  --replicas 20            of each service
  --minutes 10             of light load before the deploy`;

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      offers: { type: 'string', default: '10000000' },
      organisations: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      turns: { type: 'string', default: '300' },
      replicas: { type: 'string', default: '20' },
      minutes: { type: 'string', default: '10' },
    },
  });
  const trial = trials.find((name) => positionals.length === 1 && name === positionals[0]);
  if (trial === undefined) throw new Error(`one of ${trials.join(', ')} is needed`);
  return {
    trial,
    offers: numberOf('offers', values.offers, 100, 100_000_000),
    organisations: numberOf('organisations', values.organisations, 1, 10_000_000),
    rounds: numberOf('rounds', values.rounds, 1, 20),
    turns: numberOf('turns', values.turns, 1, 10_000),
    replicas: numberOf('replicas', values.replicas, 1, 50),
    minutes: numberOf('minutes', values.minutes, 0, 60),
  };
}

function numberOf(option: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Error(`--${option} must be a whole number from ${least} to ${most}`);
  return value;
}
