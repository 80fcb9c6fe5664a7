/** What all commands have in common: their shape, and how they show results and lists. */
import type { OfferAds } from '../client.ts';
import type { Clock } from '../clock.ts';
import type { Refusal, Success } from '../result.ts';
import type { OfferPage } from '../types.ts';
import { type Flags, optionalText, UsageError, wholeNumber } from './arguments.ts';
import type { Environment } from './config.ts';

export type Option = {
  /** The placeholder of its value in the help; an option without one is a switch. */
  readonly value?: string;
  readonly multiple?: true;
  readonly short?: string;
  readonly help: string;
};

export type Given = {
  readonly flags: Flags;
  readonly positionals: readonly string[];
  readonly now: Date;
  readonly signal: AbortSignal | undefined;
  readonly env: Environment;
  readonly clock: Clock;
  /** For a command that prints while it runs: a line for people, or one with the object. */
  readonly emit: (json: object, text: string) => void;
  readonly warn: (text: string) => void;
};

/** The output of a command: an object for programs, a text for people. */
export type Shown =
  | { readonly ok: true; readonly json: object; readonly text: string }
  | {
      readonly ok: false;
      readonly code: string;
      readonly status: number;
      readonly message: string;
      readonly requestId: string | undefined;
    };

export type Command = {
  readonly summary: string;
  readonly positionals?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly example: string;
  /** Whatever the options do not say. */
  readonly notes?: string;
  readonly run: (ads: OfferAds, given: Given) => Promise<Shown>;
};

export function shown<Value extends object>(
  result: Success<Value> | Refusal<string, number>,
  text: (value: Value) => string,
): Shown {
  if (result.ok) return { ok: true, json: result.value, text: text(result.value) };
  const { code, status, message, reply } = result;
  return { ok: false, code, status, message, requestId: reply.requestId };
}

/** Enough for a screen; `--all` lists the rest. */
const shownAtFirst = 20;
const largestPage = 100;

export const howMany = {
  limit: { value: 'N', help: `how many to show; ${shownAtFirst} when omitted` },
  all: { help: 'show all' },
} as const;

type Page<Item> = { readonly data: readonly Item[]; readonly pagination: OfferPage['pagination'] };

/** As many as `--limit` or `--all` say, over pages. */
export async function listed<Item>(
  flags: Flags,
  read: (page: {
    limit: number;
    cursor: string | undefined;
  }) => Promise<Success<Page<Item>> | Refusal<string, number>>,
  text: (items: readonly Item[]) => string,
): Promise<Shown> {
  const wanted =
    flags.all === true
      ? Infinity
      : wholeNumber(optionalText(flags, 'limit') ?? String(shownAtFirst), '--limit');
  if (wanted < 1) throw new UsageError('--limit must be at least 1');
  const items: Item[] = [];
  let cursor: string | undefined;
  while (items.length < wanted) {
    const result = await read({ limit: Math.min(wanted, largestPage), cursor });
    if (!result.ok) return shown(result, () => '');
    const { data, pagination } = result.value;
    items.push(...data);
    cursor = pagination.next_cursor ?? undefined;
    if (!pagination.has_more || cursor === undefined) break;
  }
  const data = items.slice(0, wanted);
  const hasMore = items.length > wanted || (cursor !== undefined && items.length >= wanted);
  const more = hasMore ? `More with --limit ${2 * wanted} or --all.\n` : '';
  return { ok: true, json: { data, has_more: hasMore }, text: text(data) + more };
}

/** A creation with an unknown outcome, and the flags with which the command can be repeated safely. */
export class Unfinished extends Error {
  override readonly name = 'Unfinished';
  readonly what: 'offer' | 'group' | 'webhook';
  readonly flags: Readonly<Record<string, string>>;

  constructor(cause: unknown, what: Unfinished['what'], flags: Readonly<Record<string, string>>) {
    super('the creation did not finish', { cause });
    this.what = what;
    this.flags = flags;
  }
}
