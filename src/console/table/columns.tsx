import { useState, type ReactNode } from 'react';

import { browserStorage } from '../api/storage';
import { texts, useTexts } from '../text';
import { MenuButton } from '../ui/menu';
import type { ShownColumn } from './shown';

interface ColumnChoice {
  readonly shown: ReadonlySet<string>;
  readonly choose: (shown: ReadonlySet<string>) => void;
}

/** Columns that the person chose, remembered in this browser. */
export function useChosenColumns<Row>(
  table: string,
  columns: readonly ShownColumn<Row>[],
): readonly [readonly ShownColumn<Row>[], ColumnChoice] {
  const key = `columns:${table}`;
  const [chosen, setChosen] = useState(() => browserStorage.get(key));
  const shown = new Set(
    chosen === null
      ? columns.filter(({ isHidden }) => isHidden !== true).map(({ id }) => id)
      : chosen.split(','),
  );
  const choose = (ids: ReadonlySet<string>): void => {
    const text = [...ids].join();
    browserStorage.set(key, text);
    setChosen(text);
  };
  return [columns.filter(({ id }) => shown.has(id)), { shown, choose }];
}

const words = texts({
  columns: ['Columns', 'Colunas'],
});

interface ColumnMenuProps<Row> {
  readonly columns: readonly ShownColumn<Row>[];
  readonly choice: ColumnChoice;
}

/** Chooses the columns that a table shows. */
export function ColumnMenu<Row>({ columns, choice }: ColumnMenuProps<Row>): ReactNode {
  const text = useTexts(words);
  return (
    <MenuButton
      icon="columns"
      label={text.columns}
      selectionMode="multiple"
      disallowEmptySelection
      selectedKeys={choice.shown}
      onSelectionChange={(keys) => {
        if (keys !== 'all') choice.choose(new Set([...keys].map(String)));
      }}
      items={columns.map(({ id, title }) => ({ id, icon: 'check', name: title }))}
    />
  );
}
