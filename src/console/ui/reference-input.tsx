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

import { Icon } from './icon';

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
}

const PAUSE_MS = 200;

/** A record chosen by its name, which the server looks for while the person types. An empty field is none. */
export function ReferenceInput(props: ReferenceInputProps): ReactNode {
  const { label, value, onChange, find, also = [], error } = props;
  /** Null while the field has the name of the record. */
  const [typed, setTyped] = useState<string | null>(null);
  const [found, setFound] = useState<readonly Reference[]>([]);
  const offered = [...also, ...found];
  useEffect(() => {
    let isOver = false;
    const search = async (): Promise<void> => {
      const records = await find(typed ?? '').catch(() => []);
      if (!isOver) setFound(records);
    };
    const timer = setTimeout(() => void search(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [find, typed]);
  return (
    <ComboBox
      className="field"
      allowsEmptyCollection
      menuTrigger="focus"
      isInvalid={error !== undefined}
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
      <Label>{label}</Label>
      <div className="combo">
        <Input />
        <AriaButton className="button button-quiet button-icon">
          <Icon name="down" />
        </AriaButton>
      </div>
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover">
        <ListBox<Reference> className="options" renderEmptyState={() => <p className="state">–</p>}>
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
