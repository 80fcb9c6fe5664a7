/** The frame of the pages for people who are not signed in. */
import type { ComponentChildren } from 'preact';
import { Alone } from '../../ui/alone.tsx';

export function SignedOut({ children }: { readonly children: ComponentChildren }) {
  return (
    <Alone
      home="/"
      links={
        <>
          <a href="/docs">Guides</a>
          <a href="/docs/reference">API reference</a>
          <a href="/status">Status</a>
          <a href="/contact">Contact and legal</a>
        </>
      }
    >
      {children}
    </Alone>
  );
}
