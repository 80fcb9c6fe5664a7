/** Parts of the frame of every page: the skip link and the navigation, which is folded on narrow screens. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ThemeSwitch } from './theme/theme-switch.tsx';

/** The first element of the page; it leads to `<main id="content" tabIndex={-1}>`. */
export function SkipLink() {
  return (
    <a class="skip" href="#content">
      Skip to content
    </a>
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
