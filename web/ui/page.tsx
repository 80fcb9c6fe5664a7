/** The beginning of every page: its title in the tab, and the heading, which gets the focus when the page is opened. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type PageProps = {
  readonly title: string;
  /** Name of the site, after the title in the tab. */
  readonly site: string;
  readonly lead?: ComponentChildren;
  /** Shown beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Page({ title, site, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${site}`;
  }, [title, site]);
  // Only when the page is opened: a later change of the title must not move the focus.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </header>
      {children}
    </>
  );
}
