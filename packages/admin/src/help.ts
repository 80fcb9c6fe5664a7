/** Help texts, generated from the table of commands. */
import { type Command, described } from './command.ts';

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
