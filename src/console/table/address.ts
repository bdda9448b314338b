import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

import type { Filter } from './filter';

/** State of a list page in the address, so that back, reload and links work. */
export interface ListAddress {
  readonly filter?: Filter | undefined;
  /** Order field of the API, with a minus for the descending direction: `-STARTED_AT`. */
  readonly sort?: string | undefined;
  /** Global id of the record whose panel is open. */
  readonly open?: string | undefined;
  /** Part of the panel that is shown. */
  readonly tab?: string | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the address of a list page; what is malformed is left out. */
export function listAddress(search: Record<string, unknown>): ListAddress {
  const { filter } = search;
  const conditions =
    isObject(filter) && Object.entries(filter).filter(([, comparator]) => isObject(comparator));
  const texts = ['sort', 'open', 'tab'].filter((name) => typeof search[name] === 'string');
  return {
    ...(conditions && { filter: Object.fromEntries(conditions) as Filter }),
    ...Object.fromEntries(texts.map((name) => [name, search[name]])),
  };
}

/** The parts of the address after its path, and how to change them. `undefined` takes a part away. */
export function useAddress(): readonly [
  Readonly<Record<string, unknown>>,
  (changes: object, options?: { replace?: boolean }) => void,
] {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: object, { replace = false } = {}) => {
      const search = ((before: object) => ({ ...before, ...changes })) as never;
      void navigate({ to: '.', replace, search });
    },
    [navigate],
  );
  return [search, change];
}

/** The address of the list page that is shown, and how to change parts of it. */
export function useListAddress(): readonly [
  ListAddress,
  (changes: ListAddress, options?: { replace?: boolean }) => void,
] {
  const [search, change] = useAddress();
  return [listAddress(search), change];
}
