/** A moment as people read it, in their own time zone; programs and pointers find it in UTC. */
import { momentText, type Precision } from './time-text.ts';

type WhenProps = {
  readonly at: string | null;
  readonly precision?: Precision;
  /** What stands there when it never was. */
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
