/** The three states of a list without entries: loading, empty, failed. */
import type { ComponentChildren } from 'preact';
import { BusyButton } from './busy-button.tsx';

/** `lines`: the expected number of lines, so that the page moves little after loading. */
export function Loading({ lines = 3, what }: { readonly lines?: number; readonly what: string }) {
  return (
    <div class="loading" role="status">
      <p class="hidden">Loading {what}</p>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty stack">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/** The error message with a button to try again. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry: () => Promise<unknown> }) {
  return (
    <div class="notice problem" role="alert">
      <p>{error.message}</p>
      <div>
        <BusyButton class="quiet" work={retry}>
          Try again
        </BusyButton>
      </div>
    </div>
  );
}
