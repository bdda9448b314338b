import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  Tooltip,
  TooltipTrigger,
  type ButtonProps as AriaButtonProps,
} from 'react-aria-components';

import { Icon, type IconName } from './icon';

type Variant = 'plain' | 'primary' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  readonly variant?: Variant;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

/**
 * A button keeps the focus while it is pending and does nothing then. Its own `isPending` is not used: it announces an
 * element that is not there.
 */
export function Button({
  variant = 'plain',
  icon,
  children,
  isPending = false,
  onPress,
  ...props
}: ButtonProps): ReactNode {
  return (
    <AriaButton
      {...props}
      aria-disabled={isPending}
      className={`button button-${variant} ${isPending ? 'button-pending' : ''}`}
      {...(onPress && !isPending && { onPress })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

/** A button that shows its name when pointed at. */
export function IconButton({
  icon,
  label,
  ...props
}: ButtonProps & { icon: IconName; label: string }): ReactNode {
  return (
    <TooltipTrigger delay={400}>
      <AriaButton {...props} aria-label={label} className="button button-quiet button-icon">
        <Icon name={icon} />
      </AriaButton>
      <Tooltip className="tooltip">{label}</Tooltip>
    </TooltipTrigger>
  );
}
