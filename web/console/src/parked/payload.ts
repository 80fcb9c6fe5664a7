/** Hides personal data of a parked event: only ids of things and numbers stay visible. */

const harmless = new Set([
  'mode',
  'currency',
  'role',
  'enabled',
  'status',
  'version',
  'kind',
  'type',
  'paymentMethod',
]);
/** Ids, instants, amounts and durations. Ids of people are hidden. */
const harmlessEnding = /[a-z](Id|At|Minor|Ms)$/;
const ofPeople = /^(member|person)/i;

/** Pretty-printed. A body that is not JSON is hidden as a whole. */
export function withoutPeople(body: string): string {
  const value = parse(body);
  return value === undefined ? hidden(body) : JSON.stringify(hide(value, ''), null, 2);
}

/** The whole body, pretty-printed if it is JSON. */
export function inFull(body: string): string {
  const value = parse(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

function hide(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => hide(item, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hide(inner, key)]));
  const isHarmless =
    !ofPeople.test(name) && (harmless.has(name) || harmlessEnding.test(name) || name === 'id');
  return isHarmless || value === null ? value : '(hidden)';
}

function hidden(text: string): string {
  return `(${text.length} characters, hidden)`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
