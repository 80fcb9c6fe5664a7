/** Reads the bodies of estimates: the specification's field rules, in the order of decision 9, order of checks. */
import type { Target } from '@offer-ads/contracts/audience/target';
import { estimateRequest } from '@offer-ads/contracts/public/api';
import { dateTimeFault, parseDateTime, zonedDateTime } from '@offer-ads/contracts/values/date-time';
import { meantName } from '@offer-ads/contracts/values/misspelt-name';
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { type Place, readPlaces } from '@offer-ads/contracts/values/places';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { radiusRule } from '@offer-ads/contracts/values/radius';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';

export type EstimateForm = { readonly target: Target; readonly startAt: Date; readonly endAt: Date };

export type EstimateRefusal =
  /** `environment` names the mode in which the key does not work. */
  | { readonly reason: 'other-mode'; readonly keyMode: Mode }
  /** All faults at once; date-times that are not ISO 8601 are among them if there are other faults too. */
  | { readonly reason: 'invalid-input'; readonly faults: readonly string[] }
  /** The only faults are date-times that are not ISO 8601. */
  | { readonly reason: 'invalid-date-time'; readonly faults: readonly string[] };

export type EstimateFormResult =
  | { readonly ok: true; readonly form: EstimateForm; readonly wantsQuote: boolean }
  | Refused<EstimateRefusal>;

const noObject = refused({ reason: 'invalid-input', faults: ['The body must be a JSON object'] });

const estimateFields = estimateRequest.extend({ start_datetime: zonedDateTime, end_datetime: zonedDateTime });
type Fields = ReturnType<typeof estimateFields.parse>;
type Field = keyof Fields;
const fieldNames = Object.keys(estimateFields.shape) as Field[];
type Body = Readonly<Record<string, unknown>>;
type Issues = readonly { readonly path: readonly PropertyKey[] }[];

const fieldRules = {
  start_datetime: dateTimeFault,
  end_datetime: dateTimeFault,
  location: 'must be two numbers: latitude from -90 to 90 and longitude from -180 to 180',
  radius: radiusRule,
  gender: 'must be a list of Male, Female, Non-binary or All',
  interests: 'must be a list of ids from GET /interests',
  environment: 'must be TEST or LIVE',
  quote: 'must be true or false',
} as const satisfies Record<Field, string | ((given: unknown) => string)>;

/**
 * @param mode the key's mode
 * @param now when the request arrived (decision 8, time of a request)
 */
export function readEstimateForm(body: unknown, mode: Mode, now: Date): EstimateFormResult {
  if (!isObject(body)) return noObject;
  if (namesOtherMode(body.environment, mode)) return refused({ reason: 'other-mode', keyMode: mode });

  const parsed = estimateFields.safeParse(body);
  if (!parsed.success) return refused(refusalOfFields(body, parsed.error.issues, now));
  const { start_datetime: startAt, end_datetime: endAt, ...fields } = parsed.data;
  const faults = [...faultsOfPeriod(startAt, endAt, now), ...faultsOfNames(body)];
  if (faults.length > 0) return refused({ reason: 'invalid-input', faults });
  return { ok: true, form: { target: targetOf(fields), startAt, endAt }, wantsQuote: fields.quote === true };
}

export type GroupFormResult =
  | { readonly ok: true; readonly form: EstimateForm; readonly places: readonly Place[] }
  | Refused<EstimateRefusal>;

