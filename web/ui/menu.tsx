/** A button that opens a panel below the bar. Escape, a click elsewhere and a link in the panel close it. */
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

type MenuProps = {
  /** What the button shows; it needs a text. */
  readonly button: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Menu({ button, children }: MenuProps) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const closeAfterLink = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('a') !== null) panel.current?.hidePopover();
  };
  return (
    <>
      <button type="button" class="plain" popovertarget={id}>
        {button}
      </button>
      <div ref={panel} id={id} class="menu-panel" popover="auto" onClick={closeAfterLink}>
        {children}
      </div>
    </>
  );
}
