/** The choice of a theme in the bar. The portal keeps it under the same name. */

/** @param changed called with each choice that is made from now on */
export function chooseTheme(changed: (theme: string) => void = () => {}): void {
  const { dataset } = document.documentElement;
  const select = document.querySelector<HTMLSelectElement>('#theme');
  if (select === null) return;
  select.value = dataset['theme'] ?? 'system';
  select.addEventListener('change', () => {
    if (select.value === 'system') delete dataset['theme'];
    else dataset['theme'] = select.value;
    keep('theme', select.value);
    changed(select.value);
  });
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is forbidden here: it holds until the page is left.
  }
}
