/** Commands that the runbooks and the pages for operations name exist, with the options that they are given there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { runAdmin } from './run.ts';

const docs = fileURLToPath(new URL('../../../docs', import.meta.url));
const files = ['runbooks', 'operations'].flatMap((folder) =>
  readdirSync(join(docs, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`),
);

/** What a person, or the shell, fills in. */
const placeholders: Readonly<Record<string, string>> = {
  ID: '7',
  N: '7',
  ADDRESS: 'ann@example.com',
  $service: 'offers',
  '"from December"': 'December',
};

/** Between backticks, a line of a block of commands, or what a loop does. Pages for operations also name commands without their options. */
function commandsOf(file: string): string[] {
  const text = readFileSync(join(docs, file), 'utf8');
  return [...text.matchAll(/`(admin [^`\n]+)`|^ *(?:for .* do )?(admin [^\n#;]+)/gm)]
    .map(([, inline, line]) => (inline ?? line ?? '').trim())
    .filter((command) => file.startsWith('runbooks/') || command.includes('--'));
}

/** The error that a command ends with once its arguments are known to be right; else what is wrong with them. */
async function outcomeOf(command: string): Promise<string> {
  const args = command
    .match(/"[^"]*"|\S+/g)
    ?.slice(1)
    .map((word) => placeholders[word] ?? word.replace(/\bID\b/g, '7'));
  const said: string[] = [];
  const tools = () => {
    throw new Error('arguments are right');
  };
  await runAdmin(args ?? [], tools, { out: (line) => said.push(line), err: (line) => said.push(line) });
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
