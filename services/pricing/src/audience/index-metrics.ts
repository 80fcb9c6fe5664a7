/** Metrics of the index: how many members it holds, how current it is, and how many it could not take. */
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { AudienceIndex } from '../audience-index/audience-index.ts';
import type { ReplicaMarks } from './replica-marks.ts';

export type IndexMetrics = {
  readonly applied: () => void;
  readonly leftOut: () => void;
};

/** @param counting the index in use; undefined while there is none, and then no metrics are exported */
export function indexMetrics(
  metrics: Metrics,
  marks: Pick<ReplicaMarks, 'ageMs'>,
  counting: () => AudienceIndex | undefined,
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
  metrics.readGauge(age, (gauge) => {
    if (counting() !== undefined) gauge.set((marks.ageMs() ?? 0) / 1_000);
  });
  const applied = metrics.counter({
    name: 'audience_changes_applied_total',
    help: 'Changes of members that were followed into the audience index',
  });
  const leftOut = metrics.counter({
    name: 'audience_members_left_out_total',
    help: 'Changes of members whom the audience index could not take; they are not counted',
  });
  return { applied: () => applied.inc(), leftOut: () => leftOut.inc() };
}
