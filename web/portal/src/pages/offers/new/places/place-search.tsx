/** Finds a place by its postcode or name, in the browser; accepts coordinates too. */

import { type City, nameOf, type Place, readCoordinates } from '@offer-ads/contracts/places/cities';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { afterPress } from '../../../../../../ui/after-press.ts';
import { BusyButton } from '../../../../../../ui/busy-button.tsx';
import { usePlaceSearch } from '../../../../map/use-towns.ts';
import { usePortal } from '../../../../session.ts';
import { examplesFor } from './place-examples.ts';

const MOST = 8;

type PlaceSearchProps = {
  /** What is typed and stands for no place yet: the offer cannot be created until it does. */
  readonly text: string;
  readonly setText: (text: string) => void;
  /** The place that counts when nothing is typed. */
  readonly place: Place | null;
  /** Its name; '' while that is not known. */
  readonly nearby: string;
  /** With the name by which it was found; '' for coordinates. */
  readonly choose: (place: Place, label: string) => void;
};

const notFound =
  'We do not know this place. We know towns, parts of towns and postcodes, but not streets and houses. Type one of these, or tap the map.';
const notChosen = 'No place is chosen yet. Click here and choose one of the list, or tap the map.';
const notLoaded = 'The list of places could not be loaded. Try again, or tap the map.';
const looking = 'Looking for this place …';

/** A WAI-ARIA combobox: the focus stays in the field, and the arrow keys choose. */
export function PlaceSearch({ text, setText, place, nearby, choose }: PlaceSearchProps) {
  const id = useId();
  const { country } = usePortal().session.organisation;
  const examples = examplesFor(country);
  /** The field was emptied to type another place; when it is left, it has the name of the place that counts. */
  const [isEmptied, setEmptied] = useState(false);
  const [isTyping, setTyping] = useState(false);
  /** Enter came before the places of the text: the first of them is chosen when they come. */
  const [isAwaited, setAwaited] = useState(false);
  /** The fault of a text without a place is shown. */
  const [isJudged, setJudged] = useState(true);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  /** Its name stays in the field, although another town may be nearer. */
  const [chosen, setChosen] = useState<City | null>(null);
  const pasted = readCoordinates(text);
  const wanted = pasted === null && text.trim().length >= 2 ? text.trim() : '';
  const search = usePlaceSearch({ text: wanted, country, most: MOST });
  const found = wanted === '' ? [] : (search.data?.places ?? []);
  const isFound = wanted !== '' && search.data?.text === wanted;
  const isOpen = open && wanted !== '' && found.length > 0;
  const isLooking = wanted !== '' && !isFound && !search.isError;
  const why = isLooking ? looking : found.length > 0 ? notChosen : notFound;
  const fault = text === '' ? '' : search.isError ? notLoaded : isJudged ? why : '';
  const isChosen = chosen?.latitude === place?.latitude && chosen?.longitude === place?.longitude;

  const take = (city: City | undefined) => {
    if (city === undefined) return;
    choose(city, city.name);
    setAwaited(false);
    setChosen(city);
    setOpen(false);
  };
  // The field may be at the end of the window.
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (isOpen) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen, found.length]);
  // The lists may come after the field was left, or after Enter.
  useEffect(() => {
    if (isFound && isAwaited) take(found[0]);
    else if (!isTyping && isFound && search.data?.postcode) take(search.data.postcode);
  }, [isTyping, isAwaited, isFound]);
  const leave = () => {
    if (pasted !== null) choose(pasted, '');
    else if (isFound && search.data?.postcode) take(search.data.postcode);
    setEmptied(false);
    setTyping(false);
    setOpen(false);
    afterPress(() => setJudged(true));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      // Enter chooses a place and does not send the form.
      event.preventDefault();
      setTyping(false);
      setJudged(true);
      if (pasted !== null) choose(pasted, '');
      else if (!isFound) setAwaited(true);
      else if (isOpen) take(found[active]);
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
    <div class="field">
      <label for={id}>Find a place</label>
      <div class="place-search">
        <input
          id={id}
          type="text"
          role="combobox"
          autocomplete="off"
          aria-expanded={isOpen}
          aria-controls={`${id}-found`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
          aria-describedby={`${id}-hint ${id}-state`}
          aria-invalid={fault !== ''}
          value={text !== '' || isEmptied ? text : isChosen && chosen !== null ? nameOf(chosen) : nearby}
          onInput={({ currentTarget: { value } }) => {
            setText(value.trim() === '' ? '' : value);
            setEmptied(value.trim() === '');
            setTyping(true);
            setAwaited(false);
            setJudged(false);
            setActive(0);
            setOpen(true);
          }}
          onFocus={(event) => {
            event.currentTarget.select();
            setOpen(true);
          }}
          onBlur={leave}
          onKeyDown={onKeyDown}
        />
        <ul
          ref={list}
          id={`${id}-found`}
          class="suggestions"
          role="listbox"
          aria-label="Places"
          hidden={!isOpen}
        >
          {found.map((city, index) => (
            <li
              key={`${nameOf(city)} ${city.latitude}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              // Keep the focus in the field, because losing it closes the list.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(city)}
            >
              {nameOf(city)}
            </li>
          ))}
        </ul>
      </div>
      <p id={`${id}-hint`} class="hint">
        {isTyping && isLooking && found.length === 0
          ? looking
          : `A town, a part of a town or a postcode, such as “${examples.town}”, “${examples.part}” or “${examples.postcode}”; or coordinates. Then press Enter.`}
      </p>
      <p id={`${id}-state`} class={fault === '' || isOpen ? 'hidden' : 'fault'} role="status">
        {isOpen ? `${found.length} places found` : fault}
      </p>
      {search.isError && text !== '' && (
        <div>
          <BusyButton class="quiet small" work={search.refetch}>
            Try again
          </BusyButton>
        </div>
      )}
    </div>
  );
}
