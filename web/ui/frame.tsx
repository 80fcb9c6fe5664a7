/** The frame of every page: a skip link, the header, and the navigation, which is folded on narrow screens. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ThemeSwitch } from './theme/theme-switch.tsx';

type FrameProps = {
  readonly header: ComponentChildren;
  readonly menu: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Frame({ header, menu, children }: FrameProps) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      {header}
      <div class="frame">
        {menu}
        <main id="content" class="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  );
}

type SectionsMenuProps = {
  readonly sections: readonly {
    readonly address: string;
    readonly title: string;
    readonly isHere: boolean;
  }[];
  /** Shown below the sections. */
  readonly children?: ComponentChildren;
};

export function SectionsMenu({ sections, children }: SectionsMenuProps) {
  const [open, setOpen] = useState(false);
  return (
    <nav class="sections" aria-label="Sections" data-open={open}>
      <button
        type="button"
        class="quiet menu"
        aria-expanded={open}
        aria-controls="sections"
        onClick={() => setOpen(!open)}
      >
        Menu
      </button>
      <div id="sections" class="menu-content">
        <ul>
          {sections.map(({ address, title, isHere }) => (
            <li key={address}>
              <a href={address} aria-current={isHere ? 'page' : undefined} onClick={() => setOpen(false)}>
                {title}
              </a>
            </li>
          ))}
        </ul>
        {children}
        <ThemeSwitch />
      </div>
    </nav>
  );
}
