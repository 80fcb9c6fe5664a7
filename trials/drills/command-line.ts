/** `npm run drill -- <alert>...|--all|--list` */
import type { Drill } from './drill.ts';
import { drills, kebab } from './drills.ts';

export type Wanted =
  | { readonly ok: true; readonly what: 'list' }
  | { readonly ok: true; readonly what: 'run'; readonly drills: readonly Drill[] }
  | { readonly ok: false; readonly problem: string };

const usage =
  'npm run drill -- <alert>... | --all | --list, for example: npm run drill -- outbox-stuck MailsUnsent';

/** Alerts are named as in the rules or as their pages. */
export function readCommandLine(words: readonly string[]): Wanted {
  if (words.length === 0) return { ok: false, problem: usage };
  if (words.includes('--list')) return { ok: true, what: 'list' };
  if (words.includes('--all')) return { ok: true, what: 'run', drills };
  const named = (word: string) => drills.find(({ alert }) => alert === word || kebab(alert) === word);
  const unknown = words.filter((word) => named(word) === undefined);
  if (unknown.length > 0)
    return { ok: false, problem: `there is no drill ${unknown.join(', ')}; --list names all` };
  return {
    ok: true,
    what: 'run',
    drills: drills.filter((drill) => words.some((word) => named(word) === drill)),
  };
}
