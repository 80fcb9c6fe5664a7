/** The local time of a country, if it has only one. */

/** Formats an instant with its time zone. */
export type Clock = (instant: Date) => string;

/**
 * Local time if all time zones of the country have the same offset at that instant, including summer time, so that it is right for every
 * reader; otherwise UTC, as in the API. Never a guess: an organisation gives its country, but no place in it.
 */
export function clockOf(country: string | undefined): Clock {
  const key = isCountry(country) ? country : '';
  const clock = clocks.get(key) ?? newClock(country);
  clocks.set(key, clock);
  return clock;
}

/** Creating a format takes a tenth of a millisecond. There are at most as many as countries and their zones. */
const clocks = new Map<string, Clock>();

function newClock(country: string | undefined): Clock {
  const locale = dateLocale(country);
  const zones = zonesOf(country);
  const local = format(locale, zones[0] ?? 'UTC');
  const universal = format(locale, 'UTC');
  const offsets = zones.map(
    (timeZone) => new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }),
  );
  return (instant) => {
    // Of `6/2/2026, GMT+5:30`; some releases write `GMT+0`. A name such as IST means one thing in India and another in Ireland.
    const found = offsets.map((one) =>
      one
        .format(instant)
        .replace(/^.* GMT/, 'UTC')
        .replace(/\+0$/, ''),
    );
    const [offset = 'UTC', ...others] = new Set(found);
    return others.length === 0
      ? `${local.format(instant)} (${offset})`
      : `${universal.format(instant)} (UTC)`;
  };
}

function format(locale: string, timeZone: string): Intl.DateTimeFormat {
  const { hourCycle } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions();
  return new Intl.DateTimeFormat(locale, {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    // Without am or pm, `1:45` could be read as an afternoon: `01:45`.
    hour: hourCycle === 'h23' ? '2-digit' : 'numeric',
    minute: '2-digit',
  });
}

/** If Unicode has no English for the country, the default would be that of the United States. */
function dateLocale(country: string | undefined): string {
  if (!isCountry(country)) return 'en-GB';
  const { locale } = new Intl.DateTimeFormat(`en-${country}`).resolvedOptions();
  return locale === 'en' ? 'en-GB' : locale;
}

function zonesOf(country: string | undefined): readonly string[] {
  if (!isCountry(country)) return [];
  return (new Intl.Locale(`und-${country}`) as LocaleWithZones).getTimeZones() ?? [];
}

/** Part of ECMA-402, but missing in the compiler's ES2024 library. */
type LocaleWithZones = Intl.Locale & { readonly getTimeZones: () => readonly string[] | undefined };

function isCountry(country: string | undefined): country is string {
  return country !== undefined && /^[A-Z]{2}$/.test(country);
}
