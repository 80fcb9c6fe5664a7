/**
 * Recent decisions of staff. If a person decides from a page that is older than another decision about the same thing, they get a warning
 * first. Stored in memory, because only one console runs. The services themselves ensure what must be decided only once, such as who
 * bears a refund.
 */
import type { Clock } from '@offer-ads/platform/process/clock';

export type Decision = {
  /** The things that it is about: `/gateway/organisations/3`. */
  readonly about: readonly string[];
  readonly by: string;
  /** The action, for example `disable`. */
  readonly action: string;
  readonly reason: string;
};

export type Begun =
  | { readonly ok: true; readonly end: (wasDone: boolean) => void }
  /** Another person has decided about it meanwhile. */
  | { readonly ok: false; readonly message: string };

export type Decisions = {
  /** @param seenMsAgo age of the data that the person has seen; null: no warning is needed, or they have confirmed it */
  readonly begin: (decision: Decision, seenMsAgo: number | null) => Begun;
};

type Kept = Decision & { readonly doneAtMs: number | 'under way' };

/** As many decisions as hundreds of people make in a day. */
const MAX_KEPT = 2_000;
/** Allows for the time that a reply needs, and for the time that a person needs to read a page. */
const READING_MS = 2_000;

export function keepDecisions(clock: Clock): Decisions {
  const latest = new Map<string, Kept>();
  const keep = (subject: string, kept: Kept | undefined) => {
    latest.delete(subject);
    if (kept !== undefined) latest.set(subject, kept);
    const [oldest] = latest.keys();
    if (latest.size > MAX_KEPT && oldest !== undefined) latest.delete(oldest);
  };
  return {
    begin: (decision, seenMsAgo) => {
      const nowMs = clock.now().getTime();
      const isNews = ({ by, doneAtMs }: Kept) =>
        by !== decision.by &&
        (doneAtMs === 'under way' || (seenMsAgo !== null && doneAtMs > nowMs - seenMsAgo - READING_MS));
      const before = decision.about.map((subject) => latest.get(subject));
      const news = before.find((kept) => kept !== undefined && isNews(kept));
      if (news !== undefined) return { ok: false, message: told(news, nowMs) };
      for (const subject of decision.about) keep(subject, { ...decision, doneAtMs: 'under way' });
      return {
        ok: true,
        end: (wasDone) => {
          for (const [index, subject] of decision.about.entries())
            keep(
              subject,
              wasDone ? { ...decision, doneAtMs: clock.now().getTime() } : unlessUnderWay(before[index]),
            );
        },
      };
    },
  };
}

function unlessUnderWay(kept: Kept | undefined): Kept | undefined {
  return kept?.doneAtMs === 'under way' ? undefined : kept;
}

function told({ by, action, reason, doneAtMs }: Kept, nowMs: number): string {
  if (doneAtMs === 'under way') return `${by} is deciding about this at this moment (${action})`;
  const seconds = Math.max(0, Math.round((nowMs - doneAtMs) / 1_000));
  const ago = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  const why = reason === '' ? '' : `, because: ${reason}`;
  return `Meanwhile ${by} has decided about this, ${ago} ago: ${action}${why}`;
}
