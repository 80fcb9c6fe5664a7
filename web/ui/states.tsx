/** The three things that a list can be instead of a list: on its way, empty, or out of reach. */
import type { ComponentChildren } from 'preact';
import { BusyButton } from './busy-button.tsx';

/** `lines`: about as many as will stand there, so that little moves when they come. */
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

/** Why it cannot be shown, and a second try. */
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
