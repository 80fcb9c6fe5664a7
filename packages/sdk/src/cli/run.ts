/** One run of the command line, independent of the process. */
import { parseArgs } from 'node:util';
import { version } from '../call.ts';
import { createClient, type OfferAds } from '../client.ts';
import { type Clock, realClock } from '../clock.ts';
import { OfferAdsError } from '../error.ts';
import type { ClientOptions } from '../options.ts';
import { type Flags, UsageError } from './arguments.ts';
import { type Command, type Option, type Shown, Unfinished } from './command.ts';
import { commands } from './commands.ts';
import { accessFrom, type Environment } from './config.ts';
import { commandHelp, commonOptions, exitCodes, generalHelp } from './help.ts';
import { printed } from './print.ts';

export type CliEnvironment = {
  readonly env: Environment;
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
  readonly client?: (options: ClientOptions) => OfferAds;
  readonly clock?: Clock;
};

/** @returns the exit code, after all output was written */
export async function run(argv: readonly string[], o: CliEnvironment): Promise<number> {
  const asJson = argv.includes('--json');
  try {
    refuseKeys(argv);
    if (argv[0] === '--version') {
      o.out(`${version}\n`);
      return exitCodes.done;
    }
    const { name, command, rest } = commandOf(argv);
    if (command === undefined) {
      o.out(generalHelp());
      return argv.length === 0 ? exitCodes.usage : exitCodes.done;
    }
    const { flags, positionals } = parsed(command, rest);
    if (flags.help === true) {
      o.out(commandHelp(name, command));
      return exitCodes.done;
    }
    expectPositionals(command, positionals);
    const ads = await clientFor(flags, o);
    const given = {
      flags,
      positionals,
      now: o.now(),
      signal: o.signal,
      env: o.env,
      clock: o.clock ?? realClock,
      emit: (line: object, text: string) => void o.out(asJson ? `${JSON.stringify(line)}\n` : text),
      warn: (text: string) => void o.err(text),
    };
    return print(await command.run(ads, given), asJson, o);
  } catch (error) {
    return explain(error, asJson, o);
  }
}

/** Refuses keys in arguments, because other people can read shell histories and process lists. The message does not repeat the key. */
function refuseKeys(argv: readonly string[]): void {
  const isNamed = argv.some((text) => /^--(api-)?key(=|$)/.test(text));
  if (isNamed || argv.some((text) => /pk_(place_)?(test|live)_\w{8}/.test(text))) {
    throw new UsageError(
      'Keys are not accepted as arguments, because the shell stores them in its history and shows them to everybody on this machine. ' +
        'Put the key into OFFER_ADS_API_KEY or a file (--key-file). If you have just typed a real key, roll it in the portal',
    );
  }
}

function commandOf(argv: readonly string[]): { name: string; command?: Command; rest: readonly string[] } {
  const [first, second] = argv;
  const isHelp = (text: string | undefined) => text !== undefined && ['help', '--help', '-h'].includes(text);
  if (first === undefined || isHelp(first)) return { name: '', rest: argv };
  const isGroup = Object.keys(commands).some((name) => name.startsWith(`${first} `));
  if (isGroup && isHelp(second)) return { name: '', rest: argv };
  const pair = `${first} ${second ?? ''}`.trim();
  for (const name of [pair, first]) {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return { name, command, rest: argv.slice(name.split(' ').length) };
  }
  throw new UsageError(`There is no command "${pair}". These are: ${Object.keys(commands).join(', ')}`);
}

function parsed(command: Command, argv: readonly string[]): { flags: Flags; positionals: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries<Option>({ ...command.options, ...commonOptions }).map(([name, option]) => {
      const type = option.value === undefined ? ('boolean' as const) : ('string' as const);
      const { multiple = false, short } = option;
      return [name, { type, multiple, ...(short !== undefined && { short }) }];
    }),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { flags: values, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function expectPositionals(
  { positionals: expected = [], example }: Command,
  positionals: readonly string[],
): void {
  if (positionals.length === expected.length) return;
  const wanted = expected.length === 0 ? 'nothing but options' : expected.join(' ');
  const found = positionals.length === 0 ? '' : `, found ${positionals.join(' ')}`;
  throw new UsageError(`Expected ${wanted}${found}. Example: ${example}`);
}

async function clientFor(flags: Flags, o: CliEnvironment): Promise<OfferAds> {
  const { apiKey, baseUrl, warning } = await accessFrom(o.env, flags);
  if (warning !== undefined) o.err(`${warning}\n`);
  return (o.client ?? createClient)({
    apiKey,
    baseUrl,
    allowHttp: flags['allow-http'] === true,
    onRetry: ({ status, waitMs }) =>
      o.err(
        `${status === undefined ? 'No reply' : `HTTP ${status}`}, again in ${(waitMs / 1_000).toFixed(1)} s\n`,
      ),
  });
}

function print(shown: Shown, asJson: boolean, o: CliEnvironment): number {
  if (shown.ok) {
    o.out(asJson ? json(shown.json) : shown.text);
    return exitCodes.done;
  }
  const { code, status, message, requestId } = shown;
  if (asJson) o.out(json({ error: { kind: 'refused', code, status, message, request_id: requestId } }));
  else o.err(`Refused, ${printed(code)}: ${printed(message)}\n`);
  return exitCodes.refused;
}

function explain(error: unknown, asJson: boolean, o: CliEnvironment): number {
  const cause = error instanceof Unfinished ? error.cause : error;
  if (cause instanceof UsageError) return complain(cause.message);
  if (!(cause instanceof OfferAdsError)) throw cause;
  if (cause.kind === 'invalid-argument') return complain(cause.message);
  const { kind, code, status, message, requestId, idempotencyKey } = cause;
  const goesOn = kind !== 'unauthorised' && kind !== 'key-reused';
  const { what, flags: again } = error instanceof Unfinished && goesOn ? error : {};
  if (asJson) {
    const told = { kind, code, status, message, request_id: requestId, idempotency_key: idempotencyKey };
    o.out(json({ error: { ...told, ...(again && { again }) } }));
  } else {
    o.err(`${printed(message)}\n`);
    if (requestId !== undefined) o.err(`Request id, for support: ${printed(requestId)}\n`);
    if (again !== undefined) {
      const flags = Object.entries(again).map(([name, value]) => `--${name} ${value}`);
      o.err(
        `The ${what} may exist. Repeat the command with these options; no second ${what} is created: ${flags.join(' ')}\n`,
      );
    }
  }
  if (kind === 'aborted') return exitCodes.interrupted;
  return kind === 'unauthorised' ? exitCodes.unauthorised : exitCodes.fault;

  function complain(text: string): number {
    if (asJson) o.out(json({ error: { kind: 'usage', message: text } }));
    else o.err(`${text}.\nHelp: offer-ads --help\n`);
    return exitCodes.usage;
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
