/** Single keys as shortcuts of a page. A page that has some lets people switch them off (WCAG 2.1.4). */
import { useEffect } from 'preact/hooks';

/** By the key in lower case. */
type Shortcuts = Readonly<Record<string, () => void>>;

export function useShortcuts(on: boolean, shortcuts: Shortcuts): void {
  useEffect(() => {
    if (!on) return;
    const onKey = (event: KeyboardEvent) => {
      const { key, target, repeat, ctrlKey, altKey, metaKey } = event;
      const isTyping =
        target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
      if (repeat || ctrlKey || altKey || metaKey || isTyping) return;
      const act = shortcuts[key.toLowerCase()];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}
