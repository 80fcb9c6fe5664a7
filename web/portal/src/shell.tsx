/** The frame of every page: organisation, mode, navigation, and the way out. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ThemeSwitch } from '../../ui/theme-switch.tsx';
import { Account } from './account.tsx';
import { Offline } from './offline.tsx';
import { sectionOf, sections } from './sections.ts';
import { usePortal } from './session.ts';

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { mode } = usePortal();
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header>
        <div class="bar">
          <a class="brand" href={`/portal/${mode}`}>
            Advertiser portal
          </a>
          <ModeSwitch />
          <Account />
        </div>
        {mode === 'test' && (
          <p class="mode-note">
            TEST mode: play money and test cards. Nothing here is shown to members or costs anything.
          </p>
        )}
        <Offline />
      </header>
      <div class="frame">
        <Navigation />
        <main id="content" class="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  );
}

/** To the same section in the other mode: what it lists is another thing there. */
function ModeSwitch() {
  const { mode } = usePortal();
  const section = sectionOf(useLocation().path);
  return (
    <nav class="modes" aria-label="Mode">
      {(['test', 'live'] as const).map((other) => (
        <a
          key={other}
          href={`/portal/${other}${section === '' ? '' : `/${section}`}`}
          aria-current={other === mode ? 'true' : undefined}
        >
          {other.toUpperCase()}
        </a>
      ))}
    </nav>
  );
}

function Navigation() {
  const { may, at } = usePortal();
  const here = sectionOf(useLocation().path);
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
          {sections
            .filter(({ permission }) => permission === null || may(permission))
            .map(({ path, title }) => (
              <li key={path}>
                <a
                  href={at(path)}
                  aria-current={path === here ? 'page' : undefined}
                  onClick={() => setOpen(false)}
                >
                  {title}
                </a>
              </li>
            ))}
        </ul>
        <ul class="elsewhere">
          <li>
            <a href="/docs">Guides</a>
          </li>
          <li>
            <a href="/docs/reference">API reference</a>
          </li>
          <li>
            <a href="/status">Status</a>
          </li>
        </ul>
        <ThemeSwitch />
      </div>
    </nav>
  );
}
