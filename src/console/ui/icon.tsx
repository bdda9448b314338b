import type { ReactNode } from 'react';

/** Paths on a grid of 16 × 16, drawn as lines. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  back: 'M10 3 5 8l5 5',
  notification: 'M4 11V7a4 4 0 0 1 8 0v4l1.5 1.5h-11zM7 14.5h2',
  box: 'M2.5 5 8 2l5.5 3v6L8 14l-5.5-3zM2.5 5 8 8l5.5-3M8 8v6',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  close: 'm4 4 8 8m0-8-8 8',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  device:
    'M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM6 4h4v3H6zM6.5 9.5h.01M9.5 9.5h.01M6.5 12h.01M9.5 12h.01',
  down: 'm4 6 4 4 4-4',
  edit: 'M2.5 13.5l.8-3.300 7.400-7.400 2.500 2.500-7.400 7.400zM9.200 4.300l2.500 2.500',
  file: 'M4 1.5h5l3 3v10H4zM9 1.5v3h3',
  filter: 'M2.5 3.5h11l-4.2 5v4l-2.6 1.3V8.5z',
  gear: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v2m0 9v2m-6.5-6.5h2m9 0h2M3.4 3.4l1.4 1.4m6.4 6.4 1.4 1.4m0-9.200-1.4 1.4m-6.4 6.4-1.4 1.4',
  group: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.800-4L2.5 5.5m0-3v3h3M8 5v3.200l2.200 1.300',
  home: 'M2.5 7.5 8 2.5l5.5 5v6h-3.800v-4H6.300v4H2.5z',
  key: 'M10.5 2.5a3 3 0 1 1-2.300 4.900L3 12.600v1h2V12h1.5v-1.5H8l1-1',
  more: 'M2.500 8h1M7.500 8h1M12.500 8h1',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  number: 'M6.200 2.5 5 13.5m6-11-1.200 11M2.800 6h11M2.200 10h11',
  payment: 'M1.5 3.5h13v9h-13zM1.5 6.5h13M4 10h3',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.800a2.300 2.300 0 0 1 0 4.5M12 9.800c1.600.6 2.5 1.900 2.5 3.700',
  remove: 'M3 4.5h10M6.5 4.500V2.500h3v2M4.500 4.500l.6 9h5.800l.6-9M6.800 7v4M9.200 7v4',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.300 10.300l3.200 3.200',
  send: 'M2.5 7.500 13.500 2.500 9.500 13.500 7.500 8.500z',
  sliders: 'M2.5 4.5h6m3 0h2M2.5 11.5h2m3 0h6M10 3v3M6 10v3',
  steps: 'M2.5 13.5v-3h3.7v-3.700h3.700v-3.700h3.600',
  text: 'M3 3.5h10M3 7h10M3 10.5h6',
  undo: 'M5.5 3 2.5 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6',
  up: 'm4 10 4-4 4 4',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c0-3 2.4-4.5 5.5-4.5s5.5 1.5 5.5 4.5',
  narrow: 'M13 3v10M10.5 8H3m3-3L3 8l3 3',
  wide: 'M3 3v10M5.5 8H13m-3-3 3 3-3 3',
  warning: 'M8 2 1.5 13.5h13zM8 6.5v3.300M8 11.700h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
