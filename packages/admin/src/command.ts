/** An entry of the table of commands. Help and argument checks are derived from it. */
import { parseArgs } from 'node:util';
import { enteredMailAddress } from '@offer-ads/contracts/values/mail-address';
import { currency, mode } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import type { Tools } from './tools.ts';

type Options = Readonly<Record<string, z.ZodType<unknown, string | undefined>>>;
type Values<O extends Options> = z.infer<z.ZodObject<O>>;

export type Command = {
  /** Its words on the command line, for example `org create`. */
  readonly name: string;
  readonly summary: string;
  readonly options: Options;
  /** The option that may be given as an argument without its name. */
  readonly operand?: string;
  /** `tools` is called only after the arguments were checked. */
  readonly run: (args: readonly string[], tools: () => Tools) => Promise<object>;
  /** Whether the printed result means failure. */
  readonly failed?: (result: object) => boolean;
};

/** Checks values against the options' schemas before `run` gets them. */
export function command<const O extends Options>(o: {
  name: string;
  summary: string;
  options: O;
  operand?: keyof O & string;
  failed?: (result: object) => boolean;
  run: (values: Values<O>, tools: Tools) => Promise<object>;
}): Command {
  return { ...o, run: async (args, tools) => o.run(readOptions(o, args), tools()) };
}

/** A command that calls no service, so it needs no settings. */
export function localCommand<const O extends Options>(o: {
  name: string;
  summary: string;
  options: O;
  run: (values: Values<O>) => object;
}): Command {
  return { ...o, run: async (args) => o.run(readOptions(o, args)) };
}

/** The command line is wrong. The message is printed after the name of the command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

function readOptions<O extends Options>(
  { options, operand }: { options: O; operand?: string },
  args: readonly string[],
): Values<O> {
  const { values, positionals } = parseStrictly(options, args);
  const [word, ...more] = positionals;
  if (more.length > 0 || (word !== undefined && operand === undefined))
    throw new UsageError(`does not take ${JSON.stringify(more[0] ?? word)}`);
  const given = operand === undefined || word === undefined ? values : { ...values, [operand]: word };
  const checked = z.object(options).safeParse(given);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map((issue) => {
    const option = String(issue.path[0]);
    const shown = option === operand ? described(options[option] ?? z.string()) : `--${option}`;
    return given[option] === undefined ? `${shown} is missing` : `${shown} ${issue.message}`;
  });
  throw new UsageError(faults.join(', '));
}

function parseStrictly(options: Options, args: readonly string[]) {
  const known = Object.fromEntries(
    Object.keys(options).map((option) => [option, { type: 'string' } as const]),
  );
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: true });
  } catch (error) {
    // Keep only Node's first sentence, which names the option; the rest is about shell quoting.
    const [problem] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(String(problem));
  }
}

/** What `--help` shows for the values of an option: the description of the inner schema, if the option is optional. */
export function described(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return described(schema.unwrap());
  return z.globalRegistry.get(schema)?.description ?? '';
}

const wholeNumber = (least: number, hint: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, hint)
    .transform(Number)
    .refine((number) => number >= least, hint);

/** The kinds of values that options take; descriptions are what `--help` shows for them. */
export const id = wholeNumber(1, 'must be an id, a whole number').describe('ID');
export const count = wholeNumber(0, 'must be a whole number').describe('N');
export const text = z.string().min(1, 'must not be empty').describe('TEXT');
export const yesOrNo = z
  .enum(['yes', 'no'], 'must be yes or no')
  .transform((word) => word === 'yes')
  .describe('yes|no');
export const email = enteredMailAddress.describe('EMAIL');
export const isoTime = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 date-time with a zone' })
  .describe('ISO');
export const date = z.iso.date('must be a date such as 2026-11-20').describe('DATE');
export const modeOption = z
  .enum(['test', 'live'], 'must be test or live')
  .transform((word) => mode.parse(word.toUpperCase()))
  .describe('test|live');
export const currencyOption = currency.describe('CODE');
