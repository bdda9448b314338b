import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';

import type { Option } from '../text';
import { Icon } from './icon';

interface FieldProps {
  readonly label: string;
  /** Hint on what to enter, below the field. */
  readonly help?: ReactNode;
  /** Message on a wrong value. */
  readonly error?: string | undefined;
}

function Notes({ help, error }: Pick<FieldProps, 'help' | 'error'>): ReactNode {
  return (
    <>
      {help !== undefined && (
        <Text slot="description" className="field-help">
          {help}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </>
  );
}

interface TextInputProps extends FieldProps, Omit<TextFieldProps, 'className' | 'children'> {
  readonly placeholder?: string;
  /** Lines of a text area; without them, the field has one line. */
  readonly rows?: number;
}

export function TextInput({
  label,
  help,
  error,
  placeholder = '',
  rows,
  ...props
}: TextInputProps): ReactNode {
  const isInvalid = error !== undefined;
  return (
    <TextField {...props} isInvalid={isInvalid} validationBehavior="aria" className="field">
      <Label>{label}</Label>
      {rows === undefined ? (
        <Input placeholder={placeholder} />
      ) : (
        <TextArea rows={rows} placeholder={placeholder} />
      )}
      <Notes help={help} error={error} />
    </TextField>
  );
}

interface ChoiceProps<Value extends string> extends FieldProps {
  readonly options: readonly Option<Value>[];
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
  readonly placeholder?: string;
  readonly name?: string;
}

/** One of a few values. */
export function Choice<Value extends string>(props: ChoiceProps<Value>): ReactNode {
  const { label, help, error, options, value, onChange, isDisabled = false, placeholder, name } = props;
  return (
    <Select
      className="field"
      name={name ?? ''}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      placeholder={placeholder ?? '–'}
      value={value}
      onChange={(key) => onChange(key as Value)}
    >
      <Label>{label}</Label>
      <AriaButton className="choice">
        <SelectValue />
        <Icon name="down" />
      </AriaButton>
      <Notes help={help} error={error} />
      <Popover className="popover">
        <ListBox className="options" items={options.map((option) => ({ id: option.value, ...option }))}>
          {(option) => (
            <ListBoxItem className="option" textValue={option.label}>
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
