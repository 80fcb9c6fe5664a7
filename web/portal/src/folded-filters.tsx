/** Filters of a list: on a phone they are folded behind a button. */
import { SlidersHorizontal } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';

type FoldedFiltersProps = {
  /** The list leaves something out, which the button says. */
  readonly areSet: boolean;
  readonly children: ComponentChildren;
};

export function FoldedFilters({ areSet, children }: FoldedFiltersProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        class="quiet fold"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <Icon of={SlidersHorizontal} />
        {areSet ? 'Filters: some are set' : 'Filters'}
      </button>
      <div id={id} class="folded" data-open={open}>
        {children}
      </div>
    </>
  );
}
