/** Searches a town by its name, in the browser; accepts coordinates too. */
import { useId, useState } from 'preact/hooks';
import { nameOf, type Place, readCoordinates } from '../../../map/cities.ts';
import { useTownSearch } from '../../../map/use-towns.ts';

const MOST = 8;

/** A WAI-ARIA combobox: the focus stays in the field, and the arrow keys choose. */
export function PlaceSearch({ choose }: { readonly choose: (place: Place) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const pasted = readCoordinates(text);
  const wanted = open && pasted === null && text.trim().length >= 2 ? text.trim() : '';
  const { text: foundFor, towns: found } = useTownSearch(wanted, MOST);
  const isOpen = open && found.length > 0;

  const take = (index: number) => {
    const city = found[index];
    if (city === undefined) return;
    choose(city);
    setText(nameOf(city));
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      // Enter chooses a place and does not send the form.
      event.preventDefault();
      if (pasted !== null) choose(pasted);
      else if (isOpen && foundFor === wanted) take(active);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      setOpen(false);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + found.length) % found.length);
    }
  };

  return (
    <div class="field place-search">
      <label for={id}>Find a place</label>
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-expanded={isOpen}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
        aria-describedby={`${id}-hint`}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(text !== '')}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-found`} class="suggestions" role="listbox" aria-label="Places" hidden={!isOpen}>
        {found.map((city, index) => (
          <li
            key={`${nameOf(city)} ${city.latitude}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // Keep the focus in the field, because losing it closes the list.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(index)}
          >
            {nameOf(city)}
          </li>
        ))}
      </ul>
      <p id={`${id}-hint`} class="hint">
        A town such as “Brighton”, or coordinates such as “50.82, -0.14”. Then press Enter.
      </p>
      <p class="hidden" role="status">
        {isOpen && `${found.length} places found`}
      </p>
    </div>
  );
}
