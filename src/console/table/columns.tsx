import { useState, type ReactNode } from 'react';

import { browserStorage } from '../api/storage';
import { texts, useTexts } from '../text';
import { MenuButton } from '../ui/menu';
import type { ShownColumn } from './shown';

const words = texts({
  columns: ['Columns', 'Colunas'],
});

/** Columns that the person chose, remembered in this browser, and the menu to choose them. */
export function useChosenColumns<Row>(
  table: string,
  columns: readonly ShownColumn<Row>[],
): readonly [readonly ShownColumn<Row>[], ReactNode] {
  const text = useTexts(words);
  const key = `columns:${table}`;
  const [chosen, setChosen] = useState(() => browserStorage.get(key));
  const shown = columns.filter(({ id, isHidden }) => chosen?.split(',').includes(id) ?? isHidden !== true);
  const menu = (
    <MenuButton
      icon="columns"
      label={text.columns}
      selectionMode="multiple"
      disallowEmptySelection
      selectedKeys={shown.map(({ id }) => id)}
      onSelectionChange={(keys) => {
        const ids = (keys === 'all' ? columns.map(({ id }) => id) : [...keys]).join();
        browserStorage.set(key, ids);
        setChosen(ids);
      }}
      items={columns.map(({ id, title }) => ({ id, icon: 'check', name: title }))}
    />
  );
  return [shown, menu];
}
