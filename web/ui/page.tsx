/** What every page begins with: its title, in the tab and as the heading that gets the focus when one comes here. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type PageProps = {
  readonly title: string;
  /** Of the whole: behind the title in the tab. */
  readonly site: string;
  readonly lead?: ComponentChildren;
  /** Beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Page({ title, site, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${site}`;
  }, [title, site]);
  // Only on arrival: a title that changes must not take the keyboard away from what is being done.
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
