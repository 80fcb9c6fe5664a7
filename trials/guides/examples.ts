/**
 * The examples of a guide. A fenced block is a command (`sh`, `ts`, `python`), values that each reader sets (`sh yours`) or the reply of the command above
 * it (`json`, `http`, `text`). A part of a file that runs elsewhere names that file (`js packages/...`). Other blocks are refused, so every
 * example is code that runs.
 */

export type Example =
  /** `export NAME=value`, for values that differ for each reader. */
  | { readonly kind: 'values'; readonly line: number; readonly names: readonly string[] }
  | { readonly kind: 'shell'; readonly line: number; readonly code: string; readonly reply: Reply | null }
  | Script
  /** `file`: in this repository. It has the code word for word. */
  | { readonly kind: 'excerpt'; readonly line: number; readonly file: string; readonly code: string }
  /** A step that a person does, written as an HTML comment. */
  | { readonly kind: 'person'; readonly line: number; readonly does: string };

export type Script = {
  readonly kind: 'script';
  readonly language: 'ts' | 'python';
  readonly line: number;
  readonly code: string;
  readonly reply: Reply | null;
};

export type Reply = { readonly form: 'json' | 'http' | 'text'; readonly line: number; readonly text: string };

/** `info`: the word after the fence; null for a comment. */
type Block = { readonly line: number; readonly info: string | null; readonly text: string };

export function examplesOf(markdown: string): Example[] {
  const examples: Example[] = [];
  for (const block of blocksOf(markdown)) {
    const { line, info, text } = block;
    if (info === null) examples.push({ kind: 'person', line, does: text });
    else if (info === 'sh yours') examples.push({ kind: 'values', line, names: valuesOf(block) });
    else if (info === 'sh') examples.push({ kind: 'shell', line, code: text, reply: null });
    else if (info === 'ts' || info === 'python')
      examples.push({ kind: 'script', language: info, line, code: text, reply: null });
    else if (info.startsWith('js '))
      examples.push({ kind: 'excerpt', line, file: info.slice(3), code: text });
    else if (info === 'json' || info === 'http' || info === 'text') {
      const command = examples.pop();
      if ((command?.kind !== 'shell' && command?.kind !== 'script') || command.reply !== null) {
        throw new Error(`line ${line}: a reply must follow its command directly, one reply for each`);
      }
      examples.push({ ...command, reply: { form: info, line, text } });
    } else
      throw new Error(
        `line ${line}: a block is sh, sh yours, ts, python, js FILE, json, http or text, not "${info}"`,
      );
  }
  return examples;
}

/** Fenced blocks, and comments on a line of their own. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let openBlock: { info: string; line: number; lines: string[] } | undefined;
  markdown.split('\n').forEach((text, index) => {
    const fence = /^\s*(?:```|~~~)(.*)$/.exec(text)?.[1]?.trim();
    const line = index + 1;
    if (openBlock !== undefined) {
      if (fence === undefined) return void openBlock.lines.push(text);
      blocks.push({ info: openBlock.info, line: openBlock.line, text: openBlock.lines.join('\n') });
      openBlock = undefined;
    } else if (fence !== undefined) openBlock = { info: fence, line, lines: [] };
    else if (/^ {4}\S/.test(text)) throw new Error(`line ${line}: an indented block is not run; use a fence`);
    else {
      const comment = /^<!-- (.+) -->$/.exec(text)?.[1];
      if (comment !== undefined) blocks.push({ info: null, line, text: comment });
      else if (text.includes('<!--'))
        throw new Error(`line ${line}: a comment is one line, <!-- like this -->`);
    }
  });
  if (openBlock !== undefined) throw new Error(`line ${openBlock.line}: this block does not end`);
  return blocks;
}

function valuesOf({ line, text }: Block): string[] {
  return text.split('\n').map((each) => {
    const name = /^export (\w+)=\S+$/.exec(each)?.[1];
    if (name === undefined) throw new Error(`line ${line}: values need export, not ${each}`);
    return name;
  });
}
