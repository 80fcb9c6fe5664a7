/** The choice of light, dark or the system's theme. `theme.js` applies it before a page is painted. */
import { useState } from 'preact/hooks';

const themes = { system: 'System', light: 'Light', dark: 'Dark' } as const;
type Theme = keyof typeof themes;

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  const choose = (next: Theme) => {
    const { dataset } = document.documentElement;
    if (next === 'system') delete dataset['theme'];
    else dataset['theme'] = next;
    try {
      localStorage.setItem('theme', next);
    } catch {
      // Storage is not available: the choice lasts until the page is left.
    }
    setTheme(next);
  };
  return (
    <label class="theme-switch">
      <span>Theme</span>
      <select value={theme} onChange={(event) => choose(event.currentTarget.value as Theme)}>
        {Object.entries(themes).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}
