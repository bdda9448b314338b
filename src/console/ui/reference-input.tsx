import { useEffect, useState, type ReactNode } from 'react';
import {
  Button as AriaButton,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';

import { useTexts } from '../text';
import { Icon } from './icon';
import { words } from './words';

export interface Reference {
  readonly id: string;
  readonly name: string;
}

interface ReferenceInputProps {
  readonly label: string;
  readonly value: Reference | null;
  readonly onChange: (value: Reference | null) => void;
  /** Records whose names contain the text, at most some ten. */
  readonly find: (text: string) => Promise<readonly Reference[]>;
  /** Records to choose beside those that are found. */
  readonly also?: readonly Reference[];
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
}

const PAUSE_MS = 200;

/** A record chosen by its name, which the server looks for while the person types. An empty field is none. */
export function ReferenceInput(props: ReferenceInputProps): ReactNode {
  const { label, value, onChange, find, also = [], error, isRequired = false } = props;
  /** Null while the field has the name of the record. */
  const [typed, setTyped] = useState<string | null>(null);
  /** Records that were found for a text; null if the search failed. */
  const [{ of, found }, setFound] = useState({ of: '', found: [] as readonly Reference[] | null });
  const text = useTexts(words);
  const sought = typed ?? '';
  // Until the server answers, nothing is offered that was found for another text.
  const isFound = ({ name }: Reference): boolean =>
    of === sought || name.toLowerCase().includes(sought.toLowerCase());
  const offered = [...also, ...(found ?? []).filter(isFound)];
  useEffect(() => {
    let isOver = false;
    const search = async (): Promise<void> => {
      const records = await find(sought).catch(() => null);
      if (!isOver) setFound({ of: sought, found: records });
    };
    const timer = setTimeout(() => void search(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [find, sought]);
  return (
    <ComboBox
      className="field"
      allowsEmptyCollection
      menuTrigger="focus"
      isInvalid={error !== undefined}
      isRequired={isRequired}
      validationBehavior="aria"
      items={offered}
      inputValue={typed ?? value?.name ?? ''}
      onInputChange={(text) => {
        setTyped(text);
        if (text === '') onChange(null);
      }}
      value={value?.id ?? null}
      onChange={(id) => {
        const chosen = offered.find((each) => each.id === id) ?? null;
        if (chosen) setTyped(null);
        if (chosen || id === null) onChange(chosen);
      }}
    >
      <Label data-required={isRequired || undefined}>{label}</Label>
      <div className="combo">
        <Input />
        <AriaButton className="button button-quiet button-icon">
          <Icon name="down" />
        </AriaButton>
      </div>
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover">
        <ListBox<Reference>
          className="options"
          renderEmptyState={() => <p className="state">{found ? '–' : text.searchFailed}</p>}
        >
          {({ id, name }) => (
            <ListBoxItem id={id} className="option" textValue={name}>
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
