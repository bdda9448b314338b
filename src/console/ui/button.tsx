import { useId, type ReactNode } from 'react';
import {
  Button as AriaButton,
  Tooltip,
  TooltipTrigger,
  type ButtonProps as AriaButtonProps,
} from 'react-aria-components';

import { Icon, type IconName } from './icon';

type Variant = 'plain' | 'primary' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'isDisabled'> {
  readonly variant?: Variant;
  readonly icon?: IconName;
  readonly children?: ReactNode;
  /** Why it does nothing now, which is shown beside it; null if it does. */
  readonly disabledReason?: string | null;
}

/**
 * A button keeps the focus while it is pending or disabled, and does nothing then. `isPending` of React Aria is not used: it
 * announces an element that is not there.
 */
export function Button({
  variant = 'plain',
  icon,
  children,
  isPending = false,
  disabledReason = null,
  onPress,
  ...props
}: ButtonProps): ReactNode {
  const id = useId();
  const isIdle = isPending || disabledReason !== null;
  return (
    <>
      {disabledReason !== null && (
        <small id={id} className="faint button-reason">
          {disabledReason}
        </small>
      )}
      <AriaButton
        {...props}
        aria-disabled={isIdle}
        {...(disabledReason !== null && { 'aria-describedby': id })}
        className={`button button-${variant} ${isIdle ? 'button-pending' : ''}`}
        {...(onPress && !isIdle && { onPress })}
      >
        {icon && <Icon name={icon} />}
        {children}
      </AriaButton>
    </>
  );
}

/** A button that shows its name when pointed at. */
export function IconButton({
  icon,
  label,
  ...props
}: Omit<ButtonProps, 'disabledReason'> & { icon: IconName; label: string }): ReactNode {
  return (
    <TooltipTrigger delay={400}>
      <AriaButton {...props} aria-label={label} className="button button-quiet button-icon">
        <Icon name={icon} />
      </AriaButton>
      <Tooltip className="tooltip">{label}</Tooltip>
    </TooltipTrigger>
  );
}
