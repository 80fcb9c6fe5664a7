/** Town names on the map: the largest towns whose names do not overlap. */

import type { City } from '@offer-ads/contracts/places/cities';
import * as L from 'leaflet';
import { levelAt, type TileName, tileName } from './tile-grid.ts';
import { loadTile } from './tiles.ts';

/** More would hide the land. */
const MOST = 40;
/** Space around a name, in pixels. */
const ROOM = 6;

type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
type Label = { readonly city: City; readonly at: L.Point };

/** A layer of text without interaction. Screen readers use the search and the fields beside the map. */
export function townLabels(): L.Layer {
  let pane: HTMLElement | undefined;
  let asked = 0;
  const layer = new L.Layer();
  layer.onAdd = (map) => {
    pane = L.DomUtil.create('div', 'town-labels leaflet-zoom-hide', map.getPane('overlayPane'));
    pane.setAttribute('aria-hidden', 'true');
    map.on('moveend zoomend resize', draw, map);
    draw.call(map);
    return layer;
  };
  layer.onRemove = (map) => {
    map.off('moveend zoomend resize', draw, map);
    pane?.remove();
    pane = undefined;
    return layer;
  };
  return layer;

  function draw(this: L.Map): void {
    void drawTowns(this);
  }

  async function drawTowns(map: L.Map): Promise<void> {
    asked += 1;
    const mine = asked;
    const towns = await townsOf(map);
    // The view may have moved on meanwhile.
    if (mine === asked) pane?.replaceChildren(...placed(map, towns).map(labelOf));
  }
}

/** Those of the tiles in view; without those whose tile could not be loaded. */
async function townsOf(map: L.Map): Promise<readonly City[]> {
  const loaded = await Promise.allSettled(tilesIn(map).map(loadTile));
  const towns = loaded.flatMap((tile) => (tile.status === 'fulfilled' ? tile.value.towns : []));
  return towns.toSorted((a, b) => b.thousands - a.thousands);
}

function tilesIn(map: L.Map): readonly TileName[] {
  const mapZoom = Math.round(map.getZoom());
  const { zoom } = levelAt(mapZoom);
  const size = 256 * 2 ** (mapZoom - zoom);
  const { min = L.point(0, 0), max = L.point(0, 0) } = map.getPixelBounds();
  const most = 2 ** zoom;
  const names = new Set<TileName>();
  for (let x = Math.floor(min.x / size); x <= Math.floor(max.x / size); x += 1)
    for (let y = Math.floor(min.y / size); y <= Math.floor(max.y / size); y += 1)
      // The user may have moved the map around the world.
      if (y >= 0 && y < most) names.add(tileName(zoom, ((x % most) + most) % most, y));
  return [...names];
}

function placed(map: L.Map, towns: readonly City[]): readonly Label[] {
  const view = map.getBounds();
  const [south, north] = [view.getSouth(), view.getNorth()];
  const turn = Math.round(map.getCenter().lng / 360) * 360;
  const [west, east] = [view.getWest() - turn, view.getEast() - turn];
  const pen = document.createElement('canvas').getContext('2d');
  if (pen === null) return [];
  const family = getComputedStyle(map.getContainer()).fontFamily;
  const taken: Box[] = [];
  const labels: Label[] = [];
  for (const city of towns) {
    const { latitude, longitude, name } = city;
    if (latitude < south || latitude > north || longitude < west || longitude > east) continue;
    const at = map.latLngToLayerPoint([latitude, longitude + turn]);
    pen.font = `${fonts[importanceOf(city)]} ${family}`;
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

/** Weight and size, as in map.css. */
const fonts = {
  city: '600 14px',
  town: '500 12px',
  village: '11px',
} as const;

function importanceOf({ thousands }: City): keyof typeof fonts {
  if (thousands >= 200) return 'city';
  return thousands >= 20 ? 'town' : 'village';
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

function labelOf({ city, at }: Label): HTMLElement {
  const label = L.DomUtil.create('span');
  label.textContent = city.name;
  label.dataset['importance'] = importanceOf(city);
  L.DomUtil.setPosition(label, at);
  return label;
}
