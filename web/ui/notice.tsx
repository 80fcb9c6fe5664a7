/** A message about a result, shown where it happened and read by screen readers. */
import type { ComponentChildren } from 'preact';

type NoticeProps = {
  readonly kind?: 'good' | 'warning' | 'problem';
  readonly children: ComponentChildren;
};

export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind ?? ''}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
