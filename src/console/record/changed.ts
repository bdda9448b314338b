import { useNavigate } from '@tanstack/react-router';

import { pageOf } from '../ui/words';

/** Records in one address, at most. */
const MAX_IDS = 100;

/** The record in the payload of a mutation, and the page of such records. */
function placeIn(payload: object): { readonly to: string; readonly id: string } | null {
  for (const [name, part] of Object.entries(payload) as [string, { readonly id?: string } | null][]) {
    const to = part?.id === undefined ? null : pageOf(name);
    if (to !== null && part?.id !== undefined) return { to, id: part.id };
  }
  return null;
}

/** Buttons of a message that lead to what mutations have changed, where another page than the shown one has it. */
export function useChangedRecords() {
  const navigate = useNavigate();
  return (payloads: readonly object[]): { readonly open?: () => void; readonly show?: () => void } => {
    const places = payloads.flatMap((payload) => placeIn(payload) ?? []);
    const [first] = places;
    if (!first || location.pathname.endsWith(first.to) || places.length > MAX_IDS) return {};
    const { to, id } = first;
    if (places.length === 1) return { open: () => void navigate({ to, search: { open: id } }) };
    const filter = { id: { in: places.map((place) => place.id) } };
    return { show: () => void navigate({ to, search: { filter } }) };
  };
}
