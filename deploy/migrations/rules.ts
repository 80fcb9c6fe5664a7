/**
 * What a migration must not do while the release before it still serves requests (docs/operations/deploying.md): take away what old
 * code uses, or hold a lock for as long as a large table is long. Each rule may be broken on purpose, by a line that says why:
 *
 *     -- deploy: RULE: the reason
 */

export const rules = {
  'takes-away': 'old code still uses it: leave it, and drop it a release later, with the reason',
  rewrites: 'the whole table is rewritten under a lock: add a new column, fill it in steps, switch over',
  'checks-all-rows':
    'all rows are read under a lock: add it NOT VALID, and VALIDATE CONSTRAINT in a later file',
  'builds-index':
    'writes wait until it is built: CREATE INDEX IF NOT EXISTS, built beforehand with CONCURRENTLY, or say that the table is small',
  'changes-all-rows': 'every row is locked and written anew: fill in steps, by a loop of the service',
} as const;
export type Rule = keyof typeof rules;

export type Finding = { readonly rule: Rule; readonly statement: string };

export function findingsOf(sql: string): Finding[] {
  const excused = new Set([...sql.matchAll(/^-- deploy: ([a-z-]+): \S/gm)].map(([, rule]) => rule));
  const made = new Set<string>();
  const found: Finding[] = [];
  for (const statement of statementsOf(sql)) {
    const table = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(statement)?.[1];
    if (table !== undefined) made.add(table.toLowerCase());
    for (const rule of rulesBrokenBy(statement, (name) => made.has(name.toLowerCase())))
      if (!excused.has(rule)) found.push({ rule, statement: statement.slice(0, 100) });
  }
  return found;
}

/** A table that the same file made is empty, and no old code knows it. */
function rulesBrokenBy(statement: string, isNew: (table: string) => boolean): Rule[] {
  const [, index] =
    /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY|IF NOT EXISTS)\w+ ON (?:ONLY )?(\w+)/i.exec(statement) ?? [];
  if (index !== undefined) return isNew(index) ? [] : ['builds-index'];
  const [, changed] = /^(?:UPDATE|DELETE FROM) (?:ONLY )?(\w+)/i.exec(statement) ?? [];
  if (changed !== undefined || /^WITH .*\bUPDATE \w+/i.test(statement))
    return changed !== undefined && isNew(changed) ? [] : ['changes-all-rows'];
  if (/^DROP (?:TABLE|VIEW|FUNCTION|SEQUENCE|TYPE|TRIGGER)\b/i.test(statement)) return ['takes-away'];
  const [, table, action = ''] = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+) (.*)$/i.exec(statement) ?? [];
  if (table === undefined || isNew(table)) return [];
  const broken = (Object.keys(actions) as (keyof typeof actions)[]).filter((rule) =>
    actions[rule].test(action),
  );
  return broken;
}

/** What `ALTER TABLE` may not do to a table that is in use. */
const actions = {
  'takes-away':
    /\bDROP (?:COLUMN|CONSTRAINT)\b|\bRENAME\b|\bDISABLE TRIGGER\b|\bALTER (?:COLUMN )?\w+ DROP DEFAULT\b/i,
  rewrites:
    /\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b|\bGENERATED ALWAYS AS\b|\bADD (?:COLUMN )?\w+ [^,]*DEFAULT (?:nextval|gen_random_uuid|clock_timestamp|random)\b/i,
  'checks-all-rows':
    /\bSET NOT NULL\b|\bADD (?:COLUMN )?(?!CONSTRAINT)\w+ [^,]*\bUNIQUE\b|\bADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY)\b(?!.*NOT VALID)/i,
} as const satisfies Partial<Record<Rule, RegExp>>;

/** Without comments, bodies of functions and literals; each in one line. */
export function statementsOf(sql: string): string[] {
  return sql
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/--.*$/gm, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}
