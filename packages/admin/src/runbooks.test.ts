/** Commands that the runbooks name exist, with the options that they are given there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { runAdmin } from './run.ts';

const folder = fileURLToPath(new URL('../../../docs/runbooks', import.meta.url));
const files = readdirSync(folder).filter((file) => file.endsWith('.md'));

/** What a person fills in. */
const placeholders: Readonly<Record<string, string>> = { ID: '7', ADDRESS: 'ann@example.com' };

/** Between backticks, or a line of a block of commands. */
function commandsOf(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8');
  return [...text.matchAll(/`(admin [^`\n]+)`|^ *(admin [^\n#]+)/gm)].map(([, inline, line]) =>
    (inline ?? line ?? '').trim(),
  );
}

/** The error that a command ends with once its arguments are known to be right; else what is wrong with them. */
async function outcomeOf(command: string): Promise<string> {
  const args = command
    .split(/\s+/)
    .slice(1)
    .map((word) => word.replace(/\b(ID|ADDRESS)\b/g, (name) => placeholders[name] ?? name));
  const said: string[] = [];
  const tools = () => {
    throw new Error('arguments are right');
  };
  await runAdmin(args, tools, { out: (line) => said.push(line), err: (line) => said.push(line) });
  return said.join('\n');
}

it.each(files.filter((file) => commandsOf(file).length > 0))(
  'the commands of %s can be typed',
  async (file) => {
    const commands = commandsOf(file);
    const outcomes = await Promise.all(commands.map(async (command) => [command, await outcomeOf(command)]));
    expect(outcomes).toEqual(commands.map((command) => [command, 'error: arguments are right']));
  },
);

it('a command that does not exist, or an option, would be noticed', async () => {
  expect(await outcomeOf('admin events purge --service pricing')).toContain('there is no command');
  expect(await outcomeOf('admin events drop --service pricing --force yes')).toContain('--force');
});
