/** The outlines of countries (Natural Earth, public domain), prepared for drawing: rings of longitude and latitude with their bounds. */
import { feature, mesh } from 'topojson-client';

type Topology = Parameters<typeof mesh>[0];
type GeometryCollection = Extract<Parameters<typeof mesh>[1], { type: 'GeometryCollection' }>;

/** Longitude and latitude alternate. */
export type Line = {
  readonly points: Float32Array;
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
};

export type Outlines = { readonly land: readonly Line[]; readonly borders: readonly Line[] };

export function outlinesOf(world: unknown): Outlines {
  const topology = world as Topology & {
    readonly objects: { readonly countries: GeometryCollection; readonly land: GeometryCollection };
  };
  const { land, countries } = topology.objects;
  const borders = mesh(topology, countries, (a, b) => a !== b);
  return {
    land: feature(topology, land).features.flatMap(({ geometry }) => {
      if (geometry.type === 'Polygon') return geometry.coordinates.map(lineOf);
      return geometry.type === 'MultiPolygon' ? geometry.coordinates.flat().map(lineOf) : [];
    }),
    borders: borders.coordinates.map(lineOf),
  };
}

function lineOf(positions: readonly (readonly number[])[]): Line {
  const points = new Float32Array(positions.length * 2);
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [index, [longitude = 0, latitude = 0]] of positions.entries()) {
    points[2 * index] = longitude;
    points[2 * index + 1] = latitude;
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  return { points, west, east, south, north };
}

export function crosses(line: Line, view: Omit<Line, 'points'>): boolean {
  return (
    line.west <= view.east && line.east >= view.west && line.south <= view.north && line.north >= view.south
  );
}
