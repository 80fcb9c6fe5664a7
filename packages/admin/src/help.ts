/** Help texts, generated from the table of commands. */
import { z } from 'zod';
import type { Command } from './command.ts';

export function helpOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'npm run admin -- <command> [options] [--json]',
    '',
    ...lines,
    '',
    'COMMAND --help shows its options. --json prints one JSON object, on failure {"error": ...}.',
  ].join('\n');
}

/** The command with its options, on one line. */
export function usageOf({ name, options, operand }: Command): string {
  const words = Object.entries(options).map(([option, schema]) => {
    const value = described(schema);
    const word = option === operand ? value : `--${option} ${value}`;
    return schema.safeParse(undefined).success ? `[${word}]` : word;
  });
  return `${name} ${words.join(' ')}`.trimEnd();
}

export function helpFor(command: Command): string {
  return [usageOf(command), '', `  ${command.summary}.`].join('\n');
}

/** The description of the inner schema, if the option is optional. */
function described(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return described(schema.unwrap());
  return z.globalRegistry.get(schema)?.description ?? '';
}
