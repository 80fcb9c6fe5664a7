/** Metrics of the audience in memory: how many members count, how current it is, and what it could not do. */
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { LiveGrid } from './live-grid.ts';

export function unreadableMembers(metrics: Metrics): (documents?: number) => void {
  const unreadable = metrics.counter({
    name: 'audience_unreadable_members_total',
    help: 'Members that MongoDB holds in a form which this service never writes; they count for nothing',
  });
  return (documents = 1) => unreadable.inc(documents);
}

/** @param counting undefined while nothing is counted; then no figures are exported */
export function audienceMetrics(
  metrics: Metrics,
  o: { readonly ageMs: () => number | undefined; readonly counting: () => LiveGrid | undefined },
) {
  const read = (name: string, help: string, figure: (grid: LiveGrid) => number) =>
    metrics.readGauge({ name, help }, (gauge) => {
      const grid = o.counting();
      if (grid !== undefined) gauge.set(figure(grid));
    });
  read('audience_index_members', 'Members that count', (grid) => grid.members());
  read(
    'audience_index_bytes',
    'Memory of the grid of members; while the next one is built, twice this and more',
    (grid) => grid.bytes(),
  );
  read(
    'audience_index_changes',
    'Changes of members that wait for the next grid; every count looks at those near its circle',
    (grid) => grid.changes(),
  );
  read(
    'audience_index_age_seconds',
    'Age of the newest state that counts fully include; up to 20 in normal operation',
    () => (o.ageMs() ?? 0) / 1_000,
  );
  const applied = metrics.counter({
    name: 'audience_changes_applied_total',
    help: 'Changes of members that were followed',
  });
  const failed = metrics.counter({
    name: 'audience_builds_failed_total',
    help: 'Grids of members that could not be built; the one before counts on, and the build is tried again',
  });
  return {
    applied: () => applied.inc(),
    unreadable: unreadableMembers(metrics),
    buildFailed: () => failed.inc(),
  };
}
