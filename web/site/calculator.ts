/** The price on the front page, as an estimate would compute it in pounds: hours × members × 0.001 (docs/guides/prices-and-currencies.md). */
const form = document.querySelector<HTMLFormElement>('.calculator');
const inputOf = (name: string) => form?.querySelector<HTMLInputElement>(`[name="${name}"]`);
const [members, days] = [inputOf('members'), inputOf('days')];
const counted = new Intl.NumberFormat('en-GB');

function show(): void {
  if (!form || !members || !days) return;
  const [count, time] = [members.valueAsNumber, days.valueAsNumber];
  const pence = Math.round((count * time * 24) / 10);
  const texts = {
    members: `${counted.format(count)} members`,
    days: time === 1 ? '1 day' : `${time} days`,
    price: `GBP ${new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2 }).format(pence / 100)}`,
  };
  for (const [name, text] of Object.entries(texts)) {
    const output = form.querySelector(`[data-of="${name}"]`);
    if (output !== null) output.textContent = text;
  }
  members.setAttribute('aria-valuetext', texts.members);
  days.setAttribute('aria-valuetext', texts.days);
}

form?.addEventListener('input', show);
// A reload may bring back what was chosen before.
show();
