/** What the audit log records of a changing admin call, from its path and its body. */

export type CallFacts = {
  /** `POST /organisations/:id/disable` */
  readonly action: string;
  /** `organisations/3`: the word before an id in the path; for an id in the body the first word of the path. */
  readonly targets: readonly string[];
  readonly organisationId: number | null;
  readonly reason: string | null;
  readonly details: Readonly<Record<string, string | number | boolean>>;
};

/** Fields of bodies that say what was done, by name: a body may also have secrets and personal data, such as the email address of a person. */
const detailFields =
  'access action addresses amountMinor borneBy country currency dryRun from mode overlapHours perOrganisation perPerson reference requestsPerMinute result role spendingPerDayMinor spendingPerMonthMinor thresholdMinor to version'.split(
    ' ',
  );

const MAX_TARGETS = 100;
const MAX_CHARACTERS = 200;
const MAX_CHARACTERS_OF_REASON = 500;

/** @param path of the request, such as `/admin/organisations/3/disable` */
export function callFacts(method: string, path: string, body: unknown): CallFacts {
  const segments = path.replace(/^\/(admin\/)?/, '').split('/');
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  return {
    action: `${method} /${segments.map((segment) => (isWord(segment) ? segment : ':id')).join('/')}`.slice(
      0,
      MAX_CHARACTERS,
    ),
    targets: [...targetsInPath(segments), ...targetsInBody(segments[0] ?? '', fields)].slice(0, MAX_TARGETS),
    organisationId: organisationIn(segments, fields),
    reason: typeof fields.reason === 'string' ? oneLine(fields.reason, MAX_CHARACTERS_OF_REASON) : null,
    details: detailsIn(fields),
  };
}

/** Words of routes are lower case letters and hyphens. Everything else in a path is an id. */
function isWord(segment: string): boolean {
  return /^[a-z][a-z-]*$/.test(segment);
}

function targetsInPath(segments: readonly string[]): string[] {
  return segments.flatMap((segment, index) =>
    isWord(segment) || segment === '' ? [] : [target(segments[index - 1] ?? '', segment)],
  );
}

function targetsInBody(
  kind: string,
  { id, ids, name, offerId, acceptJump, personIds }: Record<string, unknown>,
): string[] {
  // A name is a target where it is the hash of a picture. Other names are those of organisations and keys.
  const picture = typeof name === 'string' && /^[0-9a-f]{64}$/.test(name) ? [name] : [];
  const listed: unknown[] = [ids ?? personIds].flat().slice(0, MAX_TARGETS);
  const own = [id, ...listed, ...picture, acceptJump].filter(isId).map((one) => target(kind, one));
  return isId(offerId) ? [...own, target('offers', offerId)] : own;
}

function organisationIn(segments: readonly string[], fields: Record<string, unknown>): number | null {
  const inPath = segments[0] === 'organisations' ? segments[1] : undefined;
  const id = Number(inPath ?? fields.organisationId);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

function detailsIn(fields: Record<string, unknown>): CallFacts['details'] {
  const details: Record<string, string | number | boolean> = {};
  for (const name of detailFields) {
    const value = Array.isArray(fields[name]) ? fields[name].join(' ') : fields[name];
    // A limit that is taken away is a fact too.
    if (value === null) details[name] = 'none';
    else if (typeof value === 'string') details[name] = oneLine(value, MAX_CHARACTERS);
    else if (typeof value === 'number' || typeof value === 'boolean') details[name] = value;
  }
  return details;
}

function isId(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function target(kind: string, id: string | number): string {
  return oneLine(`${kind}/${id}`, MAX_CHARACTERS);
}

function oneLine(text: string, atMost: number): string {
  return text.replace(/\p{Cc}/gu, ' ').slice(0, atMost);
}
