/** The frame of every page: a skip link, the bar, notes below it, and the navigation, which is folded on narrow screens. */
import { type IconNode, Menu, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

type FrameProps = {
  readonly brand: ComponentChildren;
  /** Beside the brand. */
  readonly bar: ComponentChildren;
  /** Lines below the bar that concern every page. */
  readonly notes?: ComponentChildren;
  readonly sections: readonly {
    readonly address: string;
    readonly title: string;
    readonly icon: IconNode;
    readonly isHere: boolean;
  }[];
  /** Shown below the sections. */
  readonly below?: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Frame({ brand, bar, notes, sections, below, children }: FrameProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="bar">
        <button
          type="button"
          class="plain menu"
          aria-label="Menu"
          aria-expanded={open}
          aria-controls="sections"
          onClick={() => setOpen(!open)}
        >
          <Icon of={open ? X : Menu} />
        </button>
        {brand}
        {bar}
      </header>
      {notes !== undefined && (
        <section class="notes" aria-label="Notes">
          {notes}
        </section>
      )}
      <div class="frame">
        <nav
          id="sections"
          class="sections"
          aria-label="Sections"
          data-open={open}
          onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
        >
          <ul>
            {sections.map(({ address, title, icon, isHere }) => (
              <li key={address}>
                <a href={address} aria-current={isHere ? 'page' : undefined} onClick={() => setOpen(false)}>
                  <Icon of={icon} />
                  {title}
                </a>
              </li>
            ))}
          </ul>
          {below}
        </nav>
        <main id="content" class="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  );
}
