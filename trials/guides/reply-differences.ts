/** Compares a reply with the one in a guide: same fields in the same order, and same values except for fields that vary. */

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Fields whose value varies, some only within a certain list. The form must be the same. */
const varying: Readonly<Record<string, RegExp>> = {
  offer_id: /^\d+$/,
  category_id: /^\d+$/,
  payment_url: /^https?:\/\/[^/]+\/pay\/[\w-]{32}$/,
  click_url: /^https?:\/\/[^/]+\/c\/[\w.-]+$/,
  view_token: /^[\w.-]+$/,
  quote_id: /^[\w-]+\.[\w-]+$/,
  quote_expiry_datetime: instant,
  image: /^https?:\/\/[^/]+\/images\/\S+$/,
  'image_renditions.url': /^https?:\/\/[^/]+\/images\/\S+$/,
  webhook_id: /^we_[\w-]{20}$/,
  secret: /^whsec_[\w+/]{43}=$/,
  previous_secret_expiry_datetime: instant,
  // Of events.
  id: uuid,
  subject: /^offer\/\d+$/,
  subjectversion: /^\d+$/,
  offerId: /^\d+$/,
  organisationId: /^\d+$/,
  imageUrl: /^https?:\/\/[^/]+\/images\/\S+$/,
  time: instant,
  timestamp: instant,
  startAt: instant,
  expiryAt: instant,
  start_datetime: instant,
  end_datetime: instant,
  expiry_datetime: instant,
  as_of_datetime: instant,
  creation_datetime: instant,
  // Of the test clock.
  now: instant,
  offset_seconds: /^\d+$/,
  // Members come and go.
  matching_users: /^\d+$/,
  ad_units: /^\d+(\.\d+)?$/,
  price_estimate: /^\d+(\.\d+)?$/,
  estimated_cost: /^\d+(\.\d+)?$/,
  balance: /^\d+(\.\d+)?$/,
  amount: /^-?\d+(\.\d+)?$/,
  balance_after: /^\d+(\.\d+)?$/,
  cause: /^offer \d+ charged$/,
  next_cursor: /^[\w-]+$/,
  booking_datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  estimated_credit: /^\d+(\.\d+)?$/,
  cost: /^\d+(\.\d+)?$/,
};
const varyingFields = new Set([
  'x-request-id',
  'retry-after',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]);
/** Marks a list of which the guide shows only a part: the beginning, or with another mark before it some elements that follow each other. */
const MORE = '…';

/** @returns the differences with their paths; empty if the replies match */
export function jsonDifferences(shown: unknown, came: unknown, path = ''): string[] {
  const differs = (what: string) => [`${path || 'the reply'}: ${what}`];
  const [list, field = ''] = path
    .replaceAll(/\[\d+\]/g, '')
    .split('.')
    .slice(-2);
  const form = varying[`${list}.${field}`] ?? varying[field];
  if (form !== undefined && came !== null && shown !== null) {
    return typeof shown === typeof came && form.test(JSON.stringify(came).replaceAll('"', ''))
      ? []
      : differs(`${JSON.stringify(came)} came`);
  }
  if (Array.isArray(shown) && Array.isArray(came)) return listDifferences(shown, came, path);
  if (isObject(shown) && isObject(came)) {
    const [names, others] = [Object.keys(shown), Object.keys(came)];
    if (names.join() !== others.join()) return differs(`fields ${others.join(', ')} came`);
    return names.flatMap((name) => jsonDifferences(shown[name], came[name], `${path}.${name}`));
  }
  return Object.is(shown, came) ? [] : differs(`${JSON.stringify(came)} came`);
}

function listDifferences(shown: readonly unknown[], came: readonly unknown[], path: string): string[] {
  if (shown[0] === MORE) {
    const part = shown.slice(1);
    const tries = came.map((_, from) => listDifferences(part, came.slice(from), path));
    return tries.find((differences) => differences.length === 0) ?? tries.at(-1) ?? [`${path}: is empty`];
  }
  const isCut = shown.at(-1) === MORE;
  const part = isCut ? shown.slice(0, -1) : shown;
  const fits = isCut ? came.length > part.length : came.length === part.length;
  if (!fits) return [`${path}: ${came.length} elements came`];
  return part.flatMap((element, index) => jsonDifferences(element, came[index], `${path}[${index}]`));
}

/** Headers that a guide leaves out may come; those that it shows must. */
export function httpDifferences(shown: string, came: string): string[] {
  const [expected, actual] = [readHttp(shown), readHttp(came)];
  const differences = expected.status === actual.status ? [] : [`${actual.status} came`];
  for (const [name, value] of expected.headers) {
    const other = actual.headers.get(name);
    const isSame = varyingFields.has(name) ? other !== undefined && sameKind(value, other) : other === value;
    if (!isSame) differences.push(`${name}: ${other ?? 'nothing'} came`);
  }
  return [...differences, ...jsonDifferences(JSON.parse(expected.body), JSON.parse(actual.body))];
}

function readHttp(text: string): { status: string; headers: Map<string, string>; body: string } {
  const [head = '', body = ''] = text.replaceAll('\r\n', '\n').split(/\n\n([^]*)/);
  const [status = '', ...lines] = head.split('\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(/: ?(.*)/);
    return [name.toLowerCase(), value];
  });
  return { status: status.trim(), headers: new Map(headers), body };
}

/** Both are whole numbers, or neither is. */
function sameKind(one: string, other: string): boolean {
  return /^\d+$/.test(one) === /^\d+$/.test(other);
}

/** Line by line: `…` stands for any text, and what is counted may differ. */
export function textDifferences(shown: string, came: string): string[] {
  const [expected, actual] = [linesOf(shown), linesOf(came)];
  if (expected.length !== actual.length) return [`${actual.length} lines came:\n${came}`];
  return expected.flatMap((line, index) => {
    const other = actual[index] ?? '';
    return patternOf(line).test(other) ? [] : [`"${other}" came for "${line}"`];
  });
}

function linesOf(text: string): string[] {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function patternOf(line: string): RegExp {
  const literal = line
    .split(MORE)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
    // How often `uniq -c` has counted, and the figures of the limit.
    .replace(/^\s+\d+ /, '\\s+\\d+ ')
    .replace(/^(X-RateLimit-(?:Remaining|Reset): )\d+$/, '$1\\d+');
  return new RegExp(`^${literal}$`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
