/**
 * Checks that an event stays compatible with the last release. During a deployment replicas of two releases run side by side, and
 * messages of the last release are still in queues, outboxes and among sent events. So old consumers read new events, and new consumers
 * read old ones. Only a new optional field is safe for both (docs/operations/deploying.md).
 */

type JsonSchema = { readonly [keyword: string]: unknown };

/** Keywords that only describe a value and do not restrict it. */
const remarks = new Set(['$id', '$schema', '$comment', 'title', 'description', 'examples', 'deprecated']);

/** All incompatible changes: the field, what is wrong, and what to do instead. */
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
        `${path}.${name} is required: events of the last release do not have it; make it optional`,
      );
  return changes;
}

function inNewVersion(field: string, what: string): string {
  return `${field || 'the data'} ${what}: declare a new version beside the old one, and remove the old one a release later`;
}

function fieldsOf({ properties }: JsonSchema): Record<string, JsonSchema> | undefined {
  return properties as Record<string, JsonSchema> | undefined;
}

/** The schema of a list's items, if all have the same one. */
function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return typeof items === 'object' && items !== null && !Array.isArray(items)
    ? (items as JsonSchema)
    : undefined;
}

function requiredOf({ required }: JsonSchema): ReadonlySet<string> {
  return new Set(required as string[] | undefined);
}

/** Removes remarks at any depth, and the fields of objects and the items of lists, which are compared separately. */
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

/** Sorts keywords, because their order has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]));
}
