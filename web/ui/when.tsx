/** A time in the reader's time zone; the `datetime` attribute and the tooltip have it in UTC. */
import { momentText, type Precision } from './time-text.ts';

type WhenProps = {
  readonly at: string | null;
  readonly precision?: Precision;
  /** The text for null. */
  readonly none?: string;
};

export function When({ at, precision, none = '–' }: WhenProps) {
  if (at === null) return <>{none}</>;
  return (
    <time dateTime={at} title={at}>
      {momentText(at, precision)}
    </time>
  );
}
