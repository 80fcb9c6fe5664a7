/** Finds the command, runs it and prints its result. Independent of the process. */
import { type Command, UsageError } from './command.ts';
import { callCommands } from './commands/accounts/calls.ts';
import { erasureCommands } from './commands/accounts/erasure.ts';
import { exportCommands } from './commands/accounts/export.ts';
import { keyCommands, placementKeyCommands } from './commands/accounts/keys.ts';
import { organisationCommands } from './commands/accounts/organisations.ts';
import { peopleCommands } from './commands/accounts/people.ts';
import { tokenCommands } from './commands/accounts/tokens.ts';
import { auditCommands } from './commands/audit.ts';
import { eventCommands } from './commands/events.ts';
import { memberCommands } from './commands/members.ts';
import { balanceCommands } from './commands/money/balances.ts';
import { cardCommands } from './commands/money/cards.ts';
import { invoiceCommands } from './commands/money/invoices.ts';
import { paymentCommands } from './commands/money/payments.ts';
import { notificationCommands } from './commands/notifications.ts';
import { catalogueCommands } from './commands/offers/catalogue.ts';
import { moderationCommands } from './commands/offers/moderation.ts';
import { offerCommands } from './commands/offers/offers.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { helpFor, helpOf, usageOf } from './help.ts';
import { toText } from './printing.ts';
import type { Tools } from './tools.ts';

const commands: readonly Command[] = [
  ...organisationCommands,
  ...peopleCommands,
  ...erasureCommands,
  ...exportCommands,
  ...keyCommands,
  ...placementKeyCommands,
  ...callCommands,
  ...balanceCommands,
  ...invoiceCommands,
  ...cardCommands,
  ...paymentCommands,
  ...memberCommands,
  ...offerCommands,
  ...moderationCommands,
  ...catalogueCommands,
  ...notificationCommands,
  ...webhookCommands,
  ...eventCommands,
  ...auditCommands,
  ...tokenCommands,
];

export type Output = { readonly out: (line: string) => void; readonly err: (line: string) => void };

/** Returns the exit status. `tools` is called only when a command runs, so that help works without settings. */
export async function runAdmin(args: readonly string[], tools: () => Tools, output: Output): Promise<number> {
  const json = args.includes('--json');
  const words = args.filter((word) => word !== '--json');
  const wanted = commands.find(({ name }) => words.slice(0, 2).join(' ') === name);
  if (words.length === 0 || words.includes('--help')) {
    output.out(wanted === undefined ? helpOf(commands) : helpFor(wanted));
    return 0;
  }
  try {
    if (wanted === undefined) throw new Error(noCommand(words));
    const result = await wanted.run(words.slice(2), tools);
    output.out(json ? JSON.stringify(result) : toText(result));
    return wanted.failed?.(result) === true ? 1 : 0;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError && wanted !== undefined;
    const message = isUsage ? `${wanted.name}: ${words}` : words;
    if (json) output.out(JSON.stringify({ error: message }));
    else {
      output.err(`error: ${message}`);
      if (isUsage) output.err(`usage: ${usageOf(wanted)}`);
    }
    return 1;
  }
}

/** Names the commands that share a word with the wrong one. */
function noCommand(words: readonly string[]): string {
  const [subject = '', verb = ''] = words;
  const names = commands.map(({ name }) => name);
  const ofSubject = names.filter((name) => name.startsWith(`${subject} `));
  const near =
    ofSubject.length > 0 ? ofSubject : names.filter((name) => name.split(' ').includes(verb || subject));
  const wrong = `there is no command ${JSON.stringify(`${subject} ${verb}`.trim())}`;
  return near.length === 0 ? `${wrong}; --help lists all` : `${wrong}; there are: ${near.join(', ')}`;
}
