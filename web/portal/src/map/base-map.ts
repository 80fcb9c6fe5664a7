/** The base layer of the map: sea, land, waters and borders, drawn from the tiles of the map's data. No tile server is used. */
import * as L from 'leaflet';
import { coloursOf } from '../../../ui/theme/colours.ts';
import { isCut, levelAt, TILE_UNITS, tileName } from './tile-grid.ts';
import { loadTile, type Shape, type Tile } from './tiles.ts';

const BaseMap = L.GridLayer.extend({
  createTile(this: L.GridLayer, coords: L.Coords, done: L.DoneCallback) {
    const canvas = document.createElement('canvas');
    const { x: size } = this.getTileSize();
    const scale = Math.min(2, window.devicePixelRatio || 1);
    canvas.width = size * scale;
    canvas.height = size * scale;
    const container = (this as unknown as { _map: L.Map })._map.getContainer();
    const draw = async () => {
      const view = viewOf(coords, size, scale);
      // Nothing is drawn before: the background says neither land nor sea.
      const tile = await loadTile(view.name);
      drawTile(canvas, tile, view, coloursOf(container, mapColours));
    };
    void draw().then(done.bind(null, undefined, canvas), done.bind(null, new Error('no map data'), canvas));
    return canvas;
  },
}) as new (
  options?: L.GridLayerOptions,
) => L.GridLayer;

const mapColours = {
  sea: '--map-sea',
  land: '--map-land',
  border: '--map-border',
  coast: '--map-coast',
  river: '--map-river',
} as const;
type Colours = { readonly [C in keyof typeof mapColours]: string };

export function baseMap(): L.GridLayer {
  return new BaseMap({ tileSize: 256, updateWhenIdle: false, keepBuffer: 1 });
}

/** The part of a data tile that one square of the map shows. */
type View = {
  readonly name: ReturnType<typeof tileName>;
  readonly scale: number;
  readonly size: number;
  /** Pixels of a unit of the data tile. */
  readonly pixels: number;
  /** Where the square begins, in pixels of the data tile. */
  readonly left: number;
  readonly top: number;
};

function viewOf({ x, y, z }: L.Coords, size: number, scale: number): View {
  const { zoom } = levelAt(z);
  const parts = 2 ** (z - zoom);
  const [tileX, tileY] = [Math.floor(x / parts), Math.floor(y / parts)];
  return {
    name: tileName(zoom, tileX, tileY),
    scale,
    size,
    pixels: (size * parts) / TILE_UNITS,
    left: (x - tileX * parts) * size,
    top: (y - tileY * parts) * size,
  };
}

function drawTile(canvas: HTMLCanvasElement, tile: Tile, view: View, colours: Colours): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  pen.scale(view.scale, view.scale);
  pen.lineJoin = 'round';
  pen.lineCap = 'round';
  pen.fillStyle = colours.sea;
  pen.fillRect(0, 0, view.size, view.size);
  const draw = (shapes: readonly Shape[], o: { fill?: string; stroke: string; width: number }) => {
    const near = shapes.filter((shape) => isNear(shape, view));
    if (o.fill !== undefined) {
      pen.beginPath();
      for (const { points } of near) trace(pen, points, view, false);
      pen.fillStyle = o.fill;
      pen.fill('evenodd');
    }
    pen.beginPath();
    for (const { points } of near) trace(pen, points, view, true);
    pen.strokeStyle = o.stroke;
    pen.lineWidth = o.width;
    pen.stroke();
  };
  draw(tile.land, { fill: colours.land, stroke: colours.coast, width: 1 });
  pen.beginPath();
  for (const { points } of tile.rivers) traceCurve(pen, points, view);
  pen.strokeStyle = colours.river;
  pen.lineWidth = 1.5;
  pen.stroke();
  draw(tile.lakes, { fill: colours.sea, stroke: colours.coast, width: 1 });
  pen.setLineDash([4, 3]);
  draw(tile.borders, { stroke: colours.border, width: 1 });
}

/** Draws a little beyond the square, so that lines along its edge appear in both squares. */
const MARGIN = 4;

function isNear({ west, east, north, south }: Shape, { pixels, left, top, size }: View): boolean {
  return (
    west * pixels <= left + size + MARGIN &&
    east * pixels >= left - MARGIN &&
    north * pixels <= top + size + MARGIN &&
    south * pixels >= top - MARGIN
  );
}

/** Skips points closer than half a pixel. A stroke leaves out the edges at which the data were cut. */
function trace(
  pen: CanvasRenderingContext2D,
  points: Int32Array,
  { pixels, left, top }: View,
  isStroke: boolean,
): void {
  let [lastX, lastY] = [Infinity, Infinity];
  for (let index = 0; index < points.length; index += 2) {
    const [unitX = 0, unitY = 0] = [points[index], points[index + 1]];
    const x = unitX * pixels - left;
    const y = unitY * pixels - top;
    const begins =
      index === 0 || (isStroke && isCut(points[index - 2] ?? 0, points[index - 1] ?? 0, unitX, unitY));
    if (begins) pen.moveTo(x, y);
    else if (Math.abs(x - lastX) < 0.5 && Math.abs(y - lastY) < 0.5 && index < points.length - 2) continue;
    else pen.lineTo(x, y);
    [lastX, lastY] = [x, y];
  }
}

/** Rivers are known less exactly than coasts: their corners are rounded off. */
function traceCurve(pen: CanvasRenderingContext2D, points: Int32Array, { pixels, left, top }: View): void {
  const at = (index: number) =>
    [(points[index] ?? 0) * pixels - left, (points[index + 1] ?? 0) * pixels - top] as const;
  pen.moveTo(...at(0));
  for (let index = 2; index < points.length - 2; index += 2) {
    const [x, y] = at(index);
    const [nextX, nextY] = at(index + 2);
    pen.quadraticCurveTo(x, y, (x + nextX) / 2, (y + nextY) / 2);
  }
  pen.lineTo(...at(points.length - 2));
}
