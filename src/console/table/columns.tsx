import { useState, type ReactNode } from 'react';
import { MenuItem } from 'react-aria-components';

import { browserStorage } from '../api/storage';
import { texts, useTexts } from '../text';
import { Icon } from '../ui/icon';
import { MenuButton } from '../ui/menu';

/** How a value is shown: `ago` and `time` are instants, `count` is the number of records of a list. */
export type CellKind = 'ago' | 'time' | 'code' | 'number' | 'count' | 'bytes';

interface AnyColumn {
  readonly title: string;
  /** Order field of the API, where the list can be sorted by the column. */
  readonly order?: string;
  /** Pixels at least; wider columns get more of what is left. */
  readonly width?: number;
  readonly align?: 'end';
  /** Shown only when chosen. */
  readonly isHidden?: boolean;
}

/** A column that shows the field of its name. */
interface FieldColumn<Row> extends AnyColumn {
  readonly id: keyof Row & string;
  readonly kind?: CellKind;
  /** Page of the record: the field is that record, or the name of the record that the row is. */
  readonly page?: string;
  readonly render?: undefined;
}

interface RenderedColumn<Row> extends AnyColumn {
  readonly id: string;
  readonly render: (row: Row) => ReactNode;
}

export type Column<Row> = FieldColumn<Row> | RenderedColumn<Row>;

interface ColumnChoice {
  readonly shown: ReadonlySet<string>;
  readonly choose: (shown: ReadonlySet<string>) => void;
}

/** Columns that the person chose, remembered in this browser. */
export function useChosenColumns<Row>(
  table: string,
  columns: readonly Column<Row>[],
): readonly [readonly Column<Row>[], ColumnChoice] {
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
  readonly columns: readonly Column<Row>[];
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
      items={columns}
    >
      {({ title }) => (
        <MenuItem className="option" textValue={title}>
          <Icon name="check" />
          {title}
        </MenuItem>
      )}
    </MenuButton>
  );
}
