/** The help texts. */
import type { Command, Option } from './command.ts';
import { commands } from './commands.ts';

export const commonOptions = {
  json: { help: 'print one JSON object instead of text' },
  'base-url': { value: 'URL', help: 'the address of the service; or OFFER_ADS_BASE_URL' },
  'key-file': {
    value: 'FILE',
    help: 'a file that holds the API key; or OFFER_ADS_KEY_FILE, or the key in OFFER_ADS_API_KEY',
  },
  'allow-http': { help: 'send the key over plain http to another machine' },
  help: { short: 'h', help: 'this text' },
} as const satisfies Readonly<Record<string, Option>>;

export const exitCodes = {
  done: 0,
  fault: 1,
  usage: 2,
  refused: 3,
  unauthorised: 4,
  interrupted: 130,
} as const;

const exits = `Exit codes
  0    done
  1    a fault: no reply, the service is down, the rate limit; the same command may be tried again
  2    the command is not right as it was written; nothing was sent
  3    the service refused, with a code and a reason
  4    the key was not accepted
  130  interrupted
`;

export function generalHelp(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}\n`,
  );
  return `offer-ads COMMAND [options]: offers on the command line

Commands
${lines.join('')}
Options of every command
${optionLines(commonOptions)}
${exits}
Each command tells more: offer-ads offers create --help
The version of the package: offer-ads --version
`;
}

export function commandHelp(name: string, command: Command): string {
  const usage = ['offer-ads', name, ...(command.positionals ?? []), '[options]'].join(' ');
  const own = command.options === undefined ? '' : `Options\n${optionLines(command.options)}\n`;
  const notes = command.notes === undefined ? '' : `${command.notes}\n\n`;
  return `${usage}: ${command.summary}

${notes}${own}Options of every command
${optionLines(commonOptions)}
Example
  ${command.example}
`;
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  const named = Object.entries(options).map(([name, { value, help }]) => ({
    flag: value === undefined ? `--${name}` : `--${name} ${value}`,
    help,
  }));
  const width = Math.max(...named.map(({ flag }) => flag.length));
  return named.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}\n`).join('');
}
