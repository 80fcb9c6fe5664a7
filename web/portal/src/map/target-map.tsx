/**
 * The map with the circles in which offers are shown. Its script contains Leaflet and is loaded only where it is used. A circle is
 * moved by its handle, by a click, or by the arrow keys on the handle. The fields beside the map do the same without sight.
 */
import 'leaflet/dist/leaflet.css';
import './map.css';
import type { Place } from '@offer-ads/contracts/places/cities';
import * as L from 'leaflet';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useThemeChanges } from '../../../ui/theme/colours.ts';
import { baseMap } from './base-map.ts';
import { townLabels } from './labels.ts';

type TargetMapProps = {
  readonly place: Circle;
  readonly radiusMiles: number;
  /** Circles that stay where they are. */
  readonly others?: readonly Circle[];
  /** Left out where the circle cannot be moved. */
  readonly move?: (place: Place) => void;
};

/** Without a radius of its own it has that of the map. */
type Circle = Place & { readonly radius?: number };

const METRES_PER_MILE = 1_609.344;
/** The step of a key press: a tenth of the radius. */
const STEP = 0.1;

export function TargetMap({ place, radiusMiles, others = [], move }: TargetMapProps) {
  const circles = [place, ...others].map(({ latitude, longitude, radius = radiusMiles }) => ({
    latitude,
    longitude,
    radius,
  }));
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<Shown | null>(null);
  const [ready, setReady] = useState<L.Map | null>(null);
  const moveTo = useRef(move);
  moveTo.current = move;

  useEffect(() => {
    if (host.current === null) return;
    const made = showMap(host.current, {
      view: viewOf(circles),
      move: moveTo.current === undefined ? null : (at) => moveTo.current?.(at),
    });
    shown.current = made;
    setReady(made.map);
    const resized = new ResizeObserver(() => made.map.invalidateSize());
    resized.observe(host.current);
    return () => {
      resized.disconnect();
      made.map.remove();
      shown.current = null;
    };
  }, []);

  useEffect(() => {
    if (shown.current !== null) placeCircles(shown.current, circles);
  }, [JSON.stringify(circles), ready]);

  const theme = useThemeChanges();
  useEffect(() => {
    if (theme > 0) shown.current?.ground.redraw();
  }, [theme]);

  return (
    <div class="target-map">
      <div
        ref={host}
        class="map-view"
        role="application"
        aria-label={
          move === undefined
            ? `Map of where the ${others.length === 0 ? 'offer is' : 'offers are'} shown`
            : 'Map. Arrow keys move the view. The fields beside it show the same place as numbers.'
        }
      />
      <div class="map-zoom">
        <button type="button" class="quiet" aria-label="Zoom in" onClick={() => ready?.zoomIn()}>
          +
        </button>
        <button type="button" class="quiet" aria-label="Zoom out" onClick={() => ready?.zoomOut()}>
          −
        </button>
      </div>
    </div>
  );
}

type Shown = {
  readonly map: L.Map;
  readonly ground: L.GridLayer;
  /** Null: no circle can be moved. */
  readonly movable: { readonly circle: L.Circle; readonly handle: L.Marker } | null;
  readonly others: L.LayerGroup;
};

type ShowMap = {
  /** The view at first, so that no data are loaded for another one. */
  readonly view: L.LatLngBounds;
  readonly move: ((place: Place) => void) | null;
};

function showMap(host: HTMLElement, { view, move }: ShowMap): Shown {
  const map = L.map(host, {
    // Both write HTML; the page has its own buttons and its own attribution.
    attributionControl: false,
    zoomControl: false,
    // The wheel scrolls the page until the user has clicked into the map.
    scrollWheelZoom: false,
    minZoom: 2,
    maxZoom: 12,
    worldCopyJump: true,
    zoomAnimation: !matchMedia('(prefers-reduced-motion: reduce)').matches,
  }).fitBounds(view, fitting);
  map.on('focus', () => map.scrollWheelZoom.enable());
  map.on('blur', () => map.scrollWheelZoom.disable());
  const ground = baseMap().addTo(map);
  townLabels().addTo(map);
  const others = L.layerGroup().addTo(map);
  if (move === null) return { map, ground, movable: null, others };
  const circle = L.circle([0, 0], { radius: 1, className: 'map-circle', interactive: false }).addTo(map);
  const handle = L.marker([0, 0], {
    icon: L.divIcon({ className: 'map-handle', html: document.createElement('span'), iconSize: [44, 44] }),
    draggable: true,
    keyboard: false,
  }).addTo(map);
  letMove({ map, handle, circle, move });
  return { map, ground, movable: { circle, handle }, others };
}

type Movable = {
  readonly map: L.Map;
  readonly handle: L.Marker;
  readonly circle: L.Circle;
  readonly move: (place: Place) => void;
};

function letMove({ map, handle, circle, move }: Movable): void {
  const told = (at: L.LatLng) => {
    const { lat, lng } = at.wrap();
    move({ latitude: Math.max(-85, Math.min(85, rounded(lat))), longitude: rounded(lng) });
  };
  handle.on('drag', () => circle.setLatLng(handle.getLatLng()));
  handle.on('dragend', () => told(handle.getLatLng()));
  map.on('click', ({ latlng }) => told(latlng));
  const element = handle.getElement();
  if (element === undefined) return;
  element.tabIndex = 0;
  element.setAttribute('role', 'button');
  element.setAttribute('aria-label', 'Centre of the circle: arrow keys move it');
  element.addEventListener('keydown', (event) => {
    const [east, north] = directions[event.key] ?? [0, 0];
    if (east === 0 && north === 0) return;
    // Do not scroll the page or move the view.
    event.preventDefault();
    event.stopPropagation();
    const { lat, lng } = handle.getLatLng();
    const step = (circle.getRadius() * STEP) / 111_195;
    told(L.latLng(lat + north * step, lng + (east * step) / Math.cos((lat * Math.PI) / 180)));
  });
}

const directions: Readonly<Record<string, readonly [east: number, north: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** Rounds to about a metre, which is exact enough and readable. */
function rounded(degrees: number): number {
  return Math.round(degrees * 100_000) / 100_000;
}

type SizedCircle = Required<Circle>;

function placeCircles({ map, movable, others }: Shown, circles: readonly SizedCircle[]): void {
  const [first] = circles;
  if (movable !== null && first !== undefined) {
    movable.circle.setLatLng(at(first)).setRadius(first.radius * METRES_PER_MILE);
    movable.handle.setLatLng(at(first));
  }
  others.clearLayers();
  const className = movable === null ? 'map-circle' : 'map-circle other';
  for (const other of movable === null ? circles : circles.slice(1))
    others
      .addLayer(
        L.circle(at(other), { radius: other.radius * METRES_PER_MILE, className, interactive: false }),
      )
      .addLayer(L.circleMarker(at(other), { radius: 4, className: 'map-centre', interactive: false }));
  const view = viewOf(circles);
  // The view moves only when a circle is not visible.
  if (!map.getBounds().contains(view)) map.fitBounds(view, fitting);
}

const fitting = { padding: [24, 24] as L.PointTuple, animate: false };

const at = ({ latitude, longitude }: Place): L.LatLngTuple => [latitude, longitude];

/** A box around all circles. */
function viewOf(circles: readonly SizedCircle[]): L.LatLngBounds {
  const [first, ...others] = circles.map((circle) =>
    L.latLng(at(circle)).toBounds(2 * circle.radius * METRES_PER_MILE),
  );
  return others.reduce((all, box) => all.extend(box), first ?? L.latLngBounds([]));
}