/** The body of POST /offer-groups/price-estimate: that of a single offer, with `places` for `location`. The form is of the first place. */
export function readGroupForm(body: unknown, mode: Mode, now: Date): GroupFormResult {
  if (!isObject(body)) return noObject;
  const places = readPlaces(body.places);
  const [first] = places.ok ? places.value : [];
  const read = readEstimateForm(
    { ...body, location: [first?.latitude ?? 0, first?.longitude ?? 0] },
    mode,
    now,
  );
  if (!read.ok && read.reason === 'other-mode') return read;
  const faults = [
    ...(places.ok ? [] : places.faults),
    ...Object.entries(notOfGroups).flatMap(([name, why]) =>
      body[name] === undefined ? [] : [`${name} ${why}`],
    ),
  ];
  if (faults.length > 0)
    return refused({ reason: 'invalid-input', faults: [...(read.ok ? [] : read.faults), ...faults] });
  if (!read.ok) return read;
  return { ok: true, form: read.form, places: places.ok ? places.value : [] };
}

const notOfGroups = {
  location: 'must not be sent: each of places has its own',
  quote: 'must not be sent: a quote is for a single offer',
};

/** The refusal of unknown interest ids; undefined if all are known. */
export function refusalOfInterests(
  interests: readonly number[],
  known: ReadonlySet<number>,
): EstimateRefusal | undefined {
  const unknown = interests.filter((id) => !known.has(id));
  if (unknown.length === 0) return undefined;
  return {
    reason: 'invalid-input',
    faults: [`interests ${fieldRules.interests}, not ${unknown.join(', ')}`],
  };
}

function namesOtherMode(environment: unknown, mode: Mode): boolean {
  const named = estimateFields.shape.environment.safeParse(environment).data;
  return named !== undefined && named.toUpperCase() !== mode;
}

/** Includes faults of the period if its date-times can be read; unreadable ones are faults already. */
function refusalOfFields(body: Body, issues: Issues, now: Date): EstimateRefusal {
  const faulty = [...new Set(issues.map((issue) => issue.path[0] as Field))];
  const others = [
    ...faultsOfPeriod(parseDateTime(body.start_datetime), parseDateTime(body.end_datetime), now),
    ...faultsOfNames(body),
  ];
  const faults = [...faulty.map((field) => faultOf(field, body[field])), ...others];
  const onlyDateTimes = others.length === 0 && faulty.every((field) => isUnreadableDateTime(field, body));
  return { reason: onlyDateTimes ? 'invalid-date-time' : 'invalid-input', faults };
}

function faultOf(field: Field, value: unknown): string {
  const required = !estimateFields.shape[field].safeParse(undefined).success;
  if (required && isMissing(value)) return `${field} is missing`;
  const rule = fieldRules[field];
  return `${field} ${typeof rule === 'string' ? rule : rule(value)}`;
}

function faultsOfPeriod(startAt: Date | undefined, endAt: Date | undefined, now: Date): readonly string[] {
  const faults: string[] = [];
  if (startAt !== undefined && startAt.getTime() < now.getTime() - offerLimits.startGraceSeconds * 1_000) {
    faults.push(`start_datetime must not be more than ${offerLimits.startGraceSeconds} seconds in the past`);
  }
  if (startAt !== undefined && endAt !== undefined && endAt <= startAt) {
    faults.push('end_datetime must be after start_datetime');
  }
  return faults;
}

/** Other unknown names are ignored (decision 49, misspelt names). */
function faultsOfNames(body: Body): readonly string[] {
  return Object.keys(body).flatMap((name) => {
    const meant = meantName(name, fieldNames);
    return meant === undefined || meant === name ? [] : [`${name.slice(0, 40)} must be sent as ${meant}`];
  });
}

function targetOf(fields: Pick<Fields, 'location' | 'radius' | 'gender' | 'interests'>): Target {
  const [latitude, longitude] = fields.location;
  const gender = new Set(fields.gender);
  return {
    latitude,
    longitude,
    radiusMiles: fields.radius,
    gender: gender.has('All') ? [] : [...gender].filter((each) => each !== 'All'),
    interests: [...new Set(fields.interests)],
  };
}

/** `E2` is for a value that cannot be read; a missing value is `E1`. */
function isUnreadableDateTime(field: Field, body: Body): boolean {
  return (field === 'start_datetime' || field === 'end_datetime') && !isMissing(body[field]);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
