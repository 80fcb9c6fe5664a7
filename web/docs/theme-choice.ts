/** The choice of a theme. The portal stores it under the same name. */

export function chooseTheme(): void {
  const { dataset } = document.documentElement;
  const select = document.querySelector<HTMLSelectElement>('#theme');
  if (select === null) return;
  select.value = dataset['theme'] ?? 'system';
  select.addEventListener('change', () => {
    if (select.value === 'system') delete dataset['theme'];
    else dataset['theme'] = select.value;
    keep('theme', select.value);
  });
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is not available: the choice lasts until the page is left.
  }
}
