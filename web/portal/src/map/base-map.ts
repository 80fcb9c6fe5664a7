/** The base layer of the map: sea, land and borders, drawn from bundled outlines. No tile server is used. */
import * as L from 'leaflet';
import { coloursOf } from '../../../ui/theme/colours.ts';
import { crosses, type Line, type Outlines, outlinesOf } from './outlines.ts';

/** Coarse outlines are enough up to this zoom. */
const COARSE_ZOOM = 6;

type Detail = 'coarse' | 'fine';
const loaded: { [D in Detail]?: Promise<Outlines> } = {};

function outlines(detail: Detail): Promise<Outlines> {
  const known = loaded[detail];
  if (known !== undefined) return known;
  const load = async () => {
    const world =
      detail === 'coarse'
        ? await import('world-atlas/countries-50m.json')
        : await import('world-atlas/countries-10m.json');
    return outlinesOf(world.default);
  };
  const loading = load();
  loaded[detail] = loading;
  // After a failed download the next call tries again.
  loading.catch(() => delete loaded[detail]);
  return loading;
}

const BaseMap = L.GridLayer.extend({
  createTile(this: L.GridLayer, coords: L.Coords, done: L.DoneCallback) {
    const tile = document.createElement('canvas');
    const { x: size } = this.getTileSize();
    const scale = Math.min(2, window.devicePixelRatio || 1);
    tile.width = size * scale;
    tile.height = size * scale;
    const container = (this as unknown as { _map: L.Map })._map.getContainer();
    const detail = coords.z <= COARSE_ZOOM ? 'coarse' : 'fine';
    const draw = async () => {
      const world = await outlines(detail);
      drawTile(tile, world, { coords, size, scale, colours: coloursOf(container, mapColours) });
    };
    void draw().then(done.bind(null, undefined, tile), done.bind(null, new Error('no outlines'), tile));
    return tile;
  },
}) as new (
  options?: L.GridLayerOptions,
) => L.GridLayer;

const mapColours = { land: '--map-land', border: '--map-border', coast: '--map-coast' } as const;

/** Draws only land and borders: the map's background is the sea. */
export function baseMap(): L.GridLayer {
  return new BaseMap({ tileSize: 256, updateWhenIdle: false, keepBuffer: 3 });
}

type Tile = {
  readonly coords: L.Coords;
  readonly size: number;
  readonly scale: number;
  readonly colours: { readonly [C in keyof typeof mapColours]: string };
};

function drawTile(canvas: HTMLCanvasElement, world: Outlines, tile: Tile): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const { coords, size, scale, colours } = tile;
  pen.scale(scale, scale);
  pen.lineJoin = 'round';
  const view = viewOf(coords, size);
  const path = (lines: readonly Line[]) => {
    pen.beginPath();
    for (const line of lines) if (crosses(line, view)) trace(pen, line, coords, size);
  };
  path(world.land);
  pen.fillStyle = colours.land;
  pen.fill('evenodd');
  pen.strokeStyle = colours.coast;
  pen.lineWidth = 1;
  pen.stroke();
  path(world.borders);
  pen.strokeStyle = colours.border;
  pen.setLineDash([4, 3]);
  pen.stroke();
}

/** Draws a little beyond the tile, so that lines along its edge appear in both tiles. */
const MARGIN = 4;

function viewOf({ x, y, z }: L.Coords, size: number): Omit<Line, 'points'> {
  const world = size * 2 ** z;
  const longitude = (pixels: number) => (pixels / world) * 360 - 180;
  const latitude = (pixels: number) =>
    (Math.atan(Math.sinh(Math.PI * (1 - (2 * pixels) / world))) * 180) / Math.PI;
  return {
    west: longitude(x * size - MARGIN),
    east: longitude((x + 1) * size + MARGIN),
    north: latitude(y * size - MARGIN),
    south: latitude((y + 1) * size + MARGIN),
  };
}

/** Projects to Web Mercator, like the map. Skips points closer than half a pixel. */
function trace(pen: CanvasRenderingContext2D, { points }: Line, { x, y, z }: L.Coords, size: number): void {
  const world = size * 2 ** z;
  let [lastX, lastY] = [Infinity, Infinity];
  for (let index = 0; index < points.length; index += 2) {
    const latitude = Math.max(-85.0511, Math.min(85.0511, points[index + 1] ?? 0)) * (Math.PI / 180);
    const pixelX = (((points[index] ?? 0) + 180) / 360) * world - x * size;
    const pixelY = (0.5 - Math.log(Math.tan(Math.PI / 4 + latitude / 2)) / (2 * Math.PI)) * world - y * size;
    if (index === 0) pen.moveTo(pixelX, pixelY);
    else if (Math.abs(pixelX - lastX) < 0.5 && Math.abs(pixelY - lastY) < 0.5) continue;
    else pen.lineTo(pixelX, pixelY);
    [lastX, lastY] = [pixelX, pixelY];
  }
}
