/** Writes WeekEnded on Mondays, once for each organisation whose LIVE offers ran in the week before, whatever replicas do at the same time. */
import { WeekEnded } from '@offer-ads/contracts/events/offers';
import { EXAMINED_OFFERS } from '@offer-ads/contracts/values/offers-list';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { OffersContext } from '../context.ts';
import type { Period } from '../domain/traffic/analytics-period.ts';
import { reportOf, weekToReport } from '../domain/weekly-report.ts';
import { findOffers } from '../offers-store.ts';
import { sumTrafficOfOffers } from '../traffic/traffic-store.ts';

type Reporting = Pick<OffersContext, 'postgres' | 'clock'>;

/** Each page reads the offers of the week, so there are few. */
const PAGE = 1_000;

/** @returns the work of a loop, which remembers the week that is done */
export function weeklyReports(o: Reporting): (stopping: AbortSignal) => Promise<void> {
  let doneUntil = 0;
  return async (stopping) => {
    const week = weekToReport(o.clock.now());
    if (week === null || week.to.getTime() === doneUntil) return;
    for (let after = 0, page: readonly number[]; ; after = page.at(-1) ?? 0) {
      page = await organisationsOf(o.postgres, week, after);
      for (const organisationId of page) {
        if (stopping.aborted) return;
        await report(o, organisationId, week);
      }
      if (page.length < PAGE) break;
    }
    doneUntil = week.to.getTime();
  };
}

const inWeek = `mode = 'LIVE' AND payment_applied_at < $2 AND start_at < $2 AND expiry_at > $1 AND (deleted_at IS NULL OR deleted_at > $1)`;

async function organisationsOf(
  db: Queryable,
  { from, to }: Period,
  after: number,
): Promise<readonly number[]> {
  const rows = await db.query<{ organisation_id: number }>(
    `SELECT DISTINCT organisation_id FROM offers WHERE ${inWeek} AND organisation_id > $3
      AND NOT EXISTS (SELECT FROM weekly_reports AS report
        WHERE monday >= ($2::timestamptz AT TIME ZONE 'UTC')::date AND report.organisation_id = offers.organisation_id)
      ORDER BY organisation_id LIMIT $4`,
    [from, to, after, PAGE],
  );
  return rows.map(({ organisation_id: id }) => id);
}

async function report({ postgres, clock }: Reporting, organisationId: number, week: Period): Promise<void> {
  await postgres.transaction(async (tx) => {
    const isFirst = await tx.query(
      `INSERT INTO weekly_reports AS report (monday, organisation_id) VALUES (($1::timestamptz AT TIME ZONE 'UTC')::date, $2)
       ON CONFLICT (organisation_id) DO UPDATE SET monday = excluded.monday WHERE report.monday < excluded.monday RETURNING 1`,
      [week.to, organisationId],
    );
    if (isFirst.length === 0) return;
    const offers = await findOffers(
      tx,
      `${inWeek} AND organisation_id = $3 ORDER BY offer_id DESC LIMIT $4`,
      [week.from, week.to, organisationId, EXAMINED_OFFERS],
    );
    const traffic = await sumTrafficOfOffers(
      tx,
      offers.map(({ offerId }) => offerId),
      week,
    );
    const data = reportOf(offers, week, (id) => traffic.get(id) ?? { views: 0, clicks: 0 });
    if (data === null) return;
    const event = newEvent(WeekEnded, {
      subject: `organisation/${organisationId}`,
      // Weeks since 1970.
      subjectVersion: Math.floor(week.to.getTime() / (week.to.getTime() - week.from.getTime())),
      at: clock.now(),
      data: { ...data, organisationId, mode: 'LIVE' },
    });
    await addToOutbox(tx, [event]);
  });
}
