/** Town names on the map: the largest towns whose names do not overlap. */
import * as L from 'leaflet';
import type { Cities, City } from './cities.ts';

/** More would hide the land. */
const MOST = 30;
/** Space around a name, in pixels. */
const ROOM = 6;

type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** A layer of text without interaction. Screen readers use the search and the fields beside the map. */
export function cityLabels(cities: Cities): L.Layer {
  let pane: HTMLElement | undefined;
  const layer = new L.Layer();
  layer.onAdd = (map) => {
    pane = L.DomUtil.create('div', 'city-labels leaflet-zoom-hide', map.getPane('overlayPane'));
    pane.setAttribute('aria-hidden', 'true');
    map.on('moveend zoomend resize', draw, map);
    draw.call(map);
    return layer;
  };
  layer.onRemove = (map) => {
    map.off('moveend zoomend resize', draw, map);
    pane?.remove();
    return layer;
  };
  return layer;

  function draw(this: L.Map): void {
    pane?.replaceChildren(...placed(this, cities).map(({ city, at }) => labelOf(city, at)));
  }
}

function placed(map: L.Map, cities: Cities): { city: City; at: L.Point }[] {
  const view = map.getBounds();
  const [south, north] = [view.getSouth(), view.getNorth()];
  // The user may have moved the map around the world.
  const turn = Math.round(map.getCenter().lng / 360) * 360;
  const [west, east] = [view.getWest() - turn, view.getEast() - turn];
  const pen = document.createElement('canvas').getContext('2d');
  if (pen === null) return [];
  pen.font = '12px system-ui, sans-serif';
  const taken: Box[] = [];
  const labels: { city: City; at: L.Point }[] = [];
  for (const city of cities) {
    const { latitude, longitude, name } = city;
    if (latitude < south || latitude > north || longitude < west || longitude > east) continue;
    const at = map.latLngToLayerPoint([latitude, longitude + turn]);
    const width = pen.measureText(name).width + 12;
    const box = {
      left: at.x - ROOM,
      right: at.x + width + ROOM,
      top: at.y - 9 - ROOM / 2,
      bottom: at.y + 9 + ROOM / 2,
    };
    if (taken.some((other) => overlap(box, other))) continue;
    taken.push(box);
    labels.push({ city, at });
    if (labels.length === MOST) break;
  }
  return labels;
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

function labelOf({ name }: City, at: L.Point): HTMLElement {
  const label = L.DomUtil.create('span');
  label.textContent = name;
  L.DomUtil.setPosition(label, at);
  return label;
}
