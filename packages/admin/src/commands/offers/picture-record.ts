/** Formats the record of a picture for people. */
import type { PictureReply } from '@offer-ads/contracts/internal/moderation-api';

/** Instead of a verdict: the model has not judged the picture with its current settings. */
export const NOT_JUDGED = 'the model will judge';

/** The history is printed as a table, the other facts below it. */
export function formatRecord({ verdicts, rulings, now, uploaded, copyKept, ...picture }: PictureReply) {
  const byModel = verdicts.map(({ judgedAt: at, model, thresholds, verdict, reason, looks }) => ({
    at,
    by: `${model.name} ${model.version}`,
    decision: verdict,
    reason: reason ?? '',
    explicit: `${worst(looks, 'explicit')} of ${thresholds.explicit}`,
    suggestive: `${worst(looks, 'suggestive')} of ${thresholds.suggestive}`,
  }));
  const byPeople = rulings.map(({ at, author, action, reason, number, contentHash }) => ({
    at,
    by: author,
    decision: contentHash === picture.contentHash ? action : `${action} of ${contentHash}`,
    reason,
    ruling: number,
  }));
  const looks = verdicts.find(({ current }) => current)?.looks;
  return {
    history: [...byModel, ...byPeople].toSorted((one, other) => other.at.localeCompare(one.at)),
    ...picture,
    next: formatNext(now),
    uploaded,
    looks: looks === undefined ? null : looks.map(({ labels }) => roundedEach(labels)),
    copy: copyKept ? 'kept, --file FILE.jpg writes it' : null,
  };
}

function formatNext({ verdict, reason, ruling }: PictureReply['now']): string {
  if (verdict === null) return NOT_JUDGED;
  const by = ruling === null ? 'the model' : `ruling ${ruling.number} of ${ruling.author}`;
  return `${verdict}${reason === null ? '' : ` (${reason})`} by ${by}`;
}

function worst(looks: PictureReply['verdicts'][number]['looks'], measure: 'explicit' | 'suggestive') {
  return rounded(Math.max(...looks.map((look) => look[measure])));
}

export function rounded(share: number | null): number | null {
  return share === null ? null : Number(share.toFixed(3));
}

function roundedEach(labels: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(labels).map(([name, share]) => [name, rounded(share)]));
}
