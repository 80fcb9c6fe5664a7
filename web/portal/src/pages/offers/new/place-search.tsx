/** Searches a town by its name, in the browser; accepts coordinates too. */
import { useEffect, useId, useState } from 'preact/hooks';
import { nameOf, type Place, readCoordinates } from '../../../map/cities.ts';
import { useTownSearch } from '../../../map/use-towns.ts';

const MOST = 8;

type PlaceSearchProps = {
  /** The name of the place that counts; '' while there is none. The field has it unless somebody searches. */
  readonly current: string;
  readonly choose: (place: Place) => void;
};

const notFound = 'No place of this name. Try the name of a town, or tap the map.';
const notChosen =
  'No place was chosen, so the place stays as it was. Choose a town of the list, or tap the map.';

/** A WAI-ARIA combobox: the focus stays in the field, and the arrow keys choose. */
export function PlaceSearch({ current, choose }: PlaceSearchProps) {
  const id = useId();
  /** Null: nobody searches. */
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? current;
  /** Why the last search has changed nothing. */
  const [missed, setMissed] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const pasted = typed === null ? null : readCoordinates(typed);
  const wanted = open && typed !== null && pasted === null && typed.trim().length >= 2 ? typed.trim() : '';
  const { text: foundFor, towns: found } = useTownSearch(wanted, MOST);
  const isOpen = open && found.length > 0;
  const isUnknown = wanted !== '' && foundFor === wanted && found.length === 0;
  // The place was changed on the map or by its coordinates.
  useEffect(() => setMissed(''), [current]);

  const take = (index: number) => {
    const city = found[index];
    if (city === undefined) return;
    choose(city);
    setTyped(nameOf(city));
    setOpen(false);
  };
  const leave = () => {
    const isLost = typed !== null && typed.trim() !== '' && open && pasted === null;
    if (isLost) setMissed(isOpen ? notChosen : notFound);
    if (pasted !== null) choose(pasted);
    setTyped(null);
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
          setTyped(event.currentTarget.value);
          setMissed('');
          setActive(0);
          setOpen(true);
        }}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={leave}
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
      <p class={isUnknown || missed !== '' ? 'fault' : 'hidden'} role="status">
        {isOpen ? `${found.length} places found` : isUnknown ? notFound : missed}
      </p>
    </div>
  );
}
