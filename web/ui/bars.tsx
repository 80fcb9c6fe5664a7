/** A figure of each day as bars, with the same figures as a table that keyboards, fingers and screen readers reach. The chart library would be too large for it. */
import type { ComponentChildren } from 'preact';
import './bars.css';

export type Bar = {
  readonly key: string;
  /** The length, from 0 on. */
  readonly size: number;
  /** `part`: the day is not whole. `minus`: the figure is below zero. */
  readonly look?: 'part' | 'minus' | undefined;
  readonly title: string;
  /** Below the bar. */
  readonly label: string;
};

type BarsProps = {
  readonly caption: ComponentChildren;
  readonly bars: readonly Bar[];
  /** Of the table. */
  readonly name: string;
  /** The table. */
  readonly children: ComponentChildren;
};

export function Bars({ caption, bars, name, children }: BarsProps) {
  const greatest = Math.max(1, ...bars.map(({ size }) => size));
  return (
    <figure class="day-bars">
      <figcaption class="row spread small muted">{caption}</figcaption>
      <div class="bars" aria-hidden="true">
        {bars.map(({ key, size, look, title }) => (
          <div key={key} title={title}>
            <div class={look} style={{ height: `${(size / greatest) * 100}%` }} />
          </div>
        ))}
      </div>
      <div class="bar-days small muted" aria-hidden="true">
        {bars.map(({ key, label }) => (
          <span key={key}>{label}</span>
        ))}
      </div>
      <details>
        <summary>The same figures as a table</summary>
        <div class="figures-scroll" tabIndex={0} role="region" aria-label={name}>
          {children}
        </div>
      </details>
    </figure>
  );
}
