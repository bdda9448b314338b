import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';

import { useTexts } from '../text';
import { Icon } from '../ui/icon';
import { pageWords } from '../ui/words';
import { comparatorOfInput, kindOf, without, type FilterField } from './filter';
import type { FilterBarProps } from './filter-chips';

const words = pageWords({
  search: ['Search the list', 'Buscar na lista'],
});

/** A person who types pauses for this time. */
const PAUSE_MS = 300;

const isSearched = (field: FilterField): boolean =>
  kindOf(field) === 'text' && !field.options && !field.id.includes('.');

/** A field above a list for its first condition on a text; nothing for a list without one. */
export function QuickSearch({ fields, filter, onChange }: FilterBarProps): ReactNode {
  const text = useTexts(words);
  const field = fields.find(isSearched);
  const by = field?.comparator ?? 'contains';
  const present = field && filter[field.id]?.[by];
  const known = typeof present === 'string' ? present : '';
  const [before, setBefore] = useState(known);
  const [typed, setTyped] = useState(known);
  if (known !== before) {
    setBefore(known);
    if (known !== typed.trim()) setTyped(known);
  }
  const value = typed.trim();
  const search = useEffectEvent(() => {
    if (!field) return;
    onChange(
      value === '' ? without(filter, field.id) : { ...filter, [field.id]: comparatorOfInput(by, value) },
    );
  });
  useEffect(() => {
    if (value === known) return undefined;
    const timer = setTimeout(() => search(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value, known]);
  if (!field) return null;
  return (
    <div className="quick-search">
      <Icon name="search" />
      <input
        type="search"
        className="search-input"
        data-quick-search
        aria-label={text.search}
        placeholder={field.title}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}
