import type { ReactNode } from 'react';

import { useTexts } from '../text';
import { Button } from '../ui/button';
import { Icon } from '../ui/icon';
import { filterWords, useConditionText, without, type Filter, type FilterField } from './filter';

export interface FilterBarProps {
  readonly fields: readonly FilterField[];
  /** Names of the records in the filter by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

/** Conditions that hold, each with a button to take it away. */
export function FilterChips({ fields, names, filter, onChange }: FilterBarProps): ReactNode {
  const text = useTexts(filterWords);
  const conditionText = useConditionText(names);
  const conditions = Object.entries(filter);
  if (conditions.length === 0) return null;
  return (
    <ul className="chips">
      {conditions.map(([id, comparator]) => {
        const field = fields.find((each) => each.id === id) ?? { id, title: id };
        return (
          <li key={id} className="chip">
            {conditionText(field, comparator)}
            <button
              type="button"
              aria-label={text.removeCondition(field.title)}
              onClick={() => onChange(without(filter, id))}
            >
              <Icon name="close" />
            </button>
          </li>
        );
      })}
      <li>
        <Button variant="quiet" onPress={() => onChange({})}>
          {text.clear}
        </Button>
      </li>
    </ul>
  );
}
