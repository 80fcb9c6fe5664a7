/** A page without navigation, for people who are not signed in: the wordmark, one card, and links below it. */
import type { ComponentChildren } from 'preact';
import { Brand } from './brand.tsx';

type AloneProps = {
  /** Where the wordmark leads. */
  readonly home: string;
  readonly site?: string;
  readonly links?: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Alone({ home, site, links, children }: AloneProps) {
  return (
    <div class="alone-page">
      <header>
        <Brand address={home} {...(site === undefined ? {} : { site })} />
      </header>
      <main class="alone card">{children}</main>
      {links !== undefined && <footer class="row small">{links}</footer>}
    </div>
  );
}
