/** What a page shows of a query: that it is loading, empty or failed, or its data. */
import { type IconNode, Inbox } from 'lucide';
import type { ComponentChildren } from 'preact';
import { BusyButton } from './busy-button.tsx';
import { Icon } from './icon.tsx';

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

/** `children`: what can be done about it. */
export function Empty({
  title,
  icon = Inbox,
  children,
}: {
  readonly title: string;
  readonly icon?: IconNode;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty stack">
      <Icon of={icon} />
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

/** The part of a query that is shown. */
export type Query<Data> = {
  readonly data: Data | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
};

type LoadedProps<Data> = {
  readonly query: Query<Data>;
  /** The name of the data while it is loading. */
  readonly what: string;
  readonly lines?: number;
  readonly children: (data: Data) => ComponentChildren;
};

/** The data of a query; until then, that it is loading. An error is shown above older data. */
export function Loaded<Data>({ query, what, lines = 3, children }: LoadedProps<Data>) {
  return (
    <>
      {query.isPending && <Loading what={what} lines={lines} />}
      {query.error !== null && <Failed error={query.error} retry={query.refetch} />}
      {query.data !== undefined && children(query.data)}
    </>
  );
}

type Pages = { readonly hasNextPage: boolean; readonly fetchNextPage: () => Promise<unknown> };

/** The button below a list that is loaded page by page. */
export function LoadMore({ of: { hasNextPage, fetchNextPage } }: { readonly of: Pages }) {
  if (!hasNextPage) return null;
  return (
    <div>
      <BusyButton class="quiet" work={() => fetchNextPage()}>
        Load more
      </BusyButton>
    </div>
  );
}
