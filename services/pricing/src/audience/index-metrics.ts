/** Metrics of the index: how many members it holds, how current it is, and how many it could not take. */
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { CompleteIndex } from './complete-index.ts';
import type { ReplicaMarks } from './replica-marks.ts';

export type IndexMetrics = {
  readonly applied: () => void;
  readonly leftOut: () => void;
};

/** @param counting the index in use; undefined while there is none, and then no metrics are exported */
export function indexMetrics(
  metrics: Metrics,
  marks: Pick<ReplicaMarks, 'ageMs'>,
  counting: () => CompleteIndex | undefined,
): IndexMetrics {
  const members = { name: 'audience_index_members', help: 'Members that count' };
  const bytes = { name: 'audience_index_bytes', help: 'Memory of the audience index' };
  const age = {
    name: 'audience_index_age_seconds',
    help: 'Age of the newest state that the audience index fully contains; up to 20 in normal operation',
  };
  metrics.readGauge(members, (gauge) => {
    const index = counting();
    if (index !== undefined) gauge.set(index.size().members);
  });
  metrics.readGauge(bytes, (gauge) => {
    const index = counting();
    if (index !== undefined) gauge.set(index.size().bytes);
  });
  const surplus = {
    name: 'audience_surplus_members',
    help: 'Members whom the audience index could not take; they are counted one by one, up to 20,000',
  };
  metrics.readGauge(surplus, (gauge) => {
    const index = counting();
    if (index !== undefined) gauge.set(index.surplus());
  });
  metrics.readGauge(age, (gauge) => {
    if (counting() !== undefined) gauge.set((marks.ageMs() ?? 0) / 1_000);
  });
  const applied = metrics.counter({
    name: 'audience_changes_applied_total',
    help: 'Changes of members that were followed into the audience index',
  });
  const leftOut = metrics.counter({
    name: 'audience_members_left_out_total',
    help: 'Changes of members who cannot be counted, because their facts are impossible',
  });
  return { applied: () => applied.inc(), leftOut: () => leftOut.inc() };
}
