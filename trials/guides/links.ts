/** Links of Markdown pages and the sections to which they can lead, and the decisions that a text cites. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { slugs } from '../../web/docs/slug.ts';

export type Link = { readonly words: string; readonly file: string; readonly section: string };

/** Links to other files; addresses of sites begin with `/` or a protocol. */
export function linksOf(file: string): Link[] {
  const text = withoutCode(readFileSync(file, 'utf8'));
  return [...text.matchAll(/\[([^\]]+)\]\((?!https?:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, words = '', path = '', section = '']) => ({
      words,
      file: path === '' ? file : join(dirname(file), path),
      section,
    }),
  );
}

/** Addresses of this service that a page links to: `/portal`. */
export function addressesOf(file: string): string[] {
  const text = withoutCode(readFileSync(file, 'utf8'));
  return [...text.matchAll(/\]\((\/[^)#\s]*)/g)].map(([, address = '']) => address);
}

export function deadLinksOf(file: string): Link[] {
  return linksOf(file).filter(
    (link) =>
      !existsSync(link.file) || (link.section !== '' && !sectionsOf(link.file).includes(link.section)),
  );
}

/**
 * Files that a page names in code or commands and that are not in the repository. A page may leave out the beginning of a
 * path: `domain/offer.ts`. Words of other programs (`https://...`, `offer-ads/...`) do not end like a file of ours.
 */
export function missingFilesOf(file: string, files: readonly string[]): string[] {
  const all = `\n/${files.join('\n/')}\n`;
  const text = readFileSync(file, 'utf8');
  const code = [...text.matchAll(/```[^]*?```|`[^`\n]+`/g)].map(([piece]) => piece).join('\n');
  const path =
    /(?<![\w@/.:$~<>{}*-])(?:\.{1,2}\/)*((?:(?!\.\.?\/)[\w@.-]+\/)+[\w.-]+\.(?:tsx?|sql|yaml|md|json|html|css|sh))\b(?![/*])/g;
  const named = [...code.matchAll(path)].map(([, name = '']) => name);
  return [...new Set(named)].filter((name) => !all.includes(`/${name}\n`));
}

/**
 * Commands of a page that run our TypeScript by whichever Node is installed. Node 20 and 22 cannot: `npx node` runs the
 * project's own. Our images bring theirs, so what runs in a container is left out.
 */
export function commandsByAnyNode(file: string): string[] {
  const blocks = [...readFileSync(file, 'utf8').matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(
    ([, lines = '']) => lines,
  );
  const commands = blocks.join('\n').matchAll(/(?:^|[;|&]|\bdo) *(node \S+\.ts\b.*)/gm);
  return [...commands].map(([, command = '']) => command);
}

/** Files of the repository by the end of their name, without installed, built and local ones. */
export function filesOf(repository: string, ending: string): string[] {
  const own = new Set(['node_modules', 'dist', '.dev', '.git']);
  return globSync(`**/*.${ending}`, { cwd: repository, exclude: (name) => own.has(name) }).toSorted();
}

/** The names of decisions by their numbers: `### 17. Quota of offers`. */
export function decisionsIn(markdown: string): Map<string, string> {
  const headings = markdown.matchAll(/^### (\d+[a-z]?)\. (.+)$/gm);
  return new Map([...headings].map(([, number = '', name = '']) => [number, name]));
}

/**
 * What is wrong with a text's citations of decisions: a number that does not exist, or a name beside a number that is
 * not its name. Right are "decision 17", "decision 17, quota of offers" and "decisions 6, Unused Time, and 17".
 */
export function wrongCitationsOf(text: string, decisions: ReadonlyMap<string, string>): string[] {
  const plain = text.replace(/\s*\n\s*(?:\*|\/\/|--|#)?\s*/g, ' ').replace(/\[([^\]]+)\]\([^)\s]*\)/g, '$1');
  const wrong: string[] = [];
  for (const citation of plain.matchAll(/\bdecisions? (?=\d)/gi)) {
    let rest = plain.slice(citation.index + citation[0].length);
    for (let found = numberAt(rest); found !== null; found = numberAt(rest)) {
      const [all, number = ''] = found;
      rest = rest.slice(all.length);
      const name = decisions.get(number);
      if (name === undefined) {
        wrong.push(`there is no decision ${number}`);
      } else if (rest.toLowerCase().startsWith(`, ${name.toLowerCase()}`)) {
        rest = rest.slice(2 + name.length);
      } else if (/^, (?!and )[a-z]/i.test(rest)) {
        wrong.push(`decision ${number} is "${name}", not "${rest.slice(2, 40)}"`);
      }
    }
  }
  return wrong;
}

function numberAt(text: string): RegExpExecArray | null {
  return /^(?:,? and |, | to )?(\d+[ab]?)\b/.exec(text);
}

/** As GitHub names the headings of a page. */
function sectionsOf(file: string): string[] {
  const slug = slugs();
  const headings = withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title = '']) => slug(title));
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[^]*?^```/gm, '');
}
