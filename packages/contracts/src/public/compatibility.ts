/**
 * Whether an event is still what it was promised to be while replicas of two releases run side by side, and while messages of the
 * release before lie in queues, outboxes and among sent events: old consumers read new events, and new consumers read old ones. Both
 * bear a new field that may be missing, and nothing else (docs/operations/deploying.md).
 */

type JsonSchema = { readonly [keyword: string]: unknown };

/** For people: they say what a value means, not which values there are. */
const remarks = new Set(['$id', '$schema', '$comment', 'title', 'description', 'examples', 'deprecated']);

/** Every change that breaks somebody: the field, what is wrong, and what to do instead. */
export function breakingChanges(promised: JsonSchema, current: JsonSchema, path = ''): string[] {
  const [before, now] = [fieldsOf(promised), fieldsOf(current)];
  const changes = same(bare(promised), bare(current)) ? [] : [inNewVersion(path, 'accepts other values')];
  const [each, eachNow] = [itemsOf(promised), itemsOf(current)];
  if (each !== undefined && eachNow !== undefined)
    changes.push(...breakingChanges(each, eachNow, `${path}[]`));
  if (before === undefined || now === undefined) return changes;
  const [neededBefore, neededNow] = [requiredOf(promised), requiredOf(current)];
  for (const [name, schema] of Object.entries(before)) {
    const field = `${path}.${name}`;
    const successor = now[name];
    if (successor === undefined) changes.push(inNewVersion(field, 'is gone'));
    else {
      if (neededBefore.has(name) && !neededNow.has(name)) changes.push(inNewVersion(field, 'may be missing'));
      changes.push(...breakingChanges(schema, successor, field));
    }
  }
  for (const name of neededNow)
    if (!neededBefore.has(name))
      changes.push(
        `${path}.${name} is required: events of the release before do not have it; make it optional`,
      );
  return changes;
}

function inNewVersion(field: string, what: string): string {
  return `${field || 'the data'} ${what}: declare a new version beside the old one, and drop that one a release later`;
}

function fieldsOf({ properties }: JsonSchema): Record<string, JsonSchema> | undefined {
  return properties as Record<string, JsonSchema> | undefined;
}

/** What each part of a list is, where they are all alike. */
function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return typeof items === 'object' && items !== null && !Array.isArray(items)
    ? (items as JsonSchema)
    : undefined;
}

function requiredOf({ required }: JsonSchema): ReadonlySet<string> {
  return new Set(required as string[] | undefined);
}

/** Without the fields of an object and the parts of a list, which are looked at by themselves, and without remarks at any depth. */
function bare(schema: JsonSchema): unknown {
  const { properties, required: _required, items, ...rest } = schema;
  const isListOfAlike = itemsOf(schema) !== undefined;
  const places = isListOfAlike || items === undefined ? {} : { items };
  return withoutRemarks({ ...rest, ...places, isObject: properties !== undefined, isListOfAlike });
}

function withoutRemarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRemarks);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !remarks.has(name));
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutRemarks(part)]));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Keywords in one order: which of them was written first says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]));
}
