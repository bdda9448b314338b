import type { ReactNode } from 'react';

interface CheckboxProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A box to tick. */
export function Checkbox({ children, isSelected, onChange, isDisabled = false }: CheckboxProps): ReactNode {
  return (
    <label className="checkbox">
      <input
        type="checkbox"
        checked={isSelected}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  );
}
